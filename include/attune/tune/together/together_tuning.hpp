// attune/tune/together/together_tuning.hpp - the tunings of all shares of one budget, a step at a time.
// SPDX-License-Identifier: MIT
// tested by tune/together_session.cpp
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/background/turn_policy.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/owned_call.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together/shared_budget.hpp>
#include <attune/tune/together/stepped_tuning.hpp>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What tune_together() and together_session do. From its construction until the last step, this
/// thread has the turn of each kernel. All calls are made by one thread.
class together_tuning {
public:
    /// Which memory the tunings work on.
    enum class arrays : unsigned char {
        of_the_caller, ///< as it is until the last step
        copied,        ///< now; those on a device are the caller's nevertheless
    };
    /// Takes the turns.
    /// @param whose_turn  empty: most_gain(), with half of the budget at most for what all have
    /// Errors   as tune_together(); std::bad_alloc: there is no memory for copies
    together_tuning(search_limits const& budget, std::vector<tuning_share> shares, arrays which,
                    turn_policy whose_turn = {});
    /// Where that is not over, what was measured is kept as of tunings that were cut short.
    ~together_tuning();
    together_tuning(together_tuning const&) = delete;
    together_tuning& operator=(together_tuning const&) = delete;

    /// An evaluation, or a final; the last step also looks for results of others, gives the turns
    /// back and makes the report. After Ctrl-C there is no other step.
    /// @return  whether there is more to do
    /// Errors   what a sink throws that is no std::exception: all tunings are over then
    bool step();
    /// step(), and what is left of it before the thread may rest: a Ctrl-C in that is one in the
    /// step.
    bool step_and_settle();
    /// Until the next step: see stepped_session::rest(). Here the program hears Ctrl-C.
    void rest();
    /// There are no further evaluations.
    together_report finish();

    /// This is another process than that which made this object: nothing may be done with it.
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
    /// Calls with the same inputs have one, which counts for all of them.
    std::vector<std::unique_ptr<stepped_tuning>> tunings_{};
    std::vector<std::size_t> tuning_of_{};           ///< a share: index into `tunings_`
    std::optional<interrupt_guard> until_all_end_{}; ///< the program hears Ctrl-C before and after
    std::optional<shared_budget> budget_{};
    std::optional<together_report> report_{}; ///< it is over
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/together_tuning.ipp>
#endif
