// tests/support/sanitized.hpp - whether a sanitizer watches, and how to hide from it.
// SPDX-License-Identifier: MIT
#pragma once

/// Sanitizers would report functions that are broken on purpose before the machine does.
#define ATTUNE_TEST_UNCHECKED __attribute__((no_sanitize("address", "undefined"), noinline))

namespace attune_test {

/// Sanitizers hold back signals, reserve terabytes and end the program where the machine would send
/// a signal.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// The thread sanitizer keeps account of handlers and does not see the jump out of one.
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

} // namespace attune_test

using attune_test::sanitized;
using attune_test::thread_sanitized;
