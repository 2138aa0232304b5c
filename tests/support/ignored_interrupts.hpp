// tests/support/ignored_interrupts.hpp - Ctrl-C that does not end the test.
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace attune_test {

/// While it lives, SIGINT is ignored, where nobody else handles it.
class ignored_interrupts {
public:
    ignored_interrupts()
    {
        struct sigaction ignored{};
        ignored.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignored, &former_);
    }
    ~ignored_interrupts() { ::sigaction(SIGINT, &former_, nullptr); }
    ignored_interrupts(ignored_interrupts const&) = delete;
    ignored_interrupts& operator=(ignored_interrupts const&) = delete;

    /// True where whoever handled it meanwhile has put back what was there.
    [[nodiscard]] bool is_in_place() const
    {
        struct sigaction now{};
        ::sigaction(SIGINT, nullptr, &now);
        return now.sa_handler == SIG_IGN;
    }

private:
    struct sigaction former_{};
};

} // namespace attune_test
