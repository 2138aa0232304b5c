// attune/core/assert.hpp - a precondition that names what was broken.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdio>
#include <cstdlib>

namespace attune::inline ATTUNE_ABI::detail {

[[noreturn]] inline void assertion_failed(char const* condition, char const* why, char const* file,
                                          int line)
{
    std::fprintf(stderr, "attune: broken precondition: %s\n  why:   %s\n  where: %s:%d\n",
                 condition, why, file, line);
    std::abort();
}

} // namespace attune::inline ATTUNE_ABI::detail

/// ATTUNE_ASSERT(condition, "why it must hold"): aborts with a text when `condition` is false. With
/// NDEBUG defined, `condition` is not evaluated.
#ifdef NDEBUG
#define ATTUNE_ASSERT(condition, why) static_cast<void>(0)
#else
#define ATTUNE_ASSERT(condition, why)                                                              \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::attune::detail::assertion_failed(#condition, why, __FILE__, __LINE__))
#endif
