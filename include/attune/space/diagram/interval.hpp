// attune/space/diagram/interval.hpp - bounds of a value before it is computed, and its trend while an operand grows.
// SPDX-License-Identifier: MIT
//
// Interval arithmetic on doubles. Bounds of an integer past 2^52 are infinite, so finite bounds are
// exact, and an integer with finite bounds cannot overflow. A real value without bounds may be NaN.
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/operation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// All values from `low` to `high`.
struct interval {
    double low = -infinite;
    double high = infinite;

    [[nodiscard]] bool is_bounded() const noexcept { return low > -infinite && high < infinite; }
    [[nodiscard]] bool has(double v) const noexcept { return low <= v && v <= high; }
    /// The largest absolute value.
    [[nodiscard]] double reach() const noexcept { return std::max(-low, high); }
    [[nodiscard]] friend bool operator==(interval const&, interval const&) = default;
};

/// Bounds that stay valid if integers past 2^52 are rounded and reals overflow.
[[nodiscard]] inline interval settled(double low, double high, bool real) noexcept
{
    constexpr double exact = 4503599627370496.0;
    constexpr double safe = 1e300;
    if (!(low <= high)) return {};
    if (real) return low < -safe || high > safe ? interval{} : interval{low, high};
    return {low < -exact ? -infinite : std::min(low, exact),
            high > exact ? infinite : std::max(high, -exact)};
}

/// The possible results of an expression.
struct outlook {
    interval range;          ///< of the value
    bool may_fail = false;   ///< the expression may have no value
    bool may_succeed = true; ///< the expression may have a value

    [[nodiscard]] bool may_be_true() const noexcept
    {
        return may_succeed && !(range.low == 0 && range.high == 0);
    }
    [[nodiscard]] bool may_be_false() const noexcept { return may_succeed && range.has(0); }
    [[nodiscard]] bool is_true() const noexcept { return !may_fail && !may_be_false(); }
    [[nodiscard]] friend bool operator==(outlook const&, outlook const&) = default;
};

/// The interval from the least to the greatest of four values.
[[nodiscard]] inline interval hull(double p, double q, double r, double s, bool real) noexcept
{
    if (std::isnan(p) || std::isnan(q) || std::isnan(r) || std::isnan(s)) return {};
    return settled(std::min({p, q, r, s}), std::max({p, q, r, s}), real);
}

/// Bounds of a quotient with a nonzero divisor, from the corners of both intervals.
/// @param rounded  rounds a quotient of doubles
template <class Rounded>
[[nodiscard]] interval quotient_range(interval a, interval b, bool real,
                                      Rounded const& rounded) noexcept
{
    if (b.has(0)) return {};
    return hull(rounded(a.low / b.low), rounded(a.low / b.high), rounded(a.high / b.low),
                rounded(a.high / b.high), real);
}

/// Bounds of a remainder with the sign of `a`, for a nonzero divisor.
[[nodiscard]] inline interval truncated_remainder(interval a, interval b, bool real) noexcept
{
    if (real || b.has(0)) return {};
    double const most = b.reach() - 1;
    return a.low >= 0 ? settled(0, std::min(a.high, most), false) : settled(-most, most, false);
}

/// Bounds of a remainder with the sign of `b`, for a nonzero divisor.
[[nodiscard]] inline interval floored_remainder(interval a, interval b, bool real) noexcept
{
    if (real || b.has(0)) return {};
    double const most = b.reach() - 1;
    if (b.low > 0) return settled(0, a.low >= 0 ? std::min(a.high, most) : most, false);
    return settled(-most, 0, false);
}

/// The bounds of an operation's value. An operation of one operand reads only `a`.
struct range_rules {
    op of{};
    interval (*range)(interval a, interval b, bool real) = nullptr; ///< for numbers, not truths
};

/// @param real  the value is real; else it is a whole number
inline constexpr enum_table<range_rules, op::select, op::integer, op::real, op::text, op::parameter,
                            op::element, op::position, op::input, op::logical_not, op::less,
                            op::less_equal, op::greater, op::greater_equal, op::equal,
                            op::not_equal, op::logical_and, op::logical_or, op::select>
    ranges{{
        {op::negate,
         [](interval a, interval, bool real) { return settled(-a.high, -a.low, real); }},
        {op::absolute,
         [](interval a, interval, bool real) {
             return settled(a.has(0) ? 0.0 : std::max(a.low, -a.high), a.reach(), real);
         }},
        {op::add, [](interval a, interval b,
                     bool real) { return settled(a.low + b.low, a.high + b.high, real); }},
        {op::subtract, [](interval a, interval b,
                          bool real) { return settled(a.low - b.high, a.high - b.low, real); }},
        {op::multiply,
         [](interval a, interval b, bool real) {
             return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high, real);
         }},
        {op::divide,
         [](interval a, interval b, bool real) {
             return quotient_range(a, b, real,
                                   [real](double q) { return real ? q : std::trunc(q); });
         }},
        {op::modulo, truncated_remainder},
        {op::floor_divide,
         [](interval a, interval b, bool real) {
             interval out = quotient_range(a, b, real, [](double q) { return std::floor(q); });
             // The corners are rounded to doubles before floor(); the value itself is not rounded.
             if (real && out.is_bounded()) out.low -= 1;
             return out;
         }},
        {op::floor_modulo, floored_remainder},
        {op::ceil_divide,
         [](interval a, interval b, bool real) {
             return quotient_range(a, b, real, [](double q) { return std::ceil(q); });
         }},
        {op::minimum,
         [](interval a, interval b, bool real) {
             return settled(std::min(a.low, b.low), std::min(a.high, b.high), real);
         }},
        {op::maximum,
         [](interval a, interval b, bool real) {
             return settled(std::max(a.low, b.low), std::max(a.high, b.high), real);
         }},
    }};

/// Bounds of `a code b` for an operation on numbers. @param real  the value is real
[[nodiscard]] inline interval arithmetic_range(op code, interval a, interval b, bool real) noexcept
{
    if (real && !(a.is_bounded() && b.is_bounded())) return {};
    return ranges[code].range(a, b, real);
}

/// The possible results of the comparison `code`: 0, 1 or both.
/// @param real  one of the operands is real
[[nodiscard]] inline interval comparison_range(op code, interval a, interval b, bool real) noexcept
{
    interval const either{0, 1};
    if (real && !(a.is_bounded() && b.is_bounded())) return either;
    relation const& holds = rules_of(code).holds;
    bool const may_be_less = a.low < b.high;
    bool const may_be_more = a.high > b.low;
    bool const may_be_same = a.low <= b.high && b.low <= a.high;
    bool const may_hold = (holds.if_less && may_be_less) || (holds.if_more && may_be_more) ||
                          (holds.if_same && may_be_same);
    bool const may_fail = (!holds.if_less && may_be_less) || (!holds.if_more && may_be_more) ||
                          (!holds.if_same && may_be_same);
    if (may_hold == may_fail) return either;
    return may_hold ? interval{1, 1} : interval{0, 0};
}

/// The possible truths: 0, 1 or both.
[[nodiscard]] inline interval truth_range(bool may_be_true, bool may_be_false) noexcept
{
    return {may_be_false || !may_be_true ? 0.0 : 1.0, may_be_true ? 1.0 : 0.0};
}

/// The outlook of `code` from those of its operands.
/// @param real            the value is real
/// @param compares_reals  one of the operands is real
[[nodiscard]] inline outlook look_ahead(op code, outlook const& a, outlook const& b,
                                        outlook const& c, bool real, bool compares_reals)
{
    outlook out{{}, a.may_fail, a.may_succeed};
    switch (rules_of(code).group) {
    case operation_group::negation:
        out.range = truth_range(a.may_be_false(), a.may_be_true());
        return out;
    case operation_group::sign:
        out.range = arithmetic_range(code, a.range, a.range, real);
        out.may_fail = out.may_fail || (!real && !a.range.is_bounded());
        return out;
    case operation_group::chain: {
        // The second operand has an effect only if the first does not decide.
        bool const is_or = code == op::logical_or;
        bool const decides = is_or ? a.may_be_true() : a.may_be_false();
        bool const goes_on = is_or ? a.may_be_false() : a.may_be_true();
        out.range = truth_range((is_or && decides) || (goes_on && b.may_be_true()),
                                (!is_or && decides) || (goes_on && b.may_be_false()));
        out.may_fail = a.may_fail || (goes_on && b.may_fail);
        out.may_succeed = decides || (goes_on && b.may_succeed);
        return out;
    }
    case operation_group::choice: {
        bool const second = a.may_be_true() && b.may_succeed;
        bool const third = a.may_be_false() && c.may_succeed;
        out.may_fail =
            a.may_fail || (a.may_be_true() && b.may_fail) || (a.may_be_false() && c.may_fail);
        out.may_succeed = second || third;
        if (second && third)
            out.range = settled(std::min(b.range.low, c.range.low),
                                std::max(b.range.high, c.range.high), real);
        else
            out.range = second ? b.range : third ? c.range : interval{};
        return out;
    }
    default:
        break;
    }
    out.may_fail = a.may_fail || b.may_fail;
    out.may_succeed = a.may_succeed && b.may_succeed;
    if (is_comparison(code)) {
        out.range = comparison_range(code, a.range, b.range, compares_reals);
        return out;
    }
    out.range = arithmetic_range(code, a.range, b.range, real);
    if (is_division(code)) {
        out.may_fail = out.may_fail || b.range.has(0);
        out.may_succeed = out.may_succeed && !(b.range.low == 0 && b.range.high == 0);
    }
    if (!real)
        out.may_fail = out.may_fail || !out.range.is_bounded() || !a.range.is_bounded() ||
                       !b.range.is_bounded();
    return out;
}

/// The change of a value when one of its operands grows.
enum class trend : std::int8_t { falls = -1, stays = 0, rises = 1, unknown = 2 };

[[nodiscard]] inline trend opposite(trend t) noexcept
{
    return t == trend::rises ? trend::falls : t == trend::falls ? trend::rises : t;
}
[[nodiscard]] inline trend together(trend a, trend b) noexcept
{
    if (a == trend::stays) return b;
    return b == trend::stays || a == b ? a : trend::unknown;
}
/// The trend of a value times a factor in `factor`.
[[nodiscard]] inline trend scaled(trend t, interval const& factor) noexcept
{
    if (t == trend::stays || factor.low >= 0) return t;
    return factor.high <= 0 ? opposite(t) : trend::unknown;
}
/// The trend of a number's truth; a number below 0 is true, too.
[[nodiscard]] inline trend trend_of_truth(trend t, interval const& range) noexcept
{
    return t != trend::stays && range.low < 0 ? trend::unknown : t;
}

using trends_of_operands = std::span<trend const, 3>;
using ranges_of_operands = std::span<interval const, 3>;

/// The trend of an operation's value when an operand changes.
struct trend_rules {
    op of{};
    trend (*value)(trends_of_operands t, ranges_of_operands r) = nullptr; ///< nullptr: unknown
};

inline trend rises_with_both(trends_of_operands t, ranges_of_operands) noexcept
{
    return together(t[0], t[1]);
}
inline trend rises_with_first(trends_of_operands t, ranges_of_operands) noexcept
{
    return together(t[0], opposite(t[1]));
}
inline trend rises_with_second(trends_of_operands t, ranges_of_operands) noexcept
{
    return together(opposite(t[0]), t[1]);
}
inline trend trend_of_quotient(trends_of_operands t, ranges_of_operands r) noexcept
{
    if (r[1].low <= 0) return trend::unknown;
    return together(t[0], opposite(scaled(t[1], r[0])));
}
inline trend trend_of_chain(trends_of_operands t, ranges_of_operands r) noexcept
{
    return together(trend_of_truth(t[0], r[0]), trend_of_truth(t[1], r[1]));
}

inline constexpr enum_table<trend_rules, op::select, op::integer, op::real, op::text, op::parameter,
                            op::element, op::position, op::input, op::absolute, op::modulo,
                            op::floor_modulo, op::equal, op::not_equal>
    rules_of_trends{{
        {op::negate, [](trends_of_operands t, ranges_of_operands) { return opposite(t[0]); }},
        {op::logical_not,
         [](trends_of_operands t, ranges_of_operands r) {
             return opposite(trend_of_truth(t[0], r[0]));
         }},
        {op::add, rises_with_both},
        {op::subtract, rises_with_first},
        {op::multiply,
         [](trends_of_operands t, ranges_of_operands r) {
             return together(scaled(t[0], r[1]), scaled(t[1], r[0]));
         }},
        {op::divide, trend_of_quotient},
        {op::floor_divide, trend_of_quotient},
        {op::ceil_divide, trend_of_quotient},
        {op::minimum, rises_with_both},
        {op::maximum, rises_with_both},
        {op::less, rises_with_second},
        {op::less_equal, rises_with_second},
        {op::greater, rises_with_first},
        {op::greater_equal, rises_with_first},
        {op::logical_and, trend_of_chain},
        {op::logical_or, trend_of_chain},
        {op::select,
         [](trends_of_operands t, ranges_of_operands) {
             return t[0] == trend::stays ? together(t[1], t[2]) : trend::unknown;
         }},
    }};

/// Returns true if the operations of monotone groups have a trend, and no other operation has one.
/// In the group `sign`, negation has a trend and the absolute value has none.
[[nodiscard]] consteval bool has_trend_by_group()
{
    for (trend_rules const& row : rules_of_trends) {
        operation_group const group = rules_of(row.of).group;
        bool const is_monotone =
            group == operation_group::negation || group == operation_group::arithmetic ||
            group == operation_group::division || group == operation_group::order ||
            group == operation_group::chain || group == operation_group::choice ||
            (group == operation_group::sign && !rules_of(row.of).is_call);
        if ((row.value != nullptr) != is_monotone) return false;
    }
    return true;
}
static_assert(has_trend_by_group(), "attune: an operation that is monotone needs its trend");

/// The trend of `code` applied to operands with trends `t` and ranges `r`.
[[nodiscard]] inline trend trend_of(op code, trends_of_operands t, ranges_of_operands r) noexcept
{
    if (t[0] == trend::stays && t[1] == trend::stays && t[2] == trend::stays) return trend::stays;
    auto const value = rules_of_trends[code].value;
    return value == nullptr ? trend::unknown : value(t, r);
}

} // namespace attune::inline ATTUNE_ABI::detail
