// tests/tune/loop/session_elsewhere.cpp - what a session gives to other processes, and takes from them.
// SPDX-License-Identifier: MIT
#include <attune/search/random.hpp>
#include <attune/tune/loop/detail/session_outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../support/pruned_grid.hpp"
#include "../../support/scripted_others.hpp"

using namespace attune_test;
using attune::measurement;
using attune::point;
using attune::search_limits;
using attune::detail::session_elsewhere;
using attune::detail::tried_variant;

namespace {

double seconds_of(point const& p) { return 10 + bound_of(p); }

tried_variant tried(point const& at)
{
    return {.at = at, .made = {.result = measurement::exact(seconds_of(at))}};
}

/// Has nothing to propose until it was told of all that it proposed.
struct waiting_search {
    attune::any_searcher inner;
    std::size_t* asked;
    std::size_t open = 0;

    std::vector<point> ask(std::size_t k)
    {
        ++*asked;
        if (open > 0) return {};
        std::vector<point> out = inner.ask(std::min<std::size_t>(k, 2));
        open = out.size();
        return out;
    }
    void tell(point const& p, attune::outcome const& o)
    {
        open -= open > 0 ? 1U : 0U;
        inner.tell(p, o);
    }
};

/// A session that has evaluated its default.
struct bench : pruned_grid {
    scripted_others others;
    attune::detail::run_state state;
    attune::detail::interrupt_guard interrupt{};
    attune::detail::session_limits limits;
    attune::detail::candidate_pruning verdicts;
    attune::detail::variant_pipeline supply;
    attune::detail::session_space searched;
    std::vector<point> recorded{};
    double final_s = 0;
    session_elsewhere of;

    explicit bench(
        std::size_t places, search_limits const& most = {},
        attune::search_factory const& make = attune::search_with<attune::exhaustive_searcher>())
        : others(places, tried)
        , state("k", most, 100, {})
        , limits({state, interrupt, &others, [this] { return final_s; },
                  [] { return std::optional<double>{}; }, [](std::string const&) {}})
        , verdicts((options.search.prune = false, pruning()))
        , supply(problem, make(space, 1))
        , searched(verdicts, supply, {}, {}, [] { return true; })
        , of({others, state, limits, supply, searched, [this](tried_variant const& one) {
                  recorded.push_back(one.at);
                  supply.tell(one.at, one.made.result);
                  state.add(one.at, one.made.result, "");
              }})
    {
        state.add(space.at(0), tried(space.at(0)).made.result, "");
        supply.tell(space.at(0), tried(space.at(0)).made.result);
    }
};

} // namespace

TEST_CASE("all of a space is given away, each configuration once, to every place that is free")
{
    for (std::size_t const places : {1U, 3U, 200U}) {
        bench b{places};
        CHECK(b.of.has_place());
        while (b.of.step())
            CHECK(!b.of.is_exhausted());
        CHECK(b.of.is_exhausted());
        CHECK(b.of.given() == 0);
        CHECK(b.recorded == b.others.submitted); // in the order of arrival
        std::set<std::string> different;
        for (point const& p : b.recorded)
            different.insert(shown(p));
        CHECK(different.size() == 99); // the default was told before
        CHECK(b.others.most_under_way == std::min<std::size_t>(places, 99));
        CHECK(b.begun == 0); // nothing is compiled here
    }
}

TEST_CASE("no more are given than evaluations are left, and all of them are waited for")
{
    bench b{4, {.evaluations = 10}};
    while (b.of.step()) {
    }
    CHECK(b.others.submitted.size() == 9);
    CHECK(b.recorded.size() == 9);
    CHECK(!b.of.is_exhausted());
}

TEST_CASE("what nobody gave away is not taken, and what was cut short is not recorded")
{
    bench b{2};
    b.others.unasked.push_back(tried(b.at(9, 9)));
    b.others.try_it = [&](point const& at) {
        tried_variant out = tried(at);
        out.made.is_cut = at == b.at(0, 1);
        return out;
    };
    for (int i = 0; i < 5; ++i)
        REQUIRE(b.of.step());
    CHECK(b.others.submitted.size() >= 5);
    CHECK(std::count(b.others.submitted.begin(), b.others.submitted.end(), b.at(0, 1)) == 1);
    CHECK(std::count(b.recorded.begin(), b.recorded.end(), b.at(0, 1)) == 0);
    CHECK(std::count(b.recorded.begin(), b.recorded.end(), b.at(9, 9)) == 0);
    CHECK(b.recorded.size() == 4);
}

TEST_CASE("a search that has nothing to propose is asked again when an outcome has arrived")
{
    std::size_t asked = 0;
    bench b{3, {}, [&](attune::chain_of_trees const& space, std::uint64_t) {
                return attune::any_searcher{waiting_search{
                    attune::any_searcher{attune::exhaustive_searcher{space}}, &asked}};
            }};
    std::size_t steps = 0;
    while (b.of.step())
        ++steps;
    CHECK(b.recorded.size() == 99);
    CHECK(b.others.most_under_way == 2);
    CHECK(asked <= 2 * steps + 3);
    std::size_t const before = asked;
    CHECK(!b.of.step());
    CHECK(asked == before); // it knows no more
}

TEST_CASE("without a place what has arrived is taken, and nothing is given")
{
    bench b{2};
    REQUIRE(b.of.step());
    CHECK(b.of.given() == 1);
    b.others.places = 0;
    CHECK(!b.of.has_place());
    CHECK(b.others.waits_s.back() == 0);
    CHECK(b.of.given() == 0);
    CHECK(b.recorded.size() == 2);
    CHECK(b.others.submitted.size() == 2);
}

TEST_CASE("Ctrl-C elsewhere ends it, without a wait for what is under way")
{
    bench b{2};
    REQUIRE(b.of.step());
    b.others.is_stopped = true;
    std::size_t const waits = b.others.waits_s.size();
    CHECK(!b.of.step());
    CHECK(b.others.waits_s.size() == waits);
    CHECK(b.others.submitted.size() == 2);
    CHECK(!b.of.is_exhausted());
}

TEST_CASE("where two steps and the final do not fit any more, what is under way is waited for")
{
    bench b{2, {.seconds = 1'000}};
    REQUIRE(b.of.step());
    b.limits.note_step(100);
    b.state.count_earlier(500);
    b.final_s = 350; // 850 s, and one step of 100
    REQUIRE(b.of.given() == 1);
    CHECK(b.of.step());
    CHECK(b.others.submitted.size() == 2);
    CHECK(b.recorded.size() == 2);
    CHECK(!b.of.step()); // nothing is under way
    b.others.under_way.push_back(tried(b.at(5, 5)));
    b.final_s = 450; // no step fits
    CHECK(!b.of.step());
    CHECK(b.others.under_way.size() == 1);
}

TEST_CASE("a step lasts as long as the longest evaluation, from when it was given away")
{
    bench b{1};
    std::vector<double> const lasting_s{30, 70, 50};
    for (double const s : lasting_s) {
        b.others.while_waiting = [&] { b.state.count_earlier(s); };
        REQUIRE(b.of.step());
    }
    CHECK(b.limits.longest_step_s() >= 70);
    CHECK(b.limits.longest_step_s() < 100);
}
