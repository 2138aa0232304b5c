// tests/support/sanitized.hpp - whether a sanitizer watches, and how to hide from it.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <string>

/// Sanitizers would report functions that are broken on purpose before the machine does.
#define ATTUNE_TEST_UNCHECKED __attribute__((no_sanitize("address", "undefined"), noinline))

namespace attune_test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized = false;
#endif
#else
inline constexpr bool address_sanitized = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif
#else
inline constexpr bool thread_sanitized = false;
#endif

/// Says why a test, or the rest of it, is left to other builds.
/// Example   if (is_skipped(thread_sanitized, "it needs the memory to itself")) return;
[[nodiscard]] inline bool is_skipped(bool where, char const* why)
{
    if (where) MESSAGE("skipped under this sanitizer: " << std::string(why));
    return where;
}

/// What the signal guard does, and the thread sanitizer cannot follow.
inline constexpr char const* jumps_out_of_handlers =
    "the thread sanitizer holds signals back and does not see the jump out of a handler";

} // namespace attune_test

using attune_test::address_sanitized;
using attune_test::is_skipped;
using attune_test::jumps_out_of_handlers;
using attune_test::thread_sanitized;
