// attune/space/diagram/columns.hpp - applies one operation to many values.
// SPDX-License-Identifier: MIT
//
// declare/evaluate.hpp defines each value; loops over integers that cannot overflow are separate
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/diagram/interval.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
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
[[nodiscard]] inline std::optional<number> apply_operation(op code,
                                                           operand_view const& first,
                                                           operand_view const& second,
                                                           operand_view const& third,
                                                           bool real,
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
inline void fill_integers(
    operand_view const& a, operand_view const& b, std::size_t count, std::int64_t* out, F const& f)
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

/// The same for operations that cannot fail here. @return false when there is no such loop
inline bool fill_fast(
    op code, operand_view const& a, operand_view const& b, std::size_t count, std::int64_t* out)
{
    auto const fill = [&](auto const& f) {
        fill_integers(a, b, count, out, f);
        return true;
    };
    using word = std::int64_t;
    constexpr double half_range = 2147483648.0;
    bool const fits_32 = a.about.range.low >= 0 && a.about.range.high < half_range &&
                         b.about.range.low > 0 && b.about.range.high < half_range;
    switch (code) {
    case op::add:
        return fill([](word x, word y) { return x + y; });
    case op::subtract:
        return fill([](word x, word y) { return x - y; });
    case op::multiply:
        return fill([](word x, word y) { return x * y; });
    case op::less:
        return fill([](word x, word y) { return word{x < y}; });
    case op::less_equal:
        return fill([](word x, word y) { return word{x <= y}; });
    case op::greater:
        return fill([](word x, word y) { return word{x > y}; });
    case op::greater_equal:
        return fill([](word x, word y) { return word{x >= y}; });
    case op::equal:
        return fill([](word x, word y) { return word{x == y}; });
    case op::not_equal:
        return fill([](word x, word y) { return word{x != y}; });
    case op::logical_and:
        return fill([](word x, word y) { return word{x != 0 && y != 0}; });
    case op::logical_or:
        return fill([](word x, word y) { return word{x != 0 || y != 0}; });
    case op::divide:
    case op::floor_divide:
        if (!fits_32) return false;
        return fill([](word x, word y) {
            return word{static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(y)};
        });
    case op::modulo:
    case op::floor_modulo:
        if (!fits_32) return false;
        return fill([](word x, word y) {
            return word{static_cast<std::uint32_t>(x) % static_cast<std::uint32_t>(y)};
        });
    default:
        return false;
    }
}

/// Writes `count` values of `code` applied to its operands.
/// @param real   the value is real
/// @param about  bounds of the value; if it cannot fail, `failed` is not written
/// @param failed count marks, all 0 before the first call
inline void fill_column(op code,
                        operand_view const& a,
                        operand_view const& b,
                        operand_view const& c,
                        bool real,
                        outlook const& about,
                        std::size_t count,
                        std::int64_t* out,
                        std::uint8_t* failed)
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
