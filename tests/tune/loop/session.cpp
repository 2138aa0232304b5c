// tests/tune/loop/session.cpp - the loop and its final.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/session.hpp>

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/ignored_interrupts.hpp"
#include "../../support/notices.hpp"
#include "../../support/texts.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::decision;
using attune::failure_stage;
using attune::progress_event;

namespace {

/// Tunes over the ways given, the first of which is the default.
template <way Start, way... Others>
struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<Start, Others...>());
    attune::chain_of_trees space = attune::build(ways<Start, Others...>());
    time_script times{{{std::get<void*>(code_of<usual>()), 8e-3},
                       {std::get<void*>(code_of<fast>()), 1e-3},
                       {std::get<void*>(code_of<crawling>()), 80e-3}}};

    attune::bench_factory scripted{};

    /// From now on nothing runs, and times are those above.
    void script() { scripted = timed_by(times); }

    attune::detail::session_result tune(attune::tuning_options options,
                                        attune::detail::session_memory memory = {})
    {
        options.measuring.make_bench = scripted;
        auto const frame = data.frame();
        attune::tuning_problem const problem{kernel.describe(), space, space.at(0), any, frame};
        return attune::detail::run_session(problem, options, std::move(memory));
    }
    std::string chosen(attune::detail::session_result const& r) const
    {
        return attune::text_of(space.describe(), r.at);
    }
};

bool says(attune::detail::session_result const& r, char const* start)
{
    return std::ranges::any_of(r.report.notices,
                               [&](std::string const& said) { return said.starts_with(start); });
}

std::uint32_t count(attune::tuning_report const& r, failure_stage stage)
{
    return r.failures[static_cast<std::size_t>(stage)];
}

/// Takes a millisecond, at least, for each thing that it does.
struct napping_search {
    napping_search(attune::chain_of_trees const& space, std::vector<std::string>* to)
        : own(space)
        , naps(to)
    {
        nap("made");
    }
    void nap(char const* what) const
    {
        naps->push_back(what);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::vector<attune::point> ask(std::size_t k)
    {
        nap("ask");
        return own.ask(k);
    }
    void tell(attune::point const& p, attune::outcome const& o)
    {
        nap("tell");
        own.tell(p, o);
    }
    void inform(std::vector<attune::past_session> const&) { nap("inform"); }
    void learn_from(attune::cost_samples const&) { nap("samples"); }
    void learn_from(attune::search::technique_history const&) { nap("techniques"); }
    std::optional<double> prediction_of(attune::point const&) const
    {
        nap("prediction");
        return {};
    }
    attune::exhaustive_searcher own;
    std::vector<std::string>* naps;
};

} // namespace

TEST_CASE("the seconds of the search are all that it took: to be made, to learn, and to propose")
{
    bench<usual, fast, crawling> b;
    b.script();
    std::vector<std::string> naps;
    attune::tuning_options options = quick_options();
    options.search.strategy = attune::search_with<napping_search>(&naps);
    attune::detail::session_memory memory;
    memory.related.push_back({.name = "other"});
    attune::cost_samples programs;
    programs.add("task", {{1, 2}, 2}, 0.5);
    attune::search::technique_history gains;
    gains.add({.label = "other", .structure = {}});
    memory.lessons = {std::make_shared<attune::detail::samples_lesson>(programs),
                      std::make_shared<attune::detail::techniques_lesson>(gains)};
    memory.known.push_back({b.space.at(0), attune::measurement::exact(8e-3), {}});
    memory.read_s = 2;
    auto const r = b.tune(options, std::move(memory));
    for (std::string const what :
         {"made", "inform", "samples", "techniques", "tell", "ask", "prediction"})
        CHECK_MESSAGE(std::count(naps.begin(), naps.end(), what) > 0, what);
    CHECK(r.report.search_s >= 2 + 1e-3 * static_cast<double>(naps.size()));
    CHECK(r.report.elapsed_s >= r.report.search_s + r.report.code_s);
}

TEST_CASE(
    "what the memory took to read is part of the time budget, half of which stays in any case")
{
    for (double const share : {1 / 3.0, 3.0}) {
        CAPTURE(share);
        bench<usual, fast, crawling> b;
        b.script();
        attune::tuning_options const options = quick_options();
        auto const r = b.tune(options, {.read_s = share * options.limits.seconds});
        CHECK(r.report.evaluations == 3);
        CHECK(b.chosen(r) == "WAY=1");
        CHECK(r.report.elapsed_s >= share * options.limits.seconds);
        CHECK(has(all_notices(r.report), "reading the results of other tunings took 90 s") ==
              (share > 1));
    }
}

TEST_CASE("a variant that is far faster wins by the times of the final, and the data is restored")
{
    bench<usual, fast, crawling> b;
    auto const r = b.tune(quick_options());
    CHECK(r.report.how == decision::tuned);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(r.code.address == std::get<void*>(code_of<fast>()));
    CHECK(r.report.configuration == "WAY=1");
    CHECK(r.report.default_configuration == "WAY=0");
    CHECK(r.report.speedup_low > 1);
    CHECK(r.report.speedup_low <= r.report.speedup);
    CHECK(r.report.speedup <= r.report.speedup_high);
    CHECK(r.report.best.value < r.report.default_time.value);
    CHECK(r.report.default_time.value / r.report.best.value ==
          doctest::Approx(r.report.speedup).epsilon(1e-9));
    CHECK(r.report.ties.empty());
    CHECK(r.report.noise.resolution > 0);
    CHECK(r.report.noise.drift > -1);
    CHECK(r.report.evaluations == 3);
    CHECK(r.report.compiler == "scripted 1");
    CHECK(r.report.kernel == "accumulate");
    CHECK(r.report.compile_s == doctest::Approx(0.003));
    CHECK(r.report.log2_space_size == doctest::Approx(std::log2(3.0)));
    CHECK(!r.report.interrupted);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("the speedup is the default's time over the winner's")
{
    bench<usual, fast, crawling> b;
    b.script();
    auto const r = b.tune(quick_options());
    CHECK(r.report.how == decision::tuned);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(r.report.best.value == 1e-3);
    CHECK(r.report.default_time.value == doctest::Approx(8e-3));
    CHECK(r.report.speedup == doctest::Approx(8));
    CHECK(!r.report.noise.is_disturbed);
    CHECK(r.report.summary().starts_with("8.00x faster than the default: 1 ms, was 8 ms"));
}

TEST_CASE("the default is evaluation 0 and stays when nothing is better")
{
    bench<fast, usual, crawling> b;
    recorded_progress heard;
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(r.report.how == decision::kept_default);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(r.code.address == std::get<void*>(code_of<fast>()));
    CHECK(r.report.configuration == r.report.default_configuration);
    CHECK(r.report.speedup == 1);
    CHECK(b.compiler.compiled().front() == "WAY=1");
    REQUIRE(heard.count(progress_event::evaluated) == 3);
    CHECK(heard.events()[0].event == progress_event::started);
    CHECK(heard.events()[1].text == "WAY=1");
    CHECK(heard.events()[1].improved);
    CHECK(heard.count(progress_event::finals) == 0);
    CHECK(heard.events().back().event == progress_event::finished);
    CHECK(heard.events().back().text == r.report.summary());
}

TEST_CASE("a variant that loses the final comparison is not installed, however well it began")
{
    bench<usual, tiring> b;
    recorded_progress heard(note_final);
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(heard.count(progress_event::finals) == 1);
    CHECK(r.report.how == decision::kept_default);
    CHECK(b.chosen(r) == "WAY=0");
    CHECK(r.code.address == std::get<void*>(code_of<usual>()));
    CHECK(r.report.best.value == r.report.default_time.value);
    CHECK(r.report.speedup == 1); // of what is installed
    CHECK(r.report.speedup_low == 1);
    CHECK(r.report.speedup_high == 1);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("what fails in the final is left out, and the others go on")
{
    bench<usual, breaking, fast> b;
    recorded_progress heard(note_final);
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(heard.count(progress_event::finals) == 1);
    CHECK(r.report.how == decision::tuned);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("where all leaders fail in the final, the best of the others takes part")
{
    bench<usual, breaking, middling> b;
    recorded_progress heard(note_final);
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(r.report.how == decision::tuned);
    CHECK(b.chosen(r) == "WAY=15");
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("the time budget holds for slow compilers and the final too")
{
    // Nine configurations of a quarter of a second each do not fit into a second and a half.
    bench<usual, fast, crawling, wrong, refused, unloadable, throwing, same_as_usual, crashing> b;
    std::vector<double> begun_s;
    b.compiler = scripted_compiler{[&](attune::compile_request const& v) {
        begun_s.push_back(attune::detail::steady_seconds());
        ::usleep(250'000);
        return accumulate_script(v);
    }};
    auto options = quick_options();
    options.limits = {.seconds = 1.5};
    options.compile_ahead = 0;
    auto const r = b.tune(options);
    CHECK(r.report.evaluations <= 6);
    // None is begun that would not fit, were it as long as the one before: however long they take.
    CHECK(begun_s.back() - begun_s.front() < 1.5 - 0.25);
}

TEST_CASE("a variant that compiles for ever ends with the budget, and what was found before stays")
{
    bench<usual, fast, endless> b;
    b.compiler = slow_accumulate_compiler();
    b.script();
    attune::tuning_options options = quick_options();
    options.limits.seconds = 1;
    auto const r = b.tune(options);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(count(r.report, failure_stage::compile) == 1);
}

TEST_CASE("a reference that takes most of the budget leaves it to the search, and is told")
{
    bench<usual, fast> b;
    int referred = 0;
    b.kernel.reference([&](std::span<double const> x, std::span<double> y, double a) {
        ++referred;
        ::usleep(1'000'000);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += a * x[i % x.size()];
    });
    auto options = quick_options();
    options.limits = {.seconds = 3};
    options.compile_ahead = 0;
    options.measuring.protect = attune::isolation::none; // counts here
    auto const r = b.tune(options);
    REQUIRE(referred == 3); // twice on other contents: see cpu_trials::run_trusted()
    CHECK(r.report.evaluations == 2);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(says(r, "the reference that results are compared with took 3."));
}

TEST_CASE("a reference that does not serve a call is not called, and the default is what counts")
{
    bench<usual, fast, wrong> b;
    int referred = 0;
    b.kernel.reference(
        [&](std::span<double const>, std::span<double>, double) { ++referred; },
        [](std::span<double const> x, std::span<double>, double) { return x.size() > 1'000'000; });
    auto options = quick_options();
    options.measuring.protect = attune::isolation::none; // counts here
    auto const r = b.tune(options);
    CHECK(referred == 0);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(attune::total(r.report.failures) == 1);
    CHECK(says(r, "results are compared with those of the default"));
}

TEST_CASE("one last evaluation that overruns the budget does not cost what was found")
{
    bench<usual, fast, crawling> b;
    b.script();
    int compiled = 0;
    b.compiler = scripted_compiler{[&](attune::compile_request const& v) {
        if (++compiled == 3) ::usleep(1'700'000);
        return accumulate_script(v);
    }};
    auto options = quick_options();
    options.limits = {.seconds = 1.5};
    options.compile_ahead = 0;
    auto const r = b.tune(options);
    CHECK(r.report.evaluations == 3);
    CHECK(b.chosen(r) == "WAY=1");
}

TEST_CASE("every failure is counted at its stage and none ends the tuning")
{
    bench<usual, wrong, crashing, endless, refused, unloadable, overrunning, throwing, fast> b;
    recorded_progress heard;
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(r.report.evaluations == 9);
    CHECK(count(r.report, failure_stage::verify) == 1);
    CHECK(count(r.report, failure_stage::crash) == 3);
    CHECK(count(r.report, failure_stage::timeout) == 1);
    CHECK(count(r.report, failure_stage::compile) == 1);
    CHECK(count(r.report, failure_stage::load) == 1);
    REQUIRE(r.report.first_failures.size() == 5);
    CHECK(has(r.report.first_failures[0].reason, "argument 1"));
    CHECK(b.data.called_times(0, 3.0));
    CHECK(heard.events().back().failures == r.report.failures);
}

TEST_CASE("the budget of evaluations is kept")
{
    bench<usual, fast, crawling> b;
    auto options = quick_options();
    options.limits = {.evaluations = 2};
    CHECK(b.tune(options).report.evaluations == 2);
    options.limits = {.evaluations = 1};
    auto const only_default = b.tune(options);
    CHECK(only_default.report.evaluations == 1);
    CHECK(only_default.report.how == decision::kept_default);
}

TEST_CASE("Ctrl-C ends the loop and keeps the best so far")
{
    ignored_interrupts const interrupts;
    bench<usual, fast, crawling, wrong> b;
    recorded_progress heard{[](attune::progress const& p) {
        if (p.event == progress_event::evaluated && p.evaluation == 2) ::raise(SIGINT);
    }};
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(interrupts.is_in_place()); // what the program had set
    CHECK(r.report.interrupted);
    CHECK(r.report.evaluations == 2);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(b.data.called_times(0, 3.0));
    CHECK(attune::detail::make_record({}, b.space.describe(), r, {}).interrupted);
}

TEST_CASE("Ctrl-C in the final ends it, and what is known decides")
{
    ignored_interrupts const interrupts;
    bench<usual, fast, crawling> b;
    recorded_progress heard{[](attune::progress const& p) {
        if (p.event == progress_event::finals) ::raise(SIGINT);
    }};
    auto const r = b.tune(quick_options(heard.sink()));
    CHECK(r.report.interrupted);
    CHECK(r.report.how == decision::tuned);
    CHECK(b.chosen(r) == "WAY=1");
    CHECK(r.report.evaluations == 3);
    CHECK(r.report.speedup_low > 1);
    CHECK(r.report.speedup_low <= r.report.speedup);
    CHECK(has(heard.texts(progress_event::notice), "interrupted before the final"));
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("an exception from the sink ends the tuning and leaves the data restored")
{
    bench<usual, fast> b;
    recorded_progress heard{[](attune::progress const& p) {
        if (p.event == progress_event::evaluated) throw 3;
    }};
    CHECK_THROWS_AS((void)b.tune(quick_options(heard.sink())), int);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("what the compiler wants the user to know is told before anything is measured, and once")
{
    bench<usual, fast> b;
    b.compiler.say("no Clang module: used c++");
    recorded_progress heard;
    auto const r = b.tune(quick_options(heard.sink()));
    REQUIRE(!r.report.notices.empty()); // there may be one on the noise of the machine, too
    CHECK(r.report.notices.back() == "no Clang module: used c++");
    REQUIRE(!heard.events().empty());
    CHECK(heard.events().front().event == progress_event::notice);
    CHECK(heard.events().front().text == "no Clang module: used c++");
    std::string const told = heard.texts(progress_event::notice);
    CHECK(told.find("used c++\n") == told.rfind("used c++\n"));
}

TEST_CASE("what a compiler says while it compiles is told, too")
{
    bench<usual, fast> b;
    recorded_progress heard{[&](attune::progress const& p) {
        if (p.event == progress_event::started) b.compiler.say("the module cannot be opened");
    }};
    auto const r = b.tune(quick_options(heard.sink()));
    REQUIRE(!r.report.notices.empty());
    CHECK(r.report.notices.back() == "the module cannot be opened");
    CHECK(has(heard.texts(progress_event::notice), "cannot be opened\n"));
}

TEST_CASE("the same seed asks the same configurations")
{
    auto const asked = [](std::uint64_t seed) {
        bench<refused, unloadable, usual, fast, same_as_usual, wrong> b;
        b.space = attune::build(ways<usual, fast, same_as_usual, wrong, refused, unloadable>());
        auto options = quick_options();
        options.search.seed = seed;
        options.search.strategy = attune::search_with<attune::random_searcher>();
        (void)b.tune(options);
        return b.compiler.compiled();
    };
    auto const first = asked(1);
    CHECK(first.size() == 6);
    CHECK(first == asked(1));
    bool differs = false;
    for (std::uint64_t seed = 2; seed < 5; ++seed)
        differs = differs || asked(seed) != first;
    CHECK(differs);
}

TEST_CASE("a record says what was found and leads back to its point")
{
    bench<usual, fast, wrong> b;
    auto options = quick_options();
    options.search.seed = 42;
    auto const r = b.tune(options);
    attune::record_key key;
    key.kernel = "accumulate";
    attune::record const kept = attune::detail::make_record(key, b.space.describe(), r, options);
    CHECK(kept.key == key);
    REQUIRE(kept.configuration.size() == 1);
    CHECK(kept.configuration[0] == std::pair<std::string, std::string>{"WAY", "1"});
    CHECK(kept.best_s == r.report.best.value);
    CHECK(kept.default_s == r.report.default_time.value);
    CHECK(kept.evaluations == 3);
    CHECK(kept.failures == 1);
    CHECK(kept.seed == 42);
    CHECK(!kept.interrupted);
    REQUIRE(kept.when.size() == 20); // 2025-01-31T12:00:00Z
    CHECK(kept.when[10] == 'T');
    CHECK(kept.when.back() == 'Z');
    CHECK(kept.attune == attune::version);
    CHECK(attune::detail::point_of(kept.configuration, b.space) == r.at);
}

TEST_CASE("a record that is not of the space leads to no point")
{
    bench<usual, fast> b;
    attune::named_texts const right{{"WAY", "1"}};
    CHECK(attune::detail::point_of(right, b.space));
    for (attune::named_texts const& wrong :
         {attune::named_texts{}, {{"WAY", "2"}}, {{"ROAD", "1"}}, {{"WAY", "1"}, {"WAY", "1"}}})
        CHECK(!attune::detail::point_of(wrong, b.space));
    auto const tied =
        attune::build(ways<usual, fast>().where(attune::categorical<"WAY">(0, 1) != 1));
    CHECK(!attune::detail::point_of(right, tied)); // breaks the constraint
}
