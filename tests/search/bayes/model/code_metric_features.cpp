// tests/search/bayes/model/code_metric_features.cpp - numbers of code, guessed of other code.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/code_metric_features.hpp>

#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/design.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <vector>

#include "../../../support/search_spaces.hpp"

using attune::point;
using attune::detail::code_metric_columns;

namespace {

/// A grid of 12 * 12 whose points have three numbers when they are built: one that follows from the
/// indices, one that is always 7, and one that only points with an even first index have.
struct fixture {
    fixture()
        : unseen(space())
        , own(unseen.space())
        , prior(unseen.space().describe())
        , metrics(3)
        , columns(own, metrics)
        , rows(unseen, own, prior, 1000)
        , table(rows.enumerate())
    {
    }
    static attune::chain_of_trees space()
    {
        attune::description d = search_spaces::grid(12).describe();
        d.code_metrics = {"size", "constant", "sometimes"};
        return attune::chain_of_trees(d);
    }
    static double size_of(point const& p) { return 4 + p[0].index + 3.0 * p[1].index; }
    void tell_metrics(std::uint64_t i)
    {
        point const p = unseen.space().at(i);
        double const sometimes = p[0].index % 2 == 0 ? -1.0 * p[0].index : std::nan("");
        metrics.set(p, std::vector{size_of(p), 7.0, sometimes});
    }
    std::vector<std::uint32_t> column(std::size_t c)
    {
        columns.widen(table, rows, 0);
        return table.level[own.count() + c];
    }

    attune::unseen_points unseen;
    attune::feature_map own;
    attune::detail::user_prior prior;
    attune::detail::code_metrics metrics;
    attune::detail::code_metric_features columns;
    attune::detail::candidate_rows rows;
    attune::feature_table table;
};

/// The number at a level, with 4 .. 48 told, by logarithm.
double size_at(std::uint32_t level)
{
    return 4 * std::pow(12.0, code_metric_columns::places()[2 * level]);
}
bool is_known(std::uint32_t level) { return code_metric_columns::places()[2 * level + 1] == 0; }

/// Every seventh point, and both ends.
struct learnt : fixture {
    learnt()
    {
        for (std::uint64_t i = 0; i < 144; i += 7)
            tell_metrics(i);
        tell_metrics(143);
        columns.learn();
    }
};

} // namespace

TEST_CASE("until enough numbers are known, columns say nothing")
{
    fixture f;
    for (std::uint64_t i = 0; i < attune::detail::code_metric_features::least_learnt; ++i) {
        f.columns.learn();
        CHECK_FALSE(f.columns.is_used(0));
        CHECK(f.column(0) == std::vector<std::uint32_t>(144, 0));
        f.tell_metrics(i * 11);
    }
    f.columns.learn();
    CHECK(f.columns.is_used(0));
}

TEST_CASE("what is known is exact, and only the rest is guessed")
{
    learnt f;
    CHECK(f.columns.is_used(0));
    std::vector<std::uint32_t> const levels = f.column(0);
    double worst = 0;
    for (std::uint64_t i = 0; i < 144; ++i) {
        double const truth = fixture::size_of(f.unseen.space().at(i));
        double const off = std::abs(std::log(size_at(levels[i]) / truth)) / std::log(12.0);
        if (f.columns.has_metrics_of(f.unseen.space().at(i))) {
            CHECK(is_known(levels[i]));
            CHECK(off <= 0.5 / (code_metric_columns::steps - 1) + 1e-9);
        }
        worst = std::max(worst, off);
    }
    CHECK(worst < 0.1); // guesses of a smooth number are near it
}

TEST_CASE("a number that is nothing like the others is taken as it is, not as it was guessed")
{
    learnt f;
    std::uint64_t const odd = 75;
    std::vector<std::uint32_t> before = f.column(0);
    f.metrics.set(f.unseen.space().at(odd), std::vector{4.0, 7.0, std::nan("")});
    std::vector<std::uint32_t> const after = f.column(0);
    CHECK(before[odd] != after[odd]);
    CHECK(after[odd] == code_metric_columns::level(0));
    before[odd] = after[odd];
    CHECK(before == after); // nothing else has changed before it learns again
}

TEST_CASE("a point far from what is known is a more doubtful guess than one amid it")
{
    fixture f;
    for (std::uint64_t i = 0; i < 30; ++i) // the first columns of the grid only
        f.tell_metrics(i);
    f.columns.learn();
    std::vector<std::uint32_t> const levels = f.column(2);
    REQUIRE(f.columns.is_used(2));
    auto const doubt = [&](std::uint64_t i) {
        return code_metric_columns::places()[2 * levels[i] + 1];
    };
    CHECK(doubt(143) > doubt(31));
}

TEST_CASE("constant numbers are no feature, and missing ones are guessed")
{
    learnt f;
    CHECK_FALSE(f.columns.is_used(1));
    CHECK(f.column(1) == std::vector<std::uint32_t>(144, 0));
    REQUIRE(f.columns.is_used(2));
    std::vector<std::uint32_t> const levels = f.column(2);
    // Of row 7, whose first index is 0 and even, it was told; of row 21, with index 1, not.
    REQUIRE(f.unseen.space().at(std::uint64_t{21})[0].index == 1);
    CHECK(f.columns.has_metrics_of(f.unseen.space().at(std::uint64_t{21})));
    CHECK(is_known(levels[7]));
    // From -10 to 0, evenly, it is minus the first index.
    CHECK(code_metric_columns::places()[2 * levels[21]] == doctest::Approx(0.9).epsilon(0.1));
}

TEST_CASE("a number that nobody can guess is dropped, and one that follows from the point stays")
{
    fixture f;
    attune::random_engine engine(1);
    for (std::uint64_t i = 0; i < 60; ++i) {
        point const p = f.unseen.space().at(i * 89 % 144);
        f.metrics.set(p, std::vector{fixture::size_of(p), 7.0, attune::uniform_unit(engine)});
        if (i % 10 == 9) f.columns.learn();
    }
    CHECK(f.columns.is_used(0));
    CHECK_FALSE(f.columns.is_used(2));
    CHECK(f.column(2) == std::vector<std::uint32_t>(144, 0));
}

TEST_CASE("one point by itself has the levels that it has among all")
{
    learnt f;
    f.columns.widen(f.table, f.rows, 0);
    attune::feature_map const map =
        f.own.with(std::shared_ptr<attune::detail::code_metric_columns const>(
            std::shared_ptr<void>(), &f.columns));
    attune::feature_table single;
    for (std::uint64_t i = 0; i < 144; ++i)
        map.append(f.unseen.space().at(i), single);
    CHECK(single.level == f.table.level);
    // Some candidates only, and in place of columns that they had.
    attune::feature_table tail;
    for (std::uint64_t i = 100; i < 144; ++i)
        map.append(f.unseen.space().at(i), tail);
    attune::feature_table again = tail;
    f.columns.widen(again, f.rows, 100);
    CHECK(again.level == tail.level);
}

namespace {

point const here{{1, 0}, {2, 0}};
point const there{{1, 0}, {3, 0}};
double const none = std::nan("");

} // namespace

TEST_CASE("numbers are found by their point, in the order in which points became known")
{
    attune::detail::code_metrics known{2};
    CHECK(known.of(here) == nullptr);
    known.set(there, std::vector{1.5, -2.0});
    known.set(here, std::vector{3.0, none});
    REQUIRE(known.of(here) != nullptr);
    CHECK(known.of(here)->front() == 3.0);
    CHECK(std::isnan(known.of(here)->back()));
    REQUIRE(known.all().size() == 2);
    CHECK(known.all()[0].first == there);
    CHECK(known.all()[0].second == std::vector{1.5, -2.0});
}

TEST_CASE("what is set again replaces what was known, in its place")
{
    attune::detail::code_metrics known{1};
    known.set(here, std::vector{1.0});
    known.set(there, std::vector{2.0});
    known.set(here, std::vector{5.0});
    REQUIRE(known.all().size() == 2);
    CHECK(known.all()[0].second == std::vector{5.0});
    CHECK(*known.of(there) == std::vector{2.0});
}

TEST_CASE("numbers of another count, and none that is a number, say nothing")
{
    attune::detail::code_metrics known{2};
    known.set(here, std::vector{1.0});
    known.set(here, std::vector{1.0, 2.0, 3.0});
    known.set(here, std::vector{none, std::numeric_limits<double>::infinity()});
    CHECK(known.of(here) == nullptr);
    CHECK(known.all().empty());
}
