// attune/tune/loop/interrupt.hpp - Ctrl-C ends the tuning, then reaches the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Handles SIGINT while at least one guard exists, on any thread. Ctrl-C is a request to all
/// guards, also to those made before the last one is destroyed. Then the program's own handler for
/// SIGINT runs, as if Ctrl-C had been pressed at that moment: Python raises KeyboardInterrupt, a
/// server shuts down. A program that has no handler or ignores SIGINT continues. A second Ctrl-C
/// goes to the program at once.
///
/// On a thread with a stopped_by it handles nothing: that thread's work is not the program's.
///
/// The program's handler is restored unless the program has installed another one meanwhile.
class interrupt_guard {
public:
    /// The effect of Ctrl-C on the program when the last guard is destroyed.
    enum class afterwards : unsigned char {
        program_hears, ///< the program's handler runs
        caller_knows,  ///< no handler runs, unless another guard asked for it
    };
    explicit interrupt_guard(afterwards what = afterwards::program_hears);
    ~interrupt_guard();
    interrupt_guard(interrupt_guard const&) = delete;
    interrupt_guard& operator=(interrupt_guard const&) = delete;

    /// Until resume() as if it were destroyed: Ctrl-C is the program's.
    void pause();
    void resume();
    /// True once Ctrl-C was pressed; where this handles nothing, once the stopped_by says so.
    [[nodiscard]] bool requested() const noexcept;

private:
    bool is_idle_; ///< it handles nothing
    bool is_on_ = false;
    afterwards what_;
};

/// Ctrl-C cuts short what is at work.
template <class Work>
void until_cut(Work const& work)
{
    try {
        cuttable const here;
        work();
    } catch (cut_short const&) { // what that was at is left out
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/interrupt.ipp>
#endif
