// attune/tune/together/together_tuning.hpp - the tunings of all shares of one budget, a step at a time.
// SPDX-License-Identifier: MIT
// tested by tune/together_session.cpp
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/kernel/owned_call.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The work of tune_together() and together_session. From its construction until the last step,
/// this thread holds the turn of each kernel. One thread makes all calls.
class together_tuning {
public:
    /// The memory that the tunings use.
    enum class arrays : unsigned char {
        of_the_caller, ///< the caller's arrays until the last step
        copied,        ///< copies made by the constructor, also of arrays on a device
    };
    /// Takes the turns.
    /// @param whose_turn  empty: most_gain(), with at most half of the budget for the evaluations
    ///                    that all shares get
    /// Errors   errors of tune_together(); std::bad_alloc: no memory for copies
    together_tuning(search_limits const& budget, std::vector<tuning_share> shares, arrays which,
                    turn_policy whose_turn = {});
    /// Ends all tunings; measurements of unfinished ones are kept like after an interruption.
    ~together_tuning();
    together_tuning(together_tuning const&) = delete;
    together_tuning& operator=(together_tuning const&) = delete;

    /// Makes an evaluation or a final. The last step also looks for results of other processes,
    /// gives the turns back and makes the report. After Ctrl-C there is no other step.
    /// @return  true if there is more to do
    /// Errors   exceptions of a sink that are no std::exception: they end all tunings
    bool step();
    /// Makes a step, and the work that is left before the thread may rest. A Ctrl-C during that
    /// work counts as one in the step.
    bool step_and_settle();
    /// Rests until the next step: see stepped_session::rest(). Until then the program handles
    /// Ctrl-C.
    void rest();
    /// Ends the evaluations, makes the finals, and returns the report.
    together_report finish();

    /// Returns true in a forked child, which must not use the object.
    [[nodiscard]] bool is_in_child() const noexcept;

private:
    void take_turns();
    void copy_arrays();
    void make_tunings(search_limits const& budget);
    void forget(dispatch_parts const& parts);
    void give_turns_back();
    void end();
    [[nodiscard]] tuning_report report_of(std::size_t share) const;
    /// @param thrown  out: the last exception that was no std::exception
    [[nodiscard]] together_report make_report(std::exception_ptr& thrown) const;

    int const process_;
    environment_snapshot const environment_{}; ///< other threads may change it between two steps
    std::vector<tuning_share> shares_;
    std::vector<owned_call> copies_{};
    std::map<dispatch_parts*, working> turns_{};
    /// One tuning per kernel and set of inputs; calls with the same inputs share it.
    std::vector<std::unique_ptr<stepped_tuning>> tunings_{};
    std::vector<std::size_t> tuning_of_{};           ///< per share: index into `tunings_`
    std::optional<interrupt_guard> until_all_end_{}; ///< empty: the program handles Ctrl-C
    std::optional<shared_budget> budget_{};
    std::optional<together_report> report_{}; ///< set when all is over
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/together_tuning.ipp>
#endif
