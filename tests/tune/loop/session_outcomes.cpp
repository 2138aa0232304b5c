// tests/tune/loop/session_outcomes.cpp - who is told of an outcome, and what is kept of it.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/detail/session_outcomes.hpp>

#include <attune/remember/files/event_log.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../support/pruned_grid.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::event_kind;
using attune::failure_stage;
using attune::measurement;
using attune::point;
using attune::detail::known_outcome;
using attune::detail::session_outcomes;
using attune::detail::trial;

namespace {

/// Writes down what it is told.
struct told_search {
    attune::any_searcher inner;
    std::vector<point>* told;

    std::vector<point> ask(std::size_t k) { return inner.ask(k); }
    void tell(point const& p, attune::outcome const& o)
    {
        told->push_back(p);
        inner.tell(p, o);
    }
    std::optional<double> prediction_of(point const&) const { return 0.5; }
    std::string proposer_of(point const&) const { return "model"; }
};

/// All that hears of an outcome. The default takes 100 s.
struct bench : pruned_grid {
    support::scratch_directory directory{};
    std::array<char, 100> entries{};
    time_script times{};
    std::vector<known_outcome> kept{};
    std::vector<point> told{};
    attune::detail::session_memory memory{};
    attune::tuning_report report{};
    attune::detail::run_state state{"k", {}, 100, {}};
    attune::detail::interrupt_guard interrupt{};
    attune::detail::processor_watch processor{};
    attune::detail::kernel_roofline roofline;
    attune::detail::candidate_pruning verdicts;
    attune::detail::session_log events;
    attune::detail::trial_runner runner;
    attune::detail::variant_pipeline supply;
    attune::detail::session_space searched;
    attune::detail::session_final final;
    session_outcomes of;

    bench()
        : roofline((prepare(), problem), options, [](std::string const&) {},
                   [](unsigned threads, double footprint, bool) { // as slow_core()
                       return attune::detail::machine_limits{1, 1, 1, threads, footprint};
                   })
        , verdicts(pruning())
        , events(problem, options)
        , runner(problem, options)
        , supply(problem, told_search{attune::exhaustive_searcher{space}, &told})
        , searched(verdicts, supply, {}, {}, [] { return true; })
        , final({problem, options, state, runner, events, processor, interrupt, report},
                {space.at(0), measurement::exact(100), code(0)})
        , of({problem, options, memory, state, events, supply, verdicts, searched, roofline,
              processor, final})
    {
        memory.keep = [this](known_outcome const& one) { kept.push_back(one); };
    }
    void prepare()
    {
        times.others = 1;
        options.event_log = directory.file("log");
        options.measuring.make_bench = timed_by(times);
        problem.rival = at(3, 3);
    }
    attune::callable code(std::size_t i)
    {
        return {&entries[i], std::make_shared<int>(0), "key " + std::to_string(i), 0.25,
                "scripted"};
    }
    trial worked(std::size_t i, double seconds)
    {
        return {.result = measurement::exact(seconds),
                .code = code(i),
                .first_run_s = 2 * seconds,
                .timing = {.times = {seconds}, .clock = "script"}};
    }
    static trial failed(failure_stage stage)
    {
        return {.result = attune::failure{stage, "it does"}};
    }
    void record_default(bool is_past = false) { of.record_default(worked(0, 100), is_past); }
    /// Of one configuration, as text: kind by kind.
    [[nodiscard]] std::string logged(point const& p) const
    {
        std::ifstream in(options.event_log);
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        std::string out;
        for (attune::event const& e : attune::read_session(text).events) {
            if (e.points.empty() || e.points.front() != p) continue;
            out += e.kind == event_kind::compiled    ? (e.result ? "refused " : "compiled ")
                   : e.kind == event_kind::first_run ? "run "
                   : e.kind == event_kind::sampled   ? "sampled "
                                                     : "other ";
        }
        return out;
    }
};

} // namespace

TEST_CASE("an outcome goes to the search, the memory, the log and the counts")
{
    bench b;
    b.record_default();
    b.of.record(b.at(0, 5), b.worked(5, 80));
    CHECK(b.told == std::vector<point>{b.at(0, 0), b.at(0, 5)});
    REQUIRE(b.kept.size() == 2);
    CHECK(b.kept[0].at == b.at(0, 0));
    CHECK(b.kept[0].code == "key 0");
    CHECK(b.kept[0].predicted_s == 0); // no model chose the default
    CHECK(b.kept[0].proposer.empty());
    CHECK(b.kept[1].at == b.at(0, 5));
    CHECK(std::get<measurement>(b.kept[1].result).value == 80);
    CHECK(b.kept[1].code == "key 5");
    CHECK(b.kept[1].predicted_s == 0.5);
    CHECK(b.kept[1].proposer == "model");
    CHECK(b.logged(b.at(0, 0)) == "sampled ");
    CHECK(b.logged(b.at(0, 5)) == "run sampled ");
    CHECK(b.state.evaluations() == 2);
    CHECK(b.state.best()->first == b.at(0, 5));
}

TEST_CASE("the best after each outcome is the least time so far, and what gained it is counted")
{
    bench b;
    b.record_default();
    std::vector<double> expected{100};
    std::size_t new_bests = 0;
    std::vector<double> const seconds{120, 90, 90, 95, 30, 31, 29.5};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        b.of.record(b.space.at(i + 1), b.worked(i + 1, seconds[i]));
        new_bests += seconds[i] < expected.back() ? 1U : 0U;
        expected.push_back(std::min(expected.back(), seconds[i]));
    }
    b.of.record(b.at(2, 2), bench::failed(failure_stage::crash));
    expected.push_back(expected.back());
    CHECK(b.of.best_after() == expected);
    CHECK(b.of.of_search().tried == seconds.size() + 1);
    CHECK(b.of.of_search().new_bests == new_bests);
    b.of.record(b.at(3, 3), b.worked(33, 1)); // a rival, which no search proposed
    CHECK(b.of.of_search().tried == seconds.size() + 1);
    CHECK(b.of.of_search().new_bests == new_bests);
    CHECK(b.of.best_after().back() == 1);
}

TEST_CASE("what is from before an interruption counts, and is neither told nor kept again")
{
    bench b;
    b.record_default(true);
    b.of.recall(b.at(0, 1), measurement::exact(50), "key 1");
    b.of.recall(b.at(0, 2), attune::failure{failure_stage::timeout, "late"}, "");
    CHECK(b.told.empty());
    CHECK(b.kept.empty());
    CHECK(b.logged(b.at(0, 1)).empty());
    CHECK(b.state.evaluations() == 3);
    CHECK(b.of.best_after() == std::vector<double>{100, 50, 50});
    CHECK(b.of.of_search().tried == 0);
    // a leader without code: the final compiles it, and it wins there
    b.on_compile = [&](attune::compile_request const& v) -> attune::compile_result {
        CHECK(v.macros[1].value == "1");
        return b.code(1);
    };
    b.times.seconds = {{&b.entries[0], 100}, {&b.entries[1], 50}};
    CHECK(b.final.run(b.supply).at == b.at(0, 1));
    CHECK(b.begun == 1);
}

TEST_CASE("a default that Ctrl-C cut short, or that is too short to tune, is not kept")
{
    bench cut;
    trial standard = cut.worked(0, 100);
    standard.is_cut = true;
    cut.of.record_default(standard, false);
    CHECK(cut.told.empty());
    CHECK(cut.kept.empty());
    CHECK(cut.of.best_after() == std::vector<double>{100});

    bench quick;
    quick.of.record_default(quick.worked(0, 0.9 * attune::detail::shortest_tuned_call_s), false);
    CHECK(quick.told.size() == 1);
    CHECK(quick.kept.empty());
    CHECK(quick.measured_anew.empty()); // no peak of the machine is measured for it
    CHECK(quick.verdicts.is_on());      // though it takes less than its work would
}

TEST_CASE("what others tried is logged and counted as if it had been compiled here")
{
    bench b;
    b.record_default();
    b.of.record({.at = b.at(0, 1), .made = b.worked(1, 60)});
    b.of.record({.at = b.at(0, 2), .made = bench::failed(failure_stage::compile)});
    trial crashed = bench::failed(failure_stage::crash);
    crashed.code.object_key = "key 3";
    b.of.record({.at = b.at(0, 3), .made = crashed});
    CHECK(b.logged(b.at(0, 1)) == "compiled run sampled ");
    CHECK(b.logged(b.at(0, 2)) == "refused ");
    CHECK(b.logged(b.at(0, 3)) == "compiled ");
    CHECK(b.supply.compiled() == 3);
    CHECK(b.supply.compile_s() == 0.25);
    CHECK(b.begun == 0);
    CHECK(b.told.size() == 4);
    CHECK(b.state.failures()[static_cast<std::size_t>(failure_stage::compile)] == 1);
    CHECK(b.state.failures()[static_cast<std::size_t>(failure_stage::crash)] == 1);
}

TEST_CASE("what worked elsewhere and fails here is told and kept, and no second evaluation")
{
    bench b;
    b.record_default();
    b.of.record({.at = b.at(0, 1), .made = b.worked(1, 60)});
    b.of.refuse(b.at(0, 1), bench::failed(failure_stage::verify));
    CHECK(b.told == std::vector<point>{b.at(0, 0), b.at(0, 1), b.at(0, 1)});
    REQUIRE(b.kept.size() == 3);
    CHECK(!attune::succeeded(b.kept.back().result));
    CHECK(b.state.evaluations() == 2);
}

TEST_CASE("joules are kept where they were measured")
{
    bench b;
    b.record_default();
    trial metered = b.worked(1, 60);
    metered.bounded.joules = 0.25;
    b.of.record(b.at(0, 1), metered);
    CHECK(b.of.joules_of(b.at(0, 1)) == 0.25);
    CHECK(b.of.joules_of(b.at(0, 0)) == 0);
}

TEST_CASE("the least time of the best is known where the tuning ends near the roofline")
{
    bench b;
    b.options.limits.roofline_share = 0.5;
    b.record_default();
    CHECK(b.of.least_s() == bound_of(b.at(0, 0)));
    b.of.record(b.at(1, 5), b.worked(15, 80));
    CHECK(b.of.least_s() == bound_of(b.at(1, 5)));
    b.of.record(b.at(9, 9), b.worked(99, 110)); // not the best
    CHECK(b.of.least_s() == bound_of(b.at(1, 5)));
    CHECK(!b.state.judge().verdict(0));
    b.of.record(b.at(4, 3), b.worked(43, 39)); // half of the roofline is 40 s
    CHECK(b.state.judge().verdict(0)->reason == attune::stop_reason::roofline);
}
