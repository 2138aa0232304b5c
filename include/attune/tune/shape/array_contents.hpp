// attune/tune/shape/array_contents.hpp - fills arrays with contents for which code may have a path of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/array_contents.hpp>
#include <attune/core/element.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t array_contents_count = 9;
inline constexpr std::array<std::string_view, array_contents_count> array_contents_names{
    "the call's own", "zero",           "negative zero", "denormal", "equal",
    "sorted",         "the least ones", "infinite",      "NaN"};

/// @return  false: elements of this type have no such contents
template <class T>
[[nodiscard]] bool fill_elements(std::vector<T>& all, array_contents with)
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
        if constexpr (is_real) std::fill(all.begin(), all.end(), limits::lowest());
        return is_real;
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

/// Fills an array. The memory may be unaligned.
/// @return  false: its elements have no such contents, or attune does not know them
[[nodiscard]] inline bool fill_contents(buffer const& of, array_contents with)
{
    if (with == array_contents::own || of.bytes == 0) return true;
    if (of.run_count > 0 || of.gaps.rows > 0) return false;
    auto const fill = [&]<class T>(T) {
        std::vector<T> all(of.bytes / sizeof(T));
        std::memcpy(all.data(), of.data, of.bytes);
        if (!fill_elements(all, with)) return false;
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
