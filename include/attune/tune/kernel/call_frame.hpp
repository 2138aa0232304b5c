// attune/tune/kernel/call_frame.hpp - one call of a kernel as data: its buffers and a function to repeat it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/constant_array.hpp>
#include <attune/core/device_span.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// An argument of a call, without its type.
struct call_argument {
    static constexpr std::size_t by_value = static_cast<std::size_t>(-1);

    std::size_t buffer = by_value; ///< for an array: index into call_frame::buffers
    bool on_device = false;        ///< the array is in a device's memory
    bool is_pointer = false;       ///< the array is a pointer: see call_frame::set_extent()
    bool has_fixed_length = false; ///< fixed by its type, like std::span<T, 16>
    std::size_t element_bytes = 0; ///< of an array
    std::vector<std::byte> value;  ///< of a number
    /// Length of a span; slices, rows, columns, then strides of a view; in elements.
    std::vector<std::size_t> lengths{};
    /// For an array of pointers: one of the arrays pointed to, without address and size.
    std::optional<attune::buffer> target{};
};

/// The call that started a tuning. Refers to the caller's data.
struct call_frame {
    /// A buffer per array, in order; then any return value; then the targets of arrays of pointers.
    std::vector<buffer> buffers;
    std::vector<call_argument> arguments; ///< all, in order
    /// Calls the code at `entry`, with the arrays at `data` (one address per buffer) in place of
    /// the caller's memory.
    /// @pre pointers inside the arrays are set
    std::function<void(void* entry, std::span<std::byte* const> data)> call;
    /// Calls `see` with a pointer to the call's std::tuple of host_argument, whose arrays are at
    /// `data`. With the pointer, code without the kernel's types calls the user's typed functions.
    /// The tuple is the first member of a detail::host_call.
    std::function<void(std::span<std::byte* const> data,
                       std::function<void(void const* arguments)> const& see)>
        with_arguments;
    void* idle = nullptr; ///< empty code for `call`; may be null
    /// Elements of each array, shared with the functions above.
    std::shared_ptr<std::vector<std::size_t>> elements;
    /// Makes the same call with other sizes, one for each argument. A size is a length up to the
    /// array's own, an integer's value, or a floating-point number's bits as a double. -1 changes
    /// nothing; see also detail::halved_size and detail::altered_value. Empty: this call cannot be
    /// resized.
    std::function<call_frame(std::span<std::int64_t const> sizes)> resized{};
    std::shared_ptr<void>
        result{}; ///< the frame's own memory: the kernel's return value, drawn arrays
    /// True if an argument is a constant_view: a first run may make forms that later calls find.
    bool has_forms = false;

    /// Sets the number of elements behind the pointer at a position; for an array of pointers,
    /// behind each of them.
    void set_extent(std::size_t argument, std::size_t count);
    /// The addresses of the caller's arrays, one per buffer.
    [[nodiscard]] std::vector<std::byte*> addresses() const;
    /// Returns true if the targets of every array of pointers are set.
    [[nodiscard]] bool is_complete() const noexcept;
    /// Returns true if the call has arrays, and all are empty.
    [[nodiscard]] bool has_only_empty_arrays() const noexcept;
    /// Returns true if the call returns nothing and all arrays that it may write are empty: then
    /// any code is right.
    [[nodiscard]] bool writes_nothing() const noexcept;

private:
    void set_targets(call_argument const& what, std::size_t count);
};

namespace detail {

/// True if kernel.extent<i>() must give the number of elements behind a pointer.
template <class T>
inline constexpr bool needs_extent = std::is_pointer_v<T> || is_pointer_array<T>();

/// The type that the user's check or reference receives for an argument. For a device array it is a
/// span of a host copy, otherwise the argument's own type.
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

enum class argument_fault : unsigned char {
    none,
    form,            ///< neither an array nor a value
    unknown,         ///< kernel_type does not describe it
    has_pointers,    ///< it contains pointers to arrays of unknown sizes
    moving_pointers, ///< an array of pointers that the kernel may change
};

[[nodiscard]] consteval argument_fault as_argument_fault(type_fault fault)
{
    switch (fault) {
    case type_fault::none:
        return argument_fault::none;
    case type_fault::unknown:
        return argument_fault::unknown;
    case type_fault::has_pointers:
        return argument_fault::has_pointers;
    case type_fault::not_plain:
        break;
    }
    return argument_fault::form;
}

/// Returns the fault of an argument type. attune can restore arrays of plain data, and plain data
/// by value, between runs.
template <class T>
[[nodiscard]] consteval argument_fault fault_of_argument()
{
    if constexpr (is_pointer_array<T>()) {
        using pointer = element_of<T>;
        using target = std::remove_pointer_t<pointer>;
        if constexpr (std::is_void_v<target> || std::is_volatile_v<target>)
            return argument_fault::form;
        else if constexpr (kernel_type_fault<target>() != type_fault::none)
            return as_argument_fault(kernel_type_fault<target>());
        else
            return std::is_const_v<pointer> ? argument_fault::none
                                            : argument_fault::moving_pointers;
    } else if constexpr (is_array<T>) {
        if constexpr (std::is_void_v<element_of<T>>)
            return argument_fault::form;
        else
            return as_argument_fault(kernel_type_fault<element_of<T>>());
    } else if constexpr (std::is_reference_v<T> || std::is_void_v<T>) {
        return argument_fault::form;
    } else {
        return as_argument_fault(kernel_type_fault<T>());
    }
}

template <class... Args>
[[nodiscard]] consteval argument_fault fault_of_arguments()
{
    argument_fault found = argument_fault::none;
    static_cast<void>(((found = fault_of_argument<Args>(), found != argument_fault::none) || ...));
    return found;
}

/// Returns true if a kernel may return the type: nothing, or plain data.
template <class Result>
[[nodiscard]] consteval bool is_kernel_result()
{
    if constexpr (std::is_void_v<Result>)
        return true;
    else if constexpr (is_array<Result> || std::is_reference_v<Result>)
        return false;
    else
        return kernel_type_fault<Result>() == type_fault::none;
}

/// Returns true if an argument contains long doubles, which a device stores as double.
template <class T>
[[nodiscard]] constexpr bool has_long_double()
{
    if constexpr (is_array<T>)
        return std::is_same_v<std::remove_cv_t<element_of<T>>, long double>;
    else
        return std::is_same_v<T, long double>;
}

/// Returns `original` as `To`. An array gets the next address of `data` and the next length of
/// `elements`.
template <class To, class T>
[[nodiscard]] To moved_to(T const& original, std::byte* const*& data, std::size_t const*& elements)
{
    if constexpr (is_array<T>) {
        auto* const first = reinterpret_cast<element_of<T>*>(*data++);
        std::size_t const count = *elements++;
        if constexpr (is_matrix<T>)
            return To{first, original.rows(), original.columns(), original.row_stride()};
        else if constexpr (is_volume<T>)
            return To{first,
                      original.slices(),
                      original.rows(),
                      original.columns(),
                      original.slice_stride(),
                      original.row_stride()};
        else if constexpr (std::is_pointer_v<To>)
            return first;
        else if constexpr (is_constant_view<T>)
            return To{first, count, original.forms()};
        else
            return To{first, count};
    } else
        return original;
}

/// The memory of a view, from its first element to its last.
template <class T>
[[nodiscard]] buffer buffer_of_view(T const& view, std::size_t position)
{
    constexpr std::size_t width = sizeof(typename T::element_type);
    row_layout gaps;
    gaps.row = view.columns() * width;
    gaps.rows = view.rows();
    gaps.row_stride = view.row_stride() * width;
    if constexpr (is_volume<T>) {
        gaps.slices = view.slices();
        gaps.slice_stride = view.slice_stride() * width;
    }
    bool const is_empty = gaps.row == 0 || gaps.rows == 0 || gaps.slices == 0;
    std::size_t const bytes = is_empty ? 0
                                       : (gaps.slices - 1) * gaps.slice_stride +
                                             (gaps.rows - 1) * gaps.row_stride + gaps.row;
    buffer out = as_buffer(std::span(view.data(), bytes / width), position);
    bool const has_gaps = bytes > gaps.row * gaps.rows * gaps.slices;
    if (has_gaps) out.gaps = gaps;
    return out;
}

template <class T>
void note_argument(call_frame& out, T const& argument, std::size_t position,
                   std::vector<std::optional<tolerance>> const& tolerances)
{
    call_argument noted;
    if constexpr (is_array<T>) {
        using element = element_of<T>;
        std::optional<tolerance> within;
        if (position < tolerances.size()) within = tolerances[position];
        buffer b;
        if constexpr (is_view<T>) {
            b = buffer_of_view(argument, position);
            auto const numbers = numbers_of_view(argument);
            noted.lengths.assign(numbers.begin(), numbers.end());
        } else if constexpr (std::is_pointer_v<T>) {
            b = as_buffer(std::span<element>(argument, std::size_t{0}), position);
        } else {
            b = as_buffer(std::span<element>(argument.data(), argument.size()), position);
            noted.lengths = {argument.size()};
            if constexpr (is_span<T>) noted.has_fixed_length = T::extent != std::dynamic_extent;
        }
        if (within) tolerate(b, *within);
        noted.buffer = out.buffers.size();
        noted.on_device = is_device_array<T>;
        noted.is_pointer = std::is_pointer_v<T>;
        noted.element_bytes = sizeof(element);
        if constexpr (is_pointer_array<T>()) {
            using target = std::remove_pointer_t<element>;
            noted.target = as_buffer(std::span<target>(), position);
            noted.element_bytes = sizeof(target);
            if (within) tolerate(*noted.target, *within);
        }
        out.buffers.push_back(b);
        out.elements->push_back(b.bytes / sizeof(element));
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

/// Returns `original`; a constant_view gets forms that the frame owns. The caller's form list must
/// not hold forms of tried variants, or of copies that outlive the caller's array.
template <class T>
[[nodiscard]] T with_own_forms(T const& original, std::vector<std::shared_ptr<form_list>>& own)
{
    if constexpr (is_constant_view<T>) {
        own.push_back(std::make_shared<form_list>());
        return T{original.data(), original.size(), own.back().get()};
    } else
        return original;
}

/// The object behind call_frame::with_arguments.
template <class Result, class... Args>
struct host_call {
    std::tuple<host_argument<Args>...> arguments;
    Result* result = nullptr; ///< the kernel's return value
};

template <class... Args, std::size_t... At>
[[nodiscard]] std::tuple<host_argument<Args>...>
host_arguments(std::tuple<Args...> const& held, std::span<std::byte* const> data,
               std::vector<std::size_t> const& of, std::index_sequence<At...> /*all*/)
{
    std::byte* const* next = data.data();
    std::size_t const* count = of.data();
    // Braces fix the order of evaluation, so that each array takes its own address.
    return std::tuple<host_argument<Args>...>{
        moved_to<host_argument<Args>>(std::get<At>(held), next, count)...};
}

template <class... Args, std::size_t... At>
[[nodiscard]] std::tuple<Args...>
moved_arguments(std::tuple<Args...> const& held, std::span<std::byte* const> data,
                std::vector<std::size_t> const& of, std::index_sequence<At...> /*all*/)
{
    std::byte* const* next = data.data();
    std::size_t const* count = of.data();
    return std::tuple<Args...>{moved_to<Args>(std::get<At>(held), next, count)...};
}

/// @param tolerances  by position of the argument, then of the result; missing or empty: the
///                    default
template <class Result, class... Args>
[[nodiscard]] call_frame make_frame_of(std::vector<std::optional<tolerance>> const& tolerances,
                                       Args const&... args)
{
    call_frame out;
    out.elements = std::make_shared<std::vector<std::size_t>>();
    out.has_forms = (is_constant_view<Args> || ...);
    std::size_t position = 0;
    (note_argument(out, args, position++, tolerances), ...);
    std::size_t const result_at = out.buffers.size();
    if constexpr (!std::is_void_v<Result>) {
        auto const slot = std::make_shared<Result>();
        out.result = slot;
        buffer b = as_buffer(std::span<Result>(slot.get(), 1), buffer::result);
        if (position < tolerances.size() && tolerances[position])
            tolerate(b, *tolerances[position]);
        out.buffers.push_back(b);
        out.elements->push_back(1);
    }
    constexpr std::index_sequence_for<Args...> all{};
    std::vector<std::shared_ptr<form_list>> own;
    std::tuple<Args...> const mine{with_own_forms(args, own)...};
    out.with_arguments = [held = mine, own, elements = out.elements,
                          result_at](std::span<std::byte* const> data,
                                     std::function<void(void const*)> const& see) {
        host_call<Result, Args...> made{host_arguments(held, data, *elements, decltype(all){})};
        if constexpr (!std::is_void_v<Result>)
            made.result = reinterpret_cast<Result*>(data[result_at]);
        static_cast<void>(result_at);
        see(&made);
    };
    out.call = [held = mine, own, elements = out.elements,
                result_at](void* entry, std::span<std::byte* const> data) {
        static_cast<void>(result_at);
        std::tuple<Args...> const moved = moved_arguments(held, data, *elements, decltype(all){});
        auto* const code = reinterpret_cast<Result (*)(Args...)>(entry);
        hosts_float_environment const as_untuned;
        if constexpr (std::is_void_v<Result>) {
            std::apply(code, moved);
        } else {
            Result const returned = std::apply(code, moved);
            std::memcpy(data[result_at], &returned, sizeof returned);
        }
    };
    out.idle = reinterpret_cast<void*>(+[](Args...) -> Result {
        if constexpr (!std::is_void_v<Result>) return Result{};
    });
    return out;
}

template <class... Args>
[[nodiscard]] call_frame make_call_frame(std::vector<std::optional<tolerance>> const& tolerances,
                                         Args const&... args)
{
    return make_frame_of<void, Args...>(tolerances, args...);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// A call in the form that a dispatch_table takes.
struct keyed_call {
    std::vector<std::int64_t> shape{};
    std::vector<number> inputs{};
    call_frame frame{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/call_frame.ipp>
#endif
