// attune/tune/loop/interrupt.hpp - Ctrl-C ends the tuning, then reaches the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Handles SIGINT while at least one guard exists, on any thread. Ctrl-C requests a stop from all
/// guards, also from later ones while one exists. After the last guard is destroyed, the program's
/// own handler for SIGINT runs, as if Ctrl-C were pressed at that moment. For example, Python
/// raises KeyboardInterrupt, and a server shuts down. A program that has no handler or ignores
/// SIGINT continues. A second Ctrl-C goes to the program at once.
///
/// A guard does nothing on a thread with a stopped_by, whose work does not belong to the program.
///
/// The last guard restores the program's handler, unless the program has installed another one.
class interrupt_guard {
public:
    /// The effect of Ctrl-C on the program when the last guard is destroyed.
    enum class afterwards : unsigned char {
        handler_runs,
        no_handler, ///< unless another guard has handler_runs
    };
    explicit interrupt_guard(afterwards what = afterwards::handler_runs);
    ~interrupt_guard();
    interrupt_guard(interrupt_guard const&) = delete;
    interrupt_guard& operator=(interrupt_guard const&) = delete;

    /// Acts like the destructor until resume(): the program handles Ctrl-C.
    void pause();
    void resume();
    /// True after Ctrl-C; on a thread with a stopped_by, after that object requests a stop.
    [[nodiscard]] bool requested() const noexcept;

private:
    bool is_idle_; ///< the guard does nothing
    bool is_on_ = false;
    afterwards what_;
};

/// Runs `work`, which Ctrl-C may cut short.
template <class Work>
void until_cut(Work const& work)
{
    try {
        cuttable const here;
        work();
    } catch (cut_short const&) { // the interrupted part of the work is left out
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/interrupt.ipp>
#endif
