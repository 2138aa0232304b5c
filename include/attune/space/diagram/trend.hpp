// attune/space/diagram/trend.hpp - whether a value grows with what it is made of.
// SPDX-License-Identifier: MIT
// tested by space/diagram/constraint_program.cpp
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/diagram/interval.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

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
/// The trend of a number's truth: one below 0 is true, too.
[[nodiscard]] inline trend trend_of_truth(trend t, interval const& range) noexcept
{
    return t != trend::stays && range.low < 0 ? trend::unknown : t;
}

using trends_of_operands = std::span<trend const, 3>;
using ranges_of_operands = std::span<interval const, 3>;

/// The trend of an operation's value, of which some operand changes.
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

inline constexpr enum_table<trend_rules, op::select> rules_of_trends{{
    {op::integer},
    {op::real},
    {op::text},
    {op::parameter},
    {op::element},
    {op::position},
    {op::input},
    {op::negate, [](trends_of_operands t, ranges_of_operands) { return opposite(t[0]); }},
    {op::logical_not, [](trends_of_operands t,
                         ranges_of_operands r) { return opposite(trend_of_truth(t[0], r[0])); }},
    {op::absolute},
    {op::add, rises_with_both},
    {op::subtract, rises_with_first},
    {op::multiply,
     [](trends_of_operands t, ranges_of_operands r) {
         return together(scaled(t[0], r[1]), scaled(t[1], r[0]));
     }},
    {op::divide, trend_of_quotient},
    {op::modulo},
    {op::floor_divide, trend_of_quotient},
    {op::floor_modulo},
    {op::ceil_divide, trend_of_quotient},
    {op::minimum, rises_with_both},
    {op::maximum, rises_with_both},
    {op::less, rises_with_second},
    {op::less_equal, rises_with_second},
    {op::greater, rises_with_first},
    {op::greater_equal, rises_with_first},
    {op::equal},
    {op::not_equal},
    {op::logical_and, trend_of_chain},
    {op::logical_or, trend_of_chain},
    {op::select,
     [](trends_of_operands t, ranges_of_operands) {
         return t[0] == trend::stays ? together(t[1], t[2]) : trend::unknown;
     }},
}};

/// Whether exactly the operations of groups that are monotone have a trend. Of the group `sign`,
/// a number's sign has one and its absolute value has none.
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
