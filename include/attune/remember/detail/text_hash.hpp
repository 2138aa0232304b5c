// attune/remember/detail/text_hash.hpp - hashes by which problems of a store are found.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// FNV-1a, 64 bits.
/// @param before  hash of the text that stands before
[[nodiscard]] inline std::uint64_t
hash_of_text(std::string_view text, std::uint64_t before = 14695981039346656037u) noexcept
{
    std::uint64_t out = before;
    for (char const c : text)
        out = (out ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return out;
}

[[nodiscard]] inline std::optional<std::uint64_t> hexadecimal(std::string_view digits) noexcept
{
    std::uint64_t out = 0;
    for (char const c : digits) {
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return std::nullopt;
        out = out << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
