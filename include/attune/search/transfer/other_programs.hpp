// attune/search/transfer/other_programs.hpp - what programs of other tasks say of a space, as a session.
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

/// How much slower than the best program of its task a program at some place is, see
/// cost_samples::places(): the geometric mean over tasks, each with two programs that worked.
class slowdown_by_place {
public:
    explicit slowdown_by_place(cost_samples const& samples);

    /// Whether there is such a task.
    [[nodiscard]] bool is_known() const noexcept { return !tasks_.empty(); }
    /// The logarithm, >= 0: falls as places rise from 0 to 1, and is that of the nearest one
    /// elsewhere.
    /// @pre  is_known()
    [[nodiscard]] double log_at(double place) const;

private:
    std::vector<std::vector<double>> tasks_; ///< by task: logarithms, ascending from 0
};

/// A model of the places that programs have in their tasks predicts those of this space's
/// configurations; their values are how slow such places are elsewhere. With description::expected
/// their mean is that of the expectation, in logarithms: how quick a task is as a whole does not
/// follow from others. Without it they have no level.
/// @return  nothing where the space has no rows, or of another width, or where no task has two
///          programs that worked
/// Cost     learning, the rows of session_of_values()
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
