// attune/space/diagram/columns.hpp - applies one operation to many values.
// SPDX-License-Identifier: MIT
//
// declare/evaluate.hpp defines each value; loops over integers that cannot overflow are separate
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/diagram/interval.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of one operand: `step` is 1 for a column and 0 for a single value. A real value is
/// stored as the bits of its double; `failed` is not 0 where there is no value.
struct operand_view {
    std::int64_t const* bits = nullptr;
    std::uint8_t const* failed = nullptr;
    std::size_t step = 0;
    bool real = false;
    outlook about{};

    [[nodiscard]] number at(std::size_t i) const noexcept
    {
        std::int64_t const word = bits[i * step];
        return real ? number::of(std::bit_cast<double>(word)) : number::of(word);
    }
    [[nodiscard]] bool has_failed(std::size_t i) const noexcept { return failed[i * step] != 0; }
};

/// A number as a word of a column.
[[nodiscard]] inline std::int64_t word_of(number const& v) noexcept
{
    return v.is_real ? std::bit_cast<std::int64_t>(v.real) : v.integer;
}

/// The i-th value of `code`. @param real  the value is real
[[nodiscard]] inline std::optional<number> apply_operation(op code, operand_view const& first,
                                                           operand_view const& second,
                                                           operand_view const& third, bool real,
                                                           std::size_t i)
{
    auto const value_of = [i](operand_view const& from) {
        return [&from, i] {
            return from.has_failed(i) ? std::optional<number>{} : std::optional(from.at(i));
        };
    };
    return apply_operation(code, real, value_of(first), value_of(second), value_of(third));
}

/// Fills `out` with `f(a, b)` on the integers of two operands.
template <class F>
inline void fill_integers(operand_view const& a, operand_view const& b, std::size_t count,
                          std::int64_t* out, F const& f)
{
    if (a.step == 0) {
        std::int64_t const left = *a.bits;
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(left, b.bits[i * b.step]);
    } else if (b.step == 0) {
        std::int64_t const right = *b.bits;
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(a.bits[i], right);
    } else {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(a.bits[i], b.bits[i]);
    }
}

/// The quotient and the remainder of numbers from 0 to 2^31 - 1, the second not 0.
struct quotient_of_32_bits {
    std::int64_t operator()(std::int64_t x, std::int64_t y) const noexcept
    {
        return std::int64_t{static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(y)};
    }
};
struct remainder_of_32_bits {
    std::int64_t operator()(std::int64_t x, std::int64_t y) const noexcept
    {
        return std::int64_t{static_cast<std::uint32_t>(x) % static_cast<std::uint32_t>(y)};
    }
};

template <class Function>
void fill_by(operand_view const& a, operand_view const& b, std::size_t count, std::int64_t* out)
{
    fill_integers(a, b, count, out, [](std::int64_t x, std::int64_t y) {
        return static_cast<std::int64_t>(Function{}(x, y));
    });
}

/// The loop of an operation on two integers, where it cannot fail.
struct integer_loop {
    op of{};
    void (*fill)(operand_view const& a, operand_view const& b, std::size_t,
                 std::int64_t*) = nullptr;
    bool is_of_32_bits = false; ///< it has the right value for such numbers alone
};

inline constexpr enum_table<integer_loop, op::select> integer_loops{{
    {op::integer},
    {op::real},
    {op::text},
    {op::parameter},
    {op::element},
    {op::position},
    {op::input},
    {op::negate},
    {op::logical_not},
    {op::absolute},
    {op::add, fill_by<std::plus<std::int64_t>>},
    {op::subtract, fill_by<std::minus<std::int64_t>>},
    {op::multiply, fill_by<std::multiplies<std::int64_t>>},
    {op::divide, fill_by<quotient_of_32_bits>, true},
    {op::modulo, fill_by<remainder_of_32_bits>, true},
    {op::floor_divide, fill_by<quotient_of_32_bits>, true},
    {op::floor_modulo, fill_by<remainder_of_32_bits>, true},
    {op::ceil_divide},
    {op::minimum},
    {op::maximum},
    {op::less, fill_by<std::less<std::int64_t>>},
    {op::less_equal, fill_by<std::less_equal<std::int64_t>>},
    {op::greater, fill_by<std::greater<std::int64_t>>},
    {op::greater_equal, fill_by<std::greater_equal<std::int64_t>>},
    {op::equal, fill_by<std::equal_to<std::int64_t>>},
    {op::not_equal, fill_by<std::not_equal_to<std::int64_t>>},
    {op::logical_and, fill_by<std::logical_and<std::int64_t>>},
    {op::logical_or, fill_by<std::logical_or<std::int64_t>>},
    {op::select},
}};

/// Whether loops are of two operands, divisions of 32 bits, and truths have one.
[[nodiscard]] consteval bool has_loops_by_group()
{
    for (integer_loop const& row : integer_loops) {
        operation_group const group = rules_of(row.of).group;
        bool const is_truth = group == operation_group::order ||
                              group == operation_group::equality || group == operation_group::chain;
        if (is_truth && row.fill == nullptr) return false;
        if (row.fill != nullptr && operand_count(row.of) != 2) return false;
        if (row.is_of_32_bits != (row.fill != nullptr && is_division(row.of))) return false;
    }
    return true;
}
static_assert(has_loops_by_group(), "attune: an operation on two numbers needs its loop");

/// The same for operations that cannot fail here. @return false when there is no such loop
inline bool fill_fast(op code, operand_view const& a, operand_view const& b, std::size_t count,
                      std::int64_t* out)
{
    constexpr double half_range = 2147483648.0;
    integer_loop const& loop = integer_loops[code];
    if (loop.fill == nullptr) return false;
    if (loop.is_of_32_bits && !(a.about.range.low >= 0 && a.about.range.high < half_range &&
                                b.about.range.low > 0 && b.about.range.high < half_range))
        return false;
    loop.fill(a, b, count, out);
    return true;
}

/// Writes `count` values of `code` applied to its operands.
/// @param real   the value is real
/// @param about  bounds of the value; if it cannot fail, `failed` is not written
/// @param failed count marks, all 0 before the first call
inline void fill_column(op code, operand_view const& a, operand_view const& b,
                        operand_view const& c, bool real, outlook const& about, std::size_t count,
                        std::int64_t* out, std::uint8_t* failed)
{
    bool const integers = operand_count(code) == 2 && !a.real && !b.real && !real;
    bool const certain = !about.may_fail && !a.about.may_fail && !b.about.may_fail;
    if (integers && certain && fill_fast(code, a, b, count, out)) return;
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<number> const v = apply_operation(code, a, b, c, real, i);
        out[i] = v ? word_of(*v) : 0;
        if (about.may_fail) failed[i] = v ? 0 : 1;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
