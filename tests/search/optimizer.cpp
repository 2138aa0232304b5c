// tests/search/optimizer.cpp - ask and tell with typed configurations.
// SPDX-License-Identifier: MIT
#include <attune/search/optimizer.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/random.hpp>
#include <attune/search/search_limits.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/search_spaces.hpp"
#include "../support/texts.hpp"

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;
using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto x = attune::ordinal<"X">(attune::range(0, 5));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 5));
constexpr auto space = attune::space(x, y).where(x + y <= 6);
constexpr auto started = attune::space(x.with_default(3), y.with_default(2)).where(x + y <= 6);
constexpr int valid_points = 36 - 10; // x + y in 7..10: 4 + 3 + 2 + 1

attune::optimizer_options walking()
{
    return {.search = attune::search_with<attune::exhaustive_searcher>()};
}
attune::optimizer_options drawing(std::uint64_t seed)
{
    return {.seed = seed, .search = attune::search_with<attune::random_searcher>()};
}

template <class Config>
std::pair<int, int> pair_of(Config const& c)
{
    return {c[x], c[y]};
}

template <class Optimizer>
std::vector<std::pair<int, int>> walk(Optimizer& opt, int count)
{
    std::vector<std::pair<int, int>> out;
    for (int i = 0; i < count; ++i) {
        auto const c = opt.ask();
        if (!c) break;
        out.push_back(pair_of(*c));
        int const dx = (*c)[x] - 4;
        int const dy = (*c)[y] - 1;
        opt.tell(*c, static_cast<double>(dx * dx + dy * dy));
    }
    return out;
}

} // namespace

TEST_CASE("the default configuration is asked first and once")
{
    for (attune::optimizer_options const& options :
         {walking(), drawing(7), attune::optimizer_options{}}) {
        attune::optimizer opt{started, options};
        auto const asked = walk(opt, valid_points + 5);
        REQUIRE(!asked.empty());
        CHECK(asked.front() == std::pair{3, 2});
        std::set<std::pair<int, int>> const different(asked.begin(), asked.end());
        CHECK(different.size() == asked.size());
        CHECK(asked.size() == valid_points);
    }
}

TEST_CASE("a batch begins with the default too and does not repeat it")
{
    attune::optimizer opt{started, walking()};
    auto const batch = opt.ask(100);
    REQUIRE(batch.size() == valid_points);
    CHECK(pair_of(batch.front()) == std::pair{3, 2});
    std::set<std::pair<int, int>> different;
    for (auto const& c : batch)
        different.insert(pair_of(c));
    CHECK(different.size() == valid_points);
}

TEST_CASE("when a parameter has no default the searcher begins")
{
    attune::optimizer opt{attune::space(x.with_default(5), y), walking()};
    auto const first = opt.ask();
    REQUIRE(first);
    CHECK(pair_of(*first) == std::pair{0, 0});
}

TEST_CASE("the same seed and the same outcomes give the same run, another seed another one")
{
    for (bool const bayesian : {false, true}) {
        auto const run = [&](std::uint64_t seed) {
            attune::optimizer opt{space, bayesian ? attune::optimizer_options{.seed = seed}
                                                  : drawing(seed)};
            return walk(opt, 14);
        };
        CHECK(run(1) == run(1));
        CHECK(run(1) != run(2));
    }
}

TEST_CASE("ask(k) gives k different configurations that keep the constraints")
{
    attune::optimizer opt{space, {.seed = 3}};
    std::set<std::pair<int, int>> different;
    for (int round = 0; round < 3; ++round) {
        auto const batch = opt.ask(4);
        CHECK(batch.size() == 4);
        for (auto const& c : batch) {
            CHECK(c[x] + c[y] <= 6);
            different.insert(pair_of(c));
            opt.tell(c, static_cast<double>(c[x]));
        }
    }
    CHECK(different.size() == 12);
    CHECK(opt.ask(0).empty());
}

TEST_CASE("an exhausted space gives nothing, and stays so")
{
    attune::optimizer opt{space, walking()};
    CHECK(walk(opt, 1000).size() == valid_points);
    CHECK(!opt.ask());
    CHECK(opt.ask(3).empty());
}

TEST_CASE("the best is the lowest value told, whatever the order")
{
    attune::optimizer opt{space, walking()};
    CHECK(!opt.best());
    CHECK(!opt.best_value());
    auto const batch = opt.ask(4);
    REQUIRE(batch.size() == 4);
    opt.tell(batch[2], 5.0);
    opt.tell(batch[0], failure{failure_stage::crash, "boom"});
    opt.tell(batch[1], 2.0);
    opt.tell(batch[3], 9.0);
    REQUIRE(opt.best());
    CHECK(*opt.best() == batch[1]);
    CHECK(*opt.best_value() == 2.0);
    walk(opt, 1000);
    CHECK(pair_of(*opt.best()) == std::pair{4, 1});
}

TEST_CASE("what is infinite is a failure, never the best")
{
    double const infinite = std::numeric_limits<double>::infinity();
    attune::optimizer opt{space, {.search = walking().search, .times = false}};
    auto const batch = opt.ask(4);
    opt.tell(batch[0], infinite);
    opt.tell(batch[1], -infinite);
    opt.tell(batch[2], outcome{measurement::exact(-infinite)});
    CHECK(!opt.best());
    CHECK(has(opt.summary(), "no configuration worked yet"));
    opt.tell(batch[3], 3.0);
    REQUIRE(opt.best_value());
    CHECK(*opt.best_value() == 3.0);
    CHECK(has(opt.summary(), "4 evaluations, 3 failed; best 3 at X=0 Y=3"));
}

namespace {

/// The message of the error that `act` ends with; fails when there is none.
template <class Act>
std::string refusal(Act const& act)
{
    try {
        act();
    } catch (attune::error const& e) {
        CHECK(!e.next().empty());
        return e.what();
    }
    FAIL("no error");
    return {};
}

using config = attune::optimizer<std::remove_const_t<decltype(space)>>::config_type;

} // namespace

TEST_CASE("what cannot be right is refused and named")
{
    attune::optimizer opt{space, walking()};
    auto const batch = opt.ask(3);
    for (config const outside : {config{5, 5}, config{77, 0}}) {
        CHECK(has(refusal([&] { opt.tell(outside, 0.5); }), "not in the space"));
        CHECK(has(refusal([&] { opt.observe(outside, 0.5); }), "not in the space"));
    }
    CHECK(has(refusal([&] { opt.tell(config{5, 5}, 0.5); }), "X + Y <= 6"));
    CHECK(has(refusal([&] { opt.tell(batch[1], std::nan("")); }), "not a number"));
    CHECK(has(refusal([&] { opt.tell(batch[1], -2.5); }), "negative"));
    CHECK(has(refusal([&] { opt.tell(batch[1], -2.5); }), "X=0 Y=1"));
    CHECK(has(refusal([&] { opt.tell(config{4, 1}, 1.0); }), "never asked"));
    opt.tell(batch[1], 2.0);
    CHECK(has(refusal([&] { opt.tell(batch[1], 2.0); }), "told before"));
    CHECK(*opt.best_value() == 2.0);
    CHECK(has(opt.summary(), "1 evaluation, 0 failed"));
}

TEST_CASE("negative values are welcome where they are no times")
{
    attune::optimizer opt{space, {.search = walking().search, .times = false}};
    auto const first = opt.ask();
    REQUIRE(first);
    opt.tell(*first, -2.5);
    CHECK(*opt.best_value() == -2.5);
}

TEST_CASE("what is known from elsewhere may be observed, and is not asked then")
{
    attune::optimizer opt{space, walking()};
    opt.observe(config{0, 0}, 1.5);
    CHECK(*opt.best_value() == 1.5);
    opt.observe(config{0, 0}, 1.25); // better known now
    CHECK(*opt.best_value() == 1.25);
    auto const next = opt.ask();
    REQUIRE(next);
    CHECK(pair_of(*next) != std::pair{0, 0});
    opt.observe(*next, failure{failure_stage::crash, "elsewhere too"});
    CHECK(has(refusal([&] { opt.tell(*next, 1.0); }), "told before"));
}

TEST_CASE("ask() gives nothing once a limit is reached, and says why")
{
    attune::optimizer opt{
        space, {.search = walking().search, .limits = {.evaluations = 7, .target = 0.0}}};
    CHECK(opt.ask(5).size() == 5);
    CHECK(opt.ask(5).size() == 2); // seven in all
    CHECK(opt.ask(5).empty());     // the seven may yet be told
    CHECK(!opt.stopped());
    for (int i = 0; i < 6; ++i)
        opt.tell(config{0, i}, 1.0 + i);
    opt.tell(config{1, 0}, 3.0);
    CHECK(!opt.ask());
    REQUIRE(opt.stopped());
    CHECK(opt.stopped()->reason == attune::stop_reason::evaluations);
    CHECK(has(opt.summary(), "7 evaluations are done"));
    attune::optimizer all{space, walking()};
    CHECK(walk(all, 1000).size() == valid_points);
    CHECK(all.stopped()->reason == attune::stop_reason::exhausted);
}

namespace {

bool same_result(outcome const& a, outcome const& b)
{
    auto const* const time = std::get_if<measurement>(&a);
    auto const* const other_time = std::get_if<measurement>(&b);
    if (time != nullptr && other_time != nullptr)
        return time->value == other_time->value && time->samples == other_time->samples;
    auto const* const failed = std::get_if<failure>(&a);
    auto const* const other = std::get_if<failure>(&b);
    return failed != nullptr && other != nullptr && failed->stage == other->stage &&
           failed->reason == other->reason && failed->log == other->log;
}

bool same_calls(attune::logged_session const& a, attune::logged_session const& b)
{
    auto const same = [](attune::event const& e, attune::event const& f) {
        return e.kind == f.kind && e.points == f.points && e.wanted == f.wanted &&
               e.result.has_value() == f.result.has_value() &&
               (!e.result || same_result(*e.result, *f.result));
    };
    return a.key == b.key && a.seed == b.seed &&
           std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same);
}

} // namespace

TEST_CASE("a saved run goes on as if it had not been interrupted")
{
    auto const cost = [](config const& c) { return 1.0 + c[x] * c[x] / 3.0 + 0.7 * c[y]; };
    attune::optimizer first{space, {.seed = 5}};
    for (int i = 0; i < 12; ++i) {
        auto const c = first.ask();
        if ((*c)[x] == 2)
            first.tell(*c, failure{failure_stage::compile, "line one\nline two", "a\tlog"});
        else
            first.tell(*c, cost(*c));
    }
    auto const waiting = first.ask(2);
    first.observe(config{5, 1}, 3.25);
    attune::logged_session const saved = first.save();
    attune::optimizer second{space, {.seed = 5}};
    second.resume(saved);
    CHECK(same_calls(second.save(), saved));
    CHECK(second.best() == first.best());
    for (auto const& c : waiting) {
        first.tell(c, cost(c));
        second.tell(c, cost(c));
    }
    for (int i = 0; i < 8; ++i) {
        auto const a = first.ask();
        auto const b = second.ask();
        REQUIRE(a);
        CHECK(a == b);
        first.tell(*a, cost(*a));
        second.tell(*b, cost(*b));
    }
    CHECK(same_calls(second.save(), first.save()));
}

TEST_CASE("a run is not resumed where it does not belong")
{
    attune::optimizer first{space, {.seed = 5}};
    (void)first.ask(3);
    attune::logged_session const saved = first.save();
    CHECK(has(refusal([&] { first.resume(saved); }), "begun already"));
    attune::optimizer other_seed{space, {.seed = 6}};
    CHECK(has(refusal([&] { other_seed.resume(saved); }), "another seed"));
    attune::optimizer other_space{attune::space(x, y), {.seed = 5}};
    CHECK(has(refusal([&] { other_space.resume(saved); }), "another space"));
    attune::optimizer other_searcher{
        space, {.seed = 5, .search = attune::search_with<attune::exhaustive_searcher>()}};
    CHECK(has(refusal([&] { other_searcher.resume(saved); }), "proposes other configurations"));
}

TEST_CASE("a session that no optimizer has written is refused")
{
    attune::optimizer first{space, {.seed = 5}};
    first.tell(*first.ask(), 1.0);
    auto const refused = [&](auto change) {
        attune::logged_session odd = first.save();
        change(odd);
        attune::optimizer fresh{space, {.seed = 5}};
        return refusal([&] { fresh.resume(odd); });
    };
    CHECK(has(refused([](auto& s) { s.damaged = true; }), "cannot be read to its end"));
    CHECK(has(refused([](auto& s) { s.events[1].points.clear(); }), "event 2: nothing was told"));
    CHECK(has(refused([](auto& s) { s.events[1].result.reset(); }), "event 2: nothing was told"));
    CHECK(has(refused([](auto& s) { s.events[1].points[0].pop_back(); }), "not in the space"));
    CHECK(has(refused([](auto& s) { s.events[1].points[0][0].index = 9999; }), "not in the space"));
    CHECK(has(refused([](auto& s) { s.events[0].wanted = 99'999'999'999; }), "too many"));
    CHECK(has(refused([](auto& s) { s.events[1].kind = attune::event_kind::chosen; }),
              "not of an optimizer"));
}

TEST_CASE("inputs are given with the options")
{
    constexpr auto sized = attune::space(x, y).where(x + y <= n);
    attune::optimizer opt{
        sized, {.search = attune::search_with<attune::exhaustive_searcher>(), .inputs = {n(1)}}};
    CHECK(opt.ask(100).size() == 3); // (0,0) (0,1) (1,0)
    CHECK_THROWS_AS(attune::optimizer{sized}, attune::error);
}

TEST_CASE("defaults that break a constraint are refused, and the constraint is named")
{
    constexpr auto bad = attune::space(x.with_default(5), y.with_default(4)).where(x + y <= 6);
    std::string const said = error_of([&] { attune::optimizer opt{bad, walking()}; });
    CHECK(has(said, "X + Y <= 6"));
    CHECK(has(said, "X=5 Y=4"));
}

TEST_CASE("an optimizer may be moved, and asks on where it was")
{
    attune::optimizer opt{started, walking()};
    (void)opt.ask();
    attune::optimizer moved{std::move(opt)};
    CHECK(moved.ask(100).size() == valid_points - 1);
}

TEST_CASE("inactive parameters may be told with any value, and are asked with one")
{
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 2, 4))
                               .with_default(2)
                               .active_if(design == "packed");
    constexpr auto designs = attune::space(design, width);
    attune::optimizer search{designs, drawing(1)};
    search.observe(decltype(search)::config_type{"plain", 4}, 5.0);
    int asked = 0;
    for (auto next = search.ask(1); !next.empty(); next = search.ask(1)) {
        ++asked;
        CHECK(next[0][design] == "packed"); // the plain one is known
        search.tell(next[0], 10.0 + next[0][width]);
    }
    CHECK(asked == 3);
    CHECK((*search.best())[design] == "plain");
    CHECK((*search.best())[width] == 2);
}

namespace {

attune::detail::optimizer_core make(attune::chain_of_trees const& over,
                                    attune::search_limits const& limits = {})
{
    return {over, attune::search_with<attune::exhaustive_searcher>(), 0, true, limits};
}

} // namespace

TEST_CASE("it waits for what is asked before the evaluations are over")
{
    attune::detail::optimizer_core core = make(search_spaces::grid(4), {.evaluations = 3});
    std::vector<attune::point> const first = core.ask(2);
    REQUIRE(first.size() == 2);
    CHECK(core.ask(2).size() == 1);
    CHECK(core.ask(1).empty());
    CHECK(!core.stopped());
    core.observe(core.space().at(std::uint64_t{9}), attune::measurement::exact(4));
    core.tell(first[0], attune::measurement::exact(5));
    core.tell(first[1], attune::measurement::exact(6));
    CHECK(core.ask(1).empty());
    REQUIRE(core.stopped());
    CHECK(core.stopped()->reason == attune::stop_reason::evaluations);
    CHECK(core.best()->second == 4);
}

TEST_CASE("one valid configuration is asked, told and returned")
{
    attune::detail::optimizer_core core = make(search_spaces::single());
    std::vector<attune::point> const all = core.ask(5);
    REQUIRE(all.size() == 1);
    core.tell(all.front(), attune::measurement::exact(2));
    CHECK(core.ask(1).empty());
    CHECK(core.stopped()->reason == attune::stop_reason::exhausted);
    CHECK(core.best()->first == all.front());
}

TEST_CASE("when everything fails it explores to the end and says so")
{
    attune::detail::optimizer_core core(search_spaces::constrained(),
                                        attune::search_with<attune::search::automatic>(), 3, true,
                                        {});
    int asked = 0;
    for (std::vector<attune::point> next = core.ask(1); !next.empty(); next = core.ask(1)) {
        ++asked;
        core.tell(next.front(), attune::failure{attune::failure_stage::compile, "no"});
    }
    CHECK(asked == 36);
    CHECK(!core.best());
    CHECK(core.stopped()->text == "all 36 configurations were tried, and none of them worked");
}

TEST_CASE("the expected gain ends a search that has nothing left to find, and is reported")
{
    attune::detail::optimizer_core core(search_spaces::grid(20),
                                        attune::search_with<attune::search::automatic>(), 1, true,
                                        {.expected_gain = 0.005});
    int asked = 0;
    for (std::vector<attune::point> next = core.ask(1); !next.empty(); next = core.ask(1)) {
        ++asked;
        double const right = next.front()[0].index - 12.0;
        double const up = next.front()[1].index - 5.0;
        core.tell(next.front(), attune::measurement::exact(10 + right * right + up * up));
    }
    CHECK(asked < 100);
    CHECK(core.best()->second < 10.1);
    REQUIRE(core.expected_gain());
    CHECK(*core.expected_gain() < 0.005);
    CHECK(core.stopped()->reason == attune::stop_reason::expected_gain);
}

TEST_CASE("a point that has no place in the space is refused")
{
    attune::detail::optimizer_core core = make(search_spaces::grid(4));
    CHECK_THROWS_AS(core.tell(std::nullopt, attune::measurement::exact(1)), attune::error);
    CHECK_THROWS_AS(core.observe(attune::point{}, attune::measurement::exact(1)), attune::error);
}
