// attune/declare/expression/expression.hpp - a formula over parameters, held as flat postfix code.
// SPDX-License-Identifier: MIT
//
// Not a tree of types: constraints of one shape share one type, and lowering, printing and hashing
// are one function each over an array instead of recursive templates.
#pragma once

#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// One step of postfix code.
struct instruction {
    op code{};
    std::int64_t integer = 0; ///< a literal, the place of an element, the value_kind of an input
    double real = 0;          ///< a literal; for `select`, not 0 when its value is real
    std::string_view text{};  ///< a literal, or the name that a leaf reads
};

/// Names one parameter in a type; empty.
template <fixed_string Name>
struct parameter_ref {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_input = false;
};

/// Names one input in a type; empty.
template <fixed_string Name>
struct input_ref {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_input = true;
};

} // namespace detail

/// A formula of `N` instructions that yields a `Kind` and reads the parameters and inputs `Refs`.
template <value_kind Kind, std::size_t N, class... Refs>
struct expression {
    static constexpr value_kind yields = Kind;
    std::array<detail::instruction, N> code{};
};

namespace detail {

/// Base of parameters and inputs, which as_expression() converts to expressions.
struct term {};

template <class T>
inline constexpr bool is_expression = false;
template <value_kind K, std::size_t N, class... R>
inline constexpr bool is_expression<expression<K, N, R...>> = true;

/// The value_kind of a C++ type.
template <class T>
[[nodiscard]] constexpr value_kind kind_of() noexcept
{
    if constexpr (std::same_as<T, bool>)
        return value_kind::boolean;
    else if constexpr (std::integral<T> || std::is_enum_v<T>)
        return value_kind::integer;
    else if constexpr (std::floating_point<T>)
        return value_kind::real;
    else if constexpr (std::convertible_to<T, std::string_view>)
        return value_kind::text;
    else
        return value_kind::list;
}

} // namespace detail

/// A parameter, an input or an expression over them.
template <class T>
concept symbolic = detail::is_expression<std::remove_cvref_t<T>> ||
                   std::derived_from<std::remove_cvref_t<T>, detail::term>;

/// A constant that may stand in an expression.
template <class T>
concept literal =
    std::is_arithmetic_v<std::remove_cvref_t<T>> || std::is_enum_v<std::remove_cvref_t<T>> ||
    std::convertible_to<T, std::string_view>;

namespace detail {

template <class T>
[[nodiscard]] constexpr auto as_literal(T v)
{
    constexpr value_kind kind = kind_of<T>();
    if constexpr (kind == value_kind::text)
        return expression<kind, 1>{{{{op::text, 0, 0, std::string_view{v}}}}};
    else if constexpr (kind == value_kind::real)
        return expression<kind, 1>{{{{op::real, 0, static_cast<double>(v), {}}}}};
    else {
        if constexpr (std::unsigned_integral<T>)
            if (static_cast<std::uint64_t>(v) >
                static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                throw declaration_error("attune: this constant does not fit in 64 signed bits");
        return expression<kind, 1>{{{{op::integer, static_cast<std::int64_t>(v), 0, {}}}}};
    }
}

/// Anything that may stand in a formula, as an expression.
template <class T>
[[nodiscard]] constexpr auto lift(T const& x)
{
    if constexpr (is_expression<T>)
        return x;
    else if constexpr (std::derived_from<T, term>)
        return x.as_expression();
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        return as_literal(x);
    else
        return as_literal(std::string_view{x});
}

template <class T>
inline constexpr value_kind kind_yielded = decltype(lift(std::declval<T const&>()))::yields;

template <std::size_t From, std::size_t To>
constexpr void copy_code(std::array<instruction, From> const& from, std::array<instruction, To>& to,
                         std::size_t at)
{
    for (std::size_t i = 0; i < From; ++i)
        to[at + i] = from[i];
}

/// The code of `a`, then `code`.
template <value_kind K, value_kind A, std::size_t N, class... R>
[[nodiscard]] constexpr expression<K, N + 1, R...> apply(op code, expression<A, N, R...> const& a)
{
    expression<K, N + 1, R...> out;
    copy_code(a.code, out.code, 0);
    out.code[N].code = code;
    return out;
}

/// The code of `a`, the code of `b`, then `code`.
template <value_kind K, value_kind A, std::size_t N, class... R, value_kind B, std::size_t M,
          class... S>
[[nodiscard]] constexpr expression<K, N + M + 1, R..., S...>
apply(op code, expression<A, N, R...> const& a, expression<B, M, S...> const& b)
{
    expression<K, N + M + 1, R..., S...> out;
    copy_code(a.code, out.code, 0);
    copy_code(b.code, out.code, N);
    out.code[N + M].code = code;
    return out;
}

/// The code of `a` in front of the code of `b`; yields what `b` yields.
template <value_kind A, std::size_t N, class... R, value_kind B, std::size_t M, class... S>
[[nodiscard]] constexpr expression<B, N + M, R..., S...> prepend(expression<A, N, R...> const& a,
                                                                 expression<B, M, S...> const& b)
{
    expression<B, N + M, R..., S...> out;
    copy_code(a.code, out.code, 0);
    copy_code(b.code, out.code, N);
    return out;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
