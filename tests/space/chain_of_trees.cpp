// tests/space/chain_of_trees.cpp : mirrors include/attune/space/chain_of_trees.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/chain_of_trees.hpp>

#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../laws/tree.hpp"
#include "../support/texts.hpp"
#include "space_generator.hpp"
#include "space_writer.hpp"

using attune::chain_of_trees;
using attune::op;
using attune::point;
using attune_test::error_of;
using attune_test::has;
using attune_tests::space_writer;

namespace {

std::string message(attune::description const& space)
{
    return error_of([&] { chain_of_trees const chain(space); });
}

/// x and y in [0, 1], a in 1 .. 4; x + y <= 1 unless a is 1; a * x >= 0.5 always.
attune::description with_reals()
{
    space_writer w;
    w.real("x", 0, 1);
    w.range("a", 1, 4);
    w.real("y", 0, 1);
    w.where("a == 1 || x + y <= 1.0");
    w.where("a * x >= 0.5");
    return w.out;
}

} // namespace

TEST_CASE("the laws hold on random spaces; an empty one is refused")
{
    attune_tests::space_generator generator(2024);
    int valid = 0;
    int empty = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        CAPTURE(i);
        if (attune_tests::valid_settings(space).empty()) {
            ++empty;
            CHECK(has(message(space), "the space is empty"));
            continue;
        }
        ++valid;
        attune_tests::tree_laws(chain_of_trees(space));
    }
    CHECK(valid >= 200);
    CHECK(empty >= 20);
}

TEST_CASE("the laws hold without enumeration before the trees are built")
{
    attune_tests::space_generator generator(7);
    attune::build_options options;
    options.enumeration.settings = 1;
    options.enumeration.wide_settings = 1;
    for (int i = 0; i < 150; ++i) {
        attune::description const space = generator.draw();
        CAPTURE(i);
        if (attune_tests::valid_settings(space).empty()) continue;
        attune_tests::tree_laws(chain_of_trees(space, options));
    }
}

TEST_CASE("the order of declaration changes neither the count nor the trees")
{
    auto const build = [](std::string const& names) {
        space_writer w;
        for (char const name : names)
            w.range(std::string(1, name), 1, 12);
        auto const at = [&](char const* name) { return w.read(w.out.find_parameter(name)); };
        auto const product = w.join(op::multiply, at("a"), at("b"));
        w.require(w.join(op::less_equal, product, w.literal(std::int64_t{40})), "a * b <= 40");
        auto const zero = w.literal(std::int64_t{0});
        w.require(w.join(op::equal, w.join(op::modulo, at("c"), at("b")), zero), "c % b == 0");
        chain_of_trees const chain(w.out);
        REQUIRE(chain.tree_count() == 2);
        std::set<std::size_t> nodes{chain.tree_at(0).node_count(), chain.tree_at(1).node_count()};
        return std::pair(static_cast<std::uint64_t>(*chain.size()), nodes);
    };
    std::string names = "abcd";
    auto const expected = build(names);
    while (std::next_permutation(names.begin(), names.end()))
        CHECK(build(names) == expected);
}

TEST_CASE("a wide space is built without enumerating it")
{
    // 12 independent triples with a <= b <= c out of 100 values: C(102, 3)^12, about 2^208.
    chain_of_trees const chain(attune_tests::ascending_triples(12));
    CHECK(chain.tree_count() == 12);
    CHECK(chain.tree_at(0).leaves() == 171700);
    CHECK_FALSE(chain.size());
    CHECK(chain.log2_size() == doctest::Approx(12 * std::log2(171700.0)));
    attune::random_engine engine(1);
    for (int i = 0; i < 20; ++i) {
        point const p = chain.sample(engine);
        CHECK(chain.contains(p));
        CHECK(chain.at(*chain.index_of(p)) == p);
    }
}

TEST_CASE("the last tree counts fastest")
{
    space_writer w;
    w.range("a", 0, 2);
    w.range("b", 0, 4);
    chain_of_trees const chain(w.out);
    for (std::uint32_t i = 0; i < 15; ++i)
        CHECK(chain.at(i) == point{{i / 5, 0}, {i % 5, 0}});
}

TEST_CASE("a space without parameters has one configuration")
{
    chain_of_trees const chain(attune::description{});
    CHECK(chain.size() == attune::leaf_count{1});
    CHECK(chain.log2_size() == 0);
    CHECK(chain.at(0).empty());
    CHECK(chain.contains({}));
    CHECK(chain.neighbours({}).empty());
}

TEST_CASE("real parameters are in no tree, and conditions over them shape the samples")
{
    chain_of_trees const chain(with_reals());
    CHECK(chain.has_real_parameters());
    CHECK(chain.tree_count() == 1);
    CHECK(chain.size() == attune::leaf_count{4});
    CHECK(chain.at(2) == point{{0, 0.5}, {2, 0}, {0, 0.5}});

    // Area of what is accepted: a = 1: x >= 1/2 -> 1/2; else (1 - 1/(2a))^2 / 2.
    double const area[] = {0.5, 0.28125, 0.34722222, 0.3828125};
    double const whole = area[0] + area[1] + area[2] + area[3];
    attune::random_engine engine(11);
    std::vector<int> drawn(4, 0);
    int const samples = 8000;
    for (int i = 0; i < samples; ++i) {
        point const p = chain.sample(engine);
        REQUIRE(chain.contains(p));
        ++drawn[p[1].index];
    }
    for (std::size_t a = 0; a < 4; ++a)
        CHECK(drawn[a] / (samples * area[a] / whole) == doctest::Approx(1).epsilon(0.12));
}

TEST_CASE("contains tests intervals and conditions of real parameters, index_of does not")
{
    chain_of_trees const chain(with_reals());
    CHECK(chain.contains(point{{0, 0.75}, {1, 0}, {0, 0.125}}));
    point const refused{{0, 0.75}, {1, 0}, {0, 0.5}};
    CHECK_FALSE(chain.contains(refused));
    CHECK(chain.index_of(refused));
    CHECK_FALSE(chain.contains(point{{0, 1.5}, {0, 0}, {0, 0.5}}));
    CHECK_FALSE(chain.contains(point{{0, 0.75}, {1, 0}}));
    CHECK_FALSE(chain.index_of(point{}));
}

TEST_CASE("neighbours of a point with real parameters are valid and differ in one coordinate")
{
    chain_of_trees const chain(with_reals());
    attune::random_engine engine(5);
    for (int i = 0; i < 200; ++i) {
        point const p = chain.sample(engine);
        for (point const& q : chain.neighbours(p)) {
            CHECK(chain.contains(q));
            int differs = 0;
            for (std::size_t k = 0; k < p.size(); ++k)
                differs += p[k] != q[k] ? 1 : 0;
            CHECK(differs == 1);
        }
    }
}

TEST_CASE("a real parameter on a logarithmic scale is drawn uniformly on that scale")
{
    space_writer w;
    w.real("x", 1, 10000, attune::scale::log);
    chain_of_trees const chain(w.out);
    CHECK(chain.at(0)[0].real == doctest::Approx(100));
    attune::random_engine engine(9);
    int below_ten = 0;
    for (int i = 0; i < 4000; ++i)
        below_ten += chain.sample(engine)[0].real < 10 ? 1 : 0;
    CHECK(below_ten / 4000.0 == doctest::Approx(0.25).epsilon(0.15));
}

TEST_CASE("violations are the texts of the broken constraints, each once")
{
    space_writer w;
    w.range("a", 1, 4);
    w.range("b", 1, 4);
    w.where("a < 3 && b < 3");
    w.where("a <= b");
    chain_of_trees const chain(w.out);
    using texts = std::vector<std::string>;
    CHECK(chain.violations(point{{0, 0}, {1, 0}}) == texts{});
    CHECK(chain.violations(point{{3, 0}, {3, 0}}) == texts{"a < 3 && b < 3"});
    CHECK(chain.violations(point{{3, 0}, {2, 0}}) == texts{"a < 3 && b < 3", "a <= b"});
    CHECK(chain.violations(point{{9, 0}, {3, 0}}) ==
          texts{"a is outside its values", "a < 3 && b < 3"});
    CHECK(chain.violations(point{{0, 0}}).size() == 1);
    CHECK_FALSE(chain.contains(point{{9, 0}, {0, 0}}));
}

TEST_CASE("an empty space is refused with the constraints that contradict each other")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    auto const b = w.range("b", 1, 9);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    w.require(w.join(op::greater, w.read(a), w.literal(std::int64_t{2})), "a > 2");
    w.require(w.join(op::less, w.read(b), w.read(a)), "b < a");
    std::string const text = message(w.out);
    CHECK(has(text, "a < b; b < a"));
    CHECK_FALSE(has(text, "a > 2"));
}

TEST_CASE("constraints over reals that accept next to nothing are refused by name")
{
    space_writer w;
    auto const x = w.real("x", 0, 1);
    w.require(w.join(op::equal, w.read(x), w.literal(0.5)), "x == 0.5");
    CHECK(has(message(w.out), "x == 0.5"));
}

TEST_CASE("a copy shares the trees and outlives the original")
{
    auto original = std::make_unique<chain_of_trees>(with_reals());
    chain_of_trees const copy = *original;
    CHECK(&copy.tree_at(0) == &original->tree_at(0));
    original.reset();
    CHECK(copy.at(1)[1].index == 1);
    CHECK(copy.describe().parameters.size() == 3);
}

TEST_CASE("a constraint that single values or nothing can break is tested by no tree")
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    auto const b = w.range("b", 1, 4);
    auto const x = w.real("x", 0, 1);
    w.require(w.join(op::less, w.read(a), w.literal(std::int64_t{9})), "a < 9");
    w.require(w.join(op::less, w.read(a), w.literal(std::int64_t{3})), "a < 3");
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    w.require(w.join(op::less, w.read(x), w.read(b)), "x < b");
    chain_of_trees const chain(w.out);
    CHECK_FALSE(chain.is_tested(0));
    CHECK_FALSE(chain.is_tested(1));
    CHECK(chain.is_tested(2));
    CHECK(chain.is_tested(3));
}
