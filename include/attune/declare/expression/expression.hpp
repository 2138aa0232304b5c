// attune/declare/expression/expression.hpp - a formula over parameters and quantities of compiled code, held as flat postfix code.
// SPDX-License-Identifier: MIT
//
// Constraints of one form share one type. Lowering, printing and hashing are functions over an
// array, instead of templates over a tree of types.
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

/// The name of one parameter, as an empty type.
template <fixed_string Name>
struct parameter_ref {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_input = false;
};

/// The name of one input, as an empty type.
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

/// A constant that may be part of an expression.
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

/// Each possible part of a formula, as an expression.
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

/// The code of `a` in front of the code of `b`, with the kind of `b`.
template <value_kind A, std::size_t N, class... R, value_kind B, std::size_t M, class... S>
[[nodiscard]] constexpr expression<B, N + M, R..., S...> prepend(expression<A, N, R...> const& a,
                                                                 expression<B, M, S...> const& b)
{
    expression<B, N + M, R..., S...> out;
    copy_code(a.code, out.code, 0);
    copy_code(b.code, out.code, N);
    return out;
}

/// The name of one quantity of compiled code, as an empty type.
template <fixed_string Name>
struct code_ref {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_input = true;
};

} // namespace detail

/// A number that attune reads from a compiled variant before its launch. Only kernel.require(...)
/// and kernel.features(...) may read one.
template <fixed_string Name, class T>
struct code_quantity : detail::term {
    using value_type = T;
    using ref = detail::code_ref<Name>;
    static constexpr std::string_view name = Name.view();

    [[nodiscard]] constexpr auto as_expression() const
    {
        constexpr value_kind kind = detail::kind_of<T>();
        return expression<kind, 1, ref>{{{{op::input, static_cast<std::int64_t>(kind), 0, name}}}};
    }
};

// Quantities of device code, down to stack_bytes. stack_bytes and the quantities below it are
// quantities of code for this processor.

/// 32-bit registers per thread.
inline constexpr code_quantity<"registers", std::int64_t> registers{};
/// Bytes per thread that the compiler stores to local memory because it has no free registers.
inline constexpr code_quantity<"spill_bytes", std::int64_t> spill_bytes{};
/// Bytes of shared memory of a block, without the bytes that the launch requests.
inline constexpr code_quantity<"static_shared_bytes", std::int64_t> static_shared_bytes{};
/// Resident warps of a multiprocessor, divided by the most that it can hold: 0 to 1.
inline constexpr code_quantity<"occupancy", double> occupancy{};
/// Bytes of local memory of a thread. On this processor: bytes of the largest frame of a function
/// of the variant, without the functions that it calls; known only if Clang compiles.
inline constexpr code_quantity<"stack_bytes", std::int64_t> stack_bytes{};
/// Bytes of machine code of the variant's largest function, which usually is the kernel.
inline constexpr code_quantity<"code_bytes", std::int64_t> code_bytes{};
/// Instructions of the variant that store a register to the stack because no register is free. The
/// register allocator of clang_compiler counts them, except at -O0.
inline constexpr code_quantity<"spills", std::int64_t> spills{};
/// Instructions of the variant with a vector as result or operand, counted in the optimised LLVM
/// code of clang_compiler. 0: the code has no vectors.
inline constexpr code_quantity<"vector_instructions", std::int64_t> vector_instructions{};

namespace detail {

/// The names of all quantities.
inline constexpr std::array<std::string_view, 8> code_quantity_names{
    registers.name, spill_bytes.name, stack_bytes.name, static_shared_bytes.name,
    occupancy.name, code_bytes.name,  spills.name,      vector_instructions.name};

/// The names of quantities that only code for this processor has.
inline constexpr std::array<std::string_view, 3> processor_quantity_names{
    code_bytes.name, spills.name, vector_instructions.name};

[[nodiscard]] constexpr bool names_code_quantity(std::string_view name) noexcept
{
    for (std::string_view const known : code_quantity_names)
        if (known == name) return true;
    return false;
}

template <class Ref>
inline constexpr bool is_code_ref = false;
template <fixed_string Name>
inline constexpr bool is_code_ref<code_ref<Name>> = true;

/// True if an expression, as lift() returns it, reads a quantity of compiled code.
template <class Expression>
inline constexpr bool reads_code = false;
template <value_kind K, std::size_t N, class... R>
inline constexpr bool reads_code<expression<K, N, R...>> = (is_code_ref<R> || ...);

/// True if an expression reads a parameter.
template <class Expression>
inline constexpr bool reads_parameter = false;
template <value_kind K, std::size_t N, class... R>
inline constexpr bool reads_parameter<expression<K, N, R...>> = (!R::is_input || ...);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
