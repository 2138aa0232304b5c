// tests/tune/roofline.cpp - the place of a time under the roof of this machine, and tunings that use it.
// SPDX-License-Identifier: MIT
#include <attune/tune/roofline.hpp>

#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/device_saxpy.hpp"
#include "../support/notices.hpp"
#include "../support/one_processor.hpp"
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

    /// Of one call.
    attune::tuning_report report(attune::tuning_options const& options = quick_options())
    {
        attune::tuned call{kernel, compiler, attune::store{directory.file("store")}, options};
        call(data.x, data.y, 3.0);
        return call.report();
    }
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

} // namespace

TEST_CASE("the report has a place under the roofline only where work is stated")
{
    bench<usual, fast> b;
    CHECK(!b.report().roofline);
    b.kernel.work(tiny);
    auto options = quick_options();
    options.on_miss = attune::miss_policy::always;
    attune::tuning_report const report = b.report(options);
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
    auto const roof = b.report().roofline;
    may_ask = false;
    attune::tuning_report const report = b.report();
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
    attune::tuning_report const report = b.report(options);
    CHECK(report.evaluations == 1);
    CHECK(noticed(report, "of the roofline is reached (1e-09 was asked for): "));
    bench<usual, fast, crawling> far;
    far.kernel.work(tiny);
    options.limits.roofline_share = 1e3;
    CHECK(far.report(options).evaluations == 3);
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
    attune::tuning_report const report = b.report(options);
    CHECK(report.evaluations == 2);
    CHECK(noticed(report, "does not state its work; call kernel.work(flops, bytes)"));
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
    CHECK(noticed(report, "no roofline: limits of machines are known for processors only"));
    auto options = quick_options();
    options.limits.roofline_share = 0.5;
    attune::tuned with_rule{kernel, saxpy_compiler(), attune::memory_store{}, options};
    with_rule(data.x, data.y, 2.0F, data.n());
    CHECK(with_rule.report().evaluations == report.evaluations);
    CHECK(noticed(with_rule.report(), "no roofline: limits of machines are known for"));
}

namespace {

/// 1000 flops and 100 bytes per second for each thread; doubles at half of that.
attune::detail::machine_limits slow_machine(unsigned threads)
{
    return {1000.0 * threads, 500.0 * threads, 100.0 * threads, threads};
}

attune::detail::machine_limits slowed_machine(unsigned threads, bool)
{
    attune::detail::machine_limits out = slow_machine(threads);
    out.is_optimised = false;
    return out;
}

attune::detail::machine_limits machine_without_memory(unsigned, bool) { throw std::bad_alloc(); }

struct slow_bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<usual, fast>());
    attune::chain_of_trees space = attune::build(ways<usual, fast>());
    attune::call_frame frame = data.frame();
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};
    std::vector<std::string> said{};
    std::vector<unsigned> asked{};
    int asked_anew = 0;
    double footprint = -1;
    std::function<attune::detail::machine_limits(unsigned, bool)> machine =
        [](unsigned threads, bool) { return slow_machine(threads); };
    attune::tuning_options options = quick_options();

    /// @param of_call  without flops none is stated
    explicit slow_bench(attune::work const& of_call = {1000, 1})
    {
        if (of_call.flops > 0) kernel.work([of_call](auto&&...) { return of_call; });
    }
    attune::detail::kernel_roofline roof()
    {
        return {problem, options, [this](std::string text) { said.push_back(std::move(text)); },
                [this](unsigned threads, double bytes, bool anew) {
                    asked.push_back(threads);
                    asked_anew += anew ? 1 : 0;
                    footprint = bytes;
                    return machine(threads, anew);
                }};
    }
};

} // namespace

TEST_CASE("a time stands under the roof as its work says; the machine is asked once")
{
    slow_bench b;
    b.kernel.work([](auto x, auto, double) {
        return attune::work{2.0 * static_cast<double>(x.size()), 1000.0, true};
    });
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.will_measure());
    CHECK(b.asked.empty());
    auto const memory = roof.at(b.space.at(0), 20.0); // 2000 flops in 4 s, 1000 bytes in 10 s
    REQUIRE(memory);
    CHECK(memory->least_s == 10);
    CHECK(memory->fraction == 0.5);
    CHECK(memory->memory_bound);
    CHECK(roof.at(b.space.at(1), 10.0)->fraction == 1);
    CHECK(b.asked == std::vector<unsigned>{1});
    CHECK(b.said.empty());
}

TEST_CASE("the roof is that of the most threads seen, of those the machine has")
{
    unsigned const most = std::max(1U, std::thread::hardware_concurrency());
    slow_bench b;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.will_measure());
    CHECK(roof.at(b.space.at(0), 1.0)->fraction == 1);
    CHECK(!roof.will_measure());
    roof.note_threads(2);
    roof.note_threads(1);
    CHECK(roof.will_measure() == (most >= 2));
    CHECK(roof.at(b.space.at(0), 1.0)->fraction == 1.0 / std::min(2U, most));
    CHECK(!roof.will_measure());
    CHECK(b.asked == (most >= 2 ? std::vector<unsigned>{1, 2} : std::vector<unsigned>{1}));
    roof.note_threads(1'000'000);
    CHECK(roof.at(b.space.at(0), 1.0)->fraction == 1.0 / most);
    CHECK(b.asked.back() == most);
}

TEST_CASE("the highest rate of the memory is above the triad's, and unknown where that is slowed")
{
    slow_bench b;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.most_bytes_per_s(3) == 450); // half more than 100 for each thread
    CHECK(b.asked == std::vector<unsigned>{3});
    CHECK(b.asked_anew == 0);
    CHECK(b.footprint == 0); // far larger than the caches, whatever the arrays of the call are
    b.machine = slowed_machine;
    CHECK(roof.most_bytes_per_s(3) == 0);
    b.machine = machine_without_memory;
    CHECK_THROWS_AS((void)roof.most_bytes_per_s(3), std::bad_alloc);
}

TEST_CASE("the machine is measured where the tuning may run, also from a thread that is kept back")
{
    using processors = std::vector<int>;
    processors const before = attune::detail::allowed_processors();
    slow_bench b;
    processors seen;
    bool is_quiet = false;
    b.machine = [&](unsigned threads, bool) {
        std::thread([&] { // as those that measure: it inherits
            seen = attune::detail::allowed_processors();
            sigset_t blocked;
            pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
            is_quiet = sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGSEGV) == 0;
        })
            .join();
        return slow_machine(threads);
    };
    attune::detail::kernel_roofline roof = b.roof();
    {
        one_processor const kept;
        processors const one = attune::detail::allowed_processors();
        (void)roof.at(b.space.at(0), 1.0);
        CHECK(seen == before);
        CHECK(attune::detail::allowed_processors() == one);
        CHECK(is_quiet);
        if (before.size() < 2) return;

        // A thread that was kept back all along, as OpenMP may keep the one that calls it.
        attune::detail::kernel_roofline bound = b.roof();
        (void)bound.at(b.space.at(0), 1.0);
        CHECK(seen == one);
        bound.note_threads(2);
        (void)bound.at(b.space.at(0), 1.0);
        CHECK(seen.size() >= 2);
        CHECK(attune::detail::allowed_processors() == one);
    }
    CHECK(attune::detail::allowed_processors() == before);
}

TEST_CASE("a run far above the roof has the machine measured anew, once for each number of threads")
{
    slow_bench b;
    attune::detail::kernel_roofline plain = b.roof();
    CHECK(plain.at(b.space.at(0), 0.7)->fraction == doctest::Approx(1 / 0.7));
    CHECK(b.asked_anew == 0);
    b.machine = [](unsigned threads, bool anew) { return slow_machine(anew ? 4 : threads); };
    attune::detail::kernel_roofline disturbed = b.roof();
    CHECK(disturbed.at(b.space.at(0), 0.5)->fraction == 0.5);
    CHECK(b.asked_anew == 1);
    CHECK(disturbed.at(b.space.at(0), 0.1)->fraction == doctest::Approx(2.5));
    CHECK(b.asked_anew == 1);
    b.machine = [](unsigned, bool anew) { return slow_machine(anew ? 1 : 2); };
    attune::detail::kernel_roofline wrong_work = b.roof();
    CHECK(wrong_work.at(b.space.at(0), 0.1)->fraction == 5); // not 10: the higher limits count
    CHECK(b.asked_anew == 2);
}

TEST_CASE("threads that cannot be started and memory that is not there cost the roofline, no more")
{
    slow_bench b;
    b.machine = [](unsigned, bool) -> attune::detail::machine_limits {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    };
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(!roof.at(b.space.at(0), 1.0));
    b.machine = machine_without_memory;
    CHECK(!roof.at(b.space.at(0), 1.0));
    REQUIRE(b.said.size() == 2);
    CHECK(b.said[0].starts_with("no roofline: the threads that measure the machine"));
    CHECK(b.said[1].starts_with("no roofline: there is not enough memory"));
}

TEST_CASE("limits that slowed code has measured come with a warning")
{
    slow_bench b;
    b.machine = slowed_machine;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.at(b.space.at(0), 1.0));
    CHECK(roof.at(b.space.at(0), 1.0));
    REQUIRE(b.said.size() == 1);
    CHECK(b.said[0].starts_with("the roofline is too low: "));
}

TEST_CASE("warm caches count where the arrays fit into them, and cold ones never")
{
    slow_bench b; // 16000 bytes
    (void)b.roof().at(b.space.at(0), 1.0);
    CHECK(b.footprint == 16384); // to three binary digits
    b.options.measuring.cache = attune::cache_state::cold;
    (void)b.roof().at(b.space.at(0), 1.0);
    CHECK(b.footprint == 0);
    b.options.measuring.cache = attune::cache_state::warm;
    std::size_t const count = std::size_t{65} << 20; // 520 MiB, more than any limit; never touched
    std::unique_ptr<double[]> const large(new double[count]);
    b.frame = attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
        {}, std::span<double const>(large.get(), count), b.data.y, 3.0);
    (void)b.roof().at(b.space.at(0), 1.0);
    CHECK(b.footprint == 0);
}

TEST_CASE("work that is nothing, negative or no number is an error before anything is tuned")
{
    constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
    constexpr double endless = std::numeric_limits<double>::infinity();
    slow_bench b;
    for (attune::work const wrong :
         {attune::work{0, 0}, attune::work{-1, 5}, attune::work{5, -1}, attune::work{no_number, 5},
          attune::work{5, no_number}, attune::work{endless, 5}, attune::work{5, endless}}) {
        b.kernel.work([wrong](auto&&...) { return wrong; });
        for (auto const* const known :
             {attune::detail::offer_of_program<attune::detail::time_bounds>(),
              static_cast<attune::detail::time_bounds const*>(nullptr)}) {
            auto const* const before = attune::detail::exchange_offer(known);
            CHECK_THROWS_WITH_AS((void)attune::detail::roof_of(b.problem, b.options, {}),
                                 doctest::Contains("negative, zero or not finite"), attune::error);
            attune::detail::exchange_offer(before);
        }
    }
}

TEST_CASE("a configuration whose work has no value costs the roofline, not the tuning")
{
    static constexpr auto way = attune::categorical<"WAY">(0, 1);
    slow_bench b;
    b.kernel.work(10 / (1 - way), 1);
    b.space = attune::chain_of_trees{attune::bind_inputs(b.kernel.describe().space)};
    b.problem.space = b.space;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.at(b.space.at(0), 1.0));
    CHECK(!roof.at(b.space.at(1), 1.0));
    CHECK(!roof.at(b.space.at(1), 2.0)); // said once
    REQUIRE(b.said.size() == 1);
    CHECK(b.said[0].starts_with("no roofline: attune: the flops"));
}

TEST_CASE("the limits of this machine are kept beside compiled code, and read from there")
{
    support::scratch_directory const directory;
    std::string const folder = directory.file("cache");
    set_variable const cache{"ATTUNE_CACHE", folder};
    auto const kept = [&] { return support::read_file(folder + "/machine_limits"); };
    attune::detail::machine_limits const first = attune::detail::limits_of_this_machine(1);
    std::string const written = kept();
    CHECK(first.bytes > 1e8);
    if (!first.is_optimised) {
        CHECK(written.empty());
        return;
    }
    CHECK(written.find(attune::detail::device_name()) != std::string::npos);
    attune::detail::machine_limits const again = attune::detail::limits_of_this_machine(1);
    CHECK(kept() == written);
    CHECK(again.bytes == doctest::Approx(first.bytes).epsilon(1e-4));
    attune::detail::machine_limits const anew = attune::detail::limits_of_this_machine(1, 0, true);
    CHECK(kept().starts_with(written));
    CHECK(anew.bytes >= again.bytes);
    CHECK(anew.f32_flops >= again.f32_flops);
}

TEST_CASE("without a cache the limits of this machine are measured once in a process")
{
    set_variable const cache{"ATTUNE_CACHE", "off"};
    attune::detail::machine_limits const first = attune::detail::limits_of_this_machine(1);
    attune::detail::machine_limits const again = attune::detail::limits_of_this_machine(1);
    // Two measurements are never equal to the last bit in all three.
    CHECK(again.bytes == first.bytes);
    CHECK(again.f32_flops == first.f32_flops);
    CHECK(again.f64_flops == first.f64_flops);
    attune::detail::machine_limits const anew = attune::detail::limits_of_this_machine(1, 0, true);
    CHECK(anew.bytes >= first.bytes);
    CHECK(anew.f32_flops >= first.f32_flops);
    attune::detail::machine_limits const last = attune::detail::limits_of_this_machine(1);
    CHECK(last.bytes == anew.bytes);
    CHECK(last.f32_flops == anew.f32_flops);
    CHECK(attune::detail::limits_of_this_machine(1, 1 << 20).footprint == 1 << 20);
}
