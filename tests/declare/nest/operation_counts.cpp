// tests/declare/nest/operation_counts.cpp - counts of known statements, and of random ones by recursion.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/operation_counts.hpp>

#include <attune/declare/nest/declare_nest.hpp>
#include <attune/declare/nest/describe.hpp>
#include <attune/declare/nest/operators.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <set>

#include "../../support/random_nest.hpp"

namespace {

using attune::array;
using attune::nest_description;
using attune::nest_node;
using attune::detail::declare_nest;
using attune::detail::describe_nest;
using attune::detail::operation_counts;
using attune::detail::operation_kind;
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
