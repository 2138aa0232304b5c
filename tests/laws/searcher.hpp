// tests/laws/searcher.hpp : what every model of `searcher` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/search/searcher.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <unordered_set>
#include <vector>

#include "../support/search_spaces.hpp"

namespace searcher_law {

using point_set = std::unordered_set<attune::point, attune::point_hash>;

template <class S>
S make(attune::chain_of_trees const& space, std::uint64_t seed)
{
    if constexpr (std::constructible_from<S, attune::chain_of_trees, std::uint64_t>)
        return S(space, seed);
    else
        return S(space);
}

/// A smooth valley, or a failure where the first two indices are equal.
inline attune::outcome judge(attune::point const& p)
{
    if (p[0].index == p[1].index) return attune::failure{attune::failure_stage::crash, "diagonal"};
    double const a = static_cast<double>(p[0].index) - 1;
    double const b = static_cast<double>(p[1].index) - 3;
    return attune::measurement::exact(1 + a * a + b * b);
}

inline attune::outcome fail(attune::point const&)
{
    return attune::failure{attune::failure_stage::compile, "never works"};
}

/// The one point that a searcher asks for.
template <class S>
attune::point asked_of(S& s)
{
    std::vector<attune::point> const asked = s.ask(1);
    REQUIRE(asked.size() == 1);
    return asked.front();
}

/// Asks `batch` points at a time until none come, and returns them all.
template <class S, class Judge>
std::vector<attune::point> drive(S& s, std::size_t batch, Judge const& judge_point)
{
    std::vector<attune::point> all;
    for (;;) {
        std::vector<attune::point> const asked = s.ask(batch);
        if (asked.empty()) return all;
        CHECK(asked.size() <= batch);
        for (attune::point const& p : asked) {
            all.push_back(p);
            s.tell(p, judge_point(p));
        }
        REQUIRE(all.size() < 1000); // an endless search would hang the test
    }
}

} // namespace searcher_law

TEST_CASE_TEMPLATE_DEFINE("a searcher obeys the laws", S, searcher_laws)
{
    using namespace searcher_law;
    static_assert(attune::searcher<S>);
    attune::chain_of_trees const space = search_spaces::constrained();

    auto const asks_each_once = [](S& s, attune::chain_of_trees const& of, std::size_t batch) {
        std::vector<attune::point> const all = drive(s, batch, judge);
        CHECK(point_set(all.begin(), all.end()).size() == all.size());
        CHECK(all.size() == static_cast<std::size_t>(*of.size()));
        for (attune::point const& p : all)
            CHECK(of.contains(p));
        return all;
    };

    SUBCASE("it asks every point of a finite space once, none outside, then stays empty")
    {
        for (std::size_t const batch : {std::size_t{1}, std::size_t{5}}) {
            S s = make<S>(space, 1);
            std::vector<attune::point> const all = asks_each_once(s, space, batch);
            CHECK(s.ask(1).empty());
            s.tell(all.front(), judge(all.front()));
            CHECK(s.ask(7).empty());
        }
    }
    SUBCASE("it survives that everything fails")
    {
        S s = make<S>(space, 2);
        CHECK(drive(s, 1, fail).size() == static_cast<std::size_t>(*space.size()));
    }
    SUBCASE("the same seed and the same outcomes give the same sequence")
    {
        S a = make<S>(space, 3);
        S b = make<S>(space, 3);
        CHECK(drive(a, 2, judge) == drive(b, 2, judge));
    }
    SUBCASE("it gives distinct points when nothing is told in between")
    {
        S s = make<S>(space, 4);
        point_set seen;
        for (int round = 0; round < 3; ++round) {
            std::vector<attune::point> const asked = s.ask(6);
            CHECK(asked.size() == 6);
            for (attune::point const& p : asked)
                CHECK(seen.insert(p).second);
        }
    }
    SUBCASE("asking for none gives none and does not end the search")
    {
        S s = make<S>(space, 5);
        CHECK(s.ask(0).empty());
        CHECK(s.ask(1).size() == 1);
    }
    SUBCASE("points it never asked may be told and are not asked afterwards")
    {
        S s = make<S>(space, 6);
        attune::point const known = space.at(std::uint64_t{0});
        attune::point const broken = space.at(std::uint64_t{1});
        s.tell(known, judge(known));
        s.tell(broken, fail(broken));
        s.tell(known, judge(known));
        for (attune::point const& p : drive(s, 3, judge)) {
            CHECK(p != known);
            CHECK(p != broken);
        }
    }
    SUBCASE("outcomes may arrive late and in another order")
    {
        S s = make<S>(space, 7);
        std::vector<attune::point> const first = s.ask(4);
        std::vector<attune::point> const second = s.ask(4);
        for (std::size_t i = second.size(); i-- > 0;)
            s.tell(second[i], judge(second[i]));
        for (std::size_t i = first.size(); i-- > 0;)
            s.tell(first[i], judge(first[i]));
        CHECK(drive(s, 1, judge).size() + 8 == static_cast<std::size_t>(*space.size()));
    }
    SUBCASE("a space of one point has one answer")
    {
        S s = make<S>(search_spaces::single(), 8);
        CHECK(s.ask(3).size() == 1);
        CHECK(s.ask(1).empty());
    }
    SUBCASE("what an inactive parameter could be makes no second and no invalid configuration")
    {
        attune::chain_of_trees const designs = search_spaces::conditional();
        for (std::size_t const batch : {std::size_t{1}, std::size_t{4}}) {
            S s = make<S>(designs, 10);
            (void)asks_each_once(s, designs, batch);
        }
    }
    SUBCASE("it serves as any_searcher")
    {
        if constexpr (std::move_constructible<S>) {
            attune::any_searcher s = make<S>(space, 9);
            CHECK(drive(s, 2, judge).size() == static_cast<std::size_t>(*space.size()));
        }
    }
}
