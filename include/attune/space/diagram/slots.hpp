// attune/space/diagram/slots.hpp - the steps of expressions, each stored once, with its level.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/interval.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of one operand: `step` is 1 for a column and 0 for a single value. A real value is
/// stored as the bits of its double; `failed` is not 0 for a missing value.
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
    if (a.step == 0 && b.step == 0) {
        std::fill_n(out, count, f(*a.bits, *b.bits));
    } else if (a.step == 0) {
        std::int64_t const left = *a.bits;
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(left, b.bits[i]);
    } else if (b.step == 0) {
        std::int64_t const right = *b.bits;
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(a.bits[i], right);
    } else {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = f(a.bits[i], b.bits[i]);
    }
}

/// The quotient and the remainder of numbers from 0 to 2^31 - 1, the second not 0. Compilers have
/// vector instructions for the quotient of doubles. It is exact after truncation, but with -Ofast
/// it may be off by one.
struct division_of_32_bits {
    std::int32_t quotient;
    std::int32_t remainder;

    division_of_32_bits(std::int64_t x, std::int64_t y) noexcept
    {
        auto const a = static_cast<std::int32_t>(x);
        auto const b = static_cast<std::int32_t>(y);
        quotient = static_cast<std::int32_t>(static_cast<double>(a) / b);
        remainder = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) -
                                              static_cast<std::uint32_t>(quotient) *
                                                  static_cast<std::uint32_t>(b));
        int const more = static_cast<int>(remainder >= b) - static_cast<int>(remainder < 0);
        quotient += more;
        remainder -= more * b;
    }
};
struct quotient_of_32_bits {
    std::int64_t operator()(std::int64_t x, std::int64_t y) const noexcept
    {
        return std::int64_t{division_of_32_bits(x, y).quotient};
    }
};
struct remainder_of_32_bits {
    std::int64_t operator()(std::int64_t x, std::int64_t y) const noexcept
    {
        return std::int64_t{division_of_32_bits(x, y).remainder};
    }
};

template <class Function>
void fill_by(operand_view const& a, operand_view const& b, std::size_t count, std::int64_t* out)
{
    fill_integers(a, b, count, out, [](std::int64_t x, std::int64_t y) {
        return static_cast<std::int64_t>(Function{}(x, y));
    });
}

/// The loop of an operation on two integers that cannot fail.
struct integer_loop {
    op of{};
    void (*fill)(operand_view const& a, operand_view const& b, std::size_t,
                 std::int64_t*) = nullptr;
    bool is_of_32_bits = false; ///< the loop is correct only for 32-bit numbers
};

inline constexpr enum_table<integer_loop, op::select, op::integer, op::real, op::text,
                            op::parameter, op::element, op::position, op::input, op::negate,
                            op::logical_not, op::absolute, op::ceil_divide, op::minimum,
                            op::maximum, op::select>
    integer_loops{{
        {op::add, fill_by<std::plus<std::int64_t>>},
        {op::subtract, fill_by<std::minus<std::int64_t>>},
        {op::multiply, fill_by<std::multiplies<std::int64_t>>},
        {op::divide, fill_by<quotient_of_32_bits>, true},
        {op::modulo, fill_by<remainder_of_32_bits>, true},
        {op::floor_divide, fill_by<quotient_of_32_bits>, true},
        {op::floor_modulo, fill_by<remainder_of_32_bits>, true},
        {op::less, fill_by<std::less<std::int64_t>>},
        {op::less_equal, fill_by<std::less_equal<std::int64_t>>},
        {op::greater, fill_by<std::greater<std::int64_t>>},
        {op::greater_equal, fill_by<std::greater_equal<std::int64_t>>},
        {op::equal, fill_by<std::equal_to<std::int64_t>>},
        {op::not_equal, fill_by<std::not_equal_to<std::int64_t>>},
        {op::logical_and, fill_by<std::logical_and<std::int64_t>>},
        {op::logical_or, fill_by<std::logical_or<std::int64_t>>},
    }};

/// Returns true if each truth of two operands has a loop, if each operation with a loop has two
/// operands, and if exactly the loops of divisions are of 32 bits.
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

/// Fills `out` if the operation cannot fail here. @return false if it has no loop for that
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

/// Writes `count` values of `code` applied to its operands, as evaluate() computes them. Integers
/// that cannot overflow have separate loops.
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

/// The level of a step that reads no parameter.
inline constexpr int constant_level = -1;

/// A step: a constant, a parameter's column, or an operation on earlier steps.
struct slot {
    op code = op::parameter; ///< op::integer for a constant, op::parameter for a leaf column
    std::array<std::uint32_t, 3> operands{no_index, no_index, no_index};
    int level = constant_level; ///< level of the last parameter that it reads
    bool real = false;
    bool is_known = true; ///< it reads at most one parameter, so its column is complete
    outlook about;
    std::vector<std::int64_t> bits;   ///< its column; one word for a constant
    std::vector<std::uint8_t> failed; ///< as long as `bits`
    /// Number of a set of the table; the step is then the truth that its one operand is in the set.
    std::uint32_t members = no_index;
};

/// Steps in an order of evaluation.
class slot_table {
public:
    /// @param sizes  number of values of each level's parameter
    explicit slot_table(std::vector<std::size_t> sizes)
        : sizes_(std::move(sizes))
    {
    }

    [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
    [[nodiscard]] slot const& operator[](std::uint32_t i) const noexcept { return slots_[i]; }
    [[nodiscard]] slot& at(std::uint32_t i) noexcept { return slots_[i]; }
    [[nodiscard]] std::vector<std::size_t> const& sizes() const noexcept { return sizes_; }

    /// A constant.  @param value  nothing: the constant has no value
    std::uint32_t constant(std::optional<number> const& value)
    {
        bool const real = value && value->is_real;
        std::int64_t const bits = value ? word_of(*value) : 0;
        std::uint8_t const failed = value ? 0 : 1;
        std::uint32_t const known = find(op::integer, {}, bits, [&](slot const& s) {
            return s.code == op::integer && s.real == real && s.bits[0] == bits &&
                   s.failed[0] == failed;
        });
        if (known != no_index) return known;
        slot made;
        made.code = op::integer;
        made.real = real;
        made.bits = {bits};
        made.failed = {failed};
        return add(std::move(made));
    }

    /// The values of one parameter, one per value of its level.
    std::uint32_t leaf(int level, bool real, std::vector<std::int64_t> bits,
                       std::vector<std::uint8_t> failed)
    {
        slot made;
        made.level = level;
        made.real = real;
        made.bits = std::move(bits);
        made.failed = std::move(failed);
        return add(std::move(made));
    }

    /// `code` applied to earlier steps. @param real  the value is real
    std::uint32_t make(op code, bool real, std::array<std::uint32_t, 3> operands)
    {
        std::uint32_t const known = find(code, operands, 0, [&](slot const& s) {
            return s.code == code && s.operands == operands && s.real == real;
        });
        if (known != no_index) return known;
        slot made;
        made.code = code;
        made.real = real;
        made.operands = operands;
        for (std::uint32_t const o : operands) {
            if (o == no_index) continue;
            slot const& s = slots_[o];
            if (s.level != constant_level)
                made.is_known = made.is_known && s.is_known &&
                                (made.level == constant_level || made.level == s.level);
            made.level = std::max(made.level, s.level);
        }
        return add_operation(std::move(made));
    }
    std::uint32_t make(op code, bool real, std::uint32_t a, std::uint32_t b)
    {
        return make(code, real, {a, b, no_index});
    }

    /// The truth that an integer of an earlier step is one of `members`.
    /// @pre  members are ascending and not empty; the step is no real number and cannot fail
    std::uint32_t member(std::uint32_t of, std::vector<std::int64_t> members)
    {
        slot made;
        made.code = op::equal;
        made.operands = {of, no_index, no_index};
        made.members = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back(std::move(members));
        made.level = slots_[of].level;
        made.is_known = slots_[of].is_known;
        return add_operation(std::move(made));
    }

    /// Computes the column of a step from its operands.
    void fill(slot& step, operand_view const& a, operand_view const& b, operand_view const& c) const
    {
        if (step.members == no_index) {
            fill_column(step.code, a, b, c, step.real, step.about, step.bits.size(),
                        step.bits.data(), step.failed.data());
            return;
        }
        std::vector<std::int64_t> const& set = sets_[step.members];
        for (std::size_t i = 0; i < step.bits.size(); ++i)
            step.bits[i] = std::binary_search(set.begin(), set.end(), a.bits[i * a.step]) ? 1 : 0;
    }

    /// A step as an operand: its column on its own level, one value for a constant.
    [[nodiscard]] operand_view view(std::uint32_t i) const noexcept
    {
        if (i == no_index) return {};
        slot const& s = slots_[i];
        return {s.bits.data(), s.failed.data(),
                s.level == constant_level ? std::size_t{0} : std::size_t{1}, s.real, s.about};
    }

    /// The outlook of `s` from `about(operand)`, the outlooks of its operands.
    template <class About>
    [[nodiscard]] outlook ahead(slot const& s, About const& about) const
    {
        if (s.members != no_index) return ahead_of_set(s, about(s.operands[0]).range);
        outlook operands[3] = {};
        bool reals = false;
        for (std::size_t k = 0; k < 3; ++k) {
            if (s.operands[k] == no_index) continue;
            operands[k] = about(s.operands[k]);
            reals = reals || slots_[s.operands[k]].real;
        }
        return look_ahead(s.code, operands[0], operands[1], operands[2], s.real, reals);
    }
    [[nodiscard]] outlook ahead(slot const& s) const
    {
        return ahead(s, [this](std::uint32_t o) { return slots_[o].about; });
    }

private:
    [[nodiscard]] outlook ahead_of_set(slot const& s, interval of) const
    {
        std::vector<std::int64_t> const& set = sets_[s.members];
        auto const first =
            std::lower_bound(set.begin(), set.end(), of.low,
                             [](std::int64_t m, double v) { return static_cast<double>(m) < v; });
        bool const is_some = first != set.end() && static_cast<double>(*first) <= of.high;
        return {truth_range(is_some, !is_some || of.low != of.high), false, true};
    }

    /// The step that `is_it` accepts; no_index if it accepts none. In a long table, a hash of code,
    /// operands and constant finds the step.
    template <class Is>
    [[nodiscard]] std::uint32_t find(op code, std::array<std::uint32_t, 3> const& operands,
                                     std::int64_t bits, Is const& is_it)
    {
        constexpr std::size_t longest_walk = 64;
        if (slots_.size() <= longest_walk) {
            for (std::uint32_t i = 0; i < slots_.size(); ++i)
                if (is_it(slots_[i])) return i;
            return no_index;
        }
        auto const key_of = [](op c, std::array<std::uint32_t, 3> const& from, std::int64_t word) {
            std::uint32_t const words[] = {static_cast<std::uint32_t>(c),
                                           from[0],
                                           from[1],
                                           from[2],
                                           static_cast<std::uint32_t>(word),
                                           static_cast<std::uint32_t>(word >> 32U)};
            return hash_words(std::span<std::uint32_t const>(words), 0);
        };
        while (found_.size() < slots_.size()) {
            slot const& s = slots_[found_.size()];
            bool const is_constant = s.code == op::integer;
            auto const number = static_cast<std::uint32_t>(found_.size());
            found_.emplace(is_constant ? key_of(s.code, {}, s.bits[0])
                                       : key_of(s.code, s.operands, 0),
                           number);
        }
        auto const [first, last] = found_.equal_range(key_of(code, operands, bits));
        for (auto at = first; at != last; ++at)
            if (is_it(slots_[at->second])) return at->second;
        return no_index;
    }

    [[nodiscard]] std::size_t count_of(slot const& s) const noexcept
    {
        return s.level == constant_level ? 1 : sizes_[static_cast<std::size_t>(s.level)];
    }

    /// Stores an operation, with its column if the column is known.
    std::uint32_t add_operation(slot made)
    {
        made.about = ahead(made);
        made.bits.assign(count_of(made), 0);
        made.failed.assign(count_of(made), 0);
        if (!made.is_known) {
            slots_.push_back(std::move(made));
            return static_cast<std::uint32_t>(slots_.size() - 1);
        }
        fill(made, view(made.operands[0]), view(made.operands[1]), view(made.operands[2]));
        return add(std::move(made));
    }

    /// Stores a step with its column, and takes its bounds from the column.
    std::uint32_t add(slot made)
    {
        made.about = {{infinite, -infinite}, false, false};
        bool is_number = true;
        for (std::size_t i = 0; i < made.bits.size(); ++i) {
            if (made.failed[i] != 0) {
                made.about.may_fail = true;
                continue;
            }
            made.about.may_succeed = true;
            double const v =
                made.real ? std::bit_cast<double>(made.bits[i]) : static_cast<double>(made.bits[i]);
            is_number = is_number && v == v;
            made.about.range.low = std::min(made.about.range.low, v);
            made.about.range.high = std::max(made.about.range.high, v);
        }
        interval const seen = made.about.range;
        made.about.range = is_number ? settled(seen.low, seen.high, made.real) : interval{};
        slots_.push_back(std::move(made));
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }

    std::vector<std::size_t> sizes_;
    std::vector<slot> slots_;
    std::vector<std::vector<std::int64_t>> sets_;                 // ascending
    std::unordered_multimap<std::uint64_t, std::uint32_t> found_; // steps of a long table
};

} // namespace attune::inline ATTUNE_ABI::detail
