// attune/search/transfer/other_programs.hpp - predictions from programs of other tasks, as a session.
// SPDX-License-Identifier: MIT
// Source   own: the cost model of two_level_search (boosted_trees of places), believed as a session
// Bench    bench/search/programs.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The slowdown of a program at some place, see cost_samples::places(), against the best program of
/// its task: the geometric mean over tasks with two successful programs each.
class slowdown_by_place {
public:
    explicit slowdown_by_place(cost_samples const& samples);

    /// Returns true if there is such a task.
    [[nodiscard]] bool is_known() const noexcept { return !tasks_.empty(); }
    /// The logarithm, >= 0: falls as places rise from 0 to 1, and outside has the value of the
    /// nearest end.
    /// @pre  is_known()
    [[nodiscard]] double log_at(double place) const;

private:
    std::vector<std::vector<double>> tasks_; ///< by task: logarithms, ascending from 0
};

/// A model of places of programs in their tasks predicts the places of this space's configurations.
/// The value of a configuration is the slowdown of its place in other tasks. With
/// description::expected, values get the expectation's mean of logarithms, because the speed of a
/// whole task does not follow from others. Without it the values have no level.
/// @return  nothing if the space has no rows, or of another width, or if no task has two successful
///                  programs
/// Cost     one learning, and the rows of session_of_values()
[[nodiscard]] std::optional<past_session> session_of_programs(chain_of_trees const& space,
                                                              cost_samples const& others);

/// search::automatic learns from programs wherever this header is included.
inline bool const learns_from_programs = [] {
    programs_as_session = &session_of_programs;
    return true;
}();

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/other_programs.ipp>
#endif
