// tests/tune/bound_energy.cpp - the fastest variant within a bound on the joules of a call.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/declare/event.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/recorded_progress.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"
#include "../support/timed_bench.hpp"

using namespace attune_test;

namespace {

/// As timed_bench, with scripted joules.
class metered_bench : public timed_bench {
public:
    metered_bench(time_script const& times, std::map<void const*, double> const& joules)
        : timed_bench(times)
        , joules_(joules)
    {
    }
    [[nodiscard]] std::string why_no_energy() const override { return {}; }
    [[nodiscard]] std::variant<attune::call_energy, attune::failure>
    energy(attune::callable const& tried, double) override
    {
        return attune::call_energy{joules_.at(tried.address), 0.02, 100};
    }

private:
    std::map<void const*, double> const& joules_;
};

/// A hundred configurations: time falls with X and Y, energy rises with both.
double seconds_at(std::size_t x, std::size_t y)
{
    return 1e-3 * (3 - 0.1 * static_cast<double>(x) - 0.13 * static_cast<double>(y));
}
double joules_at(std::size_t x, std::size_t y)
{
    return 0.1 + 0.02 * static_cast<double>(x) + 0.05 * static_cast<double>(y);
}

struct tuning : grid {
    support::scratch_directory directory{};
    set_variable cache{"ATTUNE_CACHE", directory.file("cache")};
    std::array<char, 100> entries{};
    time_script times{};
    std::map<void const*, double> joules{};
    attune::tuning_options options{};

    explicit tuning(double most)
    {
        for (std::size_t x = 0; x < 10; ++x)
            for (std::size_t y = 0; y < 10; ++y) {
                times.seconds[&entries[10 * x + y]] = seconds_at(x, y);
                joules[&entries[10 * x + y]] = joules_at(x, y);
            }
        on_compile = [this](attune::compile_request const& v) -> attune::compile_result {
            std::size_t const i =
                10 * std::stoul(v.macros[0].value) + std::stoul(v.macros[1].value);
            return attune::callable{
                &entries[i], std::make_shared<int>(0), std::to_string(i), 0.001, "scripted"};
        };
        kernel.bound_energy(most);
        options.limits = {.evaluations = attune::search_limits::any_number};
        options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
        options.measuring.make_bench = [this](attune::tuning_problem const&,
                                              attune::tuning_options const&) {
            return std::unique_ptr<attune::bench>(std::make_unique<metered_bench>(times, joules));
        };
        options.progress = attune::silent_progress();
    }
    attune::detail::session_result tune(attune::detail::session_memory memory = {})
    {
        return attune::detail::run_session(problem, options, std::move(memory));
    }
};

/// By brute force: how many are beyond the bound, and the fastest of the others.
struct truth {
    unsigned beyond = 0;
    double fastest_s = std::numeric_limits<double>::infinity();
    std::string fastest{};
    double joules = 0;

    explicit truth(double most)
    {
        for (std::size_t x = 0; x < 10; ++x)
            for (std::size_t y = 0; y < 10; ++y) {
                if (joules_at(x, y) > most) {
                    ++beyond;
                } else if (seconds_at(x, y) < fastest_s) {
                    fastest_s = seconds_at(x, y);
                    fastest = "X=" + std::to_string(x) + " Y=" + std::to_string(y);
                    joules = joules_at(x, y);
                }
            }
    }
};

template <class Act>
std::string said_by(Act const& act)
{
    try {
        act();
    } catch (attune::error const& e) {
        return e.what();
    }
    return {};
}

/// No places: others try nothing.
struct nobody : attune::detail::trials_elsewhere {
    void begin(attune::measurement const&) override {}
    bool has_place() const override { return false; }
    std::size_t idle() const override { return 0; }
    std::size_t pending() const override { return 0; }
    void submit(attune::point const&, double) override {}
    std::vector<attune::detail::tried_variant> wait(double) override { return {}; }
    bool wants_stop() const override { return false; }
    std::vector<std::string> notices() const override { return {}; }
};

} // namespace

TEST_CASE("the fastest within the bound is served, and the report has its joules")
{
    for (double const most : {0.301, 0.402, 10.0}) {
        tuning t{most};
        truth const is{most};
        auto const r = t.tune();
        CHECK(r.report.configuration == is.fastest);
        CHECK(r.report.failures[static_cast<std::size_t>(attune::failure_stage::bound)] ==
              is.beyond);
        CHECK(attune::total(r.report.failures) == is.beyond);
        CHECK(r.report.joules == doctest::Approx(is.joules));
        CHECK(r.report.default_joules == doctest::Approx(joules_at(0, 0)));
        CHECK(std::count_if(
                  r.report.notices.begin(), r.report.notices.end(), [](std::string const& said) {
                      return has(said, "a call takes ") && has(said, "the default takes 0.1") &&
                             has(said, "whole processors");
                  }) == 1);
        for (attune::failure const& why : r.report.first_failures)
            CHECK(has(why.reason, " J per call (within 2 %), its bound at most "));
    }
}

TEST_CASE("the search learns from joules on both sides, the log has them, and goes on with them")
{
    double const most = 0.402;
    truth const is{most};
    tuning t{most};
    t.options.search.strategy = attune::default_search();
    t.options.limits.evaluations = 30;
    t.options.event_log = t.directory.file("log");
    auto const r = t.tune();
    CHECK(r.report.best.value <= is.fastest_s * 1.05);
    std::ifstream in(t.options.event_log);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    unsigned beyond = 0;
    unsigned within = 0;
    for (attune::event const& e : attune::read_session(text).events) {
        if (e.kind != attune::event_kind::told) continue;
        REQUIRE(e.numbers.size() == 1);
        std::size_t const x = e.points.front()[0].index;
        std::size_t const y = e.points.front()[1].index;
        CHECK(e.numbers[0] == doctest::Approx(attune::detail::excess_over(
                                  attune::at_most("joules", most), joules_at(x, y))));
        CHECK((e.numbers[0] > 0) == !attune::succeeded(*e.result));
        ++(e.numbers[0] > 0 ? beyond : within);
    }
    CHECK(beyond > 0);
    CHECK(beyond + within == r.report.evaluations);
    // Cut short in the middle, it goes on as it went, from what the log has of energy.
    std::size_t const middle = text.find('\n', text.size() / 2) + 1;
    std::ofstream(t.options.event_log, std::ios::trunc) << text.substr(0, middle);
    auto const again = t.tune();
    CHECK(again.report.configuration == r.report.configuration);
    CHECK(again.report.evaluations == r.report.evaluations);
    CHECK(again.report.failures == r.report.failures);
}

TEST_CASE("a default beyond the bound, or a bench without energy, is an error that says so")
{
    tuning hungry{0.05};
    std::string const said = said_by([&] { (void)hungry.tune(); });
    CHECK(has(said, "has to keep the bound on its energy: it takes 0.1 J per call"));
    CHECK(has(said, "its bound at most 0.05"));
    CHECK(has(said, "X=0 Y=0"));

    tuning blind{1};
    blind.options.measuring.make_bench = timed_by(blind.times);
    CHECK(
        has(said_by([&] { (void)blind.tune(); }), "energy is measured of code that runs on this"));

    tuning here{1}; // by this processor, without counters
    here.options.measuring.make_bench = {};
    here.options.measuring.powercap = here.directory.file("none");
    CHECK(has(said_by([&] { (void)here.tune(); }),
              "this machine reports no energy (no " + here.directory.file("none") +
                  "/intel-rapl:* with a package)"));

    tuning shared{1};
    nobody others;
    attune::detail::session_memory memory;
    memory.elsewhere = &others;
    CHECK(has(said_by([&] { (void)shared.tune(std::move(memory)); }),
              "share the counters of their machine"));
}

TEST_CASE("a machine without counters tunes nothing: the default serves, and one notice says why")
{
    support::scratch_directory const folder;
    set_variable const cache{"ATTUNE_CACHE", folder.file("cache")};
    recorded_progress heard;
    attune::tuning_options options = quick_options();
    options.progress = heard.sink();
    options.measuring.powercap = folder.file("none");
    auto kernel = accumulate_kernel(ways<usual, fast>());
    kernel.bound_energy(1);
    attune::tuned call{kernel, accumulate_compiler(), options};
    accumulate_data data;
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(call.report().how == attune::decision::served_default);
    CHECK(has(call.report().reason, "this machine reports no energy"));
}

TEST_CASE("each bound is a problem of its own in the store")
{
    support::scratch_directory const folder;
    set_variable const cache{"ATTUNE_CACHE", folder.file("cache")};
    attune::tuning_options options = quick_options();
    std::map<void const*, double> const joules{{std::get<void*>(code_of<usual>()), 0.1},
                                               {std::get<void*>(code_of<fast>()), 0.2}};
    time_script const times{
        {{std::get<void*>(code_of<usual>()), 8e-3}, {std::get<void*>(code_of<fast>()), 1e-3}}};
    options.measuring.make_bench = [&](attune::tuning_problem const&,
                                       attune::tuning_options const&) {
        return std::unique_ptr<attune::bench>(std::make_unique<metered_bench>(times, joules));
    };
    for (double const most : {1.0, 0.15, 1.0}) {
        static int round = 0;
        auto kernel = accumulate_kernel(ways<usual, fast>());
        kernel.bound_energy(most);
        attune::tuned call{
            kernel, accumulate_compiler(), attune::store{folder.file("store.attune")}, options};
        accumulate_data data;
        call(data.x, data.y, 3.0);
        attune::tuning_report const report = call.report();
        CHECK(report.configuration == (most > 0.2 ? "WAY=1" : "WAY=0"));
        CHECK((report.how == attune::decision::remembered) == (round++ == 2));
    }
}

TEST_CASE("a bound is a finite number above 0")
{
    grid g;
    for (double const wrong : {0.0,
                               -1.0,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(g.kernel.bound_energy(wrong), attune::error);
    CHECK(g.kernel.describe().most_joules == 0);
    g.kernel.bound_energy(2.5);
    CHECK(g.kernel.describe().most_joules == 2.5);
}
