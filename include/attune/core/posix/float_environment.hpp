// attune/core/posix/float_environment.hpp - keeps a thread's floating-point environment.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cfenv>

namespace attune::inline ATTUNE_ABI::detail {

/// Restores the floating-point environment of the calling thread at the end of a scope: rounding,
/// traps, exception flags, flushing of denormal numbers, and the precision of the x87 unit. For
/// scopes that open shared objects: one that was linked with -ffast-math sets MXCSR when it is
/// opened, and one that was linked with -mpc32 sets the precision.
class kept_float_environment {
public:
    kept_float_environment() noexcept
    {
        std::fegetenv(&before_);
#if defined(__x86_64__) || defined(__i386__)
        asm volatile("fnstcw %0" : "=m"(x87_control_));
#endif
    }
    ~kept_float_environment()
    {
        std::fesetenv(&before_);
#if defined(__x86_64__) || defined(__i386__)
        asm volatile("fldcw %0" : : "m"(x87_control_)); // fesetenv() leaves the precision
#endif
    }
    kept_float_environment(kept_float_environment const&) = delete;
    kept_float_environment& operator=(kept_float_environment const&) = delete;

private:
    std::fenv_t before_{};
#if defined(__x86_64__) || defined(__i386__)
    unsigned short x87_control_{};
#endif
};

} // namespace attune::inline ATTUNE_ABI::detail
