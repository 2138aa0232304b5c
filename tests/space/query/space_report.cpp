// tests/space/query/space_report.cpp : mirrors include/attune/space/query/space_report.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/space_report.hpp>

#include <attune/declare/group.hpp>
#include <attune/space/tree/tree.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../support/texts.hpp"
#include "../space_oracle.hpp"

using attune::chain_of_trees;
using attune::op;
using attune::report_on;
using attune::space_report;
using attune_tests::space_writer;

namespace {

/// a < b, a >= 1 always, c alone, x real with x < a.
attune::description sample_space()
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    auto const b = w.range("b", 1, 4);
    w.labels("c", {"u", "v", "w"});
    auto const x = w.real("x", 0, 4);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    w.require(w.join(op::greater_equal, w.read(a), w.literal(std::int64_t{1})), "a >= 1");
    w.require(w.join(op::less, w.read(x), w.read(a)), "x < a");
    return w.out;
}

/// The report on a long order.
space_report report_on_order(std::uint32_t items)
{
    attune::description space;
    attune::detail::append_digits(space, "ORDER", items);
    return report_on(chain_of_trees(space));
}

} // namespace

TEST_CASE("a report has the trees, what always holds, and what restricts most")
{
    chain_of_trees const chain(sample_space());
    space_report const r = report_on(chain);
    CHECK(r.size == attune::leaf_count{18});
    CHECK(r.log2_combinations == doctest::Approx(std::log2(48.0)));
    REQUIRE(r.trees.size() == 2);
    CHECK(r.trees[0].leaves == 6);
    CHECK(r.trees[0].parameters.size() == 2);
    CHECK(r.trees[0].nodes == chain.tree_at(0).node_count());
    CHECK(r.trees[1].parameters == std::vector<std::string>{"c"});
    CHECK(r.trees[1].nodes == 0);
    CHECK(r.real_parameters == std::vector<std::string>{"x"});
    CHECK(r.always_true() == std::vector<std::string>{"a >= 1"});
    REQUIRE(r.most_restrictive() != nullptr);
    CHECK(r.most_restrictive()->text == "a < b");
    CHECK(r.most_restrictive()->is_exact);
    CHECK(r.most_restrictive()->accepted == 6);
    CHECK(r.most_restrictive()->tested == 16);
    // x is uniform on [0, 4], a on 1 .. 4: accepted with probability 10 / 16.
    CHECK_FALSE(r.constraints[2].is_exact);
    CHECK(r.constraints[2].share() == doctest::Approx(0.625).epsilon(0.02));
}

TEST_CASE("the text names all of it")
{
    std::string const text = to_text(report_on(chain_of_trees(sample_space())));
    CAPTURE(text);
    for (char const* part :
         {"valid configurations: 18 of 2^5.58 combinations\n",
          "trees: 2, parameters in the order chosen\n", "6 leaves, ", "  c: 3 leaves\n",
          "real parameters, in no tree: x\n", "always true: a >= 1\n",
          "most restrictive: a < b, accepts 6 of 16 combinations of its parameters\n"})
        CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("too many combinations are sampled, reproducibly, and the text says so")
{
    space_writer w;
    auto const a = w.range("a", 1, 1000);
    auto const b = w.range("b", 1, 1000);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    chain_of_trees const chain(w.out);
    space_report const r = report_on(chain, {.seed = 7});
    REQUIRE(r.constraints.size() == 1);
    CHECK_FALSE(r.constraints[0].is_exact);
    CHECK(r.constraints[0].tested == 20000);
    CHECK(r.constraints[0].share() == doctest::Approx(0.4995).epsilon(0.04));
    CHECK(report_on(chain, {.seed = 7}).constraints[0].accepted == r.constraints[0].accepted);
    CHECK(to_text(r).find("drawn at random, seed 7\n") != std::string::npos);
    space_report const exact = report_on(chain, {.most_combinations = 1'000'000});
    CHECK(exact.constraints[0].is_exact);
    CHECK(exact.constraints[0].accepted == 499500);
}

TEST_CASE("what always holds is named when no tree tests it, however many combinations there are")
{
    space_writer w;
    w.range("a", 1, 400);
    w.range("b", 1, 400);
    w.where("a + b >= 2");
    w.where("a + b <= 500");
    space_report const r = report_on(chain_of_trees(w.out));
    CHECK_FALSE(r.constraints[0].is_exact);
    CHECK(r.always_true() == std::vector<std::string>{"a + b >= 2"});
    CHECK(r.constraints[1].is_tested);
}

TEST_CASE("a constraint that intervals prove is always true, however many combinations it has")
{
    space_writer w;
    for (char const* const name : {"a", "b", "c"})
        w.range(name, 1, 3000);
    w.where("a + b + c >= 3");
    attune::chain_of_trees const chain(w.out);
    CHECK(chain.tree_count() == 3);
    space_report const r = report_on(chain);
    CHECK(r.constraints[0].is_proven);
    CHECK_FALSE(r.constraints[0].is_tested);
    CHECK(r.always_true() == std::vector<std::string>{"a + b + c >= 3"});
}

TEST_CASE("a constraint that overflows or divides by zero is reported with the constraint")
{
    space_writer w;
    auto const a = w.numbers("a", {1, 3'000'000'000, 4'000'000'000});
    auto const b = w.range("b", 0, 3);
    auto const square = w.join(op::multiply, w.read(a), w.read(a));
    w.require(w.join(op::greater, square, w.literal(std::int64_t{0})), "a * a > 0");
    auto const rest = w.join(op::modulo, w.literal(std::int64_t{6}), w.read(b));
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{0})), "6 % b == 0");
    space_report const r = report_on(chain_of_trees(w.out));
    CHECK(r.constraints[0].accepted == 2);
    CHECK(r.constraints[0].valueless == 1);
    CHECK(r.constraints[1].accepted == 3);
    CHECK(r.constraints[1].valueless == 1);
    CHECK(r.always_true().empty());
    CHECK(to_text(r).find(
              "no value: a * a > 0, for 1 of 3 combinations, as "
              "4000000000 * 4000000000 overflows 64 bits\n"
              "no value: 6 % b == 0, for 1 of 4 combinations, as 6 % 0 divides by zero\n") !=
          std::string::npos);
}

TEST_CASE("a space past 2^128 is reported by its logarithm; without constraints none restricts")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    space_report const r = report_on(chain_of_trees(w.out));
    CHECK_FALSE(r.size);
    CHECK(r.most_restrictive() == nullptr);
    CHECK(to_text(r).find("valid configurations: 2^166.1 of 2^166.1 combinations\n") == 0);
}

TEST_CASE("reports agree with brute force on random spaces")
{
    attune_tests::for_valid_spaces(314, 300, [](auto const& space, auto const& valid) {
        space_report const r = report_on(chain_of_trees(space));
        CHECK(r.size == attune::leaf_count{valid.size()});
        std::set<std::string> named;
        for (attune::tree_report const& t : r.trees)
            named.insert(t.parameters.begin(), t.parameters.end());
        CHECK(named.size() == space.parameters.size());
        attune::detail::evaluator const read(space);
        std::vector<std::uint64_t> accepted(space.constraints.size(), 0);
        std::uint64_t all = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            ++all;
            for (std::size_t c = 0; c < accepted.size(); ++c)
                accepted[c] += read.holds(space.constraints[c], p) ? 1U : 0U;
        });
        std::vector<std::string> always;
        for (std::size_t c = 0; c < accepted.size(); ++c) {
            CHECK(r.constraints[c].is_exact);
            CHECK(r.constraints[c].accepted * all == accepted[c] * r.constraints[c].tested);
            if (accepted[c] == all) always.push_back(space.constraints[c].text);
        }
        CHECK(r.always_true() == always);
    });
}

TEST_CASE("of the trees of a long order the text has some, and how many more there are")
{
    space_report const r = report_on_order(100);
    CHECK(r.trees.size() == 99);
    std::string const text = to_text(r);
    CHECK(attune_test::has(text, "  ORDER.digit(0): 100 leaves\n"));
    CHECK(text.find("  ORDER.digit(63): 37 leaves\n  and 35 more\n") != text.npos);
    CHECK(text.find("ORDER.digit(64)") == text.npos);
    CHECK_FALSE(attune_test::has(to_text(report_on_order(64)), " more"));
}
