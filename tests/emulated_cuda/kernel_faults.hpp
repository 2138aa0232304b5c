// tests/emulated_cuda/kernel_faults.hpp - makes signals of a kernel the errors a device would give.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <memory>

namespace attune_emulated {

/// While it lives, signals of this thread are CUDA errors. A signal that `interrupt` does not take
/// (it returns false, or it never returns at all) goes to whoever handled it before.
class kernel_faults {
public:
    /// @param interrupt  given a CUDA error, or 0 when `hang_s` processor seconds have passed
    kernel_faults(bool (*interrupt)(int error), double hang_s);
    ~kernel_faults();
    kernel_faults(kernel_faults const&) = delete;
    kernel_faults& operator=(kernel_faults const&) = delete;

    static constexpr std::array<int, 5> caught{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

private:
    std::array<struct sigaction, caught.size()> before_{};
    struct sigaction before_timer_ = {};
    stack_t stack_before_{};
    std::unique_ptr<std::byte[]> stack_;
    timer_t timer_{};
    bool has_timer_ = false;
};

} // namespace attune_emulated
