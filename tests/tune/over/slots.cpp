// tests/tune/over/slots.cpp - a session whose configurations are tried in scripted slots.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/slots.hpp>

#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/ignored_interrupts.hpp"
#include "../../support/notices.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/scripted_slots.hpp"
#include "../../support/texts.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::detail::slot_trials;

namespace {

constexpr int steps = 25;

/// Nothing runs here: step i takes seconds(i), and each third does not compile.
struct scripted_subject {
    std::vector<double> times = std::vector<double>(steps);
    time_script script{};
    scripted_compiler compiler{
        [this](attune::compile_request const& v) -> scripted_compiler::answer {
            std::size_t const i = std::stoul(v.macros.front().value);
            if (is_bad(i)) return refusal();
            return static_cast<void*>(&times[i]);
        }};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<void(std::span<double>)> kernel{
        "steps",
        attune::source_text("constexpr int step = ATTUNE_TUNABLE(STEP, 0);\n", "s.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::range(0, steps - 1)))};
    attune::chain_of_trees space =
        attune::build(attune::space(attune::ordinal<"STEP">(attune::range(0, steps - 1))));
    std::vector<double> x = std::vector<double>(8);
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<double>>({}, std::span<double>(x));
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};

    scripted_subject()
    {
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i] = seconds(i);
            script.seconds[&times[i]] = times[i];
        }
    }
    static double seconds(std::size_t i)
    {
        double const off = static_cast<double>(i) - 16;
        return 1e-5 * (1 + off * off);
    }
    static bool is_bad(std::size_t i) { return i % 3 == 2; }
    static attune::failure refusal()
    {
        return {attune::failure_stage::compile, "no such step", "a log"};
    }
    /// What a slot says of a configuration.
    attune::evaluation outcome_at(attune::point const& at) const
    {
        std::size_t const i = at.front().index;
        if (is_bad(i)) return refusal();
        return attune::measurement::exact(seconds(i));
    }
    auto outcomes() const
    {
        return [this](attune::point const& at) { return outcome_at(at); };
    }
    attune::detail::session_result tune(attune::tuning_options options,
                                        attune::detail::session_memory memory)
    {
        options.measuring.make_bench = timed_by(script);
        return attune::detail::run_session(problem, options, std::move(memory));
    }
};

/// Tells of each first run, which may be refused for that.
struct watched_bench final : timed_bench {
    using watcher = std::function<std::optional<attune::failure>(attune::callable const&)>;

    watched_bench(time_script const& script, watcher told)
        : timed_bench(script)
        , tell(std::move(told))
    {
    }
    attune::first_run_result first_run(attune::callable const& tried, double limit_s) override
    {
        if (auto const why = tell(tried)) return *why;
        return timed_bench::first_run(tried, limit_s);
    }
    watcher tell;
};

/// For tuning_measuring::make_bench. @param s  outlives the benches
attune::bench_factory watched(scripted_subject const& s, watched_bench::watcher const& told)
{
    return [&s, told](attune::tuning_problem const&, attune::tuning_options const&) {
        return std::unique_ptr<attune::bench>(std::make_unique<watched_bench>(s.script, told));
    };
}
/// One step is wrong with the data of this process.
attune::bench_factory refusing(scripted_subject const& s, std::size_t step)
{
    return watched(s, [wrong = &s.times[step]](attune::callable const& tried) {
        return tried.address == wrong
                   ? std::optional{attune::failure{attune::failure_stage::verify, "other data", ""}}
                   : std::nullopt;
    });
}

} // namespace

TEST_CASE("a session whose slots answer in any order ends as one that tries for itself")
{
    scripted_subject home;
    auto const alone = home.tune(quick_options(), {});

    scripted_subject s;
    scripted_slots slots({0, 0.3, 2.5}, s.outcomes(), [](std::size_t slot, std::size_t number) {
        return scripted_act{.seconds = 0.01 * static_cast<double>(1 + (number * 7 + slot) % 5)};
    });
    slot_trials places(slots);
    std::map<std::string, int> kept;
    attune::detail::session_memory memory{.elsewhere = &places};
    memory.keep = [&](attune::detail::known_outcome const& one) {
        ++kept[attune::text_of(s.space.describe(), one.at)];
    };
    recorded_progress heard;
    auto const r = s.tune(quick_options(heard.sink()), std::move(memory));

    CHECK(r.report.configuration == alone.report.configuration);
    CHECK(r.report.configuration == "STEP=16");
    CHECK(r.report.how == attune::decision::tuned);
    CHECK(r.ended == "space");
    CHECK(r.report.evaluations == steps);
    CHECK(r.report.failures == alone.report.failures);
    CHECK(r.report.first_failures.front().reason == "no such step");
    CHECK(r.report.first_failures.front().log == "a log");
    CHECK(r.report.speedup == doctest::Approx(alone.report.speedup));
    CHECK(slots.wrong_submissions == 0);
    CHECK(slots.submissions.size() == steps - 1); // all but the default
    CHECK(kept.size() == steps);
    for (auto const& [text, times] : kept)
        CHECK(times == 1);
    // Here only the default and the leaders were compiled: those within 35 % of the best.
    CHECK(s.compiler.compiled() == std::vector<std::string>{"STEP=0", "STEP=16"});
    std::vector<attune::worker_use> const uses = places.uses();
    REQUIRE(uses.size() == 3);
    std::uint32_t sum = 0;
    for (attune::worker_use const& one : uses)
        sum += one.evaluations;
    CHECK(sum == steps - 1);
}

TEST_CASE("what is pending counts against the evaluations, and is waited for")
{
    scripted_subject s;
    scripted_slots slots(std::vector<double>(8, 0.0), s.outcomes());
    slot_trials places(slots);
    attune::detail::session_memory memory{.elsewhere = &places};
    attune::tuning_options options = quick_options();
    options.limits.evaluations = 12;
    auto const r = s.tune(options, std::move(memory));
    CHECK(slots.submissions.size() == 11);
    CHECK(r.report.evaluations == 12);
    CHECK(r.ended == "budget");
    CHECK(places.pending() == 0);
}

TEST_CASE("a slot that throws costs its evaluations and is named once")
{
    scripted_subject s;
    scripted_slots slots({0, 0}, s.outcomes(), [](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = 0.01, .throws = slot == 1};
    });
    slot_trials places(slots);
    auto const r = s.tune(quick_options(), {.elsewhere = &places});
    CHECK(r.report.evaluations == steps);
    std::string const all = all_notices(r.report);
    CHECK(has(all, "slot 1: scripted\n"));
    CHECK(all.find("slot 1: scripted") == all.rfind("slot 1: scripted"));
    CHECK(places.uses()[1].failures[static_cast<std::size_t>(attune::failure_stage::crash)] ==
          places.uses()[1].evaluations);
    CHECK(places.uses()[1].first_fault == "slot 1: scripted");
}

TEST_CASE("what won elsewhere and fails here is not installed")
{
    scripted_subject s;
    scripted_slots slots({0}, [&](attune::point const& at) -> attune::evaluation {
        std::size_t const i = at.front().index;
        if (i == 15) return attune::measurement::exact(scripted_subject::seconds(16));
        return s.outcome_at(at);
    });
    slot_trials places(slots);
    attune::detail::session_memory memory{.elsewhere = &places};
    attune::tuning_options options = quick_options();
    options.measuring.make_bench = refusing(s, 16);
    auto const r = attune::detail::run_session(s.problem, options, std::move(memory));
    CHECK(r.report.configuration == "STEP=15");
    // Its time is that of the final here, not what the slot said.
    CHECK(r.report.best.value == doctest::Approx(scripted_subject::seconds(15)));
    CHECK(std::ranges::count(r.report.notices,
                             "STEP=16 worked elsewhere; here it computed a wrong result: other "
                             "data") == 1);
}

TEST_CASE("leaders of other places run here while there is time, one in any case; Ctrl-C ends that")
{
    // Steps 10, 12, 13, 15, 16 and 18 take one time in the slot: six leaders.
    enum class interrupt { none, in_search, in_run };
    struct act {
        double run_s; ///< of a first run here
        interrupt when;
        double seconds; ///< of the budget, a tenth of which is the final's
        std::size_t run;
    };
    ignored_interrupts const interrupts;
    for (act const& one : {act{0, interrupt::none, 30, 6}, act{2, interrupt::none, 4, 1},
                           act{0, interrupt::in_search, 30, 0}, act{0, interrupt::in_run, 30, 1}}) {
        CAPTURE(one.run);
        scripted_subject s;
        scripted_slots slots({0}, [&](attune::point const& at) -> attune::evaluation {
            std::size_t const i = at.front().index;
            if (i >= 10 && i <= 18 && !s.is_bad(i))
                return attune::measurement::exact(s.seconds(16));
            return s.outcome_at(at);
        });
        slot_trials places(slots);
        attune::detail::session_memory memory{.elsewhere = &places};
        attune::tuning_options options = quick_options([&](attune::progress const& p) {
            bool const is_last =
                p.event == attune::progress_event::evaluated && p.evaluation == steps;
            if (is_last && one.when == interrupt::in_search) std::raise(SIGINT);
        });
        options.limits.seconds = one.seconds;
        std::size_t runs = 0;
        options.measuring.make_bench =
            watched(s, [&](attune::callable const& tried) -> std::optional<attune::failure> {
                if (tried.address == &s.times[0]) return {};
                ++runs;
                std::this_thread::sleep_for(std::chrono::duration<double>(one.run_s));
                if (one.when == interrupt::in_run) std::raise(SIGINT);
                return {};
            });
        auto const r = attune::detail::run_session(s.problem, options, std::move(memory));
        CHECK(r.report.evaluations == steps);
        CHECK(runs == one.run);
        CHECK(s.compiler.compiled().size() == 1 + runs); // the default, and each that ran
        std::string const said = all_notices(r.report);
        bool const is_interrupted = one.when != interrupt::none;
        CHECK(has(said,
                  "5 of the fastest configurations elsewhere did not run here: no time was left") ==
              (one.run == 1 && !is_interrupted));
        CHECK(has(said, "interrupted before the final: the default serves, because the fastest "
                        "configurations elsewhere did not run here") ==
              (one.when == interrupt::in_search));
        // The one that ran here serves.
        CHECK(r.report.how == (one.when == interrupt::in_search ? attune::decision::kept_default
                                                                : attune::decision::tuned));
        CHECK(r.report.interrupted == is_interrupted);
    }
}

TEST_CASE("after Ctrl-C in the final, what ran here is judged by its times here")
{
    ignored_interrupts const interrupts;
    for (bool const is_slow_here : {false, true}) {
        CAPTURE(is_slow_here);
        scripted_subject s;
        scripted_slots slots({0}, [&](attune::point const& at) -> attune::evaluation {
            std::size_t const i = at.front().index;
            // elsewhere 10 is a little faster than 12, here 12 than 10
            if (i == 10) return attune::measurement::exact(1.0e-5);
            if (i == 12) return attune::measurement::exact(1.1e-5);
            return i == 0 || s.is_bad(i) ? s.outcome_at(at)
                                         : attune::evaluation{attune::measurement::exact(1e-3)};
        });
        if (is_slow_here)
            for (std::size_t const i : {10U, 12U})
                s.script.seconds[&s.times[i]] = 3e-3; // the default takes 2.57 ms
        slot_trials places(slots);
        attune::detail::session_memory memory{.elsewhere = &places};
        attune::tuning_options options = quick_options();
        options.limits.seconds = 30;
        std::size_t runs = 0;
        options.measuring.make_bench =
            watched(s, [&](attune::callable const& tried) -> std::optional<attune::failure> {
                if (tried.address != &s.times[0] && ++runs == 2) std::raise(SIGINT);
                return {};
            });
        auto const r = attune::detail::run_session(s.problem, options, std::move(memory));
        CHECK(runs == 2);
        CHECK(r.report.interrupted);
        CHECK(r.report.configuration == (is_slow_here ? "STEP=0" : "STEP=12"));
        CHECK(!has(all_notices(r.report), "did not run here"));
    }
}

TEST_CASE("after an interruption, too, what won elsewhere runs here before it is installed")
{
    scripted_subject s;
    scripted_slots slots({0}, s.outcomes());
    slot_trials places(slots);
    attune::detail::session_memory memory{.elsewhere = &places};
    memory.was_cut_short = true;
    for (std::size_t const i : {0U, 13U, 15U, 16U}) // with the keys of their code, as a store has
        memory.known.push_back({s.space.at(i),
                                attune::measurement::exact(s.seconds(i == 15 ? 16 : i)),
                                std::to_string(reinterpret_cast<std::uintptr_t>(&s.times[i]))});
    std::map<std::string, attune::outcome> kept;
    memory.keep = [&](attune::detail::known_outcome const& one) {
        kept[attune::text_of(s.space.describe(), one.at)] = one.result;
    };
    attune::tuning_options options = quick_options();
    options.limits.evaluations = 4;
    options.measuring.make_bench = refusing(s, 16);
    auto const r = attune::detail::run_session(s.problem, options, std::move(memory));
    CHECK(r.report.evaluations == 4);
    CHECK(r.report.configuration == "STEP=15");
    REQUIRE(kept.contains("STEP=16"));
    auto const* const why = std::get_if<attune::failure>(&kept.at("STEP=16"));
    REQUIRE(why != nullptr);
    CHECK(why->reason == "other data");
}

TEST_CASE("a log does not bring back what worked elsewhere and failed here")
{
    scripted_subject s;
    support::scratch_directory const folder;
    attune::tuning_options options = quick_options();
    options.event_log = folder.file("log");
    options.limits.evaluations = 20;
    options.measuring.make_bench = refusing(s, 16);
    {
        scripted_slots slots({0}, [&](attune::point const& at) -> attune::evaluation {
            if (at.front().index == 15) return attune::measurement::exact(s.seconds(16));
            return s.outcome_at(at);
        });
        slot_trials places(slots);
        attune::detail::session_memory memory{.elsewhere = &places};
        auto const r = attune::detail::run_session(s.problem, options, std::move(memory));
        CHECK(r.report.evaluations == 20);
        CHECK(r.report.configuration == "STEP=15");
    }
    std::string text = support::read_file(options.event_log);
    text.erase(text.rfind('\n', text.size() - 2) + 1); // what was chosen: it was killed before that
    support::write_file(options.event_log, text);
    options.limits.evaluations = 22;
    auto const r = s.tune(options, {});
    CHECK(r.report.evaluations == 22);
    CHECK(r.report.configuration == "STEP=15");
    CHECK(std::ranges::count(r.report.notices,
                             "continued an interrupted tuning: 20 evaluations were known") == 1);
}

TEST_CASE("without any slot that takes part the session goes on by itself")
{
    struct lost_slots final : attune::detail::slot_evaluator {
        bool has_said = false;
        std::size_t slots() const override { return 1; }
        std::string name(std::size_t) const override { return "rank 1"; }
        void submit(std::size_t, attune::point const&) override { FAIL("no slot is free"); }
        std::vector<attune::detail::slot_event> wait(double) override
        {
            if (std::exchange(has_said, true)) return {};
            return {{.slot = 0, .lost = "no compiler"}};
        }
    } slots;
    scripted_subject s;
    slot_trials places(slots);
    auto const r = s.tune(quick_options(), {.elsewhere = &places});
    CHECK(!places.has_place());
    CHECK(r.report.configuration == "STEP=16");
    CHECK(r.report.evaluations == steps);
    CHECK(std::ranges::count(r.report.notices, "rank 1 takes no part: no compiler") == 1);
}

TEST_CASE("a slot that hangs holds nobody, and what comes late counts")
{
    // A slot joins at once or never; its evaluations take 2 s, but the first one of slot 1 another
    // time. What takes longer than 20 s, or 10 s as long as none has ended, is overdue.
    struct act {
        std::vector<double> joins_s;
        double first_s;
        std::uint32_t evaluations;
        double least_end_s, most_end_s;
    };
    for (auto const& [joins_s, first_s, evaluations, least_end_s, most_end_s] : {
             act{{0, 0}, never, steps - 1, 46, 47},     // slot 0 tries the 23 others
             act{{0, 0}, 30, steps, 30, 46},            // it comes before the others are through
             act{{never, 0}, never, steps - 1, 10, 11}, // nobody else: the caller tries the others
             act{{never, never}, 2, steps, 10, 11},
         }) {
        CAPTURE(joins_s.front());
        CAPTURE(first_s);
        scripted_subject s;
        bool is_first = true;
        scripted_slots slots(joins_s, s.outcomes(),
                             [&, first = first_s](std::size_t slot, std::size_t) {
                                 bool const hangs = slot == 1 && std::exchange(is_first, false);
                                 return scripted_act{.seconds = hangs ? first : 2};
                             });
        slot_trials places(slots);
        attune::detail::session_memory memory{.elsewhere = &places};
        auto const r = s.tune(quick_options(), std::move(memory));
        CHECK(r.report.evaluations == evaluations);
        CHECK(r.report.configuration == "STEP=16");
        CHECK(r.ended == (evaluations == steps ? "space" : "budget"));
        CHECK(slots.now() >= least_end_s);
        CHECK(slots.now() <= most_end_s);
        CHECK(slots.wrong_submissions == 0);
    }
}

TEST_CASE("a search that has nothing to propose is asked again when it knows more")
{
    scripted_subject s;
    scripted_slots slots({0, 0}, s.outcomes(), [](std::size_t, std::size_t number) {
        return scripted_act{.seconds = number == steps - 2 ? 5.0 : 0.01};
    });
    slot_trials places(slots);
    attune::detail::session_memory memory{.elsewhere = &places};
    support::scratch_directory const folder;
    attune::tuning_options options = quick_options();
    options.event_log = folder.file("log");
    auto const r = s.tune(options, std::move(memory));
    CHECK(r.report.evaluations == steps);
    CHECK(slots.now() > 5); // 100 waits
    std::string const text = support::read_file(options.event_log);
    std::size_t asked = 0;
    for (std::size_t at = 0; (at = text.find("\"asked\"", at)) != text.npos; ++at)
        ++asked;
    CHECK(asked > 0);
    CHECK(asked <= 2 * steps); // once for what is given, at most once after an outcome
}

TEST_CASE("a slot that wants to stop ends the search, whose record says that it was interrupted")
{
    scripted_subject s;
    scripted_slots slots({0, 0}, s.outcomes(), [](std::size_t, std::size_t number) {
        return scripted_act{.seconds = 0.01, .wants_stop = number == 5, .gives_back = number == 5};
    });
    slot_trials places(slots);
    auto const r = s.tune(quick_options(), {.elsewhere = &places});
    CHECK(r.ended == "interrupted");
    CHECK(r.report.interrupted);
    CHECK(slots.submissions.size() <= 7);
}

TEST_CASE("where the default takes longer in a slot than here, a notice has both times")
{
    struct joining final : attune::detail::slot_evaluator {
        std::size_t slots() const override { return 5; }
        std::string name(std::size_t slot) const override
        {
            return "rank " + std::to_string(slot + 1);
        }
        void submit(std::size_t, attune::point const&) override {}
        std::vector<attune::detail::slot_event> wait(double) override
        {
            auto const taking = [](double s) {
                return attune::evaluation{attune::measurement::exact(s)};
            };
            return {{.slot = 0, .seen = taking(0.011)},
                    {.slot = 1, .seen = taking(0.013)},
                    {.slot = 2, .seen = taking(0.007)},
                    {.slot = 3, .seen = taking(0.021)},
                    {.slot = 4, .seen = taking(0.004)}};
        }
    } slots;
    slot_trials places(slots);
    places.begin(attune::measurement::exact(0.01));
    CHECK(places.wait(0.05).empty());
    CHECK(places.idle() == 3);
    REQUIRE(places.notices().size() == 3);
    // By more than twice: its arrays are others.
    CHECK(has(places.notices()[0],
              "rank 4 takes no part: the default takes 21 ms there and 10 ms here"));
    CHECK(has(places.notices()[1],
              "rank 5 takes no part: the default takes 4 ms there and 10 ms here"));
    std::string const said = places.notices().back();
    CAPTURE(said);
    CHECK(has(said, "10 ms here, 13 ms at rank 2 (1.30 times), 7 ms at rank 3 (0.70 times)"));
    CHECK(!has(said, "rank 1"));
    CHECK(!has(said, "rank 4"));
}
