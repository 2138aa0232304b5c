// attune/tune/call_frame.hpp - one call of a kernel as data: its buffers and how to repeat it.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       the arguments of a call
// Out      the buffers that `measure` restores and checks, the bytes of the numbers, and a way to
// call
//          any variant on them
// Source   own
// Depends  std only
// Tests    tests/tune/call_frame.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device_span.hpp>
#include <attune/declare/description.hpp>
#include <attune/measure/buffer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One argument of a call, without its type.
struct call_argument {
    static constexpr std::size_t by_value = static_cast<std::size_t>(-1);

    std::size_t buffer = by_value; ///< of an array: index into call_frame::buffers
    bool on_device = false;        ///< the array is in a device's memory
    bool is_pointer = false;       ///< the array is a pointer: see call_frame::resize()
    std::size_t element_bytes = 0; ///< of an array
    std::vector<std::byte> value;  ///< of a number
};

/// Everything a tuning needs of the call that started it. Refers to the caller's data.
struct call_frame {
    std::vector<buffer> buffers;          ///< one per array, in order
    std::vector<call_argument> arguments; ///< all, in order
    /// Calls the code at `entry`, with the arrays at `data` (one address per buffer) instead of the
    /// caller's memory.
    std::function<void(void* entry, std::span<std::byte* const> data)> call;
    /// Hands a pointer to the call's std::tuple of arguments, as host_argument has them and with
    /// the arrays at `data`, to `see`: how what was written for the kernel's types is called from
    /// code that has lost them.
    std::function<void(std::span<std::byte* const> data,
                       std::function<void(void const* arguments)> const& see)>
        with_arguments;
    void* idle = nullptr; ///< code for `call` that does nothing; null: there is none
    /// Elements of each array, shared with the functions above.
    std::shared_ptr<std::vector<std::size_t>> elements;
    /// A call like this one with other sizes, by argument: the length of an array, at most its own,
    /// or the value of an integer; -1: as it is. Empty: it cannot be made.
    std::function<call_frame(std::span<std::int64_t const> sizes)> resized{};

    /// Says how many elements are behind the pointer at a position: the pointer does not.
    void set_extent(std::size_t argument, std::size_t count)
    {
        call_argument const& what = arguments[argument];
        buffers[what.buffer].bytes = count * what.element_bytes;
        (*elements)[what.buffer] = count;
    }
};

namespace detail {

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;
template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;

/// An array that only a device can read.
template <class T>
inline constexpr bool is_device_array = is_device_span<T> || std::is_pointer_v<T>;
template <class T>
inline constexpr bool is_array = is_span<T> || is_device_array<T>;

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

/// What a check or a reference of the user's receives for an argument: arrays of a device as spans
/// of copies, all else as it is.
template <class T, bool = is_device_array<T>>
struct host_argument_of {
    using type = T;
};
template <class T>
struct host_argument_of<T, true> {
    using type = std::span<element_of<T>>;
};
template <class T>
using host_argument = typename host_argument_of<T>::type;

/// What attune can restore between runs: arrays of plain data, and numbers by value.
template <class T>
[[nodiscard]] constexpr bool is_kernel_argument()
{
    if constexpr (is_array<T>)
        return std::is_trivially_copyable_v<element_of<T>> && !std::is_void_v<element_of<T>>;
    else
        return std::is_arithmetic_v<T> || std::is_enum_v<T>;
}

/// Whether an argument has long doubles, which are no more than a double on a device.
template <class T>
[[nodiscard]] constexpr bool has_long_double()
{
    if constexpr (is_array<T>)
        return std::is_same_v<std::remove_cv_t<element_of<T>>, long double>;
    else
        return std::is_same_v<T, long double>;
}

/// `original` as `To`, moved to `data` when it is an array; takes the addresses in order.
template <class To, class T>
[[nodiscard]] To moved_to(T const& original, std::byte* const*& data, std::size_t const*& elements)
{
    if constexpr (is_array<T>) {
        auto* const first = reinterpret_cast<element_of<T>*>(*data++);
        std::size_t const count = *elements++;
        if constexpr (std::is_pointer_v<To>)
            return first;
        else
            return To{first, count};
    } else
        return original;
}

template <class T>
void note_argument(call_frame& out,
                   T const& argument,
                   std::size_t position,
                   std::vector<std::optional<tolerance>> const& tolerances)
{
    call_argument noted;
    if constexpr (is_array<T>) {
        using element = element_of<T>;
        std::span<element> seen;
        if constexpr (std::is_pointer_v<T>)
            seen = {argument, std::size_t{0}};
        else
            seen = {argument.data(), argument.size()};
        buffer b = as_buffer(seen, position);
        if (position < tolerances.size() && tolerances[position]) b.within = *tolerances[position];
        noted.buffer = out.buffers.size();
        noted.on_device = is_device_array<T>;
        noted.is_pointer = std::is_pointer_v<T>;
        noted.element_bytes = sizeof(element);
        out.buffers.push_back(b);
        out.elements->push_back(seen.size());
    } else {
        auto const* const first = reinterpret_cast<std::byte const*>(&argument);
        noted.value.assign(first, first + sizeof argument);
    }
    out.arguments.push_back(std::move(noted));
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
    out.elements = std::make_shared<std::vector<std::size_t>>();
    std::size_t position = 0;
    (detail::note_argument(out, args, position++, tolerances), ...);
    out.with_arguments = [held = std::tuple<Args...>(args...),
                          elements = out.elements](std::span<std::byte* const> data,
                                                   std::function<void(void const*)> const& see) {
        std::byte* const* next = data.data();
        std::size_t const* count = elements->data();
        std::apply(
            [&](Args const&... original) {
                // Braces fix the order in which the arrays take their addresses.
                std::tuple<detail::host_argument<Args>...> const moved{
                    detail::moved_to<detail::host_argument<Args>>(original, next, count)...};
                see(&moved);
            },
            held);
    };
    out.call = [held = std::tuple<Args...>(args...),
                elements = out.elements](void* entry, std::span<std::byte* const> data) {
        std::byte* const* next = data.data();
        std::size_t const* count = elements->data();
        std::apply(
            [&](Args const&... original) {
                std::tuple<Args...> moved{detail::moved_to<Args>(original, next, count)...};
                std::apply(reinterpret_cast<void (*)(Args...)>(entry), moved);
            },
            held);
    };
    out.idle = reinterpret_cast<void*>(+[](Args...) {});
    return out;
}

} // namespace attune::inline ATTUNE_ABI
