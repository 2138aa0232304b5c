// attune/core/xxh64.hpp - a checksum of long texts: 64 bits, 32 bytes at a time.
// SPDX-License-Identifier: MIT
// Source   XXH64 of xxHash (Collet; doc/xxhash_spec.md). The hash detects accidental differences;
//          an adversary can make equal hashes
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

namespace xxh64_steps {

inline constexpr std::uint64_t primes[] = {0x9E3779B185EBCA87u, 0xC2B2AE3D27D4EB4Fu,
                                           0x165667B19E3779F9u, 0x85EBCA77C2B2AE63u,
                                           0x27D4EB2F165667C5u};

/// The bytes at `at`, lowest first.
template <class Word>
[[nodiscard]] Word word_at(std::string_view text, std::size_t at) noexcept
{
    std::array<char, sizeof(Word)> bytes;
    std::memcpy(bytes.data(), text.data() + at, bytes.size());
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Word>(bytes);
}
[[nodiscard]] inline std::uint64_t round(std::uint64_t lane, std::uint64_t input) noexcept
{
    return std::rotl(lane + input * primes[1], 31) * primes[0];
}

} // namespace xxh64_steps

/// The hash is equal on every machine.
/// @param seed  for a text in pieces: the hash of the piece before. The result differs from the
///              hash of the whole text
[[nodiscard]] inline std::uint64_t xxh64_of(std::string_view text, std::uint64_t seed = 0) noexcept
{
    using namespace xxh64_steps;
    auto const& p = primes;
    std::size_t at = 0;
    std::uint64_t out = seed + p[4];
    if (text.size() >= 32) {
        std::uint64_t a = seed + p[0] + p[1];
        std::uint64_t b = seed + p[1];
        std::uint64_t c = seed;
        std::uint64_t d = seed - p[0];
        for (; at + 32 <= text.size(); at += 32) {
            a = round(a, word_at<std::uint64_t>(text, at));
            b = round(b, word_at<std::uint64_t>(text, at + 8));
            c = round(c, word_at<std::uint64_t>(text, at + 16));
            d = round(d, word_at<std::uint64_t>(text, at + 24));
        }
        out = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
        for (std::uint64_t const lane : {a, b, c, d})
            out = (out ^ round(0, lane)) * p[0] + p[3];
    }
    out += text.size();
    for (; at + 8 <= text.size(); at += 8)
        out = std::rotl(out ^ round(0, word_at<std::uint64_t>(text, at)), 27) * p[0] + p[3];
    for (; at + 4 <= text.size(); at += 4)
        out = std::rotl(out ^ word_at<std::uint32_t>(text, at) * p[0], 23) * p[1] + p[2];
    for (; at < text.size(); ++at)
        out = std::rotl(out ^ word_at<std::uint8_t>(text, at) * p[4], 11) * p[0];
    out = (out ^ out >> 33) * p[1];
    out = (out ^ out >> 29) * p[2];
    return out ^ out >> 32;
}

} // namespace attune::inline ATTUNE_ABI::detail
