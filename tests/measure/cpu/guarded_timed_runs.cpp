// tests/measure/cpu/guarded_timed_runs.cpp - timed runs that may still go wrong.
// SPDX-License-Identifier: MIT
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "../../support/accumulate.hpp"
#include "../../support/other_threads.hpp"
#include "../../support/sanitized.hpp"

using namespace attune_test;
using attune::detail::guarded_timed_runs;
using attune::detail::stopped;

namespace {

int calls = 0;
int bad_from = 0;
void (*bad_thing)() = nullptr;

/// y += 3 x, until something bad happens in call number `bad_from`.
void moody(std::span<double const> x, std::span<double> y, double factor)
{
    accumulate<fast>(x, y, factor);
    if (++calls >= bad_from && bad_thing != nullptr) bad_thing();
    if (calls >= bad_from && bad_thing == nullptr) y[5] = 0;
}

struct runs_of_moody {
    accumulate_data data{};
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<fast>());
    attune::chain_of_trees space = attune::build(ways<fast>());
    attune::detail::any_compiler const no_compiler{};
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, data.x, data.y, 3.0);
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), no_compiler, frame};
    attune::trial_call call = attune::detail::trial_call_of(problem);
    attune::detail::snapshot original{frame.buffers};
    attune::detail::cpu_first_runs ground;
    attune::callable code{};
    std::optional<guarded_timed_runs> runs{};

    explicit runs_of_moody(attune::isolation how = attune::isolation::fork)
        : ground(call, how, original)
    {
        attune::callable usual_code{.address = std::get<void*>(code_of<fast>())};
        REQUIRE(std::holds_alternative<double>(ground.establish(usual_code, 5, 5)));
        code.address = reinterpret_cast<void*>(moody);
        runs.emplace(call, ground, original, 0.1);
    }
    runs_of_moody(runs_of_moody const&) = delete;
    runs_of_moody& operator=(runs_of_moody const&) = delete;

    /// Ten runs of which one is bad: the reason, and how many calls there were.
    std::string ten(int from, void (*thing)())
    {
        calls = 0;
        bad_from = from;
        bad_thing = thing;
        std::string reason = "fine";
        try {
            for (int i = 0; i < 10; ++i) {
                runs->prepare();
                runs->run(code);
            }
            runs->finish();
        } catch (stopped const& s) {
            CHECK(runs->latest() == code.address);
            reason = s.why.reason;
        }
        runs.reset();
        CHECK(data.called_times(0, 3.0));
        return reason;
    }
};

} // namespace

TEST_CASE("runs of nothing are guarded like others, and neither looked at nor counted")
{
    for (attune::isolation const how : {attune::isolation::fork, attune::isolation::none}) {
        runs_of_moody r{how};
        calls = 0;
        bad_from = 1000;
        r.runs->prepare();
        std::function<void()> const idle = r.runs->idle();
        REQUIRE(idle);
        for (int i = 0; i < 3; ++i)
            idle();
        CHECK(calls == 0);
        CHECK(r.runs->latest() == nullptr);
        CHECK(r.data.called_times(0, 3.0));
        CHECK(r.ten(1000, [] {}) == "fine");
        CHECK(calls == 10);
    }
}

TEST_CASE("a result that goes wrong is seen after a power of two of runs, or at the end")
{
    CHECK(
        runs_of_moody{}.ten(1, nullptr).find("right at first, then wrong: argument 1, element 5") ==
        0);
    CHECK(calls == 1);
    static_cast<void>(runs_of_moody{}.ten(3, nullptr));
    CHECK(calls == 4);
    CHECK(runs_of_moody{}.ten(9, nullptr) != "fine");
    CHECK(calls == 10);
}

TEST_CASE("without a guard an exception ends the runs all the same")
{
    runs_of_moody r{attune::isolation::none};
    CHECK(r.ten(3, [] { throw std::runtime_error("no such index"); }) == "no such index");
    CHECK(calls == 3);
}

TEST_CASE("a crash, an exception and a hang end the runs")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    CHECK(runs_of_moody{}.ten(3, [] { raise(SIGSEGV); }).find("SIGSEGV") == 0);
    CHECK(calls == 3);
    CHECK(runs_of_moody{}.ten(3, [] { throw 7; }).find("an exception") == 0);
#if defined(__linux__)
    auto const hang = [] {
        for (;;)
            asm volatile("");
    };
    CHECK(runs_of_moody{}.ten(2, hang) == "still running after 0.1 s");
#endif
}

TEST_CASE("a handler that is changed is a failure, and is put back")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    struct sigaction before{};
    sigaction(SIGUSR1, nullptr, &before);
    CHECK(runs_of_moody{}.ten(5, [] { std::signal(SIGUSR1, SIG_IGN); }) ==
          "changed the handler of signal " + std::to_string(SIGUSR1));
    struct sigaction now{};
    sigaction(SIGUSR1, nullptr, &now);
    bool const is_back = now.sa_handler == before.sa_handler;
    CHECK(is_back);
}

TEST_CASE("of several variants, the one that changes the process when it runs alone is named")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    runs_of_moody r;
    attune::callable other{.address = std::get<void*>(code_of<fast>())};
    calls = 0;
    bad_from = 5;
    bad_thing = [] { std::signal(SIGUSR1, SIG_IGN); };
    std::string reason = "fine";
    try {
        for (int i = 0; i < 10; ++i)
            for (attune::callable const& code : {r.code, other}) {
                r.runs->prepare();
                r.runs->run(code);
            }
        r.runs->finish();
    } catch (stopped const& s) {
        reason = s.why.reason;
    }
    CHECK(reason == "changed the handler of signal " + std::to_string(SIGUSR1));
    CHECK(r.runs->latest() == r.code.address);
    r.runs.reset();
    CHECK(r.data.called_times(0, 3.0));
}

TEST_CASE("what none of several variants does alone is blamed on none, and is put back")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    runs_of_moody r;
    attune::callable other{.address = std::get<void*>(code_of<fast>())};
    bad_from = 1000;
    struct sigaction before{};
    sigaction(SIGUSR1, nullptr, &before);
    for (attune::callable const& code : {r.code, other, r.code}) {
        r.runs->prepare();
        r.runs->run(code);
    }
    std::signal(SIGUSR1, SIG_IGN); // the program itself, or another thread of it
    CHECK_NOTHROW(r.runs->finish());
    r.runs.reset();
    struct sigaction now{};
    sigaction(SIGUSR1, nullptr, &now);
    bool const is_back = now.sa_handler == before.sa_handler;
    CHECK(is_back);
    CHECK(r.data.called_times(0, 3.0));
}

TEST_CASE("what another thread of the program changes meanwhile fails nobody, and stays")
{
    attune_test::other_thread const program;
    for (auto const how : {attune::isolation::fork, attune::isolation::guard}) {
        runs_of_moody r{how};
        calls = 0;
        bad_from = 1000;
        r.runs->prepare();
        r.runs->run(r.code);
        program.call([] {
            setenv("ATTUNE_TEST_OF_THE_PROGRAM", "1", 1);
            std::signal(SIGUSR1, SIG_IGN);
        });
        r.runs->prepare();
        r.runs->run(r.code);
        CHECK_NOTHROW(r.runs->finish());
        r.runs.reset();
        CHECK(r.data.called_times(0, 3.0));
        CHECK(std::getenv("ATTUNE_TEST_OF_THE_PROGRAM") != nullptr);
        bool const is_ignored = std::signal(SIGUSR1, SIG_DFL) == SIG_IGN;
        CHECK(is_ignored);
        unsetenv("ATTUNE_TEST_OF_THE_PROGRAM");
    }
}

TEST_CASE("several runs after one preparation are not taken for a wrong result")
{
    runs_of_moody r;
    bad_from = 1000;
    r.runs->prepare();
    r.runs->run(r.code);
    r.runs->run(r.code);
    r.runs->finish();
    CHECK(r.data.called_times(2, 3.0));
    r.runs.reset();
    CHECK(r.data.called_times(0, 3.0));
}
