// tests/tune/pruning.cpp - tunings that leave out what cannot be faster than the best.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/measure/roofline/machine_limits.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "../support/notices.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/texts.hpp"
#include "../support/timed_bench.hpp"

using namespace attune_test;

namespace {

/// More than a core does in ten seconds and less than it does in a day; and next to nothing.
constexpr double heavy = 1e13;
constexpr double light = 1e-3;
constexpr double day_s = 86'400;

/// A hundred configurations with scripted times; where X + Y is above a number, the kernel states
/// heavy work, and takes a day.
inline constexpr int usual_most = 9; // with 8 less than half of the space is light
struct bench : timed_grid {
    std::size_t most_compiled = std::numeric_limits<std::size_t>::max();

    explicit bench(int most = usual_most)
    {
        take([](double i) { return 2e-3 - 1e-6 * i; }, -1);
        take([](double) { return day_s; }, most);
        on_compile = [this, make = on_compile](attune::compile_request const& v) {
            if (ended >= most_compiled) throw attune::error("no more", "here", "go on");
            return make(v);
        };
        state([most](int x, int y) { return x + y > most ? heavy : light; });
        options.search.prune = true;
        options.compile_ahead = 0;
    }
    /// The flops of one thread.
    template <class F>
    void state(F flops)
    {
        kernel.work(
            [flops](attune::configuration_view const& at, auto const&, auto const&, double) {
                return attune::work{.flops = flops(at[grid_x], at[grid_y]), .threads = 1};
            });
    }
    /// The times of those of which X + Y is above a number.
    template <class F>
    void take(F seconds, int most = usual_most)
    {
        for (std::uint64_t i = 0; i < 100; ++i)
            if (is_heavy(i, most)) times.seconds[&entries[i]] = seconds(static_cast<double>(i));
    }
    static bool is_heavy(std::uint64_t i, int most)
    {
        return static_cast<int>(i / 10 + i % 10) > most;
    }
    attune::detail::session_result tune() { return attune::detail::run_session(problem, options); }
    /// Begins a tuning that tune() goes on with: its compiler throws after so many variants.
    void tune_interrupted(std::size_t compiled)
    {
        options.event_log = directory.file("log");
        most_compiled = compiled;
        CHECK_THROWS_AS((void)tune(), attune::error);
        CHECK(ended == compiled);
        most_compiled = std::numeric_limits<std::size_t>::max();
    }
};

constexpr std::size_t heavy_ones = 45;

/// Slowed code cannot tell what the machine does.
bool is_possible()
{
    bool const possible = attune::detail::measure_core_peaks().is_optimised;
    if (!possible) MESSAGE("skipped: attune was compiled without optimisation");
    return possible;
}

} // namespace

TEST_CASE("what cannot win is neither compiled nor an evaluation, and the fastest is found")
{
    if (!is_possible()) return;
    bench b;
    recorded_progress heard;
    b.options.progress = heard.sink();
    auto const r = b.tune();
    CHECK(r.report.configuration == "X=9 Y=0");
    CHECK(r.report.left_share == 1);          // most of the space may win
    CHECK(r.report.pruned == heavy_ones - 3); // the 2nd, 8th and 32nd are tried
    CHECK(r.report.evaluations == 100 - r.report.pruned);
    CHECK(b.begun == r.report.evaluations);
    CHECK(attune::total(r.report.failures) == 0);
    CHECK(r.ended == "part");
    CHECK(has(r.report.summary(), "58 evaluations in "));
    CHECK(has(r.report.summary(), ", 42 pruned"));
    CHECK(noticed(r.report, "42 configurations were not tried, because their work") == 1);
    auto const last = std::find_if(heard.events().rbegin(), heard.events().rend(), [](auto& e) {
        return e.event == attune::progress_event::evaluated;
    });
    REQUIRE(last != heard.events().rend());
    CHECK(last->pruned > 30);
}

TEST_CASE("any search finds the same, and is told nothing that looks like a failure")
{
    if (!is_possible()) return;
    for (attune::search_factory const& strategy :
         {attune::default_search(), attune::search_with<attune::random_searcher>(),
          attune::search_with<attune::genetic>(), attune::search_with<attune::local_search>()}) {
        bench b;
        b.options.search.strategy = strategy;
        b.options.limits.evaluations = 40;
        b.options.compile_ahead = 1;
        auto const r = b.tune();
        CHECK(r.report.evaluations <= 40);
        CHECK(attune::total(r.report.failures) == 0);
        CHECK(r.report.best.value < 2e-3);
    }
}

TEST_CASE("a statement that is wrong where the winner is is found out, and the winner found")
{
    if (!is_possible()) return;
    for (bool const has_log : {false, true}) {
        bench b;
        if (has_log) b.options.event_log = b.directory.file("log");
        b.take([](double i) { return 1e-3 + 1e-6 * i; });
        b.times.seconds[&b.entries[19]] = 1e-4; // the first that is pruned
        auto const r = b.tune();
        CHECK(r.report.configuration == "X=1 Y=9");
        CHECK(r.report.evaluations == 100);
        CHECK(std::count_if(r.report.notices.begin(), r.report.notices.end(),
                            [](std::string const& said) {
                                return has(said, "nothing is pruned any more: ") &&
                                       has(said, "by the flops of kernel.work(...) at least");
                            }) == 1);
    }
}

TEST_CASE("a tuning that ends before it tried what was pruned by mistake is not complete")
{
    if (!is_possible()) return;
    bench b;
    // the 32nd contradicts, after 29 others
    b.take([](double i) { return i > 60 ? 1e-3 + 1e-6 * i : day_s; });
    b.options.limits.evaluations = 75;
    auto const r = b.tune();
    CHECK(noticed(r.report, "nothing is pruned any more: ") > 0);
    CHECK(r.report.evaluations == 75);
    CHECK(r.report.pruned == 0);
    CHECK(r.ended == "budget");
}

TEST_CASE("where most of the space cannot win, the search goes on in the rest, and tries all of it")
{
    if (!is_possible()) return;
    bench b{8};
    auto const r = b.tune();
    CHECK(r.report.configuration == "X=8 Y=0");
    CHECK(r.report.left_share == 0.45);
    CHECK(r.report.evaluations == 46); // what was pruned first is tried, to check the statement
    CHECK(b.begun == 46);
    CHECK(r.report.pruned == 0);
    CHECK(attune::total(r.report.failures) == 0);
    CHECK(r.ended == "part");
    CHECK(noticed(r.report, "the search continued in 45 of 100 configurations, because the work") ==
          1);
    CHECK(noticed(r.report, "not tried") == 0); // one sentence
}

TEST_CASE("a tuning that is interrupted in a part of its space goes on as if it were not")
{
    if (!is_possible()) return;
    for (attune::search_factory const& strategy :
         {attune::default_search(), attune::search_with<attune::random_searcher>(),
          attune::search_with<attune::genetic>()}) {
        auto const tuned = [&](std::size_t stop) {
            bench b{8};
            b.options.search.strategy = strategy;
            b.options.event_log = b.directory.file("log");
            if (stop > 0) b.tune_interrupted(stop);
            auto const r = b.tune();
            CHECK(r.report.left_share == 0.45);
            CHECK(r.ended == "part");
            return attune::replay(b.options.event_log, b.space, b.options.search.strategy);
        };
        attune::replayed_session const whole = tuned(0);
        CHECK(whole.evaluations.size() >= 46);
        for (std::size_t const stop : {20U, 30U, 44U}) {
            attune::replayed_session const parts = tuned(stop);
            CHECK(parts.chosen == whole.chosen);
            REQUIRE(parts.evaluations.size() == whole.evaluations.size());
            for (std::size_t i = 0; i < whole.evaluations.size(); ++i)
                CHECK(parts.evaluations[i].first == whole.evaluations[i].first);
        }
    }
}

TEST_CASE("a tuning that goes on with a corrected statement has the whole space again")
{
    if (!is_possible()) return;
    bench b{8};
    b.tune_interrupted(30);                 // in a part
    b.times.seconds[&b.entries[99]] = 1e-3; // outside
    b.state([](int x, int) { return x > 9 ? heavy : light; });
    auto const r = b.tune();
    CHECK(r.report.configuration == "X=9 Y=9");
    CHECK(r.report.evaluations == 100);
    CHECK(r.report.left_share == 1);
    CHECK(r.report.pruned == 0); // by the corrected statement, all that was pruned may win
    CHECK(r.ended == "space");
}
