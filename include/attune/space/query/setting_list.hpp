// attune/space/query/setting_list.hpp - the settings of some parameters in valid configurations, and the part of a space with some of these settings.
// SPDX-License-Identifier: MIT
// Source   own: a walk down each tree that merges what reaches a node with equal values
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Limits of for_each_setting().
struct setting_limits {
    std::uint64_t settings = std::uint64_t{1} << 16U; ///< visited
    std::uint64_t edges = std::uint64_t{1} << 19U;    ///< visits: each edge, per setting above it
};

/// Visits each setting of `scope` that a valid configuration has, once.
/// @param scope  discrete parameters, ascending
/// @param visit  receives the setting's number (the last parameter of `scope` changes fastest), the
///               number of valid configurations with it, and one of them; returns false to stop
/// @return  true if all settings were visited; false, without any visit, if the limits are too low
/// @pre     space.is_exact(), it has no real parameters, and setting_list_size() has a value
[[nodiscard]] bool for_each_setting(
    chain_of_trees const& space, std::span<std::uint32_t const> scope,
    std::function<bool(std::uint64_t number, double configurations, point const& one)> const& visit,
    setting_limits const& limits = {});

/// The configurations of `whole` with the kept settings, built within a fraction of the usual
/// limits. Points are points of `whole`.
/// @return  nothing if a tree exceeds the limits or the memory, or no configuration remains
/// @pre     kept.size() is setting_list_size()
[[nodiscard]] std::optional<chain_of_trees> part_of(chain_of_trees const& whole,
                                                    kept_settings const& part);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/setting_list.ipp>
#endif
