// attune/tune/kernel/launch_arguments.hpp - typed arguments of a call in the form of a launch, and with other sizes.
// SPDX-License-Identifier: MIT
//
// One address per argument: the form of cuLaunchKernel's kernelParams
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// True if resized_argument() can change a `T`.
template <class T>
inline constexpr bool has_size =
    is_span<T> || is_constant_view<T> || (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);

/// Special sizes. halved_size halves a length or an integer above 1. altered_value replaces a
/// boolean, a small integer or a floating-point number by another value. Other arguments do not
/// change.
inline constexpr std::int64_t halved_size = -2;
inline constexpr std::int64_t altered_value = -3;

template <class T>
[[nodiscard]] T altered(T const& original)
{
    if constexpr (std::is_same_v<T, bool>)
        return !original;
    else if constexpr (std::is_floating_point_v<T>)
        return original == 0 ? T{1} : original * T{1.5};
    else if constexpr (std::is_integral_v<T>)
        return original == 0 ? T{1} : original > 0 && original < 4 ? T(original - 1) : original;
    else
        return original;
}

/// @param size  the size; for a floating-point number its bits as a double; -1: unchanged
template <class T>
[[nodiscard]] T resized_argument(T const& original, std::int64_t size)
{
    if (size == altered_value) return altered(original);
    if (size == halved_size) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            return original < 2 ? original : T(original / 2);
        else if constexpr (is_span<T>)
            size = static_cast<std::int64_t>(original.size() / 2);
        else
            return original;
    }
    if (std::is_floating_point_v<T> ? size == -1 : size < 0) return original;
    if constexpr (is_span<T>) {
        if constexpr (T::extent == std::dynamic_extent)
            return static_cast<std::size_t>(size) < original.size()
                       ? original.first(static_cast<std::size_t>(size))
                       : original;
        else
            return original;
    } else if constexpr (is_constant_view<T>) {
        return static_cast<std::size_t>(size) < original.size()
                   ? T{original.data(), static_cast<std::size_t>(size)}
                   // forms are only for the whole array
                   : original;
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(std::bit_cast<double>(size));
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

/// The value passed to a kernel on a device: the address of an array, or the number.
template <class T>
[[nodiscard]] auto launched(T const& argument) noexcept
{
    if constexpr (is_span<T>)
        return static_cast<void*>(nullptr); // launch_staged() sets the address
    else if constexpr (is_device_span<T>)
        return argument.data();
    else
        return argument;
}

/// The arguments of a launch, needed until the launch has begun. Allocates nothing.
template <class... Args>
class launch_arguments {
public:
    static constexpr std::size_t staged_count = (std::size_t{0} + ... + (is_span<Args> ? 1 : 0));

    explicit launch_arguments(Args const&... args) noexcept
        : values_{launched<Args>(args)...}
    {
        std::apply(
            [this](auto&... value) {
                std::size_t i = 0;
                ((addresses_[i++] = address_of(value)), ...);
            },
            values_);
        if constexpr (staged_count > 0) {
            std::size_t position = 0;
            std::size_t next = 0;
            (note(args, position++, next), ...);
        }
    }
    launch_arguments(launch_arguments const&) = delete;
    launch_arguments& operator=(launch_arguments const&) = delete;

    /// Errors   errors of loaded_kernel
    void launch(loaded_kernel const& kernel, void* stream)
    {
        if constexpr (staged_count > 0)
            kernel.launch_staged(addresses_.data(), staged_, stream);
        else
            kernel.launch(addresses_.data(), stream);
    }

private:
    template <class T>
    [[nodiscard]] static void* address_of(T& value) noexcept
    {
        return const_cast<void*>(static_cast<void const*>(&value));
    }
    template <class T>
    void note(T const& argument, std::size_t position, std::size_t& next) noexcept
    {
        if constexpr (is_span<T>) {
            using element = typename T::element_type;
            auto* const first = const_cast<std::remove_const_t<element>*>(argument.data());
            staged_[next++] = {position, reinterpret_cast<std::byte*>(first), argument.size_bytes(),
                               !std::is_const_v<element>};
        }
    }

    std::tuple<decltype(launched<Args>(std::declval<Args const&>()))...> values_;
    std::array<void*, sizeof...(Args) + 1> addresses_{};
    std::array<staged_array, staged_count> staged_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
