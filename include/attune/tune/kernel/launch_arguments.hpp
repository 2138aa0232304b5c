// attune/tune/kernel/launch_arguments.hpp - typed arguments of a call in the form of a launch.
// SPDX-License-Identifier: MIT
//
// One address per argument: the form of cuLaunchKernel's kernelParams
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

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

/// Exists until the launch has begun. Allocates nothing.
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

    /// Errors   as loaded_kernel
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
