// tests/search/compose/aging_evolution.cpp : mirrors include/attune/search/compose/aging_evolution.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/aging_evolution.hpp>

#include <attune/declare/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace search = attune::search;
using attune::point;
using attune::regularized_evolution;

namespace {

/// So wide that two random configurations differ in more than one parameter: twelve parameters of
/// thirty values.
attune::chain_of_trees wide()
{
    attune::description d;
    for (int i = 0; i < 12; ++i)
        d.parameters.push_back(search_spaces::counting("p" + std::to_string(i), 30));
    return attune::chain_of_trees(d);
}

std::size_t differing(point const& a, point const& b)
{
    std::size_t out = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        out += a[i] != b[i] ? 1U : 0U;
    return out;
}

struct individual {
    point where;
    double value;
};

/// Algorithm 1 of the paper, naively: a queue of the living, whose front is the oldest.
class naive_aging {
public:
    explicit naive_aging(std::size_t population)
        : population_(population)
    {
    }
    void add(point const& p, double value)
    {
        alive_.push_back({p, value});
        if (alive_.size() > population_) alive_.pop_front();
    }
    [[nodiscard]] bool is_full() const { return alive_.size() == population_; }
    [[nodiscard]] individual const& best() const
    {
        return *std::min_element(alive_.begin(), alive_.end(),
                                 [](auto const& a, auto const& b) { return a.value < b.value; });
    }
    [[nodiscard]] std::size_t parents_of(point const& child) const
    {
        return static_cast<std::size_t>(
            std::count_if(alive_.begin(), alive_.end(),
                          [&](individual const& one) { return differing(one.where, child) == 1; }));
    }

private:
    std::size_t population_;
    std::deque<individual> alive_;
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, regularized_evolution);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, regularized_evolution);

TEST_CASE("each child is one mutation away from the best of those alive, as a queue has it")
{
    // A tournament of 400 among 6 misses the best with probability (5/6)^400 < 1e-31.
    constexpr std::size_t population = 6;
    attune::chain_of_trees const space = wide();
    // By the order of evaluation alone: only worse ones, so that each best one dies of age; only
    // better ones; and up and down, with failures.
    using script = double (*)(std::size_t);
    script const scripts[] = {[](std::size_t n) { return double(n); },
                              [](std::size_t n) { return -double(n); },
                              [](std::size_t n) { return double(n * n * 37 % 101); }};
    for (script const value : scripts) {
        regularized_evolution s(space, 3, search::aging_evolution{population, 400});
        naive_aging second(population);
        std::set<std::vector<std::uint32_t>> winners;
        for (std::size_t n = 0; n < 120; ++n) {
            point const p = s.ask(1).front();
            if (second.is_full()) {
                REQUIRE(differing(second.best().where, p) == 1);
                std::vector<std::uint32_t> key;
                for (auto const& c : second.best().where)
                    key.push_back(c.index);
                winners.insert(key);
            }
            double const v = value(n);
            s.tell(p, attune::measurement::exact(v));
            second.add(p, v);
        }
        CHECK(winners.size() > 20); // nobody is a parent for ever
    }
}

TEST_CASE("without a tournament, parents are any of those alive, and none that died")
{
    constexpr std::size_t population = 8;
    regularized_evolution s(wide(), 5, search::aging_evolution{population, 1});
    naive_aging second(population);
    std::size_t children_of_worse = 0;
    for (std::size_t n = 0; n < 200; ++n) {
        point const p = s.ask(1).front();
        if (second.is_full()) {
            REQUIRE(second.parents_of(p) >= 1);
            children_of_worse += differing(second.best().where, p) == 1 ? 0U : 1U;
        }
        double const v = static_cast<double>(n % 10);
        // A failure is as bad as can be, and alive all the same.
        if (n % 7 == 0)
            s.tell(p, attune::failure{attune::failure_stage::crash, "scripted"});
        else
            s.tell(p, attune::measurement::exact(v));
        second.add(p, n % 7 == 0 ? attune::failed_value : v);
    }
    CHECK(children_of_worse > 100);
}

TEST_CASE("one mutation of a permutation swaps two items")
{
    attune::chain_of_trees const space =
        search_spaces::space_of({search_spaces::permutation("order", 6)});
    auto const swapped = [&](point const& a, point const& b) {
        auto const x = attune::elements_at(space.describe().parameters[0], a[0].index);
        auto const y = attune::elements_at(space.describe().parameters[0], b[0].index);
        std::size_t out = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            out += x[i] != y[i] ? 1U : 0U;
        return out == 2;
    };
    regularized_evolution s(space, 4, search::aging_evolution{3, 1});
    std::deque<point> alive;
    for (int n = 0; n < 60; ++n) {
        point const p = s.ask(1).front();
        if (alive.size() == 3) {
            CHECK(std::any_of(alive.begin(), alive.end(),
                              [&](point const& q) { return swapped(q, p); }));
            alive.pop_front();
        }
        alive.push_back(p);
        s.tell(p, attune::measurement::exact(n));
    }
}

TEST_CASE("the winner of a tournament is the best of the members drawn, with replacement")
{
    search::population_state all;
    for (std::uint32_t i = 0; i < 9; ++i)
        all.members.push_back({{{i, 0}}, double((i * 5) % 9), {{i, 0}}, double((i * 5) % 9)});
    attune::random_engine engine(7);
    attune::random_engine twin(7);
    search::aging_evolution const base{9, 4};
    std::set<point const*> seen;
    for (int round = 0; round < 300; ++round) {
        std::size_t best = 0;
        for (int k = 0; k < 4; ++k) {
            std::size_t const i = attune::uniform_below(twin, 9);
            if (k == 0 || all.members[i].value < all.members[best].value) best = i;
        }
        auto const parents = base.parents(all, 0, engine);
        REQUIRE(parents.size() == search::aging_evolution::promise);
        REQUIRE(parents.front() == &all.members[best].where);
        seen.insert(parents.front());
    }
    CHECK(seen.size() >= 5); // the four worst need their equals in every draw
    base.update(all, 2, {{{77, 0}}, 1e9});
    CHECK(all.members[2].where.front().index == 77); // however bad the child, the oldest dies
    CHECK(all.members[2].value == 1e9);
}
