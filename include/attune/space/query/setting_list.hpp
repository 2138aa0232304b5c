// attune/space/query/setting_list.hpp - the settings that some parameters have in valid configurations.
// SPDX-License-Identifier: MIT
// Source   own: a walk down each tree that merges what reaches a node with equal values
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// The most settings that are numbered: combinations of values, also invalid ones.
inline constexpr std::uint64_t most_numbered_settings = std::uint64_t{1} << 20U;

/// Number of combinations of the values of some parameters; nothing if one of them is real or there
/// are more than most_numbered_settings.
[[nodiscard]] std::optional<std::uint64_t> setting_list_size(description const& space,
                                                             std::span<std::uint32_t const> scope);

/// Limits of for_each_setting().
struct setting_limits {
    std::uint64_t settings = std::uint64_t{1} << 16U; ///< visited
    std::uint64_t edges = std::uint64_t{1} << 19U;    ///< of trees, each once per setting above it
};

/// Visits each setting of `scope` that a valid configuration has, once.
/// @param scope  discrete parameters, ascending
/// @param visit  takes the setting's number (the last parameter of `scope` counts fastest), the
///               number of valid configurations with it, and one of these; false: no more
/// @return  whether all were visited; false, before the first one, beyond the limits
/// @pre     space.is_exact(), it has no real parameters, and setting_list_size() has a value
[[nodiscard]] bool for_each_setting(
    chain_of_trees const& space,
    std::span<std::uint32_t const> scope,
    std::function<bool(std::uint64_t number, double configurations, point const& one)> const& visit,
    setting_limits const& limits = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/setting_list.ipp>
#endif
