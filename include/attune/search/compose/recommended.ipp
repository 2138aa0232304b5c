// attune/search/compose/recommended.ipp - a bandit with all names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE technique_maker techniques_by_name()
{
    return [known = std::make_shared<vocabulary const>()](
               std::string_view name) -> std::optional<technique> {
        try {
            return parse_technique(name, *known);
        } catch (error const&) { // a name of another release, or of the user
            return {};
        }
    };
}

ATTUNE_INLINE search_factory recommended(technique_history past,
                                         recommending_bandit_options const& options)
{
    bool const is_usual = options == recommending_bandit_options{};
    search_factory make = [past = std::move(past), options](chain_of_trees const& space,
                                                            std::uint64_t seed) -> any_searcher {
        return recommending_bandit(space, seed, past, techniques_by_name(),
                                   technique_set_for(space.describe()), options);
    };
    return is_usual ? attune::detail::named_search(detail::recommended_name, std::move(make))
                    : make;
}

namespace detail {

struct named_set {
    char const* name;
    std::vector<technique> (*make)();
    std::size_t from_history;
};
inline constexpr named_set approach_sets[] = {{"A", technique_set_a, 0},
                                              {"pgd", technique_set_pgd, 0},
                                              {"D", technique_set_d, 0},
                                              {"dbi", technique_set_a, 5}};
inline constexpr std::string_view approach_kinds[] = {"bndt", "rec-bndt", "rec"};

} // namespace detail

ATTUNE_INLINE std::vector<std::string> approach_names()
{
    std::vector<std::string> out;
    for (std::string_view const kind : detail::approach_kinds)
        for (detail::named_set const& set : detail::approach_sets)
            out.push_back(std::string(kind) + '-' + set.name);
    return out;
}

ATTUNE_INLINE search_factory approach(std::string_view name, technique_history past)
{
    for (std::string_view const kind : detail::approach_kinds)
        for (detail::named_set const& set : detail::approach_sets) {
            if (name != std::string(kind) + '-' + set.name) continue;
            recommending_bandit_options options;
            options.from_history = set.from_history;
            constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
            options.interval = kind == "bndt" ? never : 25;
            if (kind == "rec")
                options.bandit = recommending_bandit_options::without_bandit().bandit;
            return [past = std::move(past), options, start = set.make()](
                       chain_of_trees const& space, std::uint64_t seed) -> any_searcher {
                return recommending_bandit(space, seed, past, techniques_by_name(), start, options);
            };
        }
    std::string all;
    for (std::string const& known : approach_names())
        all += (all.empty() ? "" : ", ") + known;
    throw error("there is no such search approach", std::string(name), "name one of " + all);
}

} // namespace attune::inline ATTUNE_ABI::search
