// attune/declare/input.hpp - a value that is given when the kernel is called.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>

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

} // namespace attune::inline ATTUNE_ABI
