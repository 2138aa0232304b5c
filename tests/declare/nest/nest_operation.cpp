// tests/declare/nest/nest_operation.cpp - the tables of operations and reductions agree with what they do.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/nest_operation.hpp>

#include <attune/declare/nest/nest_arithmetic.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace {

using attune::nest_op;
using attune::reduction;
using attune::detail::nest_group;
using attune::detail::operation_kind;
using attune::detail::rules_of;

/// Operands, from the group alone.
constexpr int operands_of(nest_group group)
{
    switch (group) {
    case nest_group::literal:
    case nest_group::access:
    case nest_group::axis:
    case nest_group::input:
        return 0;
    case nest_group::conversion:
    case nest_group::negation:
    case nest_group::magnitude:
    case nest_group::function:
        return 1;
    case nest_group::arithmetic:
    case nest_group::bound:
    case nest_group::truth:
        return 2;
    case nest_group::choice:
        return 3;
    }
    return -1;
}

constexpr bool rows_are_consistent()
{
    for (auto const& row : attune::detail::nest_operations) {
        if (row.operands != operands_of(row.group)) return false;
        // A leaf has no sign and costs nothing; all else is counted as one kind of work.
        if ((row.operands == 0) != row.sign.empty()) return false;
        if ((row.operands == 0) != (row.kind == operation_kind::none)) return false;
        if (row.kind == operation_kind::multiply_add) return false;
        if ((row.group == nest_group::function) != (row.kind == operation_kind::function))
            return false;
        if ((row.group == nest_group::truth) != (row.kind == operation_kind::truth)) return false;
        if ((row.group == nest_group::choice) != (row.kind == operation_kind::selection))
            return false;
        if (row.group == nest_group::function && !row.is_costly) return false;
        if (row.operands == 0 && row.is_costly) return false;
    }
    return true;
}
static_assert(rows_are_consistent());

template <reduction Combine>
void check_neutral()
{
    constexpr auto const& rules = rules_of(Combine);
    for (double const x : {-2.5, -1.0, 0.0, 0.75, 3.0}) {
        using limits = std::numeric_limits<double>;
        double const neutral = rules.neutral == attune::detail::neutral_number::zero  ? 0
                               : rules.neutral == attune::detail::neutral_number::one ? 1
                               : rules.neutral == attune::detail::neutral_number::lowest
                                   ? -limits::infinity()
                                   : limits::infinity();
        CHECK(attune::detail::combined<rules.step>(neutral, x) == x);
        CHECK(attune::detail::combined<rules.step>(x, neutral) == x);
    }
}

template <nest_op Code>
void check_function(double (*function)(double))
{
    CHECK(rules_of(Code).group == nest_group::function);
    for (double const x : {0.25, 0.5, 1.0, 2.0})
        CHECK(attune::detail::changed<Code>(x) == doctest::Approx(function(x)).epsilon(1e-14));
}

/// The value of "left sign middle sign' right" as C++ has it, by both orders of evaluation.
template <nest_op First, nest_op Second>
void check_rank(double as_cpp, double left, double middle, double right)
{
    using attune::detail::combined;
    bool const is_first_before = rules_of(First).rank >= rules_of(Second).rank;
    double const by_rank = is_first_before ? combined<Second>(combined<First>(left, middle), right)
                                           : combined<First>(left, combined<Second>(middle, right));
    CHECK(by_rank == as_cpp);
}

} // namespace

TEST_CASE("a reduction's neutral number changes no other by its step")
{
    check_neutral<reduction::none>();
    check_neutral<reduction::sum>();
    check_neutral<reduction::product>();
    check_neutral<reduction::maximum>();
    check_neutral<reduction::minimum>();
    check_neutral<reduction::argument_of_maximum>();
}

TEST_CASE("a reduction joins the results of parts as it joins values, unless they are places")
{
    for (auto const& row : attune::detail::rules_of_reductions)
        CHECK(row.joins_parts ==
              (row.of != reduction::none && row.of != reduction::argument_of_maximum));
    std::set<std::string_view> names;
    for (auto const& row : attune::detail::rules_of_reductions)
        names.insert(row.name);
    CHECK(names.size() == attune::detail::rules_of_reductions.size);
}

TEST_CASE("a function computes what its name in C++ does")
{
    double (*const exponential)(double) = std::exp;
    double (*const logarithm)(double) = std::log;
    double (*const square_root)(double) = std::sqrt;
    double (*const tangent)(double) = std::tanh;
    double (*const error)(double) = std::erf;
    check_function<nest_op::exponential>(exponential);
    check_function<nest_op::logarithm>(logarithm);
    check_function<nest_op::square_root>(square_root);
    check_function<nest_op::hyperbolic_tangent>(tangent);
    check_function<nest_op::error_function>(error);
    std::size_t functions = 0;
    for (auto const& row : attune::detail::nest_operations)
        functions += row.group == nest_group::function ? 1 : 0;
    CHECK(functions == 5); // each is one of those above
    CHECK(rules_of(nest_op::exponential).sign == "exp");
    CHECK(rules_of(nest_op::logarithm).sign == "log");
    CHECK(rules_of(nest_op::square_root).sign == "sqrt");
    CHECK(rules_of(nest_op::hyperbolic_tangent).sign == "tanh");
    CHECK(rules_of(nest_op::error_function).sign == "erf");
}

TEST_CASE("ranks group three numbers as C++ groups them")
{
#define CHECK_RANK(FIRST, ONE, SECOND, OTHER)                                                      \
    CHECK(rules_of(nest_op::FIRST).sign == #ONE);                                                  \
    CHECK(rules_of(nest_op::SECOND).sign == #OTHER);                                               \
    check_rank<nest_op::FIRST, nest_op::SECOND>(7.0 ONE 2.0 OTHER 4.0, 7, 2, 4)
    CHECK_RANK(add, +, subtract, -);
    CHECK_RANK(subtract, -, add, +);
    CHECK_RANK(add, +, multiply, *);
    CHECK_RANK(multiply, *, subtract, -);
    CHECK_RANK(divide, /, multiply, *);
    CHECK_RANK(subtract, -, divide, /);
#undef CHECK_RANK
    for (auto const& row : attune::detail::nest_operations) {
        if (row.group != nest_group::truth) continue;
        for (auto const& other : attune::detail::nest_operations) // binds least
            CHECK((other.group == nest_group::truth || other.rank > row.rank));
    }
}
