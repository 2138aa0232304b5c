// attune/tune/interrupt.hpp - Ctrl-C ends the tuning, not the program.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       SIGINT while an object of this class lives
// Out      a flag the loop reads between evaluations; the former handler comes back at the end
// Source   own
// Depends  std only; POSIX in the .ipp
// Tests    tests/tune/interrupt.cpp
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

/// Takes SIGINT over for its lifetime. The first Ctrl-C sets the flag; the second one ends the
/// program as if attune were not there. Only one may live at a time; a second one does nothing.
class interrupt_guard {
public:
    interrupt_guard();
    ~interrupt_guard();
    interrupt_guard(interrupt_guard const&) = delete;
    interrupt_guard& operator=(interrupt_guard const&) = delete;

    /// True once Ctrl-C was pressed.
    [[nodiscard]] bool requested() const noexcept;

private:
    bool active_ = false;
};

} // namespace attune::inline ATTUNE_ABI
