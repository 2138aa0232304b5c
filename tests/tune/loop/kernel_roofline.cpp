// tests/tune/loop/kernel_roofline.cpp - the place of a time under the roof of this machine.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/kernel_roofline.hpp>

#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/one_processor.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"

using namespace attune_test;

namespace {

/// 1000 flops and 100 bytes per second for each thread; doubles at half of that.
attune::detail::machine_limits slow_machine(unsigned threads)
{
    return {1000.0 * threads, 500.0 * threads, 100.0 * threads, threads};
}

struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<usual, fast>());
    attune::chain_of_trees space = attune::build(ways<usual, fast>());
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, data.x, data.y, 3.0);
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};
    std::vector<std::string> said{};
    std::vector<unsigned> asked{};
    int asked_anew = 0;
    double footprint = -1;
    std::function<attune::detail::machine_limits(unsigned, bool)> machine =
        [](unsigned threads, bool) { return slow_machine(threads); };
    attune::tuning_options options = quick_options();

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

TEST_CASE("a kernel that states no work has no roof, and nothing is measured")
{
    bench b;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(!roof.is_stated());
    CHECK(!roof.at(b.space.at(0), 1.0));
    CHECK(b.asked.empty());
}

TEST_CASE("a time stands under the roof as its work says; the machine is asked once")
{
    bench b;
    b.kernel.work([](auto x, auto, double) {
        return attune::work{2.0 * static_cast<double>(x.size()), 1000.0, true};
    });
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.is_stated());
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
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
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
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.most_bytes_per_s(3) == 450); // half more than 100 for each thread
    CHECK(b.asked == std::vector<unsigned>{3});
    CHECK(b.asked_anew == 0);
    CHECK(b.footprint == 0); // far larger than the caches, whatever the arrays of the call are
    b.machine = [](unsigned threads, bool) {
        attune::detail::machine_limits out = slow_machine(threads);
        out.is_optimised = false;
        return out;
    };
    CHECK(roof.most_bytes_per_s(3) == 0);
    b.machine = [](unsigned, bool) -> attune::detail::machine_limits { throw std::bad_alloc(); };
    CHECK_THROWS_AS((void)roof.most_bytes_per_s(3), std::bad_alloc);
}

TEST_CASE("the machine is measured where the tuning may run, also from a thread that is kept back")
{
    using processors = std::vector<int>;
    processors const before = attune::detail::allowed_processors();
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
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
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
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
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
    b.machine = [](unsigned, bool) -> attune::detail::machine_limits {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    };
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(!roof.at(b.space.at(0), 1.0));
    b.machine = [](unsigned, bool) -> attune::detail::machine_limits { throw std::bad_alloc(); };
    CHECK(!roof.at(b.space.at(0), 1.0));
    REQUIRE(b.said.size() == 2);
    CHECK(b.said[0].find("no roofline: the threads that measure the machine") == 0);
    CHECK(b.said[1].find("no roofline: there is not enough memory") == 0);
}

TEST_CASE("limits that slowed code has measured come with a warning")
{
    bench b;
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
    b.machine = [](unsigned threads, bool) {
        attune::detail::machine_limits out = slow_machine(threads);
        out.is_optimised = false;
        return out;
    };
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.at(b.space.at(0), 1.0));
    CHECK(roof.at(b.space.at(0), 1.0));
    REQUIRE(b.said.size() == 1);
    CHECK(b.said[0].find("the roofline is too low: ") == 0);
}

TEST_CASE("warm caches count where the arrays fit into them, and cold ones never")
{
    bench b; // 16000 bytes
    b.kernel.work([](auto&&...) { return attune::work{1000, 1}; });
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
    bench b;
    for (attune::work const wrong :
         {attune::work{0, 0}, attune::work{-1, 5}, attune::work{5, -1}, attune::work{no_number, 5},
          attune::work{5, no_number}, attune::work{endless, 5}, attune::work{5, endless}}) {
        b.kernel.work([wrong](auto&&...) { return wrong; });
        for (auto const* const known :
             {attune::detail::offer_of_program<attune::detail::time_bounds>(),
              static_cast<attune::detail::time_bounds const*>(nullptr)}) {
            auto const* const before = attune::detail::exchange_offer(known);
            CHECK_THROWS_WITH_AS((void)attune::detail::roof_of(b.problem, b.options, {}),
                                 doctest::Contains("negative, nothing or no number"),
                                 attune::error);
            attune::detail::exchange_offer(before);
        }
    }
}

TEST_CASE("a configuration whose work has no value costs the roofline, not the tuning")
{
    static constexpr auto way = attune::categorical<"WAY">(0, 1);
    bench b;
    b.kernel.work(10 / (1 - way), 1);
    b.space = attune::chain_of_trees{attune::bind_inputs(b.kernel.describe().space)};
    b.problem.space = b.space;
    attune::detail::kernel_roofline roof = b.roof();
    CHECK(roof.at(b.space.at(0), 1.0));
    CHECK(!roof.at(b.space.at(1), 1.0));
    CHECK(!roof.at(b.space.at(1), 2.0)); // said once
    REQUIRE(b.said.size() == 1);
    CHECK(b.said[0].find("no roofline: attune: the flops") == 0);
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
