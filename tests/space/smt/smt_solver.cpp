// tests/space/smt/smt_solver.cpp - Z3 beside the trees, and both beside brute force.
// SPDX-License-Identifier: MIT
#include <attune/space/smt/smt_solver.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>

#include <chrono>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <unordered_set>
#include <vector>

#include "../../support/rounds.hpp"
#include "../space_generator.hpp"
#include "../space_oracle.hpp"

#ifdef ATTUNE_TEST_SMT

using attune::smt_verdict;
using attune_tests::op;
using attune_tests::space_writer;

namespace {

using point_set = std::unordered_set<attune::point, attune::point_hash>;

point_set as_set(std::vector<attune::point> const& points)
{
    return {points.begin(), points.end()};
}

point_set by_brute_force(attune::description const& space)
{
    point_set out;
    attune_tests::for_each_setting(space, [&](attune::point const& at) {
        if (attune_tests::all_hold(space, at)) out.insert(at);
    });
    return out;
}

/// What the trees hold; nothing where they refuse an empty space.
point_set by_trees(attune::description const& space)
{
    point_set out;
    try {
        attune::chain_of_trees const chain(space);
        for (attune::leaf_count i = 0; i < *chain.size(); ++i)
            out.insert(chain.at(static_cast<std::uint64_t>(i)));
    } catch (attune::error const&) {
    }
    return out;
}

/// A list that is not in order or names something twice counts as wrong.
bool lists(attune::smt_listing const& listing, point_set const& all)
{
    return listing.is_complete && listing.points.size() == all.size() &&
           as_set(listing.points) == all;
}

attune::description read(std::string const& json)
{
    return attune::bind_inputs(attune::read_spaces_json(json).front().space);
}

/// A space whose constraints are sums of products of positive numbers against bounds.
attune::description draw_monotone(std::uint64_t seed)
{
    attune::random_engine engine(seed);
    auto const below = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
    space_writer w;
    for (int i = 0; i < 3; ++i) {
        std::string const name = "x" + std::to_string(i);
        if (below(3) == 0)
            w.numbers(name, {1, 2, 4, 8, 16});
        else
            w.range(name, 1, 4 + static_cast<std::int64_t>(below(7)));
    }
    auto const term = [&] {
        std::uint32_t const a = w.read(static_cast<std::uint32_t>(below(3)));
        std::uint32_t const b = w.read(static_cast<std::uint32_t>(below(3)));
        static constexpr op two[] = {op::multiply, op::maximum, op::add, op::minimum};
        return w.join(two[below(4)], a, b);
    };
    for (int i = 0; i < 2; ++i) {
        std::uint32_t const sum = w.join(below(3) == 0 ? op::subtract : op::add, term(), term());
        std::uint32_t const bound = w.literal(static_cast<std::int64_t>(below(70)));
        w.require(w.join(below(3) == 0 ? op::greater_equal : op::less_equal, sum, bound), "sum");
    }
    return w.out;
}

/// p <= q, q <= r and r < p for sums of products p, q and r: no order of the six parameters keeps
/// fewer values than the sums so far.
char const* const ring_of_sums = R"json({"params": [
    {"name": "x0", "range": [1, 64]}, {"name": "y0", "range": [1, 64]},
    {"name": "x1", "range": [1, 64]}, {"name": "y1", "range": [1, 64]},
    {"name": "x2", "range": [1, 64]}, {"name": "y2", "range": [1, 64]}],
  "constraints": [
    "x0 * y0 + 37 * x1 * y1 + 1009 * x2 * y2 <= x0 * y1 + 41 * x1 * y2 + 997 * x2 * y0",
    "x0 * y1 + 41 * x1 * y2 + 997 * x2 * y0 <= x0 * y2 + 43 * x1 * y0 + 991 * x2 * y1",
    "x0 * y2 + 43 * x1 * y0 + 991 * x2 * y1 < x0 * y0 + 37 * x1 * y1 + 1009 * x2 * y2"]})json";

} // namespace

TEST_CASE("Z3, the trees and brute force have the same configurations of spaces drawn at random")
{
    attune_tests::space_generator generator(11);
    for (int i = 0; i < attune_test::rounds(60, 1000); ++i) {
        attune::description const space =
            i % 4 == 3 ? generator.draw_conditional() : generator.draw(150);
        attune::smt_solver const solver(space);
        point_set const all = by_brute_force(solver.describe());
        attune::smt_options const o{.threads = i % 3 == 0 ? 3U : 1U,
                                    .subspace_size = i % 2 == 0 ? 0U : 20U,
                                    .interval_filter = i % 5 < 2};
        CAPTURE(i);
        CAPTURE(attune_tests::to_text(solver.describe()));
        CHECK(lists(solver.enumerate(o), all));
        CHECK(by_trees(space) == all);
        CHECK(solver.is_empty() == all.empty());
        attune::smt_witness const one = solver.witness();
        CHECK(one.verdict == (all.empty() ? smt_verdict::none : smt_verdict::exist));
        if (!all.empty()) CHECK(all.count(one.at) == 1);
    }
}

TEST_CASE("threads, subspaces and the interval filter change no set")
{
    int filtered = 0;
    for (std::uint64_t seed = 0; seed < attune_test::rounds(6U, 200U); ++seed) {
        attune::description const space = draw_monotone(seed);
        point_set const all = by_brute_force(space);
        attune::smt_solver const solver(space);
        CAPTURE(attune_tests::to_text(space));
        std::vector<attune::point> first;
        for (unsigned const threads : {1U, 4U})
            for (std::uint64_t const size : {0U, 30U})
                for (bool const filter : {false, true}) {
                    attune::smt_options const o{
                        .threads = threads, .subspace_size = size, .interval_filter = filter};
                    attune::smt_listing const got = solver.enumerate(o);
                    CHECK(lists(got, all));
                    if (first.empty()) first = got.points;
                    CHECK(got.points == first); // the order, too
                    filtered += filter && got.checks < got.points.size() ? 1 : 0;
                }
    }
    CHECK(filtered > 0);
}

TEST_CASE("of a run of valid values, the interval filter asks for the ends alone")
{
    attune::description const space = read(R"({"params": [
        {"name": "a", "range": [1, 200]}, {"name": "b", "values": [1, 2, 3]}],
        "constraints": ["a * b <= 200", "a + b > 3"]})");
    attune::smt_solver const solver(space);
    attune::smt_options o;
    CHECK(solver.enumerate(o).checks == 200 + 100 + 66 - 2 - 1 + 1); // each, and that it was all
    o.interval_filter = true;
    attune::smt_listing const got = solver.enumerate(o);
    CHECK(got.points.size() == 200 + 100 + 66 - 2 - 1);
    CHECK(got.checks <= 3 * (1 + 2 * 9) + 1); // bisects 200 values at either end
}

TEST_CASE("what does not only rise or fall is not filtered")
{
    for (std::string const text : {"a % 7 != 3", "(a - 20) * (a - 20) >= 90", "a == 3 or a == 9"}) {
        attune::description const space = read(
            R"({"params": [{"name": "a", "range": [1, 40]}], "constraints": [")" + text + "\"]}");
        attune::smt_options const o{.interval_filter = true};
        CHECK(lists(attune::smt_solver(space).enumerate(o), by_brute_force(space)));
    }
}

TEST_CASE("subspaces are as many as workers, or as small as was asked")
{
    attune::description const space = read(R"({"params": [
        {"name": "a", "range": [1, 100]}, {"name": "b", "values": [1, 2, 3, 4, 5, 6, 7, 8]},
        {"name": "c", "values": [false, true]}], "constraints": ["a * b == 100"]})");
    attune::smt_solver const solver(space);
    auto const parts = [&](unsigned threads, std::uint64_t size) {
        attune::smt_options const o{.threads = threads, .subspace_size = size};
        attune::smt_listing const got = solver.enumerate(o);
        CHECK(lists(got, by_brute_force(space)));
        return got.subspaces;
    };
    CHECK(parts(1, 0) == 1);
    CHECK(parts(2, 0) == 2);
    CHECK(parts(4, 0) == 4);
    CHECK(parts(1, 100) == 16);
    CHECK(parts(2, 50) == 32);
    CHECK(parts(1, 1) == 1600);
}

TEST_CASE("a contradiction too wide for trees is proven")
{
    attune::description const space = read(ring_of_sums);
    attune::build_options few;
    few.max_visits = 20'000;
    CHECK_THROWS_WITH_AS(attune::chain_of_trees(space, few),
                         doctest::Contains("no valid setting of a wide group"), // not: empty
                         attune::error);
    CHECK(attune::smt_solver(space).is_empty() == true);
}

TEST_CASE("a witness of a space of 12 parameters is valid")
{
    std::string params;
    std::string sum;
    for (char i = '0'; i < '6'; ++i) {
        for (char const* const letter : {"x", "y"})
            params += std::string(params.empty() ? "" : ", ") + R"({"name": ")" + letter + i +
                      R"(", "range": [1, 64]})";
        sum += std::string(sum.empty() ? "" : " + ") + 'x' + i + " * y" + i;
    }
    attune::description const space =
        read(R"({"params": [)" + params + R"(], "constraints": ["2 * ()" + sum + R"() == 1002"]})");
    attune::smt_witness const one = attune::smt_solver(space).witness();
    REQUIRE(one.verdict == smt_verdict::exist);
    CHECK(attune_tests::all_hold(space, one.at));
}

TEST_CASE("a time limit is kept, by several workers as well")
{
    // Factors of the product of two primes near 2^30.
    attune::description const space = read(R"({"params": [
        {"name": "p", "range": [2, 2000000000]}, {"name": "q", "range": [2, 2000000000]}],
        "constraints": ["p * q == 1152921515344265237"]})");
    attune::smt_solver const solver(space);
    auto const begin = std::chrono::steady_clock::now();
    CHECK(!solver.is_empty(0.3).has_value());
    attune::smt_options const o{.threads = 2, .seconds = 0.3};
    attune::smt_listing const listing = solver.enumerate(o);
    CHECK(!listing.is_complete);
    CHECK(listing.reason == "the limit of 0.3 s was reached");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("no more are listed than were asked for")
{
    attune::description const space =
        read(R"({"params": [{"name": "a", "range": [1, 40]}], "constraints": ["a % 2 == 0"]})");
    attune::smt_options const o{.threads = 2, .most = 7};
    attune::smt_listing const got = attune::smt_solver(space).enumerate(o);
    CHECK(got.points.size() == 7);
    CHECK(as_set(got.points).size() == 7);
    CHECK(!got.is_complete);
    for (attune::point const& at : got.points)
        CHECK(attune_tests::all_hold(space, at));
}

TEST_CASE("a long range has no table, and is asked for all the same")
{
    attune::description const space = read(R"({"params": [
        {"name": "a", "range": [0, 2000000000]}, {"name": "b", "range": [0, 2000000000], "step": 1000}],
        "constraints": ["a + b <= 2003", "a >= 2001"]})");
    attune::smt_listing const got = attune::smt_solver(space).enumerate();
    REQUIRE(got.points.size() == 3); // b = 0 and a = 2001, 2002, 2003
    CHECK(got.points[2] == attune::point{{2003, 0}, {0, 0}});
    attune::smt_options const o{
        .threads = 2, .subspace_size = 1'000'000'000'000'000, .interval_filter = true};
    CHECK(attune::smt_solver(space).enumerate(o).points == got.points);
}

TEST_CASE("of real parameters there is a witness, and no list")
{
    space_writer w;
    std::uint32_t const x = w.real("x", 0, 4);
    std::uint32_t const y = w.range("y", 1, 3);
    w.require(w.join(op::equal, w.join(op::multiply, w.read(x), w.read(y)), w.literal(4.5)), "xy");
    attune::smt_witness const one = attune::smt_solver(w.out).witness();
    REQUIRE(one.verdict == smt_verdict::exist); // y = 2 or 3: 2.25 or 1.5
    CHECK(one.at[x].real * (one.at[y].index + 1) == 4.5);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::smt_solver(w.out).enumerate()),
                         doctest::Contains("cannot be listed"), attune::error);
    w.require(w.join(op::greater, w.read(x), w.literal(2.5)), "x");
    CHECK(attune::smt_solver(w.out).is_empty() == true);
    w.require_opaque({x}, [](auto const&, auto const&) { return true; }, "f(x)");
    CHECK_THROWS_AS(attune::smt_solver{w.out}, attune::error);
}

TEST_CASE("a root that no double is, is not given for a valid one")
{
    space_writer w;
    std::uint32_t const x = w.real("x", 0, 4);
    w.require(w.join(op::equal, w.join(op::multiply, w.read(x), w.read(x)), w.literal(2.0)), "xx");
    attune::smt_witness const one = attune::smt_solver(w.out).witness();
    CHECK(one.verdict == smt_verdict::unknown);
    CHECK(one.reason.find("rounded") != std::string::npos);
    CHECK(attune::smt_solver(w.out).is_empty() == false); // it exists among the reals
}

#else

TEST_CASE("skipped: built without libz3 (Debian: libz3-dev)") {}

#endif
