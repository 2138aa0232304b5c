// tests/declare/nest/nest_description.cpp - equal descriptions, and tables of operations and reductions that agree with what they do.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/nest_description.hpp>

#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/evaluate.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/operators.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string_view>

#include "../../support/random_nest.hpp"

TEST_CASE("indices are equal where their functions are, and extents where their numbers are")
{
    attune::affine_index const strided{{{0, 2}, {3, 1}}, -1};
    CHECK(strided == attune::affine_index{{{0, 2}, {3, 1}}, -1});
    CHECK(strided != attune::affine_index{{{0, 2}, {3, 1}}, 0});
    CHECK(strided != attune::affine_index{{{0, 1}, {3, 1}}, -1});
    attune::nest_access const plain{0, {strided}, false};
    CHECK(plain != attune::nest_access{0, {strided}, true});
    CHECK(attune::nest_extent{64} != attune::nest_extent{0, 1});
}

TEST_CASE("literals are equal where all computations with them are")
{
    auto const literal = [](double value) {
        return attune::nest_node{
            .code = attune::nest_op::literal, .type = attune::element_type::f32, .literal = value};
    };
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(literal(0.5) == literal(0.5));
    CHECK(literal(0.5) != literal(0.25));
    CHECK(literal(nan) == literal(nan));
    CHECK(literal(0.0) != literal(-0.0)); // 1 / x differs
    attune::nest_node other = literal(0.5);
    other.type = attune::element_type::f64;
    CHECK(other != literal(0.5));
}

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

namespace {

using attune::array;
using attune::nest_description;
using attune::nest_node;
using attune::detail::declare_nest;
using attune::detail::describe_nest;
using attune::detail::operation_counts;
using attune::detail::operations_of;

constexpr auto i = attune::axis<"i">();
constexpr auto j = attune::axis<"j">();
constexpr auto k = attune::axis<"k">();
constexpr auto x = array<"x", float, 8, 8>();
constexpr auto y = array<"y", float, 8, 8>();
constexpr auto z = array<"z", float, 8, 8>();
constexpr auto v = array<"v", float, 8>();
constexpr auto n = array<"n", int, 8>();
constexpr auto m = array<"m", int, 8>();
constexpr auto d = array<"d", double, 8>();

operation_counts counts_of(nest_description const& nest)
{
    return operations_of(nest, nest.statements.at(0));
}

double real(operation_counts const& counts, operation_kind kind)
{
    return counts.of_reals.at(static_cast<std::size_t>(kind));
}
double whole(operation_counts const& counts, operation_kind kind)
{
    return counts.of_wholes.at(static_cast<std::size_t>(kind));
}

/// The nodes below `at` that have operands, by recursion.
void collect(nest_description const& nest, std::uint32_t at, std::set<std::uint32_t>& to)
{
    if (at == attune::no_index) return;
    nest_node const& node = nest.nodes.at(at);
    if (node.first == attune::no_index) return;
    to.insert(at);
    collect(nest, node.first, to);
    collect(nest, node.second, to);
    collect(nest, node.third, to);
}

} // namespace

TEST_CASE("a sum of products is multiply-adds, of two operations each")
{
    operation_counts const of =
        counts_of(describe_nest(declare_nest<"p">(z[i][j] = sum(k)(x[i][k] * y[k][j]))));
    CHECK(real(of, operation_kind::multiply_add) == 1);
    CHECK(real(of, operation_kind::multiply) == 0);
    CHECK(of.total() == 2);
    CHECK(of.real_total() == 2);
    operation_counts const added =
        counts_of(describe_nest(declare_nest<"p">(v[i] = sum(k)(x[i][k] * y[k][i] + x[k][i]))));
    CHECK(real(added, operation_kind::multiply_add) == 0);
    CHECK(real(added, operation_kind::add) == 2);
    CHECK(real(added, operation_kind::multiply) == 1);
}

TEST_CASE("a shared part counts once, conversions are no operations on reals")
{
    operation_counts const shared = counts_of(
        describe_nest(declare_nest<"p">(z[i][j] = (x[i][j] + y[i][j]) * (x[i][j] + y[i][j]))));
    CHECK(real(shared, operation_kind::add) == 1);
    CHECK(real(shared, operation_kind::multiply) == 1);
    operation_counts const converted =
        counts_of(describe_nest(declare_nest<"p">(d[i] = exp(n[i]))));
    CHECK(converted.of(operation_kind::convert) + 1 == converted.total());
    CHECK(real(converted, operation_kind::function) == 1);
    CHECK(converted.real_total() == 1);
    operation_counts const wholes =
        counts_of(describe_nest(declare_nest<"p">(m[i] = n[i] * 3 + 1)));
    CHECK(wholes.total() == 2);
    CHECK(wholes.real_total() == 0);
}

TEST_CASE("an argument of the maximum compares numbers and selects places")
{
    operation_counts const of =
        counts_of(describe_nest(declare_nest<"p">(n[i] = attune::argmax(j)(x[i][j]))));
    CHECK(real(of, operation_kind::compare) == 1);
    CHECK(whole(of, operation_kind::selection) == 1);
    CHECK(of.total() == 2);
    CHECK(of.real_total() == 1);
}

TEST_CASE("all operations are the nodes with operands, the steps of reductions and what is added")
{
    std::size_t statements = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        nest_description const nest = support::nest_generator(seed).make().nest;
        for (attune::nest_statement const& one : nest.statements) {
            std::set<std::uint32_t> operations;
            collect(nest, one.value, operations);
            double wanted = static_cast<double>(operations.size());
            if (one.combine != attune::reduction::none || one.continues) wanted += 1;
            if (one.combine == attune::reduction::argument_of_maximum) wanted += 1;
            operation_counts const counts = operations_of(nest, one);
            CHECK(counts.total() == wanted);
            CHECK(counts.real_total() <= wanted);
            ++statements;
        }
    }
    CHECK(statements > 300);
}
