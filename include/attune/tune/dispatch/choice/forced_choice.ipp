// attune/tune/dispatch/choice/forced_choice.ipp - restricts a space to given values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/query/marginals.hpp>
#include <attune/space/query/nearest.hpp>
#include <attune/tune/dispatch/choice/forced_choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A value and its coordinates.
struct held_value {
    named_value of;
    std::vector<coordinate> at;
};

/// The space in which these parameters have no other value; nothing where it is empty.
[[nodiscard]] inline std::optional<chain_of_trees> space_with(chain_of_trees const& space,
                                                              std::vector<held_value> const& held)
{
    description only = space.describe();
    for (held_value const& h : held)
        for (std::uint32_t k = 0; k < h.of.count; ++k) {
            std::uint32_t const parameter = h.of.first + k;
            if (only.parameters[parameter].traits().is_interval) continue; // no tree has it
            constraint_description one;
            one.scope = {parameter};
            one.test = [wanted = h.at[k]](description const&, std::span<coordinate const> at) {
                return at.front() == wanted;
            };
            one.text = only.parameters[parameter].name +
                       " == " + text_of(only.parameters[parameter], h.at[k]);
            only.constraints.push_back(std::move(one));
        }
    try {
        return chain_of_trees{std::move(only)};
    } catch (error const&) {
        return {};
    }
}

/// "16, 32, 64": the values that occur in valid configurations; "at least 0.5, at most 2".
[[nodiscard]] inline std::string possible_values(chain_of_trees const& space, named_value const& of)
{
    constexpr int most = 16;
    if (of.group != nullptr) return accepted_text(*of.group);
    std::uint32_t const i = of.first;
    parameter_description const& p = space.describe().parameters[i];
    if (p.traits().is_interval)
        return "at least " + text_of_real(p.low) + ", at most " + text_of_real(p.high);
    std::optional<marginals> valid;
    if (space.is_exact()) valid.emplace(space);
    std::string out;
    int listed = 0;
    for (std::uint32_t value = 0; value < p.value_count(); ++value) {
        if (valid && valid->share(i, value) <= 0) continue;
        if (++listed > most) return out + ", ...";
        out += (out.empty() ? "" : ", ") + text_of(p, {value, 0});
    }
    return out;
}

[[nodiscard]] inline std::string text_of_held(description const& d, held_value const& h)
{
    point at(d.parameters.size());
    std::copy(h.at.begin(), h.at.end(), at.begin() + h.of.first);
    return std::string(h.of.name) + '=' + text_at(d, h.of, at);
}

/// For values of which each is possible, but not all together.
[[nodiscard]] inline std::string contradiction(chain_of_trees const& space,
                                               std::vector<held_value> const& held)
{
    description const& d = space.describe();
    std::string all, possible;
    for (std::size_t k = 0; k < held.size(); ++k) {
        all += (all.empty() ? "" : " ") + text_of_held(d, held[k]);
        std::vector<held_value> others = held;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        std::optional<chain_of_trees> const rest = space_with(space, others);
        if (!rest) continue;
        possible += (possible.empty() ? "; " : ", or ") + std::string(held[k].of.name) +
                    " can be " + possible_values(*rest, held[k].of);
        for (held_value const& other : others)
            possible += (&other == others.data() ? " with " : " ") + text_of_held(d, other);
    }
    return "no valid configuration has " + all + possible;
}

ATTUNE_INLINE forced_choice forced_choice_of(named_texts const& wanted, chain_of_trees const& space,
                                             point const& base)
{
    description const& d = space.describe();
    forced_choice out;
    std::vector<held_value> held;
    auto const refuse = [&](std::string const& why) {
        out.notices.push_back("ATTUNE_FORCE is ignored: " + why);
        out.at.reset();
        return out;
    };
    for (auto const& [name, text] : wanted) {
        std::optional<named_value> const v = find_value(d, name);
        if (!v) {
            std::string names;
            for (named_value const& one : named_values(d))
                names += (names.empty() ? "" : ", ") + std::string(one.name);
            out.notices.push_back("ATTUNE_FORCE: " + name +
                                  " is no parameter of this kernel, "
                                  "which has " +
                                  names);
            continue;
        }
        if (text == inactive_text && d.parameters[v->first].is_conditional()) continue;
        point at(d.parameters.size());
        if (!set_value(d, *v, at, text))
            return refuse(name + '=' + text + " is not possible; " + name + " can be " +
                          possible_values(space, *v));
        auto const from = at.begin() + v->first;
        held.push_back({*v, {from, from + v->count}});
    }
    if (held.empty()) return out;
    point near = base;
    for (held_value const& h : held)
        std::copy(h.at.begin(), h.at.end(), near.begin() + h.of.first);
    if (!space.contains(near)) {
        std::optional<chain_of_trees> const only = space_with(space, held);
        if (!only) {
            near = space.settled(std::move(near));
            if (!space.contains(near)) return refuse(contradiction(space, held));
            for (held_value const& h : held)
                if (!is_active(d, h.of, near))
                    out.notices.push_back("ATTUNE_FORCE: " + text_of_held(d, h) +
                                          " has no effect: it counts only if " +
                                          d.parameters[h.of.first].active.text);
            out.at = std::move(near);
            return out;
        }
        std::vector<point> found;
        if (only->contains(near))
            found.push_back(near);
        else if (only->is_exact())
            found = nearest_valid(*only, near, {.count = 1});
        if (found.empty()) return refuse(contradiction(space, held));
        near = std::move(found.front());
    }
    out.at = std::move(near);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
