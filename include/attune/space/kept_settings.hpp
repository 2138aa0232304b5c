// attune/space/kept_settings.hpp - a part of a space, given by settings of some parameters, as data and as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The most settings of kept_settings: combinations of values, valid or not.
inline constexpr std::uint64_t most_numbered_settings = std::uint64_t{1} << 20U;

/// Number of combinations of the values of some parameters; nothing if one of them is real or there
/// are more than most_numbered_settings.
[[nodiscard]] std::optional<std::uint64_t> setting_list_size(description const& space,
                                                             std::span<std::uint32_t const> scope);

/// A part of a space: the configurations with some settings of some discrete parameters. Plain
/// data, so that a log can hold it.
struct kept_settings {
    std::vector<std::uint32_t> scope{}; ///< parameters, ascending
    std::vector<bool> kept{};           ///< by number, see for_each_setting()

    [[nodiscard]] friend bool operator==(kept_settings const&, kept_settings const&) = default;
};

/// The indices of the parameters, then the lengths of runs of kept and left out settings in turns,
/// kept ones first: "0 3\n5 2 93".
[[nodiscard]] std::string text_of(kept_settings const& part);
/// The part with this text; nothing if the text has no settings of this space.
[[nodiscard]] std::optional<kept_settings> read_kept_settings(description const& space,
                                                              std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/kept_settings.ipp>
#endif
