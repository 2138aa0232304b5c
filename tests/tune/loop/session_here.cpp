// tests/tune/loop/session_here.cpp - the steps of a session in this process.
// SPDX-License-Identifier: MIT
#include <attune/search/random.hpp>
#include <attune/tune/loop/detail/session_outcomes.hpp>

#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/pruned_grid.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::measurement;
using attune::point;
using attune::search_limits;
using attune::detail::trial;

namespace {

double seconds_of(std::size_t i) { return 20 + static_cast<double>(i); }

/// A session that has evaluated its default. Nothing runs: times are scripted.
struct bench : pruned_grid {
    std::array<char, 100> entries{};
    time_script times{};
    attune::detail::run_state state;
    attune::detail::interrupt_guard interrupt{};
    attune::detail::session_limits limits;
    attune::detail::candidate_pruning verdicts;
    attune::detail::session_log events;
    attune::detail::trial_runner runner;
    attune::detail::variant_pipeline supply;
    attune::detail::session_space searched;
    std::vector<std::pair<point, double>> recorded{};
    attune::detail::session_here of;

    explicit bench(search_limits const& most = {}, bool prunes = false)
        : state("k", most, 100, {})
        , limits({state, interrupt, nullptr, [] { return 0.0; },
                  [] { return std::optional<double>{}; }, [](std::string const&) {}})
        , verdicts((prepare(prunes), pruning()))
        , events(problem, options)
        , runner(problem, options)
        , supply(problem, attune::exhaustive_searcher{space})
        , searched(verdicts, supply, {}, {}, [this] { return limits.may_begin(); })
        , of({state, limits, runner, events, supply, searched,
              [this](point const& at, trial const& tried) { record(at, tried); }})
    {
        trial const standard = runner.establish_reference(supply.compile(space.at(0)));
        supply.tell(space.at(0), standard.result);
        state.add(space.at(0), standard.result, "");
        searched.measured(space.at(0), std::get<measurement>(standard.result));
        begun = 0;
    }
    void prepare(bool prunes)
    {
        for (std::size_t i = 0; i < 100; ++i)
            times.seconds[&entries[i]] = seconds_of(i);
        options.search.prune = prunes;
        options.measuring.make_bench = timed_by(times);
        on_compile = [this](attune::compile_request const& v) -> attune::compile_result {
            std::size_t const i =
                10 * std::stoul(v.macros[0].value) + std::stoul(v.macros[1].value);
            return attune::callable{&entries[i], std::make_shared<int>(0), std::to_string(i), 0.001,
                                    "scripted"};
        };
    }
    void record(point const& at, trial const& tried)
    {
        auto const* const m = std::get_if<measurement>(&tried.result);
        recorded.emplace_back(at, m != nullptr ? m->value : -1);
        supply.tell(at, tried.result);
        state.add(at, tried.result, "");
    }
};

} // namespace

TEST_CASE("all of a space is tried, each configuration once, with its own time")
{
    bench b;
    while (b.of.step())
        CHECK(!b.of.is_exhausted());
    CHECK(b.of.is_exhausted());
    REQUIRE(b.recorded.size() == 99); // the default was told before
    for (std::size_t i = 0; i < 99; ++i) {
        CHECK(b.recorded[i].first == b.space.at(i + 1));
        CHECK(b.recorded[i].second == seconds_of(i + 1));
    }
    CHECK(b.begun == 99);
    CHECK(!b.of.step());
    CHECK(b.recorded.size() == 99);
}

TEST_CASE("the evaluations and seconds that are left are kept to, and a rule ends it")
{
    bench few{{.evaluations = 8}};
    while (few.of.step()) {
    }
    CHECK(few.recorded.size() == 7);
    CHECK(few.begun == 7);
    CHECK(!few.of.is_exhausted());

    bench late{{.seconds = 100}};
    REQUIRE(late.of.step());
    late.limits.note_step(40);
    late.state.count_earlier(70);
    CHECK(!late.of.step());
    CHECK(late.recorded.size() == 1);

    bench patient{{.patience = 3}};
    while (patient.of.step()) {
    }
    CHECK(patient.recorded.size() == 3); // each slower than the default
    CHECK(patient.limits.has_met_rule());
}

TEST_CASE("the longest step is noted")
{
    bench b;
    b.on_compile = [&, made = b.on_compile](attune::compile_request const& v) {
        b.state.count_earlier(v.macros[1].value == "2" ? 90 : 30); // so long it takes
        return made(v);
    };
    for (int i = 0; i < 4; ++i)
        REQUIRE(b.of.step());
    CHECK(b.limits.longest_step_s() >= 90);
    CHECK(b.limits.longest_step_s() < 120);
}

TEST_CASE("a configuration that no search proposed is compiled and tried")
{
    bench b;
    b.of.try_one(b.at(7, 7));
    REQUIRE(b.recorded.size() == 1);
    CHECK(b.recorded[0].first == b.at(7, 7));
    CHECK(b.recorded[0].second == seconds_of(77));
    CHECK(b.begun == 1);
}
