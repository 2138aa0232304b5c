// attune/core/own_float_environment.ipp - saves and sets the environments.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>

#include <pthread.h>
#include <utility>
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// Control bits of this thread, without the flags that arithmetic raises.
[[nodiscard]] inline unsigned long float_mode() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned short x87 = 0;
    asm volatile("fnstcw %0" : "=m"(x87));
    return static_cast<unsigned long>(_mm_getcsr() & ~0x3FU) << 16 | x87;
#elif defined(__aarch64__)
    unsigned long control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#else
    return static_cast<unsigned long>(std::fegetround());
#endif
}

/// float_mode() of a thread that has just started.
#if defined(__x86_64__) || defined(__i386__)
inline constexpr unsigned long usual_float_mode = 0x1F80UL << 16 | 0x037F;
#else
inline constexpr unsigned long usual_float_mode = 0;
#endif

inline void set_usual_environment() noexcept
{
    std::fesetenv(FE_DFL_ENV);
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(0x1F80); // some C libraries do not reset the bits that flush to zero
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(usual_float_mode)); // glibc keeps DN, AHP and FZ16
#endif
}

// An access to the environment must not move past the arithmetic around it.
inline void keep_order() noexcept { asm volatile("" ::: "memory"); }

ATTUNE_INLINE float_environment::float_environment() noexcept
    : mode_(float_mode())
{
    keep_order();
    std::fegetenv(&all_);
    keep_order();
}

ATTUNE_INLINE void float_environment::set() const noexcept
{
    keep_order();
    std::fesetenv(&all_);
#if defined(__x86_64__) || defined(__i386__)
    auto const x87 = static_cast<unsigned short>(mode_ & 0xffffU);
    asm volatile("fldcw %0" : : "m"(x87)); // fesetenv() does not set the precision
#endif
    keep_order();
}

ATTUNE_INLINE bool float_environment::is_usual() const noexcept
{
    return mode_ == usual_float_mode;
}

/// The scope of this thread; null: the thread runs host code.
ATTUNE_INLINE own_float_environment*& own_float_environment::at_work() noexcept
{
    static thread_local own_float_environment* here = nullptr;
    return here;
}

ATTUNE_INLINE own_float_environment::own_float_environment() noexcept
{
    if (at_work() != nullptr) return;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled_);
    hosts_.emplace();
    at_work() = this;
    set_usual_environment();
    keep_order();
}

ATTUNE_INLINE own_float_environment::~own_float_environment()
{
    if (!hosts_) return;
    at_work() = nullptr;
    hosts_->set();
    ::pthread_setcancelstate(cancelled_, nullptr);
}

ATTUNE_INLINE float_environment own_float_environment::hosts() noexcept
{
    own_float_environment const* const scope = at_work();
    return scope != nullptr ? *scope->hosts_ : float_environment{};
}

ATTUNE_INLINE void own_float_environment::set_hosts(float_environment const& now) noexcept
{
    if (own_float_environment* const scope = at_work())
        scope->hosts_ = now;
    else
        now.set();
}

ATTUNE_INLINE own_float_environment::landing::landing() noexcept
    : scope_(at_work())
{
}

ATTUNE_INLINE void own_float_environment::landing::restore() const noexcept
{
    at_work() = scope_;
    here_.set();
}

ATTUNE_INLINE hosts_float_environment::hosts_float_environment(flags raised) noexcept
    : scope_(std::exchange(own_float_environment::at_work(), nullptr))
    , raised_(raised)
{
    if (scope_ == nullptr) return;
    if (raised_ == flags::kept || !scope_->hosts_->is_usual()) scope_->hosts_->set();
    keep_order();
}

ATTUNE_INLINE hosts_float_environment::~hosts_float_environment()
{
    if (scope_ == nullptr) return;
    own_float_environment::at_work() = scope_;
    keep_order();
    bool const is_same = scope_->hosts_->mode() == float_mode();
    if (raised_ == flags::kept || !is_same) scope_->hosts_ = float_environment{};
    if (raised_ == flags::kept || !is_same || !scope_->hosts_->is_usual()) set_usual_environment();
    keep_order();
}

} // namespace attune::inline ATTUNE_ABI::detail
