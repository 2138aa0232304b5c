// attune/declare/activity.hpp - which parameters of a configuration are active.
// SPDX-License-Identifier: MIT
// Source   three truth values: Kleene 1952, Sec. 64; here "unknown" is a comparison that reads an
//          inactive parameter. A parameter needs active parents: ConfigSpace
//
// An inactive parameter has its default, so that each configuration has one form. A constraint
// requires this, so trees, counts, samples and neighbours need no special rule.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool has_conditions(description const& space) noexcept
{
    return std::any_of(space.parameters.begin(), space.parameters.end(),
                       [](parameter_description const& p) { return p.is_conditional(); });
}

/// The default of a parameter; without one, its first value or the middle of its interval.
/// @pre  its table is bound
[[nodiscard]] coordinate default_of(parameter_description const& parameter);

/// A parameter whose condition cannot be decided because it depends, through other conditions, on
/// the parameter itself; no_index if there is none.
[[nodiscard]] std::uint32_t undecided_parameter(description const& space);

/// Makes activity_description::counts and ::otherwise of each conditional parameter, and the
/// constraint that settles the parameter. Replaces the constraints of an earlier call.
/// @param space  bound
/// Errors  attune::error if conditions lead back to their own parameter
void settle_conditions(description& space);

/// Returns true if parameter `index` is active at `at`; values of inactive parameters have no
/// effect. Always true before settle_conditions().
[[nodiscard]] bool is_active(description const& space, std::size_t index,
                             std::span<coordinate const> at);

/// Sets each inactive parameter to its one value, activity_description::otherwise.
void settle(description const& space, point& at);

/// The coordinate of an inactive parameter in a comparison of configurations.
inline constexpr coordinate inactive_place{no_index, 0};

/// `at` with every inactive parameter at inactive_place.
[[nodiscard]] point with_inactive_marked(description const& space, point at);

/// The distinct conditions of a space. at() evaluates a condition once for all parameters that have
/// it.
class distinct_conditions {
public:
    explicit distinct_conditions(description const& settled);

    /// The number of the condition of parameter `index`; no_index if it has none.
    [[nodiscard]] std::uint32_t of(std::size_t index) const noexcept { return of_[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return roots_.size(); }
    /// A truth per condition: true if it holds at `at`.
    [[nodiscard]] std::vector<char> at(description const& space,
                                       std::span<coordinate const> at) const;

private:
    std::vector<std::uint32_t> roots_;
    std::vector<std::uint32_t> of_; // parameter -> index into roots_
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/activity.ipp>
#endif
