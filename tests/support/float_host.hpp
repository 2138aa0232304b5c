// tests/support/float_host.hpp - a host whose floating-point environment is not the usual one.
// SPDX-License-Identifier: MIT
#pragma once

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace attune_test {

/// While one exists, this thread rounds to zero, traps errors, and flushes small numbers to zero
/// where the processor can.
class float_host {
public:
    float_host()
    {
        std::fegetenv(&before_);
        std::fesetround(FE_TOWARDZERO);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040); // FTZ and DAZ
#elif defined(__aarch64__)
        unsigned long control = 0;
        asm volatile("mrs %0, fpcr" : "=r"(control));
        asm volatile("msr fpcr, %0" : : "r"(control | 1UL << 24)); // FZ
#endif
#if defined(__GLIBC__)
        ::feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
    }
    ~float_host() { std::fesetenv(&before_); }
    float_host(float_host const&) = delete;
    float_host& operator=(float_host const&) = delete;

private:
    std::fenv_t before_{};
};

/// Arithmetic that raises every flag, or SIGFPE where one is trapped.
inline void raise_all()
{
    double volatile zero = 0;
    double volatile large = 1e308;
    double volatile x = zero / zero;
    x = 1 / zero;
    x = large * large;
    x = 1 / large / large;
    x = 1 / (zero + 3);
    static_cast<void>(x);
}

[[nodiscard]] inline double third_of(double x)
{
    double volatile three = 3;
    return x / three;
}

} // namespace attune_test
