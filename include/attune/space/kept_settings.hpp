// attune/space/kept_settings.hpp - the part of a space that has some settings of some parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/setting_list.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Which settings of some discrete parameters a part of a space has. Plain data, so that a log can
/// hold it.
struct kept_settings {
    std::vector<std::uint32_t> scope{}; ///< parameters, ascending
    std::vector<bool> kept{};           ///< by number, see for_each_setting()

    [[nodiscard]] friend bool operator==(kept_settings const&, kept_settings const&) = default;
};

/// The configurations of `whole` with the settings that are kept, built within a fraction of the
/// usual limits. Points are those of `whole`.
/// @return  nothing: a tree would exceed the limits or the memory, or no configuration is left
/// @pre     kept.size() is setting_list_size()
[[nodiscard]] std::optional<chain_of_trees> part_of(chain_of_trees const& whole,
                                                    kept_settings const& part);

/// The parameters' numbers, then the lengths of runs of settings, kept ones first: "0 3\n5 2 93".
[[nodiscard]] std::string text_of(kept_settings const& part);
/// Nothing where the text is none of settings of this space.
[[nodiscard]] std::optional<kept_settings> read_kept_settings(description const& space,
                                                              std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/kept_settings.ipp>
#endif
