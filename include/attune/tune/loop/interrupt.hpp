// attune/tune/loop/interrupt.hpp - Ctrl-C ends the tuning, and then goes on to the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

/// Takes SIGINT over while one or more of them live, on any threads. Ctrl-C is a request to all of
/// them, also to those that begin before the last of them has gone. Then the handler that the
/// program has for SIGINT runs, as if Ctrl-C had been pressed at that moment: Python raises
/// KeyboardInterrupt, a server shuts down. A program without a handler goes on, and so does one
/// that ignores SIGINT. A second Ctrl-C does at once what it would do without attune.
///
/// The program's handler is put back unless it has installed another one meanwhile.
class interrupt_guard {
public:
    /// What the program does about Ctrl-C when the last guard has gone.
    enum class afterwards : unsigned char {
        program_hears, ///< its handler runs
        caller_knows,  ///< nothing more, unless another guard said otherwise
    };
    explicit interrupt_guard(afterwards what = afterwards::program_hears);
    ~interrupt_guard();
    interrupt_guard(interrupt_guard const&) = delete;
    interrupt_guard& operator=(interrupt_guard const&) = delete;

    /// True once Ctrl-C was pressed.
    [[nodiscard]] bool requested() const noexcept;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/interrupt.ipp>
#endif
