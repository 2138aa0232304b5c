// tests/tune/roofline.cpp - a tuning that knows how fast its kernel can be at most.
// SPDX-License-Identifier: MIT
#include <attune/tune/roofline.hpp>
// and what the test needs besides
#include <attune/attune.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/device_saxpy.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/set_variable.hpp"

using namespace attune_test;

namespace {

template <way... Ways>
struct bench {
    support::scratch_directory directory{};
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<Ways...>());

    auto tuned(attune::tuning_options const& options)
    {
        return attune::tuned{kernel, compiler, attune::store{directory.file("store")}, options};
    }
    void call(auto& tuned) { tuned(data.x, data.y, 3.0); }
};

/// What the kernel does. Every variant is above one part in 1e9 of this roof, and below a thousand.
attune::work tiny(std::span<double const> x, std::span<double>, double)
{
    return {2.0 * static_cast<double>(x.size()), 24.0 * static_cast<double>(x.size()), true};
}

/// Whether threads of the pool work, or wait for work.
std::atomic<bool> is_pool_busy = false;

double thread_cpu_s() { return attune::system_clocks{}.thread_cpu_s(); }

/// Two threads, one of which may be too few on a busy machine.
std::vector<std::jthread> pool()
{
    std::vector<std::jthread> out;
    for (int i = 0; i < 2; ++i)
        out.emplace_back([](std::stop_token const& end) {
            std::stop_callback const wake(end, [] {
                is_pool_busy = true;
                is_pool_busy.notify_all();
            });
            while (!end.stop_requested())
                is_pool_busy.wait(false);
        });
    return out;
}

/// Right, and the pool works as long as it does.
void busy_on_two(std::span<double const> x, std::span<double> y, double factor)
{
    is_pool_busy = true;
    is_pool_busy.notify_all();
    double const end_s = thread_cpu_s() + 2e-3;
    while (thread_cpu_s() < end_s)
        ;
    is_pool_busy = false;
    accumulate<fast>(x, y, factor);
}

bool is_noticed(attune::tuning_report const& report, std::string const& part)
{
    return std::any_of(report.notices.begin(), report.notices.end(),
                       [&](std::string const& said) { return has(said, part); });
}

} // namespace

TEST_CASE("the report has a place under the roofline only where work is stated")
{
    bench<usual, fast> b;
    auto without = b.tuned(quick_options());
    b.call(without);
    CHECK(!without.report().roofline);

    b.kernel.work(tiny);
    auto options = quick_options();
    options.on_miss = attune::miss_policy::always;
    auto with = b.tuned(options);
    b.call(with);
    attune::tuning_report const report = with.report();
    REQUIRE(report.roofline);
    CHECK(report.roofline->least_s > 0);
    CHECK(report.roofline->fraction ==
          doctest::Approx(report.roofline->least_s / report.best.value));
    CHECK(has(report.summary(), attune::text_of(*report.roofline)));
    CHECK(has(report.summary(), " of the roofline ("));
}

TEST_CASE("what was remembered keeps its place, and nothing is measured for it")
{
    bench<usual, fast> b;
    static bool may_ask = true;
    b.kernel.work([](auto&&...) -> attune::work {
        if (!may_ask) throw 42;
        return {100, 800, true};
    });
    auto first = b.tuned(quick_options());
    b.call(first);
    may_ask = false;
    auto const roof = first.report().roofline;
    auto second = b.tuned(quick_options());
    b.call(second);
    attune::tuning_report const report = second.report();
    CHECK(report.how == attune::decision::remembered);
    REQUIRE(roof);
    REQUIRE(report.roofline);
    CHECK(report.roofline->least_s == roof->least_s);
    CHECK(report.roofline->memory_bound == roof->memory_bound);
    CHECK(report.roofline->of_call.flops == 100);
    CHECK(report.roofline->of_call.bytes == 800);
    CHECK(report.roofline->flops_per_s == roof->flops_per_s);
    CHECK(report.roofline->bytes_per_s == roof->bytes_per_s);
    CHECK(report.roofline->bytes_per_s > 0);
    CHECK(report.roofline->fraction == doctest::Approx(roof->fraction));
    CHECK(has(report.summary(), " of the roofline ("));
}

TEST_CASE("where it is to end at it, the roofline ends a tuning that is near enough, and says so")
{
    bench<usual, fast, crawling> b;
    b.kernel.work(tiny);
    auto options = quick_options();
    options.limits.roofline_share = 1e-9;
    auto near_enough = b.tuned(options);
    b.call(near_enough);
    attune::tuning_report const report = near_enough.report();
    CHECK(report.evaluations == 1);
    CHECK(is_noticed(report, "of the roofline is reached (1e-09 was asked for): "));

    bench<usual, fast, crawling> far;
    far.kernel.work(tiny);
    options.limits.roofline_share = 1e3;
    auto never = far.tuned(options);
    far.call(never);
    CHECK(never.report().evaluations == 3);
}

TEST_CASE("no compiler works beside the measurement of the machine")
{
    if (!has_workers()) return;
    support::scratch_directory const directory;
    set_variable const cache{"ATTUNE_CACHE", directory.file("cache")};
    auto const is_measured = [&] {
        return has(support::read_file(directory.file("cache/machine_limits")), "optimised 2 ");
    };
    grid g;
    g.kernel.work([](auto&&...) { return attune::work{1, 1, true}; });
    bool was_measured_meanwhile = false; // the session has joined who writes it
    g.on_compile = [&](attune::compile_request const& v) -> attune::compile_result {
        std::string const& way = v.macros[1].value;
        // other work of the program beside the first run may have counted as a second thread
        if (way == "2" && !is_measured())
            for (int i = 0; i < 200 && !was_measured_meanwhile; ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                was_measured_meanwhile = is_measured();
            }
        void* const code = reinterpret_cast<void*>(way == "1" ? &busy_on_two : &accumulate<fast>);
        return attune::callable{code, std::make_shared<int>(0), way, 0.001, "scripted"};
    };
    std::vector<std::jthread> const threads = pool(); // may run where it likes, as that of OpenMP
    auto options = quick_options();
    options.compile_ahead = 1;
    options.measuring.protect = attune::isolation::none;
    options.limits.evaluations = 3; // the default, the one with two threads, the slow to compile
    options.limits.roofline_share = 1e6;
    attune::detail::session_result const r = attune::detail::run_session(g.problem, options);
    CHECK(r.report.evaluations == 3);
    CHECK(attune::total(r.report.failures) == 0);
    CHECK(!was_measured_meanwhile);
    if (!is_measured())
        MESSAGE("proves nothing: two threads were not seen, or this is slowed code");
}

TEST_CASE("without stated work nothing ends at the roofline, and the report says what is missing")
{
    bench<usual, fast> b;
    auto options = quick_options();
    options.limits.roofline_share = 0.8;
    auto tuned = b.tuned(options);
    b.call(tuned);
    CHECK(tuned.report().evaluations == 2);
    CHECK(is_noticed(tuned.report(), "does not state its work; call kernel.work(flops, bytes)"));
}

TEST_CASE("on a device stated work has no roofline: the report says so, and goes on")
{
    auto kernel = saxpy_kernel<on_host, plain, quick>();
    kernel.work(2 * saxpy_n, 12 * saxpy_n);
    saxpy_data data;
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    saxpy(data.x, data.y, 2.0F, data.n());
    attune::tuning_report const report = saxpy.report();
    CHECK(report.configuration == "KIND=1 BLOCK=32");
    CHECK(!report.roofline);
    CHECK(is_noticed(report, "no roofline: what a machine can do is known for processors only"));

    auto options = quick_options();
    options.limits.roofline_share = 0.5;
    attune::tuned with_rule{kernel, saxpy_compiler(), attune::memory_store{}, options};
    with_rule(data.x, data.y, 2.0F, data.n());
    CHECK(with_rule.report().evaluations == report.evaluations);
    CHECK(is_noticed(with_rule.report(), "no roofline: what a machine can do is known for"));
}
