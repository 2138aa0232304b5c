// attune/tune/dispatch/choice/forced_choice.hpp - the configuration that ATTUNE_FORCE asks for.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct forced_choice {
    std::optional<point> at{}; ///< empty: no configuration is forced
    std::vector<std::string> notices{};
};

/// The configuration with these values that is nearest to `base`: fewest other changes, see
/// nearest_valid().
/// @param wanted  parameters and values; names that this space does not have are told and skipped
/// @return  where a value is none of its parameter's, or no valid configuration has these values
///          together, a notice that says what is possible
/// Cost   builds the space of these values
[[nodiscard]] forced_choice forced_choice_of(named_texts const& wanted, chain_of_trees const& space,
                                             point const& base);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/forced_choice.ipp>
#endif
