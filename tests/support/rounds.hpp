// tests/support/rounds.hpp - how often a test draws at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>

namespace attune_test {

/// What is drawn at random is drawn `merge` times by a merge, and `release` times by the leg
/// `release` of cmake/matrix.sh, whose ATTUNE_TEST_SCOPE is release.
template <class Count>
[[nodiscard]] constexpr Count rounds(Count merge, Count release) noexcept
{
#ifdef ATTUNE_TEST_ALL_ROUNDS
    static_cast<void>(merge);
    return release;
#else
    static_cast<void>(release);
    return merge;
#endif
}

/// A number that the environment gives, by hand.
[[nodiscard]] inline std::uint64_t number_from(char const* name, std::uint64_t otherwise)
{
    char const* const given = std::getenv(name);
    return given == nullptr ? otherwise : std::stoull(given);
}

} // namespace attune_test
