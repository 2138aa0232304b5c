// tests/space/tree/wide_tree.cpp : mirrors include/attune/space/tree/wide_tree.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/tree/wide_tree.hpp>

#include <attune/core/error.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/space_report.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::chain_of_trees;
using attune::op;
using attune_test::error_of;
using attune_test::has;
using attune_tests::space_writer;

namespace {

/// Too few visits for any tree with nodes.
attune::build_options tiny()
{
    attune::build_options options;
    options.max_visits = 0;
    options.enumeration.settings = 1;
    options.enumeration.wide_settings = 1;
    return options;
}

/// x0 * y0 + x1 * y1 + ... <= bound, all from 1 to `last`.
attune::description bilinear(int pairs, std::int64_t last, std::int64_t bound)
{
    space_writer w;
    std::uint32_t sum = attune::no_index;
    std::string text;
    for (int i = 0; i < pairs; ++i) {
        std::string const n = std::to_string(i);
        auto const x = w.range("x" + n, 1, last);
        auto const y = w.range("y" + n, 1, last);
        auto const product = w.join(op::multiply, w.read(x), w.read(y));
        sum = i == 0 ? product : w.join(op::add, sum, product);
        text += (i == 0 ? "x" : " + x") + n + " * y" + n;
    }
    w.require(w.join(op::less_equal, sum, w.literal(bound)), text + " <= " + std::to_string(bound));
    return w.out;
}

} // namespace

TEST_CASE("without trees every draw is valid and membership is what the constraints say")
{
    attune_tests::space_generator generator(41);
    int wide = 0;
    for (int i = 0; i < 250; ++i) {
        attune::description const space = generator.draw();
        CAPTURE(i);
        std::size_t valid = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            valid += attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        if (valid == 0) {
            CHECK_THROWS_AS((void)chain_of_trees(space, tiny()), attune::error);
            continue;
        }
        chain_of_trees const chain(space, tiny());
        wide += chain.is_exact() ? 0 : 1;
        std::size_t wrong = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            wrong += chain.contains(p) != attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        attune::random_engine engine(5);
        for (int k = 0; k < 30; ++k)
            wrong += attune_tests::all_hold(space, chain.sample(engine)) ? 0U : 1U;
        CHECK(wrong == 0);
        CHECK(chain.size().has_value() == chain.is_exact());
    }
    CHECK(wide > 30);
}

TEST_CASE("the estimate brackets the size that the tree has")
{
    for (std::int64_t const bound : {60, 120, 400}) {
        CAPTURE(bound);
        attune::description const space = bilinear(3, 16, bound);
        chain_of_trees const exact(space);
        REQUIRE(exact.is_exact());
        CHECK(exact.estimated_size().relative_error == 0);
        attune::build_options options;
        options.max_visits = 20'000;
        chain_of_trees const chain(space, options);
        REQUIRE_FALSE(chain.is_exact());
        attune::size_estimate const about = chain.estimated_size();
        CHECK(about.log2 == chain.log2_size());
        CHECK(about.relative_error > 0);
        CHECK(about.relative_error < 0.5);
        double const ratio = std::exp2(about.log2 - exact.log2_size());
        CHECK(std::abs(ratio - 1) <= 4 * about.relative_error * std::max(1.0, ratio));
    }
}

TEST_CASE("what needs numbers is refused with the names of the parameters")
{
    attune::build_options options;
    options.max_visits = 20'000;
    chain_of_trees const chain(bilinear(3, 16, 100), options);
    REQUIRE(chain.wide_count() == 1);
    attune::point const p(6);
    for (std::string const& text :
         {error_of([&] { (void)chain.at(0); }), error_of([&] { (void)chain.index_of(p); }),
          error_of([&] { (void)attune::exact_size(chain); }),
          error_of([&] { (void)attune::marginals(chain); }),
          error_of([&] { (void)attune::nearest_valid(chain, p); }),
          error_of([&] { (void)attune::configurations(chain).begin(); })}) {
        CHECK(has(text, "too wide"));
        CHECK(has(text, "x2"));
        CHECK(has(text, "build_options::max_visits"));
    }
    CHECK(chain.contains(p));
    CHECK(chain.neighbours(p).size() == 6);
    attune::random_engine engine(1);
    CHECK(attune::sample_distinct(chain, 50, engine).size() == 50);
    std::string const report = attune::to_text(attune::report_on(chain));
    CHECK(has(report, "valid configurations: about 2^"));
    CHECK(has(report, "too wide for a tree"));
}

TEST_CASE("refused if so wished, with parameters and the constraint that makes it wide")
{
    attune::build_options options;
    options.max_visits = 20'000;
    options.wide = attune::when_wide::refuse;
    std::string const text = error_of([&] { (void)chain_of_trees(bilinear(3, 16, 100), options); });
    CHECK(has(text, "20000 visits"));
    CHECK(has(text, "y1"));
    CHECK(has(text, "x0 * y0 + x1 * y1 + x2 * y2 <= 100"));
}

TEST_CASE("draws come about equally often")
{
    attune::build_options options;
    options.max_visits = 200;
    attune::description const space = bilinear(2, 6, 14);
    chain_of_trees const exact(space);
    chain_of_trees const chain(space, options);
    REQUIRE_FALSE(chain.is_exact());
    std::size_t const valid = static_cast<std::size_t>(*exact.size());
    std::vector<int> drawn(valid, 0);
    attune::random_engine engine(9);
    constexpr int per_cell = 200;
    for (std::size_t i = 0; i < per_cell * valid; ++i)
        ++drawn[static_cast<std::size_t>(exact.index_of(chain.sample(engine))->leaf.front())];
    for (int const n : drawn) {
        CHECK(n > per_cell / 3);
        CHECK(n < per_cell * 3);
    }
}

TEST_CASE("a chain that is built anew keeps what is wide and did not change")
{
    attune::build_options options;
    options.max_visits = 20'000;
    space_writer w{bilinear(3, 16, 100)};
    w.range("free", 1, 5);
    chain_of_trees const chain(w.out, options);
    REQUIRE_FALSE(chain.is_exact());
    attune::description more = w.out;
    more.parameters.back().integers.push_back(9);
    chain_of_trees const next = chain.rebuilt(more);
    REQUIRE_FALSE(next.is_exact());
    CHECK(next.wide_at(0).log2_leaves() == chain.wide_at(0).log2_leaves());
    attune::random_engine engine(2);
    for (int i = 0; i < 100; ++i)
        CHECK(attune_tests::all_hold(more, next.sample(engine)));
}

using attune::detail::guided_walk;
using attune::detail::search_result;

namespace {

attune::enumeration_limits none() { return {.settings = 1, .wide_settings = 1}; }

} // namespace

TEST_CASE("walks end on valid settings, and their weights count them without bias")
{
    attune_tests::space_generator generator(77);
    int checked = 0;
    for (int i = 0; i < 200; ++i) {
        attune::description const space = generator.draw();
        auto const parts =
            attune::detail::make_groups(space, attune::detail::conditions_of(space), none());
        if (parts.is_empty || parts.groups.size() != 1) continue;
        std::size_t valid = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            valid += attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        // With visits for diagrams, and without.
        for (std::uint64_t const visits : {std::uint64_t{1'000'000}, std::uint64_t{0}}) {
            CAPTURE(i);
            CAPTURE(visits);
            attune::build_options options;
            options.max_visits = visits;
            guided_walk walk(space, parts.groups[0], parts.domains, options);
            attune::random_engine engine(11);
            attune::point at(space.parameters.size());
            CHECK((walk.search(engine, at) == search_result::found) == (valid > 0));
            if (valid > 0) CHECK(attune_tests::all_hold(space, at));
            constexpr int walks = 800;
            double sum = 0;
            double squares = 0;
            for (int k = 0; k < walks; ++k) {
                auto const log_weight = walk.try_once(engine, at);
                if (!log_weight) continue;
                REQUIRE(attune_tests::all_hold(space, at));
                sum += std::exp(*log_weight);
                squares += std::exp(2 * *log_weight);
            }
            double const mean = sum / walks;
            double const error = std::sqrt(std::max(0.0, squares / walks - mean * mean) / walks);
            CHECK(std::abs(mean - static_cast<double>(valid)) <= 6 * error + 1e-6 * mean + 0.5);
            ++checked;
        }
    }
    CHECK(checked > 40);
}

TEST_CASE("a contradiction is found by steps back")
{
    // Five pairwise different values out of four.
    space_writer w;
    for (char const* name : {"a", "b", "c", "d", "e"})
        w.range(name, 1, 4);
    for (std::uint32_t i = 0; i < 5; ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            w.require(w.join(op::not_equal, w.read(i), w.read(j)), "differ");
    auto const parts = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
    guided_walk walk(w.out, parts.groups[0], parts.domains, {});
    attune::random_engine engine(1);
    attune::point at(5);
    CHECK(walk.search(engine, at) == search_result::none);
    CHECK_FALSE(walk.try_once(engine, at));
    CHECK(walk.visits() == 20);
}
