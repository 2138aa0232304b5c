// attune/tune/shape/array_contents.hpp - fills arrays with contents for which code may have a separate path.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/compare.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t array_contents_count = 9;
inline constexpr std::array<std::string_view, array_contents_count> array_contents_names{
    "the call's own", "zero",           "negative zero", "denormal", "equal",
    "sorted",         "the least ones", "infinite",      "NaN"};

/// Returns the names of contents in a fixed order, each once: "zero, NaN".
[[nodiscard]] inline std::string text_of_contents(std::vector<array_contents> const& all)
{
    std::string out;
    for (std::size_t i = 0; i < array_contents_count; ++i)
        if (std::find(all.begin(), all.end(), static_cast<array_contents>(i)) != all.end())
            out += (out.empty() ? "" : ", ") + std::string(array_contents_names[i]);
    return out;
}

/// @param are_declared  false: integers do not get their least value, because they may be indices
/// @return  false: elements of this type have no such contents
template <class T>
[[nodiscard]] bool fill_elements(std::vector<T>& all, array_contents with, bool are_declared)
{
    using limits = std::numeric_limits<T>;
    constexpr bool is_real = std::is_floating_point_v<T>;
    switch (with) {
    case array_contents::zero:
        std::fill(all.begin(), all.end(), T{});
        return true;
    case array_contents::equal:
        std::fill(all.begin(), all.end(), T{all.front()});
        return true;
    case array_contents::sorted:
        sort_stably(all, std::less<>{}); // std::sort may leave the array at NaNs
        return true;
    case array_contents::least:
        if (is_real || are_declared) std::fill(all.begin(), all.end(), limits::lowest());
        return is_real || are_declared;
    case array_contents::negative_zero:
        if constexpr (is_real) std::fill(all.begin(), all.end(), -T{});
        return is_real;
    case array_contents::denormal:
        if constexpr (is_real) std::fill(all.begin(), all.end(), limits::denorm_min());
        return is_real;
    case array_contents::infinite:
        if constexpr (is_real) std::fill(all.begin(), all.end(), limits::infinity());
        return is_real;
    case array_contents::not_a_number:
        if constexpr (is_real) std::fill(all.begin(), all.end(), limits::quiet_NaN());
        return is_real;
    case array_contents::own:
        break;
    }
    return true;
}

/// Returns true if attune can fill such an array: it has no gaps, and its elements are numbers of a
/// known type.
[[nodiscard]] inline bool knows_elements(buffer const& of)
{
    bool const is_number = of.type >= element_type::f32 && of.type <= element_type::u64;
    return is_number && of.run_count == 0 && of.gaps.rows == 0;
}

/// Returns true if all elements are one floating-point number: a wrong index then reads the right
/// number.
[[nodiscard]] inline bool is_one_number(buffer const& of)
{
    std::size_t const width = element_bytes(of.type);
    return is_real_type(of.type) && of.run_count == 0 && of.gaps.rows == 0 && of.bytes > width &&
           std::memcmp(of.data, of.data + width, of.bytes - width) == 0;
}

/// Makes each number smaller by up to a quarter. Zero becomes a number below a quarter; infinities
/// and NaN stay. Arguments get different numbers. The memory may be unaligned.
/// @pre  is_one_number(of)
inline void vary(buffer const& of)
{
    constexpr std::size_t most = 4'099; // a prime number: rows differ
    with_element_type(of.type, [&]<class T>(T) {
        if constexpr (is_real<T>) {
            std::size_t const period = std::min(most, of.bytes / sizeof(T)) * sizeof(T);
            std::uint64_t bits = of.argument;
            for (std::size_t at = 0; at < period; at += sizeof(T)) {
                bits = (bits + 1) * 0x9e3779b97f4a7c15u;
                auto const x = static_cast<wide<T>>(element_at<T>(of.data + at, 0));
                auto const part = static_cast<wide<T>>(bits >> 40) * static_cast<wide<T>>(0x1p-26);
                T const value = static_cast<T>(x == 0 ? part : x * (1 - part));
                std::memcpy(of.data + at, &value, sizeof(T));
            }
            for (std::size_t at = period; at < of.bytes; at += period)
                std::memcpy(of.data + at, of.data, std::min(period, of.bytes - at));
        }
    });
}

/// Fills an array. The memory may be unaligned.
/// @param are_declared  see fill_elements()
/// @return  false: elements of this type have no such contents, or attune cannot fill them
[[nodiscard]] inline bool fill_contents(buffer const& of, array_contents with,
                                        bool are_declared = false)
{
    if (with == array_contents::own || of.bytes == 0) return true;
    if (!knows_elements(of)) return false;
    auto const fill = [&]<class T>(T) {
        std::vector<T> all(of.bytes / sizeof(T));
        std::memcpy(all.data(), of.data, of.bytes);
        if (!fill_elements(all, with, are_declared)) return false;
        std::memcpy(of.data, all.data(), of.bytes);
        return true;
    };
    switch (of.type) {
    case element_type::f32:
        return fill(float{});
    case element_type::f64:
        return fill(double{});
    case element_type::i8:
        return fill(std::int8_t{});
    case element_type::u8:
        return fill(std::uint8_t{});
    case element_type::i16:
        return fill(std::int16_t{});
    case element_type::u16:
        return fill(std::uint16_t{});
    case element_type::i32:
        return fill(std::int32_t{});
    case element_type::u32:
        return fill(std::uint32_t{});
    case element_type::i64:
        return fill(std::int64_t{});
    case element_type::u64:
        return fill(std::uint64_t{});
    default:
        return false;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
