// attune/tune/dispatch/mode.ipp - reads the variables, and searches the configuration nearest to the forced values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/layers.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/mode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A value and its coordinates.
struct held_value {
    named_value of;
    std::vector<coordinate> at;
};

/// Returns the space in which these parameters have only these values; empty if no configuration is
/// left.
[[nodiscard]] inline std::optional<chain_of_trees> space_with(chain_of_trees const& space,
                                                              std::vector<held_value> const& held)
{
    description only = space.describe();
    for (held_value const& h : held)
        for (std::uint32_t k = 0; k < h.of.count; ++k) {
            std::uint32_t const parameter = h.of.first + k;
            if (only.parameters[parameter].traits().is_interval) continue; // is in no tree
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

/// Returns the values of valid configurations: "16, 32, 64" or "at least 0.5, at most 2".
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

/// Returns the notice for values that are possible one by one, but not together.
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

struct policy_name {
    miss_policy of;
    std::string_view name;
};
inline constexpr enum_table<policy_name, miss_policy::always> policy_names{{
    {miss_policy::lookup_only, "lookup_only"},
    {miss_policy::tune_if_missing, "tune_if_missing"},
    {miss_policy::tune_in_background, "tune_in_background"},
    {miss_policy::online, "online"},
    {miss_policy::always, "always"},
}};

[[nodiscard]] inline std::optional<miss_policy> named_policy(std::string_view name)
{
    for (policy_name const& known : policy_names)
        if (name == known.name) return known.of;
    return {};
}

ATTUNE_INLINE tuning_options with_mode(tuning_options options)
{
    options.on_miss = named_policy(environment_variable("ATTUNE_MODE")).value_or(options.on_miss);
    return options;
}

/// Lengths of the name and the sign of the NAME= or NAME+= at the beginning of a text.
struct begun_value {
    std::size_t name = 0; ///< 0: no such beginning
    std::size_t sign = 0;
};

[[nodiscard]] inline begun_value value_begun_by(std::string_view text)
{
    auto const is_letter = [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::size_t end = 0;
    while (end < text.size() &&
           (is_letter(text[end]) || (end > 0 && text[end] >= '0' && text[end] <= '9')))
        ++end;
    std::string_view const behind = text.substr(end);
    if (end == 0 || !(behind.starts_with('=') || behind.starts_with("+="))) return {};
    return {end, behind.front() == '=' ? 1u : 2u};
}

ATTUNE_INLINE named_texts values_in(std::string_view text)
{
    named_texts out;
    std::string between; // separators after the values so far
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t end = from;
        for (int depth = 0; end < text.size(); ++end) {
            if (depth <= 0 && (text[end] == ',' || text[end] == ' ')) break;
            depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        }
        std::string_view const piece = text.substr(from, end - from);
        if (begun_value const begun = value_begun_by(piece); begun.name > 0) {
            out.emplace_back(piece.substr(0, begun.name), piece.substr(begun.name + begun.sign));
            between.clear();
        } else if (!out.empty() && !piece.empty()) {
            out.back().second += between + std::string(piece);
            between.clear();
        }
        if (end < text.size()) between += text[end];
        from = end + 1;
    }
    return out;
}

ATTUNE_INLINE named_texts forced_values()
{
    return values_in(environment_variable("ATTUNE_FORCE"));
}

ATTUNE_INLINE any_store with_named_stores(any_store own)
{
    std::string const paths = environment_variable("ATTUNE_STORE");
    if (paths.find_first_not_of(':') == paths.npos) return own; // names no store
    return make_any_store_of(std::make_shared<layers>(layers::of_paths(paths), std::move(own)));
}

ATTUNE_INLINE std::vector<std::string> complaints_of_variables()
{
    std::vector<std::string> out;
    std::string const mode = environment_variable("ATTUNE_MODE");
    if (!mode.empty() && !named_policy(mode)) {
        std::string names;
        for (policy_name const& known : policy_names)
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        out.push_back("ATTUNE_MODE is '" + mode + "', which is none of " + names + ": ignored");
    }
    std::string const force = environment_variable("ATTUNE_FORCE");
    if (!force.empty() && values_in(force).empty())
        out.push_back("ATTUNE_FORCE is '" + force +
                      "', which names no value, such as \"TILE=64 UNROLL=4\": ignored");
    if (call_watch const* const watch = offer_of_program<call_watch>()) {
        for (std::string& said : watch->complaints())
            out.push_back(std::move(said));
    } else {
        for (std::string const name : {"ATTUNE_CAPTURE", "ATTUNE_REPLAY"})
            if (!environment_variable(name.c_str()).empty())
                out.push_back(name +
                              " is set, but this program captures no calls: ignored; to capture "
                              "calls, include <attune/tune/capture.hpp> and link "
                              "attune::capture");
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
