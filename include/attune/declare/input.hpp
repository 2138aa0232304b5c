// attune/declare/input.hpp - values that a call gives, and figures of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// An input together with its value: the result of `n(4096)`.
template <fixed_string Name, class T>
struct input_binding {
    static constexpr std::string_view name = Name.view();
    T value{};
};

} // namespace detail

/// A problem size or device limit: `inline constexpr auto n = attune::input<"N", int>();`
template <fixed_string Name, class T>
struct input_parameter : detail::term {
    static_assert(std::is_arithmetic_v<T>, "attune: input<\"N\", T>: T is a number or bool");
    using value_type = T;
    using ref = detail::input_ref<Name>;
    static constexpr std::string_view name = Name.view();

    [[nodiscard]] constexpr auto as_expression() const
    {
        constexpr value_kind kind = detail::kind_of<T>();
        return expression<kind, 1, ref>{{{{op::input, static_cast<std::int64_t>(kind), 0, name}}}};
    }
    [[nodiscard]] constexpr detail::bound<ref> as_bound() const
    {
        static_assert(std::integral<T>, "attune: only a whole-number input can bound a range");
        return {0, name};
    }
    [[nodiscard]] constexpr detail::input_binding<Name, T> operator()(T value) const
    {
        return {value};
    }
};

template <fixed_string Name, class T>
[[nodiscard]] constexpr input_parameter<Name, T> input()
{
    return {};
}

namespace detail {

template <class T>
inline constexpr bool is_input = false;
template <fixed_string N, class T>
inline constexpr bool is_input<input_parameter<N, T>> = true;
template <class T>
inline constexpr bool is_input_binding = false;
template <fixed_string N, class T>
inline constexpr bool is_input_binding<input_binding<N, T>> = true;

} // namespace detail

/// A figure is an input with a reserved name. bind_inputs() sets it to the value of this machine,
/// unless the caller gives another. Like each input that a space reads, a figure is part of the
/// problem's key. A figure is constant on one machine, so that later runs find the records.
/// Example  space(tile_m, tile_k).where(8 * tile_m * tile_k <= attune::machine::l2_bytes / 2)
/// Example  build(pack, attune::machine::l2_bytes(1 << 20))   // as on another machine
namespace machine {

template <fixed_string Name>
using figure = input_parameter<Name, std::int64_t>;

/// The data cache of one core.
inline constexpr figure<"machine.l1_bytes"> l1_bytes{};
/// The second cache of one core, or of a few cores that share it.
inline constexpr figure<"machine.l2_bytes"> l2_bytes{};
/// The third cache that one core reaches, which the cores of its group share.
inline constexpr figure<"machine.l3_bytes"> l3_bytes{};
/// Hardware threads of the machine, also those that this process may not use.
inline constexpr figure<"machine.cores"> cores{};
/// Bytes of the widest vector.
inline constexpr figure<"machine.vector_bytes"> vector_bytes{};
/// Vector registers of one hardware thread.
inline constexpr figure<"machine.vector_registers"> vector_registers{};
/// Bytes of a page of memory, not of a huge page.
inline constexpr figure<"machine.page_bytes"> page_bytes{};
/// The most memory that this process can have: the installed memory, rounded down by a sixteenth at
/// most, or the limit of its control group. It is not the free memory, which differs from call to
/// call and would change keys and spaces; kernel.memory(...) reads the free memory.
inline constexpr figure<"machine.memory_bytes"> memory_bytes{};

} // namespace machine

} // namespace attune::inline ATTUNE_ABI
