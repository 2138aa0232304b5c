// tests/search/local/stepwise.cpp : mirrors include/attune/search/local/stepwise.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/local/stepwise.hpp>

#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/search_spaces.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::annealing, attune::local_search,
                          attune::coordinate_descent, attune::genetic,
                          attune::differential_evolution, attune::particle_swarm);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, attune::annealing, attune::local_search,
                          attune::coordinate_descent, attune::genetic,
                          attune::differential_evolution, attune::particle_swarm);

TEST_CASE("more points than a round has are given at once, and all of them are new")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    attune::annealing s(space, 1); // a round of annealing has as many points as are asked for
    attune::genetic g(space, 1);   // a generation has 20, whatever is asked for
    for (std::size_t const k : {1U, 7U, 100U, 3U}) {
        std::vector<attune::point> const asked = s.ask(k);
        std::vector<attune::point> const bred = g.ask(k);
        CHECK(asked.size() == k);
        CHECK(bred.size() == k);
        std::unordered_set<attune::point, attune::point_hash> distinct(bred.begin(), bred.end());
        CHECK(distinct.size() == k);
        for (attune::point const& p : asked)
            s.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
        for (attune::point const& p : bred)
            g.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
    }
}

TEST_CASE("an outcome that never comes does not stop the search")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::genetic s(space, 1);
    static_cast<void>(s.ask(1));
    std::unordered_set<attune::point, attune::point_hash> seen;
    for (std::vector<attune::point> asked = s.ask(1); !asked.empty(); asked = s.ask(1)) {
        CHECK(seen.insert(asked.front()).second);
        s.tell(asked.front(), attune::measurement::exact(1));
    }
    CHECK(seen.size() == 143);
}

TEST_CASE("a searcher that was moved goes on where it was")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    auto const step = [](attune::annealing& s) {
        attune::point const p = s.ask(1).front();
        s.tell(p, attune::measurement::exact(searcher_trials::valley(p)));
        return p;
    };
    attune::annealing stays(space, 4);
    attune::annealing first(space, 4);
    for (int i = 0; i < 30; ++i)
        CHECK(step(stays) == step(first));
    attune::annealing second = std::move(first);
    for (int i = 0; i < 30; ++i)
        CHECK(step(stays) == step(second));
}

TEST_CASE("who asks for more than there is gets all of it at once")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    CHECK(attune::genetic(space, 1).ask(1'000'000).size() == 36);
    CHECK(attune::annealing(space, 1).ask(1'000'000).size() == 36);
}

using attune::failed_value;
using attune::search_process;
using attune::trials;

namespace {

attune::outcome gave(double value) { return attune::measurement::exact(value); }
attune::outcome failed() { return attune::failure{attune::failure_stage::crash, "no"}; }

search_process keep(trials& t, std::vector<attune::point> round, std::vector<double>& out)
{
    out = co_await t.evaluate(std::move(round));
    double const first = co_await t.evaluate(t.space().at(std::uint64_t{0}));
    out.push_back(first);
}

} // namespace

TEST_CASE("a round is offered once, known when all of it was told, and gives its values in order")
{
    trials t(search_spaces::grid(4), 1);
    std::vector<attune::point> const round{t.space().at(std::uint64_t{5}),
                                           t.space().at(std::uint64_t{6}),
                                           t.space().at(std::uint64_t{7})};
    t.tell(round[1], gave(3));
    std::vector<double> got;
    search_process p = keep(t, round, got);
    p.resume();
    CHECK(t.next_of_round() == round[0]);
    CHECK(t.next_of_round() == round[2]); // the second is known
    CHECK_FALSE(t.next_of_round());
    t.tell(round[2], failed());
    CHECK_FALSE(t.round_is_known());
    t.tell(round[0], gave(9));
    REQUIRE(t.round_is_known());
    p.resume();
    CHECK(got == std::vector<double>{9, 3, failed_value});
    t.tell(t.space().at(std::uint64_t{0}), gave(4));
    CHECK_FALSE(t.next_of_round());
    REQUIRE(t.round_is_known());
    p.resume();
    CHECK(p.is_done());
    CHECK(got.back() == 4);
}

TEST_CASE("the best is that of the lowest value that worked, and first outcomes count")
{
    trials t(search_spaces::grid(4), 1);
    CHECK_FALSE(t.best());
    attune::point const a = t.space().at(std::uint64_t{1});
    attune::point const b = t.space().at(std::uint64_t{2});
    t.tell(a, failed());
    CHECK_FALSE(t.best());
    t.tell(b, gave(7));
    t.tell(b, gave(1));
    t.tell(a, gave(2));
    t.tell(t.space().at(std::uint64_t{3}), gave(std::numeric_limits<double>::quiet_NaN()));
    CHECK(t.best() == b);
    CHECK(t.best_value() == 7);
    CHECK(t.told().size() == 3);
    CHECK(t.seen_count() == 3);
}

TEST_CASE("what is not in the space is ignored")
{
    trials t(search_spaces::constrained(), 1);
    t.tell({{2, 0}, {4, 0}, {0, 0}}, gave(1));
    CHECK_FALSE(t.best());
    CHECK(t.seen_count() == 0);
}

TEST_CASE("an excess has no unit, and failures are infinitely worse than anything else")
{
    for (double const unit : {1.0, 1e-6, 1e9}) {
        trials t(search_spaces::grid(4), 1);
        for (std::uint64_t i = 0; i < 3; ++i)
            t.tell(t.space().at(i), gave(unit * std::exp(static_cast<double>(i))));
        // The logarithms are 0, 1, 2: their deviation is 1.
        CHECK(t.excess(unit, unit * std::exp(2.0)) == doctest::Approx(2));
        CHECK(t.excess(unit * std::exp(1.0), unit) == doctest::Approx(-1));
        CHECK(t.excess(unit, failed_value) == failed_value);
        CHECK(t.excess(failed_value, unit) == -failed_value);
        CHECK(t.excess(failed_value, failed_value) == 0);
    }
}

TEST_CASE("values that are not positive are compared without logarithms")
{
    trials t(search_spaces::grid(4), 1);
    t.tell(t.space().at(std::uint64_t{0}), gave(1));
    t.tell(t.space().at(std::uint64_t{1}), gave(2));
    CHECK(t.excess(1, 2) > 0);
    t.tell(t.space().at(std::uint64_t{2}), gave(0));
    CHECK(t.excess(0, 2) == doctest::Approx(2)); // 0, 1, 2 have the deviation 1
}

TEST_CASE("elsewhere there is always something new until the space is exhausted")
{
    trials t(search_spaces::grid(4), 1);
    t.tell(t.space().at(std::uint64_t{5}), gave(1));
    for (int i = 0; i < 15; ++i)
        CHECK(t.next_elsewhere());
    CHECK_FALSE(t.next_elsewhere());
    CHECK(t.space().contains(t.fresh())); // any one, since none is new
}

namespace {

search_process count_to(int& counter, int end)
{
    while (counter < end) {
        ++counter;
        co_await std::suspend_always{};
    }
}

search_process hold(std::shared_ptr<int> held)
{
    for (;;) {
        ++*held;
        co_await std::suspend_always{};
    }
}

search_process fail()
{
    co_await std::suspend_always{};
    throw std::runtime_error("broken");
}

} // namespace

TEST_CASE("a process runs from one suspension to the next, and does nothing before")
{
    int counter = 0;
    search_process p = count_to(counter, 2);
    CHECK(counter == 0);
    p.resume();
    CHECK(counter == 1);
    search_process q = std::move(p);
    CHECK(p.is_done()); // NOLINT: what is left after a move
    q.resume();
    CHECK(counter == 2);
    CHECK_FALSE(q.is_done());
    q.resume();
    CHECK(q.is_done());
}

TEST_CASE("a process that never ends gives back what it holds when it is destroyed")
{
    auto const held = std::make_shared<int>(0);
    {
        search_process p = hold(held);
        p.resume();
        p.resume();
        CHECK(*held == 2);
        CHECK(held.use_count() == 2);
        int counter = 0;
        p = count_to(counter, 1);
    }
    CHECK(held.use_count() == 1);
}

TEST_CASE("what the body throws reaches the caller, once")
{
    search_process p = fail();
    p.resume();
    CHECK_THROWS_WITH(p.resume(), "broken");
    CHECK(p.is_done());
}

using namespace attune;
using namespace attune::detail;

TEST_CASE("fresh points differ and nobody has seen them")
{
    trials t(search_spaces::grid(10), 1);
    for (std::uint64_t i = 0; i < 30; ++i)
        t.tell(t.space().at(i), attune::measurement::exact(1));
    std::vector<attune::point> const points = fresh_points(t, 20);
    CHECK(points.size() == 20);
    CHECK(std::unordered_set<attune::point, attune::point_hash>(points.begin(), points.end())
              .size() == 20);
    for (attune::point const& p : points)
        CHECK_FALSE(t.has_seen(p));
}

TEST_CASE("there is at least one fresh point, also when all were seen or none are wanted")
{
    trials t(search_spaces::single(), 1);
    CHECK(fresh_points(t, 5).size() == 1);
    t.tell(t.space().at(std::uint64_t{0}), attune::measurement::exact(1));
    CHECK(fresh_points(t, 5).size() == 1);
    CHECK(fresh_points(t, 0).size() == 1);
}

TEST_CASE("a space that is smaller than the wish is found whole, and not searched for long")
{
    for (std::int64_t const side : {1, 2, 3}) {
        trials t(search_spaces::grid(side), 1);
        CHECK(fresh_points(t, std::size_t{1} << 40).size() ==
              static_cast<std::size_t>(side * side));
    }
}

TEST_CASE("the best of a round is the first of the lowest")
{
    attune::chain_of_trees const space = search_spaces::grid(3);
    std::vector<attune::point> const round{space.at(std::uint64_t{4}), space.at(std::uint64_t{1}),
                                           space.at(std::uint64_t{2})};
    CHECK(best_of(round, std::vector<double>{5, 2, 2}).where == round[1]);
    CHECK(best_of(round, std::vector<double>{failed_value, failed_value, failed_value}).value ==
          failed_value);
}

TEST_CASE("the best ones ascend, equals in the order in which they came, and the worst drop out")
{
    std::vector<valued_point> best;
    std::uint32_t order = 0;
    for (double const value : {5.0, 2.0, failed_value, 2.0, 9.0, 1.0})
        keep_best(best, {{{order++, 0}}, value}, 4);
    std::vector<std::uint32_t> came;
    for (valued_point const& t : best)
        came.push_back(t.where[0].index);
    CHECK(came == std::vector<std::uint32_t>{5, 1, 3, 0});
}
