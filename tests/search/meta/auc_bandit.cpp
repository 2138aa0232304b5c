// tests/search/meta/auc_bandit.cpp : mirrors include/attune/search/meta/auc_bandit.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/auc_bandit.hpp>

#include <attune/core/random.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace {

using attune::search::technique;

std::vector<technique> three()
{
    return {{"random", attune::search_with<attune::random_searcher>()},
            {"local_search", attune::search_with<attune::local_search>()},
            {"genetic", attune::search_with<attune::genetic>()}};
}

struct bandit_of_three : attune::search::auc_bandit {
    bandit_of_three(attune::chain_of_trees const& space, std::uint64_t seed)
        : auc_bandit(space, seed, three())
    {
    }
};
struct turns_of_three : attune::search::round_robin {
    turns_of_three(attune::chain_of_trees const& space, std::uint64_t seed)
        : round_robin(space, seed, three())
    {
    }
};
/// A bandit whose techniques are a bandit and random search.
struct nested : attune::search::auc_bandit {
    nested(attune::chain_of_trees const& space, std::uint64_t seed)
        : auc_bandit(space, seed,
                     {attune::search::auc_bandit_of(three(), {.window = 50}),
                      {"random", attune::search_with<attune::random_searcher>()}})
    {
    }
};

/// Asks the points of a line in order, from `first` on in steps of `step`.
struct walker {
    explicit walker(attune::chain_of_trees const&, std::uint32_t start, std::uint32_t by)
        : at(start)
        , step(by)
    {
    }
    std::vector<attune::point> ask(std::size_t)
    {
        if (at >= 400) return {};
        return {{{std::exchange(at, at + step), 0}, {0, 0}}};
    }
    void tell(attune::point const&, attune::outcome const&) {}
    std::uint32_t at;
    std::uint32_t step;
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, bandit_of_three, turns_of_three, nested);

TEST_CASE("auc_bandit finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<bandit_of_three>();
}

TEST_CASE("auc_bandit asks the technique that finds new bests")
{
    // Even numbers descend, odd ones ascend: only the first technique finds new bests.
    attune::search::auc_bandit bandit(
        search_spaces::grid(400), 1,
        {{"down", attune::search_with<walker>(std::uint32_t{0}, std::uint32_t{2})},
         {"up", attune::search_with<walker>(std::uint32_t{1}, std::uint32_t{2})}});
    for (int i = 0; i < 150; ++i) {
        attune::point const asked = searcher_law::asked_of(bandit);
        double const at = asked[0].index;
        bandit.tell(asked,
                    attune::measurement::exact(asked[0].index % 2 == 0 ? 1000 - at : 2000 + at));
    }
    auto const uses = bandit.uses();
    CHECK(uses[0].name == "down");
    CHECK(uses[0].requests == uses[0].new_bests);
    CHECK(uses[0].requests + uses[1].requests == 150);
    CHECK(uses[1].new_bests <= 1);
    CHECK(uses[1].requests < 10);
}

TEST_CASE("auc_bandit goes on with the others when the best technique has nothing left")
{
    attune::search::auc_bandit bandit(
        search_spaces::grid(400), 1,
        {{"short", attune::search_with<walker>(std::uint32_t{390}, std::uint32_t{1})},
         {"long", attune::search_with<walker>(std::uint32_t{0}, std::uint32_t{1})}});
    for (int i = 0; i < 300; ++i) {
        bandit.tell(searcher_law::asked_of(bandit), attune::measurement::exact(1000.0 - i));
    }
    CHECK(bandit.uses()[0].requests == 10);
}

TEST_CASE("a value that is not finite is no best, and hides no later one")
{
    attune::search::auc_bandit bandit(
        search_spaces::grid(400), 1,
        {{"all", attune::search_with<walker>(std::uint32_t{0}, std::uint32_t{1})}});
    double const infinity = std::numeric_limits<double>::infinity();
    for (double const value : {-infinity, 3.0, infinity, std::nan(""), -infinity, 2.0, 2.5}) {
        bandit.tell(searcher_law::asked_of(bandit), attune::measurement::exact(value));
    }
    CHECK(bandit.uses()[0].requests == 7);
    CHECK(bandit.uses()[0].new_bests == 2);
}

TEST_CASE_TEMPLATE("who proposed a point is known until its outcome is told, and adds up to uses",
                   Searcher, bandit_of_three, turns_of_three)
{
    attune::chain_of_trees const space = search_spaces::grid(400);
    attune::any_searcher search = Searcher(space, 3);
    std::map<std::string, attune::search::technique_use> counted;
    double best = std::numeric_limits<double>::infinity();
    std::vector<attune::point> open;
    attune::point const own = space.at(std::uint64_t{7}); // what nothing proposed
    search.tell(own, attune::measurement::exact(300));
    best = 300;
    for (int i = 0; i < 60; ++i) {
        CHECK(search.proposer_of(own).empty());
        auto const asked = search.ask(3);
        open.insert(open.end(), asked.begin(), asked.end());
        for (; open.size() > 4; open.erase(open.begin())) { // later than it was asked
            attune::point const p = open.front();
            std::string const by = search.proposer_of(p);
            REQUIRE(!by.empty());
            double const value = std::abs(double(p[0].index) - 211) + 1;
            search.tell(p, attune::measurement::exact(value));
            CHECK(search.proposer_of(p).empty());
            ++counted[by].requests;
            counted[by].new_bests += value < best ? 1 : 0;
            best = std::min(best, value);
        }
    }
    std::size_t requests = 0;
    for (attune::search::technique_use const& use : search.uses()) {
        CHECK(counted[use.name].requests == use.requests);
        CHECK(counted[use.name].new_bests == use.new_bests);
        requests += use.requests;
    }
    CHECK(requests > 100);
    CHECK(attune::any_searcher(attune::random_searcher(space, 1)).proposer_of(own).empty());
}

TEST_CASE("names of bandits hold those of their techniques")
{
    CHECK(attune::search::auc_bandit_of({{"a", {}}, {"b;x,1", {}}}, {.window = 200}).name ==
          "auc_bandit;exploration,0.05;window,200 {a} {b;x,1}");
    CHECK(attune::search::round_robin_of({{"a", {}}}).name == "round_robin {a}");
}

namespace {

/// The formula as it is printed: all events of the window, in order.
double score_of_all(std::deque<std::pair<std::size_t, bool>> const& window, std::size_t technique,
                    double exploration)
{
    double uses = 0;
    double sum = 0;
    for (auto const& [used, is_best] : window) {
        if (used != technique) continue;
        uses += 1;
        if (is_best) sum += uses;
    }
    if (uses == 0) return std::numeric_limits<double>::infinity();
    return 2 * sum / (uses * (uses + 1)) +
           exploration * std::sqrt(2 * std::log2(static_cast<double>(window.size())) / uses);
}

} // namespace

TEST_CASE("credit_window scores as the formula over all events, on 100'000 random histories")
{
    attune::random_engine engine{1};
    std::size_t wrong = 0;
    for (int history = 0; history < 100'000; ++history) {
        std::size_t const techniques = 1 + attune::uniform_below(engine, 4);
        std::size_t const size = 1 + attune::uniform_below(engine, 12);
        attune::detail::credit_window window(techniques, size);
        std::deque<std::pair<std::size_t, bool>> all;
        std::size_t const events = attune::uniform_below(engine, 30);
        for (std::size_t i = 0; i < events; ++i) {
            std::pair<std::size_t, bool> const e{attune::uniform_below(engine, techniques),
                                                 attune::uniform_below(engine, 3) == 0};
            window.push(e.first, e.second);
            all.push_back(e);
            if (all.size() > size) all.pop_front();
        }
        for (std::size_t t = 0; t < techniques; ++t) {
            double const exact = score_of_all(all, t, 0.15);
            double const kept = window.score(t, 0.15);
            wrong += std::isinf(exact) ? (kept == exact ? 0u : 1u)
                                       : (std::abs(kept - exact) > 1e-12 ? 1u : 0u);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("credit_window gives late bests more credit than early ones")
{
    attune::detail::credit_window window(2, 500);
    window.push(0, true);
    window.push(0, false);
    window.push(1, false);
    window.push(1, true);
    CHECK(window.area(0) == doctest::Approx(1.0 / 3));
    CHECK(window.area(1) == doctest::Approx(2.0 / 3));
    CHECK(window.score(0, 0.05) == doctest::Approx(1.0 / 3 + 0.05 * std::sqrt(2.0)));
}
