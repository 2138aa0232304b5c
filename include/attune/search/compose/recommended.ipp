// attune/search/compose/recommended.ipp - a bandit with all names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE technique_maker techniques_by_name()
{
    return [known = std::make_shared<vocabulary const>()](
               std::string_view name) -> std::optional<technique> {
        try {
            return parse_technique(name, *known);
        } catch (error const&) { // of another release, or a user's own
            return {};
        }
    };
}

ATTUNE_INLINE search_factory recommended(technique_history past,
                                         recommending_bandit_options const& options)
{
    return [past = std::move(past), options](chain_of_trees const& space,
                                             std::uint64_t seed) -> any_searcher {
        return recommending_bandit(
            space, seed, past, techniques_by_name(), technique_set_a(), options);
    };
}

} // namespace attune::inline ATTUNE_ABI::search
