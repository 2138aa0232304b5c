// attune/tune/together_session.hpp - tune_together() in steps, with the program's own work between them.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/together.hpp>

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// tune_together(), a step at a time: what a loop of steps does is what that function does, and
/// between two steps the thread is the program's: nothing is compiled or run, the thread is not
/// pinned, Ctrl-C is the program's unless another thread tunes, and what passes is no part of the
/// budget.
///
/// The arrays are copied at construction, once for each share: they may change and be freed
/// meanwhile. Arrays of kernels for a device are not: they must stay as they are until the last
/// step.
///
/// From construction to the last step the kernels are being tuned. Calls run what served them
/// before, else the default, on this thread, too. Here tune(), explain(), wait() and predict() are
/// errors, and so is a second session of one of the kernels; on another thread predict() is an
/// error and the others wait until this one is over, so that the session's thread must not wait for
/// such a thread. Another `tuned` of the same problem and store waits for up to a minute. The
/// environment variables that attune reads stay as they were at construction until it is destroyed.
///
/// Destroyed before its last step it ends at once. Where no final was made, no winner is installed,
/// and what was measured is kept as of a tuning that was cut short: another session, or a call that
/// tunes, goes on from there, if the store keeps outcomes (note(), recall()). If a `tuned` is
/// destroyed first, its part ends in that way, and the others go on. In the child of a fork there
/// is no other step; the parent's goes on.
///
/// One thread makes it, steps, and destroys it, and those `tuned` that end before it.
/// Example  attune::together_session all{{.seconds = 60}, attune::share(gemm, a, b, c, n)};
///          while (all.step())
///              draw_a_frame();
///          std::puts(all.finish().summary().c_str());
class together_session {
public:
    /// Copies the arrays; tunes nothing yet. Waits while another thread tunes one of the kernels.
    /// @param budget  as of tune_together(); `seconds` are those within steps
    /// Errors   as tune_together(); std::bad_alloc: no memory for the copies
    together_session(search_limits const& budget, std::vector<tuning_share> shares);
    template <std::same_as<tuning_share>... More>
    together_session(search_limits const& budget, tuning_share first, More... more)
        : together_session(budget, std::vector<tuning_share>{std::move(first), std::move(more)...})
    {
    }
    together_session(together_session&& other) noexcept;
    together_session& operator=(together_session&& other) noexcept;
    ~together_session();

    /// One evaluation of one kernel (several, where several devices measure); the first one of a
    /// kernel compiles, runs and times its default. Once the budget is spent, one final. The last
    /// step is the one that ends what is left. After Ctrl-C within a step that is this step.
    /// @return  whether there is another; false: the winners are stored and installed, and always
    ///          from then on
    /// Errors   attune::error: called by another thread, or from within a step. What a progress sink
    ///          throws that is no std::exception: the session is over then
    bool step();
    /// Ends the evaluations here, makes the finals that are left, and says how all went.
    /// Errors   as step(); attune::error: in the child of a fork
    together_report finish();

private:
    struct parts;
    class within_step;

    std::unique_ptr<parts> parts_; ///< null: moved from
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together_session.ipp>
#endif
#endif // ATTUNE_OFF
