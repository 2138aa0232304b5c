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

/// Runs tune_together() in steps; a loop over all steps does the same. Between two steps the thread
/// belongs to the program: attune compiles and runs nothing, does not pin the thread, and does not
/// count the time. The program then handles Ctrl-C, unless another thread tunes.
///
/// The constructor copies the arrays once for each share: the program may change and free them
/// meanwhile. Copies of arrays of a device are in its memory.
///
/// From construction to the last step the kernels are being tuned. Calls run the code that served
/// them before, else the default, also on this thread. On this thread tune(), explain(), wait() and
/// predict() are errors, and so is a second session of one of the kernels. On another thread
/// predict() is an error and the other functions wait for the end of the session. The session's
/// thread must therefore not wait for such a thread. Another `tuned` of the same problem and store
/// waits for up to a minute. The session uses the values that attune's environment variables had at
/// construction.
///
/// The destructor ends a session at once, also before its last step. A kernel without a final gets
/// no winner, and its measurements are kept like those of an interrupted tuning. Another session,
/// or a call that tunes, continues from them if the store keeps outcomes (note(), recall()). If a
/// `tuned` is destroyed first, its part ends in the same way, and the others continue. The child of
/// a fork cannot step; the session of the parent continues.
///
/// The same thread must construct, step and destroy the session, and each `tuned` that ends before.
/// Example  attune::together_session all{{.seconds = 60}, attune::share(gemm, a, b, c, n)};
///          while (all.step())
///              draw_a_frame();
///          std::puts(all.finish().summary().c_str());
class together_session {
public:
    /// Copies the arrays; tunes nothing yet. Waits while another thread tunes one of the kernels.
    /// @param budget  as of tune_together(); `seconds` are seconds within steps
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

    /// Makes one evaluation of one kernel (several, if several devices measure). The first
    /// evaluation of a kernel compiles, runs and times its default. When the budget is spent, a
    /// step makes one final. The last step ends the session; after Ctrl-C within a step, that step
    /// is the last one.
    /// @return  true if there is another step; false from the step on that installs the winners
    /// Errors   attune::error: called by another thread, or from within a step. Exceptions of a
    ///          progress sink that are no std::exception: they end the session
    bool step();
    /// Ends the evaluations, makes the finals that are left, and returns the report.
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
