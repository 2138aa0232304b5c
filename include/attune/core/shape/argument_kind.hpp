// attune/core/shape/argument_kind.hpp - the arguments that are arrays, and their element types.
// SPDX-License-Identifier: MIT-0
// tested by core/shape/call_shape.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

template <class T>
class matrix_view;
template <class T>
class volume_view;
template <class T>
class device_span;
template <class T>
class constant_view;

namespace detail {

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;
template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;

template <class T>
inline constexpr bool is_matrix = false;
template <class T>
inline constexpr bool is_matrix<matrix_view<T>> = true;
template <class T>
inline constexpr bool is_volume = false;
template <class T>
inline constexpr bool is_volume<volume_view<T>> = true;
/// An array of the host with gaps between its rows.
template <class T>
inline constexpr bool is_view = is_matrix<T> || is_volume<T>;

/// An array that only a device can access.
template <class T>
inline constexpr bool is_device_array = is_device_span<T> || std::is_pointer_v<T>;
/// An array of the host whose elements never change.
template <class T>
inline constexpr bool is_constant_view = false;
template <class T>
inline constexpr bool is_constant_view<constant_view<T>> = true;
template <class T>
inline constexpr bool is_array =
    is_span<T> || is_view<T> || is_constant_view<T> || is_device_array<T>;

template <class T>
struct array_element {
    using type = typename T::element_type;
};
template <class T>
struct array_element<T*> {
    using type = T;
};
template <class T>
using element_of = typename array_element<T>::type;

/// Returns true for std::span<T* const>: arrays behind pointers, all of the same length.
template <class T>
[[nodiscard]] constexpr bool is_pointer_array()
{
    if constexpr (is_span<T>)
        return std::is_pointer_v<std::remove_const_t<element_of<T>>>;
    else
        return false;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
