// attune/core/hash.hpp - a fingerprint of text, equal on every machine.
// SPDX-License-Identifier: MIT
// Source   FNV-1a, 128-bit variant (Fowler, Noll, Vo; IETF draft-eastlake-fnv). The hash detects
//          accidental differences. An adversary can make equal hashes, from which attune needs no
//          protection.
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds a word to a hash of 64 bits. Equal words in equal order give equal hashes on every machine.
/// If two hashes differ, they still differ after mixed() with equal words.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept
{
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    return hash ^ hash >> 32;
}

/// A fingerprint of strings. The length of each string is hashed too, so {"ab", "c"} and
/// {"a", "bc"} differ.
class content_hash {
public:
    constexpr content_hash& add(std::string_view text) noexcept
    {
        for (std::uint64_t length = text.size(), i = 0; i < 8; ++i, length >>= 8)
            byte(static_cast<unsigned char>(length & 0xff));
        for (char const c : text)
            byte(static_cast<unsigned char>(c));
        return *this;
    }
    /// FNV-1a of the bytes alone, without the length: the published function.
    constexpr content_hash& add_raw(std::string_view text) noexcept
    {
        for (char const c : text)
            byte(static_cast<unsigned char>(c));
        return *this;
    }
    /// 32 hexadecimal digits, most significant first.
    [[nodiscard]] std::string hex() const
    {
        std::string out(32, '0');
        wide rest = state_;
        for (std::size_t i = 32; i-- > 0; rest >>= 4)
            out[i] = "0123456789abcdef"[static_cast<unsigned>(rest & 0xf)];
        return out;
    }

private:
    __extension__ typedef unsigned __int128 wide;
    static constexpr wide offset_basis =
        (wide{0x6c62272e07bb0142ULL} << 64) | wide{0x62b821756295c58dULL};
    static constexpr wide prime = (wide{1} << 88) | wide{0x13b};

    constexpr void byte(unsigned char b) noexcept { state_ = (state_ ^ b) * prime; }

    wide state_ = offset_basis;
};

} // namespace attune::inline ATTUNE_ABI::detail
