// attune/tune/call_frame.hpp - one call of a kernel as data: its buffers and how to repeat it.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       the arguments of a call
// Out      the buffers that `measure` restores and checks, and a way to call any variant on them
// Source   own
// Depends  std only
// Tests    tests/tune/call_frame.cpp
#pragma once

#include <attune/declare/description.hpp>
#include <attune/measure/buffer.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune {

/// Everything a tuning needs of the call that started it. Refers to the caller's data.
struct call_frame {
    std::vector<buffer> buffers; ///< one per std::span argument, in order
    /// Calls the code at `entry`, with the spans over `data` (one address per buffer) instead of
    /// the caller's memory.
    std::function<void(void* entry, std::span<std::byte* const> data)> call;
    /// Hands a pointer to the call's std::tuple of arguments, with the spans over `data`, to `see`:
    /// how what was written for the kernel's types is called from code that has lost them.
    std::function<void(std::span<std::byte* const> data,
                       std::function<void(void const* arguments)> const& see)>
        with_arguments;
};

namespace detail {

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;

/// What attune can restore between runs: spans of plain data, and numbers by value.
template <class T>
[[nodiscard]] constexpr bool is_kernel_argument()
{
    if constexpr (is_span<T>)
        return std::is_trivially_copyable_v<typename T::element_type>;
    else
        return std::is_arithmetic_v<T> || std::is_enum_v<T>;
}

/// `original`, moved to `data` when it is a span; takes the addresses in order.
template <class T>
[[nodiscard]] T moved_to(T const& original, std::byte* const*& data)
{
    if constexpr (is_span<T>) {
        using element = typename T::element_type;
        return T{reinterpret_cast<element*>(*data++), original.size()};
    } else
        return original;
}

template <class T>
void note_buffer(std::vector<buffer>& out,
                 T const& argument,
                 std::size_t position,
                 std::vector<std::optional<tolerance>> const& tolerances)
{
    if constexpr (is_span<T>) {
        buffer b = as_buffer(std::span<typename T::element_type>(argument), position);
        if (position < tolerances.size() && tolerances[position]) b.within = *tolerances[position];
        out.push_back(b);
    }
}

/// The number at argument `position`, for binding it to an input.
template <class... Args>
[[nodiscard]] number number_of_argument(std::size_t position, Args const&... args)
{
    number out;
    std::size_t i = 0;
    auto const look = [&](auto const& argument) {
        using T = std::remove_cvref_t<decltype(argument)>;
        if constexpr (std::is_floating_point_v<T>) {
            if (i == position) out = number::of(static_cast<double>(argument));
        } else if constexpr (std::is_integral_v<T>) {
            if (i == position) out = number::of(static_cast<std::int64_t>(argument));
        }
        ++i;
    };
    (look(args), ...);
    return out;
}

} // namespace detail

/// @param tolerances  by position of the argument; missing or empty entries take the default
template <class... Args>
[[nodiscard]] call_frame make_call_frame(std::vector<std::optional<tolerance>> const& tolerances,
                                         Args const&... args)
{
    call_frame out;
    std::size_t position = 0;
    (detail::note_buffer(out.buffers, args, position++, tolerances), ...);
    out.with_arguments =
        [held = std::tuple<Args...>(args...)](std::span<std::byte* const> data,
                                              std::function<void(void const*)> const& see) {
            std::byte* const* next = data.data();
            std::apply(
                [&](Args const&... original) {
                    std::tuple<Args...> const moved{detail::moved_to<Args>(original, next)...};
                    see(&moved);
                },
                held);
        };
    out.call = [held = std::tuple<Args...>(args...)](void* entry,
                                                     std::span<std::byte* const> data) {
        std::byte* const* next = data.data();
        // Braces fix the order in which the spans take their addresses.
        std::apply(
            [&](Args const&... original) {
                std::tuple<Args...> moved{detail::moved_to<Args>(original, next)...};
                std::apply(reinterpret_cast<void (*)(Args...)>(entry), moved);
            },
            held);
    };
    return out;
}

} // namespace attune
