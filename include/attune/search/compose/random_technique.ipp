// attune/search/compose/random_technique.ipp - draws bases, operators and settings.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/random_technique.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// The kinds of parameters that a space has, each the closest one of some gene.
[[nodiscard]] inline std::vector<kind_row const*> kinds_in(description const& space,
                                                           vocabulary const& known)
{
    std::vector<kind_row const*> out;
    point const anywhere(space.parameters.size());
    for (std::uint32_t p = 0; p < space.parameters.size();) {
        selector_description const* const selector = space.selector_at(p);
        group_description const* const group = space.group_of(p);
        std::vector<std::uint32_t> whole(selector != nullptr ? selector->count()
                                         : group != nullptr  ? group->count
                                                             : 1);
        for (std::uint32_t& one : whole)
            one = p++;
        gene_view const gene(space, whole, anywhere);
        kind_row const* closest = nullptr;
        for (kind_row const& kind : known.kinds())
            if ((closest == nullptr || kind.lineage.size() > closest->lineage.size()) &&
                kind.holds(gene))
                closest = &kind;
        if (closest != nullptr && std::find(out.begin(), out.end(), closest) == out.end())
            out.push_back(closest);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE technique random_technique(random_engine& engine, description const& space,
                                         vocabulary const& known)
{
    auto const& bases = known.bases();
    std::optional<detail::any_base> base;
    (void)bases[uniform_below(engine, bases.size())].make({}, base);
    std::vector<detail::kind_row const*> const kinds = detail::kinds_in(space, known);
    for (;;) {
        detail::composition what{*base, {}};
        bool changes = kinds.empty();
        for (detail::kind_row const* const kind : kinds) {
            std::vector<detail::any_operator> all;
            std::vector<std::string> names;
            for (detail::operator_row const& op : known.operators()) {
                if (!detail::has_operator(*kind, op)) continue;
                detail::any_operator one = op.draw(engine);
                if (one.needs() > base->promise()) continue;
                all.push_back(std::move(one));
                names.push_back(op.name);
            }
            std::size_t const chosen = uniform_below(engine, all.size());
            changes = changes || names[chosen] != noop::name;
            what.operators.push_back({*kind, std::move(all[chosen])});
        }
        // A technique that changes nothing is none.
        if (changes) return detail::technique_of_composition(std::move(what));
    }
}

ATTUNE_INLINE technique random_bandit(random_engine& engine, description const& space,
                                      std::vector<technique> const& library,
                                      vocabulary const& known)
{
    constexpr std::array<std::size_t, 3> windows{500, 200, 100};
    constexpr std::array<double, 3> explorations{0.05, 0.15, 0.45};
    auc_bandit_options options;
    options.window = windows[uniform_below(engine, windows.size())];
    options.exploration = explorations[uniform_below(engine, explorations.size())];
    std::vector<technique> among;
    while (among.size() < 5)
        if (uniform_below(engine, 2) == 0)
            among.push_back(library[uniform_below(engine, library.size())]);
        else
            among.push_back(random_technique(engine, space, known));
    return auc_bandit_of(std::move(among), options);
}

} // namespace attune::inline ATTUNE_ABI::search
