// tests/tune/loop/session_space.cpp - what a session leaves out of its space, and what comes back.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/search/random.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <utility>
#include <vector>

#include "../../support/pruned_grid.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::measurement;
using attune::point;
using attune::detail::candidate_pruning;
using attune::detail::session_space;
using attune::detail::variant_pipeline;

namespace {

constexpr double margin = candidate_pruning::margin;

/// All configurations in their order, and of a part of them. `made` counts searches.
struct bench : pruned_grid {
    int made = 0;
    int fails_at = 0; ///< the search with this number cannot be made
    candidate_pruning verdicts;
    variant_pipeline supply;
    bool is_time_left = true;
    std::vector<point> tried{};

    explicit bench(bool prunes = true)
        : verdicts((options.search.prune = prunes, pruning()))
        , supply(problem, attune::detail::narrowing_search{
                              [this](attune::chain_of_trees const& of, std::uint64_t) {
                                  if (++made == fails_at) throw attune::error("no", "here", "none");
                                  return attune::any_searcher{attune::exhaustive_searcher{of}};
                              },
                              space, 1})
    {
    }
    session_space searched(std::vector<point> pruned = {},
                           std::optional<attune::detail::kept_settings> part = {})
    {
        return {verdicts, supply, std::move(pruned), std::move(part),
                [this] { return is_time_left; }};
    }
    /// The next one, with the time that `seconds` gives it.
    template <class F>
    bool next(session_space& of, F const& seconds)
    {
        auto const now = supply.next();
        if (!now) return false;
        tried.push_back(now->at);
        measurement const time = measurement::exact(seconds(now->at));
        supply.tell(now->at, time);
        of.measured(now->at, time);
        return true;
    }
    [[nodiscard]] bool has_tried(point const& p) const
    {
        return std::count(tried.begin(), tried.end(), p) == 1;
    }
};

/// The best takes as long as its work.
double usual_s(point const& p) { return 7 + bound_of(p); }

bool may_win(point const& p, double best_s) { return bound_of(p) <= margin * best_s; }

} // namespace

TEST_CASE("what cannot win is left out, and all else is tried")
{
    bench b;
    session_space of = b.searched();
    of.go_on({});
    while (b.next(of, usual_s)) {
    }
    std::size_t can = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        point const p = b.space.at(i);
        can += may_win(p, 8) ? 1U : 0U; // the default is the best
        CHECK((!may_win(p, 8) || b.has_tried(p)));
    }
    CHECK(can < 50);
    CHECK(b.tried.size() + b.verdicts.pruned() == 100);
    CHECK(b.verdicts.pruned() > 50);
    CHECK(b.made == 1);
}

TEST_CASE("where few may win, the search goes on in their part once something was pruned")
{
    bench b;
    session_space of = b.searched();
    of.go_on({});
    CHECK(!of.narrow()); // nothing is known yet
    for (int i = 0; i < 9; ++i)
        REQUIRE(b.next(of, usual_s));
    CHECK(!of.narrow()); // nothing was pruned yet
    while (b.verdicts.pruned() == 0)
        REQUIRE(b.next(of, usual_s));
    REQUIRE(of.narrow());
    CHECK(b.made == 2);
    CHECK(!of.narrow()); // it is there
    std::size_t can = 0;
    for (std::uint64_t i = 0; i < 100; ++i)
        can += may_win(b.space.at(i), 8) ? 1U : 0U;
    CHECK(b.verdicts.left_share() == static_cast<double>(can) / 100);
    std::size_t const before = b.tried.size();
    while (b.next(of, usual_s)) {
    }
    for (std::uint64_t i = 0; i < 100; ++i)
        CHECK((!may_win(b.space.at(i), 8) || b.has_tried(b.space.at(i))));
    std::size_t const others = static_cast<std::size_t>(
        std::count_if(b.tried.begin() + static_cast<std::ptrdiff_t>(before), b.tried.end(),
                      [](point const& p) { return !may_win(p, 8); }));
    CHECK(others == 1); // the latest that was pruned is tried, to check the statement
}

TEST_CASE("without time left nothing is narrowed")
{
    bench b;
    session_space of = b.searched();
    while (b.verdicts.pruned() == 0)
        REQUIRE(b.next(of, usual_s));
    b.is_time_left = false;
    CHECK(!of.narrow());
    CHECK(b.made == 1);
}

TEST_CASE("a time that contradicts the stated work brings all that was left out back")
{
    bench b;
    session_space of = b.searched();
    while (b.verdicts.pruned() == 0)
        REQUIRE(b.next(of, usual_s));
    REQUIRE(of.narrow());
    REQUIRE(b.verdicts.left_share() < 1);
    while (b.next(of, [](point const& p) { return may_win(p, 8) ? usual_s(p) : 1e-3; })) {
    }
    CHECK(!b.verdicts.is_on());
    CHECK(b.verdicts.pruned() == 0);
    CHECK(b.verdicts.left_share() == 1);
    for (std::uint64_t i = 0; i < 100; ++i)
        CHECK(b.has_tried(b.space.at(i)));
    CHECK(b.tried.size() == 100);
}

TEST_CASE("what may win by a machine that does more than was known comes next, and is found")
{
    bench b;
    session_space of = b.searched();
    auto const search_all = [&] {
        do
            while (b.next(of, usual_s)) {
            }
        while (of.finds_more());
    };
    search_all();
    std::size_t const before = b.tried.size();
    b.core = [](bool) {
        return slow_core(4);
    }; // of this the verdicts learn when peaks are measured
    (void)b.verdicts.measured(b.at(9, 9), measurement::exact(50)); // below its least time so far
    CHECK(b.verdicts.is_on());
    CHECK(of.finds_more());
    search_all();
    CHECK(b.tried.size() > before);
    for (std::uint64_t i = 0; i < 100; ++i)
        CHECK((!(bound_of(b.space.at(i)) / 4 <= margin * 8) || b.has_tried(b.space.at(i))));
}

TEST_CASE("a part that cannot be searched leaves the whole space, and none is tried again")
{
    bench b;
    b.fails_at = 2;
    session_space of = b.searched();
    while (b.verdicts.pruned() == 0)
        REQUIRE(b.next(of, usual_s));
    CHECK(!of.narrow());
    CHECK(b.made == 2);
    CHECK(b.verdicts.left_share() == 1);
    CHECK(!of.narrow());
    CHECK(b.made == 2);
    while (b.next(of, usual_s)) {
    }
    CHECK(b.tried.size() + b.verdicts.pruned() == 100);
}

TEST_CASE("what was pruned before an interruption stays pruned, or comes next without pruning")
{
    for (bool const prunes : {true, false}) {
        bench b{prunes};
        std::vector<point> const pruned{b.at(9, 9), b.at(8, 9), b.at(7, 9)};
        std::vector<std::pair<point, attune::outcome>> const past{
            {b.at(0, 0), measurement::exact(8)}, {b.at(8, 9), measurement::exact(97)}};
        for (auto const& [at, result] : past)
            b.supply.tell(at, result);
        session_space of = b.searched(pruned);
        of.go_on(past);
        CHECK(b.verdicts.pruned() == (prunes ? 2U : 0U)); // one was evaluated since
        std::vector<point> const first{b.at(9, 9), b.at(7, 9)};
        for (point const& p : first) {
            REQUIRE(b.next(of, usual_s));
            CHECK((b.tried.back() == p) == !prunes);
        }
    }
}
