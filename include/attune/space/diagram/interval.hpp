// attune/space/diagram/interval.hpp - what is known of a value before it is computed.
// SPDX-License-Identifier: MIT
//
// Interval arithmetic on doubles. Past 2^52 a bound of an integer is infinite, so that finite
// bounds are exact and an integer with finite bounds cannot overflow. A real value without bounds
// may also be no number at all.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Bounds that hold although integers past 2^52 are rounded and reals may overflow.
[[nodiscard]] inline interval settled(double low, double high, bool real) noexcept
{
    constexpr double exact = 4503599627370496.0;
    constexpr double safe = 1e300;
    if (!(low <= high)) return {};
    if (real) return low < -safe || high > safe ? interval{} : interval{low, high};
    return {low < -exact ? -infinite : std::min(low, exact),
            high > exact ? infinite : std::max(high, -exact)};
}

/// What an expression may still become.
struct outlook {
    interval range;          ///< of its value, if it has one
    bool may_fail = false;   ///< it may have no value
    bool may_succeed = true; ///< it may have one

    [[nodiscard]] bool may_be_true() const noexcept
    {
        return may_succeed && !(range.low == 0 && range.high == 0);
    }
    [[nodiscard]] bool may_be_false() const noexcept { return may_succeed && range.has(0); }
    [[nodiscard]] bool is_true() const noexcept { return !may_fail && !may_be_false(); }
    [[nodiscard]] friend bool operator==(outlook const&, outlook const&) = default;
};

[[nodiscard]] inline bool is_division(op code) noexcept
{
    return code == op::divide || code == op::modulo || code == op::floor_divide ||
           code == op::floor_modulo || code == op::ceil_divide;
}

[[nodiscard]] inline double rounded_quotient(op code, double a, double b, bool real) noexcept
{
    double const q = a / b;
    if (code == op::floor_divide) return std::floor(q);
    if (code == op::ceil_divide) return std::ceil(q);
    return real ? q : std::trunc(q);
}

/// Bounds of a remainder of integers, the divisor not 0.
[[nodiscard]] inline interval remainder_range(op code, interval a, interval b) noexcept
{
    double const most = b.reach() - 1;
    bool const floors = code == op::floor_modulo;
    if (floors && b.low > 0) return settled(0, a.low >= 0 ? std::min(a.high, most) : most, false);
    if (floors && b.high < 0) return settled(-most, 0, false);
    if (a.low >= 0 && !floors) return settled(0, std::min(a.high, most), false);
    return settled(-most, most, false);
}

/// Bounds of `a code b` for an arithmetic operation. @param real  whether its value is real
[[nodiscard]] inline interval arithmetic_range(op code, interval a, interval b, bool real) noexcept
{
    if (real && !(a.is_bounded() && b.is_bounded())) return {};
    auto const corners = [real](double p, double q, double r, double s) {
        if (std::isnan(p) || std::isnan(q) || std::isnan(r) || std::isnan(s)) return interval{};
        return settled(std::min({p, q, r, s}), std::max({p, q, r, s}), real);
    };
    switch (code) {
    case op::add:
        return settled(a.low + b.low, a.high + b.high, real);
    case op::subtract:
        return settled(a.low - b.high, a.high - b.low, real);
    case op::minimum:
        return settled(std::min(a.low, b.low), std::min(a.high, b.high), real);
    case op::maximum:
        return settled(std::max(a.low, b.low), std::max(a.high, b.high), real);
    case op::multiply:
        return corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
    default:
        break;
    }
    if (b.has(0)) return {};
    if (code == op::modulo || code == op::floor_modulo)
        return real ? interval{} : remainder_range(code, a, b);
    auto const quotient = [=](double x, double y) { return rounded_quotient(code, x, y, real); };
    interval bounds = corners(quotient(a.low, b.low),
                              quotient(a.low, b.high),
                              quotient(a.high, b.low),
                              quotient(a.high, b.high));
    // The corners are rounded to doubles before they are floored; the value itself is not.
    if (real && code == op::floor_divide && bounds.is_bounded()) bounds.low -= 1;
    return bounds;
}

/// 0, 1 or both. @param real  whether one of the operands is real
[[nodiscard]] inline interval comparison_range(op code, interval a, interval b, bool real) noexcept
{
    interval const either{0, 1};
    if (real && !(a.is_bounded() && b.is_bounded())) return either;
    auto const known = [&](bool yes, bool no) {
        return yes ? interval{1, 1} : no ? interval{0, 0} : either;
    };
    bool const apart = a.high < b.low || b.high < a.low;
    bool const same = a.low == a.high && b.low == b.high && a.low == b.low && a.is_bounded();
    switch (code) {
    case op::less:
        return known(a.high < b.low, a.low >= b.high);
    case op::less_equal:
        return known(a.high <= b.low, a.low > b.high);
    case op::greater:
        return known(a.low > b.high, a.high <= b.low);
    case op::greater_equal:
        return known(a.low >= b.high, a.high < b.low);
    case op::equal:
        return known(same, apart);
    default:
        return known(apart, same);
    }
}

/// 0, 1 or both, from whether each may be.
[[nodiscard]] inline interval truth_range(bool may_be_true, bool may_be_false) noexcept
{
    return {may_be_false || !may_be_true ? 0.0 : 1.0, may_be_true ? 1.0 : 0.0};
}

/// The outlook of `code` applied to operands of which that much is known; those that it does not
/// take are ignored.
/// @param real      whether its value is real
/// @param compares_reals  whether one of its operands is
[[nodiscard]] inline outlook look_ahead(
    op code, outlook const& a, outlook const& b, outlook const& c, bool real, bool compares_reals)
{
    outlook out{{}, a.may_fail, a.may_succeed};
    switch (code) {
    case op::logical_not:
        out.range = truth_range(a.may_be_false(), a.may_be_true());
        return out;
    case op::negate:
        out.range = settled(-a.range.high, -a.range.low, real);
        out.may_fail = out.may_fail || (!real && !a.range.is_bounded());
        return out;
    case op::absolute:
        out.range = settled(
            a.range.has(0) ? 0.0 : std::max(a.range.low, -a.range.high), a.range.reach(), real);
        if (real && !a.range.is_bounded()) out.range = {};
        out.may_fail = out.may_fail || (!real && !a.range.is_bounded());
        return out;
    case op::logical_and:
        out.range = truth_range(a.may_be_true() && b.may_be_true(),
                                a.may_be_false() || (a.may_be_true() && b.may_be_false()));
        out.may_fail = a.may_fail || (a.may_be_true() && b.may_fail);
        out.may_succeed = a.may_be_false() || (a.may_be_true() && b.may_succeed);
        return out;
    case op::logical_or:
        out.range = truth_range(a.may_be_true() || (a.may_be_false() && b.may_be_true()),
                                a.may_be_false() && b.may_be_false());
        out.may_fail = a.may_fail || (a.may_be_false() && b.may_fail);
        out.may_succeed = a.may_be_true() || (a.may_be_false() && b.may_succeed);
        return out;
    case op::select: {
        bool const second = a.may_be_true() && b.may_succeed;
        bool const third = a.may_be_false() && c.may_succeed;
        out.may_fail =
            a.may_fail || (a.may_be_true() && b.may_fail) || (a.may_be_false() && c.may_fail);
        out.may_succeed = second || third;
        if (second && third)
            out.range = settled(
                std::min(b.range.low, c.range.low), std::max(b.range.high, c.range.high), real);
        else
            out.range = second ? b.range : third ? c.range : interval{};
        return out;
    }
    default:
        break;
    }
    out.may_fail = a.may_fail || b.may_fail;
    out.may_succeed = a.may_succeed && b.may_succeed;
    if (code >= op::less && code <= op::not_equal) {
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

} // namespace attune::inline ATTUNE_ABI::detail
