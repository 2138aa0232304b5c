// attune/remember/detail/line_sum.hpp - the checksum at the end of a line of JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/checksum.hpp>
#include <attune/remember/detail/json_fields.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view sum_field = ",\"sum\":\"";
inline constexpr std::size_t sum_digits = 8;
/// ,"sum":"12345678"}
inline constexpr std::size_t sum_tail = sum_field.size() + sum_digits + 2;

[[nodiscard]] inline std::array<char, sum_digits> digits_of(std::uint32_t sum) noexcept
{
    std::array<char, sum_digits> out{};
    for (std::size_t i = sum_digits; i-- > 0; sum >>= 4)
        out[i] = "0123456789abcdef"[sum & 15u];
    return out;
}

/// The text of an object with its checksum as the last field.
[[nodiscard]] inline std::string with_sum(record_json const& json)
{
    std::string out = json.dump();
    out.pop_back();
    std::array<char, sum_digits> const digits = digits_of(crc32_of(out));
    out += sum_field;
    out.append(digits.data(), digits.size());
    return out += "\"}";
}

} // namespace attune::inline ATTUNE_ABI::detail
