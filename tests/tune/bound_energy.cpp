// tests/tune/bound_energy.cpp - the fastest variant within a bound on the joules of a call.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/declare/event.hpp>
#include <attune/measure/energy.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/ignored_interrupts.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/scripted_others.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"
#include "../support/timed_bench.hpp"

using namespace attune_test;

namespace {

/// What a bench says of the energy of an entry.
using energy_script = std::function<attune::call_energy(void const*)>;

/// As timed_bench, with scripted joules.
class metered_bench : public timed_bench {
public:
    metered_bench(time_script const& times, energy_script energy)
        : timed_bench(times)
        , energy_(std::move(energy))
    {
    }
    [[nodiscard]] std::string why_no_energy() const override { return {}; }
    [[nodiscard]] std::variant<attune::call_energy, attune::failure>
    energy(attune::callable const& tried, double) override
    {
        return energy_(tried.address);
    }

private:
    energy_script energy_;
};

/// For tuning_measuring::make_bench. @param times  outlives the benches
auto metered_by(time_script const& times, energy_script const& energy)
{
    return [&times, energy](attune::tuning_problem const&, attune::tuning_options const&) {
        return std::unique_ptr<attune::bench>(std::make_unique<metered_bench>(times, energy));
    };
}

/// All joules known to 2 %.
energy_script known_well(std::map<void const*, double> const& joules)
{
    return
        [&joules](void const* entry) { return attune::call_energy{joules.at(entry), 0.02, 100}; };
}

/// A hundred configurations: time falls with X and Y, energy rises with both.
double seconds_at(std::size_t x, std::size_t y)
{
    return 1e-3 * (3 - 0.1 * static_cast<double>(x) - 0.13 * static_cast<double>(y));
}
double joules_at(std::size_t x, std::size_t y)
{
    return 0.1 + 0.02 * static_cast<double>(x) + 0.05 * static_cast<double>(y);
}

struct tuning : timed_grid {
    std::map<void const*, double> joules{};

    explicit tuning(double most)
    {
        for (std::size_t x = 0; x < 10; ++x)
            for (std::size_t y = 0; y < 10; ++y) {
                times.seconds[&entries[10 * x + y]] = seconds_at(x, y);
                joules[&entries[10 * x + y]] = joules_at(x, y);
            }
        kernel.bound_energy(most);
        options.measuring.make_bench = metered_by(times, known_well(joules));
    }
    /// Energy as it is known well, but for what `change` does to it.
    void meter(std::function<void(std::size_t x, std::size_t y, attune::call_energy&)> change)
    {
        options.measuring.make_bench =
            metered_by(times, [this, change = std::move(change)](void const* entry) {
                auto const i =
                    static_cast<std::size_t>(static_cast<char const*>(entry) - entries.data());
                attune::call_energy out = known_well(joules)(entry);
                change(i / 10, i % 10, out);
                return out;
            });
    }
    [[nodiscard]] std::vector<attune::event> told() const
    {
        auto out = attune::read_session(support::read_file(options.event_log)).events;
        std::erase_if(out,
                      [](attune::event const& e) { return e.kind != attune::event_kind::told; });
        return out;
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

    /// @param end  of what X may be
    explicit truth(double most, std::size_t end = 10)
    {
        for (std::size_t x = 0; x < end; ++x)
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

} // namespace

TEST_CASE("the fastest within the bound is served, and the report has its joules")
{
    for (double const most : {0.301, 0.402, 10.0}) {
        tuning t{most};
        truth const is{most};
        auto const r = t.tune();
        CHECK(r.report.configuration == is.fastest);
        CHECK(failures_at(r.report, attune::failure_stage::bound) == is.beyond);
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
    std::string const text = support::read_file(t.options.event_log);
    unsigned beyond = 0;
    unsigned within = 0;
    for (attune::event const& e : t.told()) {
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
    support::write_file(t.options.event_log, text.substr(0, middle));
    auto const again = t.tune();
    CHECK(again.report.configuration == r.report.configuration);
    CHECK(again.report.evaluations == r.report.evaluations);
    CHECK(again.report.failures == r.report.failures);
    CHECK(again.report.joules == doctest::Approx(r.report.joules));
    CHECK(again.report.default_joules == r.report.default_joules);
    // Cut short behind the last outcome, all that it knows of energy is in the log.
    support::write_file(t.options.event_log,
                        text.substr(0, text.find('\n', text.rfind("\"told\"")) + 1));
    auto const known = t.tune();
    CHECK(known.report.joules == doctest::Approx(r.report.joules));
    CHECK(known.report.default_joules == r.report.default_joules);
}

TEST_CASE(
    "a variant whose energy is not known does not serve, and the search learns no joules of it")
{
    double const most = 0.402;
    constexpr double unknown = std::numeric_limits<double>::infinity();
    tuning t{most};
    t.options.event_log = t.directory.file("log");
    t.meter([](std::size_t x, std::size_t, attune::call_energy& e) {
        if (x == 7) e.half_width = 0.8;
        if (x == 8) e = {0, unknown, 100};
        if (x == 9) e = {0, 0.01, 100};
    });
    truth const is{most, 7};
    auto const r = t.tune();
    CHECK(r.report.configuration == is.fastest);
    CHECK(failures_at(r.report, attune::failure_stage::bound) == is.beyond + 30);
    std::vector<attune::event> const told = t.told();
    CHECK(told.size() == 100);
    for (attune::event const& e : told) {
        std::size_t const x = e.points.front()[0].index;
        CHECK(e.numbers.empty() == (x >= 7));
        if (x < 7) continue;
        std::string const why = std::get<attune::failure>(*e.result).reason;
        CHECK(has(why, "its energy is not known ("));
        CHECK(has(why, "within 80 %") == (x == 7));
    }

    tuning blurred{most};
    blurred.meter([](std::size_t, std::size_t, attune::call_energy& e) { e.half_width = 0.8; });
    std::string const said = error_of([&] { (void)blurred.tune(); });
    CHECK(has(said, "has to keep the bound on its energy: its energy is not known (within 80 %)"));
    CHECK(has(said, "limits.seconds"));
    CHECK_FALSE(has(said, "raise the bound"));
}

TEST_CASE("a bound that lies within what is open of the joules is said to")
{
    tuning t{0.315}; // 0.32 J within 2 % may be less
    t.options.event_log = t.directory.file("log");
    (void)t.tune();
    unsigned close = 0;
    for (attune::event const& e : t.told()) {
        auto const* const why = std::get_if<attune::failure>(&*e.result);
        if (why == nullptr) continue;
        double const joules = joules_at(e.points.front()[0].index, e.points.front()[1].index);
        bool const is_close = joules - 0.315 <= 0.02 * joules;
        close += is_close ? 1U : 0U;
        CHECK(has(why->reason, "which lies within the uncertainty") == is_close);
    }
    CHECK(close > 0);
}

TEST_CASE("a default whose energy Ctrl-C cuts short is not told, and is measured the next time")
{
    ignored_interrupts const interrupts;
    tuning t{0.402};
    t.options.event_log = t.directory.file("log");
    bool is_cut = true;
    t.meter([&](std::size_t, std::size_t, attune::call_energy&) {
        if (!is_cut) return;
        ::raise(SIGINT);
        attune::detail::cut_here();
    });
    unsigned kept = 0;
    attune::detail::session_memory memory;
    memory.keep = [&](attune::detail::known_outcome const&) { ++kept; };
    auto const cut = t.tune(std::move(memory));
    CHECK(cut.report.interrupted);
    CHECK(cut.report.default_joules == 0);
    CHECK(t.told().empty());
    CHECK(kept == 0);
    is_cut = false;
    auto const whole = t.tune();
    CHECK(whole.report.default_joules == doctest::Approx(joules_at(0, 0)));
    CHECK(whole.report.configuration == truth{0.402}.fastest);
}

TEST_CASE("a default that is known from before is held to the bound all the same")
{
    tuning t{0.402};
    attune::detail::session_memory memory;
    memory.known.push_back(
        {t.problem.default_at, attune::measurement::exact(seconds_at(0, 0)), "0"});
    CHECK(t.tune(memory).report.default_joules == doctest::Approx(joules_at(0, 0)));
    t.meter([](std::size_t, std::size_t, attune::call_energy& e) { e.joules = 0.5; });
    CHECK(has(error_of([&] { (void)t.tune(memory); }),
              "has to keep the bound on its energy: it takes 0.5 J per call"));
}

TEST_CASE(
    "where the counters disappear the session ends, and no variant is told to break the bound")
{
    tuning t{0.402};
    t.options.event_log = t.directory.file("log");
    unsigned measured = 0;
    t.meter([&](std::size_t, std::size_t, attune::call_energy&) {
        if (++measured > 4) throw attune::error("an energy counter cannot be read", "", "");
    });
    CHECK(has(error_of([&] { (void)t.tune(); }), "an energy counter cannot be read"));
    CHECK(t.told().size() == 4);
}

TEST_CASE("a default beyond the bound, or a bench without energy, is an error that says so")
{
    tuning hungry{0.05};
    std::string const said = error_of([&] { (void)hungry.tune(); });
    CHECK(has(said, "has to keep the bound on its energy: it takes 0.1 J per call"));
    CHECK(has(said, "its bound at most 0.05"));
    CHECK(has(said, "X=0 Y=0"));
    tuning blind{1};
    blind.options.measuring.make_bench = timed_by(blind.times);
    CHECK(
        has(error_of([&] { (void)blind.tune(); }), "energy is measured of code that runs on this"));

    tuning here{1}; // by this processor, without counters
    here.options.measuring.make_bench = {};
    here.options.measuring.powercap = here.directory.file("none");
    CHECK(has(error_of([&] { (void)here.tune(); }), "this machine reports no energy (no " +
                                                        here.directory.file("none") +
                                                        "/intel-rapl:* with a package)"));

    auto const* const made = attune::detail::exchange_offer<attune::detail::energy_maker>(nullptr);
    CHECK(has(error_of([&] { (void)here.tune(); }),
              "include <attune/measure/energy.hpp> and link attune::energy"));
    attune::detail::exchange_offer(made);
    tuning shared{1};
    scripted_others others{0};
    attune::detail::session_memory memory;
    memory.elsewhere = &others;
    CHECK(has(error_of([&] { (void)shared.tune(std::move(memory)); }),
              "share the counters of their machine"));
}

TEST_CASE("a machine without counters tunes nothing: the default serves, and one notice says why")
{
    support::scratch_directory const folder;
    set_variable const cache{"ATTUNE_CACHE", folder.file("cache")};
    attune::tuning_options options = quick_options();
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

namespace {

/// The usual way takes 0.1 J, the fast one 0.2 J.
struct two_ways {
    support::scratch_directory folder{};
    set_variable cache{"ATTUNE_CACHE", folder.file("cache")};
    void* usual_code = std::get<void*>(code_of<usual>());
    void* fast_code = std::get<void*>(code_of<fast>());
    std::map<void const*, double> joules{{usual_code, 0.1}, {fast_code, 0.2}};
    time_script times{{{usual_code, 8e-3}, {fast_code, 1e-3}}};
    attune::tuning_options options = quick_options();

    two_ways() { options.measuring.make_bench = metered_by(times, known_well(joules)); }
    /// After two calls. @param most  joules; 0: no bound
    attune::tuning_report called(double most, std::string const& store)
    {
        auto kernel = accumulate_kernel(ways<usual, fast>());
        if (most > 0) kernel.bound_energy(most);
        attune::tuned call{kernel, accumulate_compiler(), attune::store{folder.file(store)},
                           options};
        accumulate_data data;
        call(data.x, data.y, 3.0);
        call(data.x, data.y, 3.0);
        return call.report();
    }
};

} // namespace

TEST_CASE("each bound is a problem of its own in the store")
{
    two_ways of;
    int round = 0;
    for (double const most : {1.0, 0.15, 1.0}) {
        attune::tuning_report const report = of.called(most, "store.attune");
        CHECK(report.configuration == (most > 0.2 ? "WAY=1" : "WAY=0"));
        CHECK((report.how == attune::decision::remembered) == (round++ == 2));
    }
}

TEST_CASE("what was not held to the bound does not serve in place of a tuning")
{
    auto const how_it_serves = [](double tuned_most, double asked_most) {
        two_ways of;
        CHECK(of.called(tuned_most, "store").configuration == "WAY=1");
        of.options.on_miss = attune::miss_policy::lookup_only;
        return of.called(asked_most, "store").how;
    };
    CHECK(how_it_serves(0, 0) == attune::decision::remembered);
    CHECK(how_it_serves(0, 1.0) != attune::decision::served_near); // held to no bound
    CHECK(how_it_serves(1.5, 1.0) != attune::decision::served_near);
    CHECK(how_it_serves(0.5, 1.0) == attune::decision::served_near);
    CHECK(how_it_serves(1.0, 0) == attune::decision::served_near);
}

TEST_CASE("a bound is a finite number above 0")
{
    grid g;
    for (double const wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(g.kernel.bound_energy(wrong), attune::error);
    CHECK(g.kernel.describe().most_joules == 0);
    g.kernel.bound_energy(2.5);
    CHECK(g.kernel.describe().most_joules == 2.5);
}
