// tests/tune/pruning.cpp - tunings that leave out what cannot be faster than the best.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/measure/roofline/machine_limits.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "../support/notices.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/set_variable.hpp"
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

TEST_CASE("where pruning is off, or work is of the call alone, all are tried")
{
    CHECK(!attune::tuning_options{}.search.prune); // until it is proven on more machines
    bench off;
    off.options.search.prune = attune::tuning_options{}.search.prune;
    CHECK(off.tune().report.evaluations == 100);
    bench of_call;
    of_call.kernel.work([](auto&&...) { return attune::work{heavy, 1}; });
    attune::tuning_report const report = of_call.tune().report;
    CHECK(report.evaluations == 100);
    CHECK(report.pruned == 0);
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

TEST_CASE("an interrupted tuning goes on with what was pruned, and prunes it no second time")
{
    if (!is_possible()) return;
    bench whole;
    auto const expected = whole.tune();
    for (std::size_t const stop : {9U, 10U, 20U, 40U}) {
        bench b;
        b.tune_interrupted(stop);
        auto const r = b.tune();
        CHECK(r.report.configuration == expected.report.configuration);
        CHECK(r.report.evaluations + r.report.pruned == 100);
        CHECK(r.report.pruned >= heavy_ones - 6); // either part tries its 2nd, 8th and 32nd
        // the default and the winner are compiled once more, to run
        CHECK(b.ended <= r.report.evaluations + 2);
        attune::replayed_session const again =
            attune::replay(b.options.event_log, b.space, b.options.search.strategy);
        CHECK(again.evaluations.size() == r.report.evaluations);
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

TEST_CASE("a call that is too short to be tuned has its peaks measured by nobody")
{
    bench b;
    b.take([](double) { return 1e-7; }, -1);
    CHECK(b.tune().is_too_short);
    CHECK(!std::filesystem::exists(b.directory.file("cache") + "/core_peaks"));
}

TEST_CASE("what was pruned before an interruption is tried where nothing is pruned any more")
{
    if (!is_possible()) return;
    for (int const most : {usual_most, 8}) { // in the whole space, and in a part
        bench b{most};
        b.tune_interrupted(30);
        b.options.search.prune = false;
        auto const r = b.tune();
        CHECK(r.report.evaluations == 100);
        CHECK(r.report.pruned == 0);
        CHECK(r.report.left_share == 1);
        CHECK(r.ended == "space");
    }
}

TEST_CASE("work that is too large already for the default prunes nothing at all")
{
    if (!is_possible()) return;
    bench b;
    b.state([](int x, int) { return heavy * (1 + x); });
    auto const r = b.tune();
    CHECK(r.report.evaluations == 100);
    CHECK(r.report.pruned == 0);
    CHECK(noticed(r.report, "nothing is pruned any more: X=0 Y=0 takes") > 0);
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
    CHECK(noticed(r.report, "the search went on in 45 of 100 configurations, because the work") ==
          1);
    CHECK(noticed(r.report, "not tried") == 0); // one sentence
}

TEST_CASE("a search to which one configuration is left ends, and says so")
{
    if (!is_possible()) return;
    bench b;
    b.take([](double i) { return i == 37 ? 2e-3 : day_s; }, -1);
    b.state([](int x, int y) { return x == 3 && y == 7 ? light : heavy; });
    auto const r = b.tune();
    CHECK(r.report.configuration == "X=3 Y=7");
    CHECK(r.report.evaluations <= 40); // up to it, and two that check the statement
    CHECK(r.report.left_share == 0.01);
    CHECK(r.ended == "part");
    CHECK(noticed(r.report, "the search went on in 1 of 100 configurations") == 1);
}

TEST_CASE("a time that contradicts the stated work brings the whole space back")
{
    if (!is_possible()) return;
    for (bool const is_default_search : {false, true}) {
        bench b{8};
        if (is_default_search) b.options.search.strategy = attune::default_search();
        b.take([](double i) { return 1e-3 - 1e-6 * i; }, 8);
        auto const r = b.tune();
        CHECK(r.report.configuration == "X=9 Y=9");
        CHECK(r.report.evaluations == 100);
        CHECK(r.report.left_share == 1);
        CHECK(r.report.pruned == 0);
        CHECK(r.ended == "space");
        CHECK(noticed(r.report, "nothing is pruned any more: ") == 1);
        CHECK(noticed(r.report, "the search went on in") == 0);
    }
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

TEST_CASE("where a part of a part cannot be searched, the search goes on in the whole space")
{
    if (!is_possible()) return;
    bench b;
    constexpr double medium = 1e9; // less than a core does in a second, more than in 10 us
    b.state([](int x, int y) { return x + y > 8 ? heavy : x + y > 4 ? medium : light; });
    for (std::uint64_t i = 0; i < 100; ++i) {
        bool const is_medium = i / 10 + i % 10 > 4;
        b.times.seconds[&b.entries[i]] =
            is_medium ? day_s : (i >= 20 ? 1e-5 : 1) - 1e-7 * static_cast<double>(i);
    }
    int made = 0;
    attune::search_factory const plain = b.options.search.strategy;
    b.options.search.strategy = [&](attune::chain_of_trees const& of, std::uint64_t seed) {
        if (++made == 3) throw attune::error("too small", "here", "a larger one");
        return plain(of, seed);
    };
    auto const r = b.tune();
    CHECK(made == 4); // the whole space, a part, a part of that, the whole space
    CHECK(r.report.configuration == "X=4 Y=0");
    CHECK(r.report.left_share == 1);
    CHECK(noticed(r.report, "the search went on in") == 0);
    CHECK(r.report.evaluations + r.report.pruned == 100);
}

namespace {

/// Where a run of one configuration keeps many threads busy.
struct parallel_bench final : timed_bench {
    static constexpr unsigned threads = 64;
    parallel_bench(time_script const& script, void const* parallel)
        : timed_bench(script)
        , entry(parallel)
    {
    }
    attune::outcome time(attune::callable const& tried, double seconds, double stop_above_s,
                         attune::timing_record& record) override
    {
        attune::outcome out = timed_bench::time(tried, seconds, stop_above_s, record);
        if (tried.address == entry) record.threads = threads;
        return out;
    }
    void const* entry;
};

} // namespace

TEST_CASE("what was pruned as the work of one thread is tried once a run kept more threads busy")
{
    if (!is_possible()) return;
    bench b;
    auto const peaks = attune::detail::measure_core_peaks();
    double const peak = std::ranges::max(peaks.f32_flops);
    // of one thread 16 times the best and more, of 64 threads a quarter
    double const flops = 16 * attune::detail::candidate_pruning::margin * 2e-3 * peak;
    b.kernel.work([=](attune::configuration_view const& at, auto const&, auto const&, double) {
        return attune::work{.flops = at[grid_x] + at[grid_y] > usual_most ? flops : light};
    });
    b.times.seconds[&b.entries[19]] = 1e-3; // pruned first
    b.options.measuring.make_bench = [&](auto const&, auto const&) {
        return std::unique_ptr<attune::bench>(
            std::make_unique<parallel_bench>(b.times, &b.entries[90]));
    };
    auto const r = b.tune();
    CHECK(r.report.configuration == "X=1 Y=9");
    CHECK(r.report.evaluations == 100);
    CHECK(r.report.pruned == 0);
    CHECK(r.ended == "space");
    CHECK(noticed(r.report, "not tried") == 0);
}
