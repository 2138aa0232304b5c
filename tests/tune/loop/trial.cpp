// tests/tune/loop/trial.cpp - one configuration put to the test.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/trial.hpp>
// and what the tests need besides
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/other_threads.hpp"
#include "../../support/sanitized.hpp"
#include "../../support/texts.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::failure_stage;

namespace {

auto all_ways()
{
    return ways<usual, fast, wrong, crashing, endless, refused, unloadable, overrunning, throwing,
                same_as_usual, crawling, meddling>();
}

/// Everything a runner refers to. WAY has all values; the default is the way `start`.
struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel;
    attune::call_frame frame;
    attune::chain_of_trees space;
    attune::tuning_options options = quick_options();
    attune::tuning_problem problem;

    explicit bench(way start = usual)
        : kernel(accumulate_kernel(all_ways()))
        , frame(data.frame())
        , space(attune::build(all_ways()))
        , problem{kernel.describe(), space, at(start), any, frame}
    {
    }
    attune::compile_result compile(attune::point const& p)
    {
        return any.compile(problem.kernel.source,
                           attune::detail::make_variant(problem.kernel, space.describe(), p));
    }
    attune::point at(way w) const
    {
        return {*attune::coordinate_of(space.describe().parameters[0],
                                       std::to_string(static_cast<int>(w)))};
    }
};

/// A runner that has measured the default.
struct established : attune::detail::trial_runner {
    explicit established(bench& b)
        : trial_runner(b.problem, b.options)
        , reference(establish_reference(b.compile(b.problem.default_at)))
    {
    }
    attune::detail::trial reference;
};

constexpr double never = std::numeric_limits<double>::infinity();

attune::failure failure_of(attune::detail::trial const& t)
{
    auto const* why = std::get_if<attune::failure>(&t.result);
    return why ? *why : attune::failure{failure_stage::launch, "it worked"};
}

/// Right, and reads the number before x.
ATTUNE_TEST_UNCHECKED void reads_before(std::span<double const> x, std::span<double> y,
                                        double factor)
{
    double const volatile* const before = x.data() - 1;
    static_cast<void>(*before);
    accumulate<fast>(x, y, factor);
}

/// The same; its first run in a process takes much longer than all others.
ATTUNE_TEST_UNCHECKED void reads_before_slow_at_first(std::span<double const> x,
                                                      std::span<double> y, double factor)
{
    static bool is_first = true;
    if (std::exchange(is_first, false)) std::this_thread::sleep_for(std::chrono::milliseconds(40));
    reads_before(x, y, factor);
}

/// Reads the number after the right one.
void reads_next(std::span<double const> x, std::span<double> y, double factor)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += factor * x[(i + 1) % x.size()];
}

std::string refusal(bench& b)
{
    return error_of([&] { established const runner{b}; });
}

} // namespace

TEST_CASE("a right variant is measured by runs of its own")
{
    bench b;
    established runner{b};
    calls_to<usual> = 0;
    calls_to<fast> = 0;
    attune::detail::trial const quick = runner.run(b.compile(b.at(fast)), never);
    REQUIRE(attune::succeeded(quick.result));
    CHECK(quick.code.address == std::get<void*>(code_of<fast>()));
    CHECK(std::get<attune::measurement>(quick.result).value ==
          attune::detail::estimate_of(quick.timing).value);
    CHECK(calls_to<fast>.load() > static_cast<long>(quick.timing.times.size() * quick.timing.runs));
    CHECK(calls_to<usual>.load() <= 6); // a probe of the machine: a run of known time
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("every kind of failure has its stage and its reason, and leaves the data alone")
{
    bench b;
    established runner{b};
    auto const tried = [&](way w) { return failure_of(runner.run(b.compile(b.at(w)), never)); };

    attune::failure const not_right = tried(wrong);
    CHECK(not_right.stage == failure_stage::verify);
    CHECK(has(not_right.reason, "argument 1, element 0: got 106, reference 103"));
    CHECK(b.data.called_times(0, 3.0));

    attune::failure const past = tried(overrunning);
    CHECK(past.stage == failure_stage::crash);
    CHECK(has(past.reason, "past the end of argument 1"));
    CHECK(b.data.called_times(0, 3.0));

    CHECK(tried(crashing).stage == failure_stage::crash);
    CHECK(has(tried(crashing).reason, "SIGSEGV"));
    CHECK(tried(throwing).stage == failure_stage::crash);
    CHECK(tried(endless).stage == failure_stage::timeout);
    CHECK(tried(unloadable).stage == failure_stage::load);
    CHECK(b.data.called_times(0, 3.0));

    attune::failure const no_code = tried(refused);
    CHECK(no_code.stage == failure_stage::compile);
    CHECK(has(no_code.reason, "error: no"));
    CHECK(no_code.log == "all of it");
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("a variant that reads before its arrays fails, though its first run is right")
{
    bench b;
    established runner{b};
    attune::callable const code{.address = reinterpret_cast<void*>(&reads_before)};
    attune::failure const why = failure_of(runner.run(code, never));
    CHECK(why.stage == failure_stage::crash);
    CHECK(has(why.reason, "on arrays that begin a page"));
    CHECK(has(why.reason, "8 bytes before the start of argument 0"));
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("a variant with a wrong index fails, though each array of the call has one number")
{
    bench b;
    std::fill(b.data.x.begin(), b.data.x.end(), 1.5);
    std::fill(b.data.y.begin(), b.data.y.end(), 0.0);
    established runner{b};
    attune::callable const code{.address = reinterpret_cast<void*>(&reads_next)};
    attune::failure const why = failure_of(runner.run(code, never));
    CHECK(why.stage == failure_stage::verify);
    CHECK(has(why.reason, "where the numbers of an array differ: argument 1, element 0: got "));
    CHECK(attune::succeeded(runner.run(b.compile(b.at(fast)), never).result));
    CHECK(b.data.y == std::vector<double>(b.data.y.size(), 0.0));
}

TEST_CASE("a first run far above the best time spares no quick variant its checks")
{
    bench b;
    established runner{b};
    attune::callable const code{.address = reinterpret_cast<void*>(&reads_before_slow_at_first)};
    constexpr double best_s = 1e-3;
    attune::failure const why = failure_of(runner.run(code, best_s));
    CHECK(why.stage == failure_stage::crash);
    CHECK(has(why.reason, "on arrays that begin a page"));
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("equal code is measured once, whether it works or not")
{
    bench b;
    established runner{b};
    auto const first = std::get<attune::measurement>(runner.reference.result);
    auto const again =
        std::get<attune::measurement>(runner.run(b.compile(b.at(same_as_usual)), never).result);
    CHECK(again.value == first.value);
    CHECK(again.samples == first.samples);
    CHECK(runner.same_code() == 1);
    CHECK(failure_of(runner.run(b.compile(b.at(wrong)), never)).stage == failure_stage::verify);
    CHECK(failure_of(runner.run(b.compile(b.at(wrong)), never)).stage == failure_stage::verify);
    CHECK(runner.same_code() == 2);
}

TEST_CASE("code that was measured before an interruption is not measured again")
{
    bench b;
    established runner{b};
    attune::compile_result code = b.compile(b.at(fast));
    runner.seed_known(std::get<attune::callable>(code).object_key, attune::measurement::exact(42));
    attune::detail::trial const t = runner.run(std::move(code), never);
    CHECK(std::get<attune::measurement>(t.result).value == 42);
    CHECK(runner.same_code() == 1);
}

TEST_CASE("a quiet machine is probed now and then, and what looks slow is probed and corrected")
{
    bench b;
    time_script times{
        {{std::get<void*>(code_of<usual>()), 8e-3}, {std::get<void*>(code_of<fast>()), 8.1e-3}}};
    b.options.measuring.make_bench = timed_by(times);
    established runner{b};
    auto const time_now = [&] {
        attune::compile_result code = b.compile(b.at(fast));
        std::get<attune::callable>(code).object_key.clear(); // else it is timed once
        return std::get<attune::measurement>(runner.run(std::move(code), 8e-3).result).value;
    };
    for (int i = 0; i < 100; ++i)
        CHECK(time_now() == 8.1e-3);
    CHECK(times.probes >= 10);
    CHECK(times.probes <= 40);
    CHECK(runner.disturbed().samples == 100);

    for (int again = 0; again < 2; ++again) {
        for (int i = 0; i < 60; ++i)
            (void)time_now();
        std::size_t const before = times.probes;
        while (times.probes == before)
            (void)time_now();
        times.slowness = 1.5;                                      // when no probe is due
        CHECK(time_now() == doctest::Approx(1.5 / 1.25 * 8.1e-3)); // a quick probe and a slow one
        CHECK(time_now() == doctest::Approx(8.1e-3));
        CHECK(time_now() == doctest::Approx(8.1e-3));
        times.slowness = 1;
        (void)time_now();
        CHECK(time_now() == 8.1e-3);
    }
    CHECK(runner.disturbed().share * static_cast<double>(runner.disturbed().samples) ==
          doctest::Approx(6));
    CHECK(runner.disturbed().slowdown == doctest::Approx(1.5));
}

TEST_CASE("arrays that overlap are tuned too")
{
    bench b;
    std::span<double> const y(b.data.y);
    // x and y are one array: y[i] += y[i]
    b.frame = attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
        {}, y, y, 1.0);
    established runner{b};
    CHECK(attune::succeeded(runner.reference.result));
    CHECK(attune::succeeded(runner.run(b.compile(b.at(fast)), never).result));
    CHECK(failure_of(runner.run(b.compile(b.at(wrong)), never)).stage == failure_stage::verify);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("who leaves the process changed while variants are compared is told, not who ran last")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    bench b;
    established runner{b};
    auto const code = [&](way w) { return std::get<attune::callable>(b.compile(b.at(w))); };
    for (std::size_t const place : {1U, 2U, 3U}) {
        for (int const innocent : {0, 1, 6}) {
            std::vector all{runner.reference.code, code(fast), code(fast)};
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), code(meddling));
            innocent_calls = innocent;
            auto const compared = runner.compare(all, 2.0);
            REQUIRE(std::holds_alternative<std::size_t>(compared));
            CHECK(std::get<std::size_t>(compared) == place);
            CHECK(b.data.called_times(0, 3.0));
        }
    }
}

TEST_CASE("a kernel with other types is one sentence, without what the compiler said around it")
{
    bench b;
    b.compiler = scripted_compiler{[](attune::compile_request const&) {
        return attune::failure{
            failure_stage::compile,
            "entry:9:1: error: static assertion failed due to requirement 'x': attune: kernel 'f' "
            "is declared in the program as void(int), but the kernel file defines it otherwise",
            "noise"};
    }};
    std::string const text = refusal(b);
    CHECK(has(text, "attune: kernel 'f' is declared in the program as void(int), but"));
    CHECK(has(text, "the same name and types"));
    CHECK_FALSE(has(text, "static assertion"));
    CHECK_FALSE(has(text, "noise"));
}

TEST_CASE("a default that fails is an error that says why, and what to do about it")
{
    struct row {
        way start;
        std::vector<char const*> says;
    };
    for (auto const& [start, says] :
         {row{refused,
              {"kernel 'accumulate' did not compile", "accumulate.kernel.cpp", "WAY=5", "error: no",
               "all of it"}},
          row{crashing, {"kernel 'accumulate' crashed", "SIGSEGV", "next:"}},
          row{overrunning, {"past the end of argument 1", "pass longer spans"}},
          row{endless, {"ran too long", "limits.default_run_s"}}}) {
        bench b{start};
        if (start == endless) b.options.limits.default_run_s = 0.2;
        std::string const text = refusal(b);
        CAPTURE(text);
        for (char const* const part : says)
            CHECK_MESSAGE(has(text, part), part);
        CHECK(b.data.called_times(0, 3.0));
    }
}
