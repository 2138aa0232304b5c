// attune/tune/shape/resized_frame.hpp - makes the same call with other sizes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether resized_argument() can change a `T`.
template <class T>
inline constexpr bool has_size =
    is_span<T> || is_constant_view<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>);

/// @param size  -1: unchanged
template <class T>
[[nodiscard]] T resized_argument(T const& original, std::int64_t size)
{
    if (size < 0) return original;
    if constexpr (is_span<T>) {
        if constexpr (T::extent == std::dynamic_extent)
            return static_cast<std::size_t>(size) < original.size()
                       ? original.first(static_cast<std::size_t>(size))
                       : original;
        else
            return original;
    } else if constexpr (is_constant_view<T>) {
        return static_cast<std::size_t>(size) < original.size()
                   ? T{original.data(), static_cast<std::size_t>(size)} // forms are of all of it
                   : original;
    } else if constexpr (has_size<T>) {
        return static_cast<T>(size);
    } else {
        return original;
    }
}

/// The arguments of a call with other sizes: see call_frame::resized.
template <class... Args, std::size_t... At>
[[nodiscard]] std::tuple<Args...> resized_arguments(std::tuple<Args...> const& held,
                                                    std::span<std::int64_t const> sizes,
                                                    std::index_sequence<At...> /*all*/)
{
    return std::tuple<Args...>{
        resized_argument(std::get<At>(held), At < sizes.size() ? sizes[At] : std::int64_t{-1})...};
}

} // namespace attune::inline ATTUNE_ABI::detail
