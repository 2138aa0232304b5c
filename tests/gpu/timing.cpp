// tests/gpu/timing.cpp - times of a real GPU's events are those that a kernel knows of itself.
// SPDX-License-Identifier: MIT
//
// No two timings are compared: a kernel waits until the device's own nanosecond counter has gone so
// far, and a kernel counts the clocks that its loads take.
#include <attune/measure/device/device_bench.hpp>
// and what the test needs besides
#include <attune/cuda/device.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

constexpr char const* waiting_text = R"(
extern "C" __global__ void waiting(int* out, long long wait_ns)
{
    unsigned long long begun, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begun < wait_ns);
    out[0] = 1;
}
)";

/// One warp follows a chain through memory, past the first cache, and writes the clocks of a load.
constexpr char const* chasing_text = R"(
extern "C" __global__ void chasing(int const* next, float* out, int loads)
{
    int at = 0;
    long long const begun = clock64();
    for (int k = 0; k < loads; ++k)
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(at) : "l"(next + at) : "memory");
    long long const took = clock64() - begun;
    out[0] = static_cast<float>(took) / loads;
    out[1] = at;
}
)";

struct one_kernel {
    std::vector<int> out = std::vector<int>(1);
    std::unique_ptr<attune::detail::device_bench> bench{};
    attune::device_variant code;

    one_kernel(gpu const& g, long long wait_ns, bool in_worker,
               attune::detail::device_bench_options how)
        : code(g.compile(waiting_text, gpu_variant("waiting", {"int*", "long long"}, 1, 32)))
    {
        attune::detail::device_call call;
        call.buffers = {{attune::detail::as_buffer(std::span<int>(out), 0),
                         attune::detail::memory_place::host}};
        call.arguments = {array_number(0), by_value(wait_ns)};
        bench = in_worker ? attune::detail::make_worker_bench(g.driver, call, how)
                          : attune::detail::make_local_bench(g.driver, call, how);
        attune::first_run_result const begun = bench->establish(code, {}, 20);
        if (auto const* why = std::get_if<attune::failure>(&begun)) FAIL(why->reason);
    }
    [[nodiscard]] attune::measurement time() const
    {
        attune::timing_record taken;
        attune::outcome const end = bench->time(code, never, 20, &taken);
        if (auto const* why = std::get_if<attune::failure>(&end)) FAIL(why->reason);
        CHECK(taken.clock == "events");
        return std::get<attune::measurement>(end);
    }
};

} // namespace

TEST_CASE("a kernel that waits for a known time is timed as that, launched and from a graph")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (bool const in_worker : {false, true})
        for (bool const as_graph : {false, true})
            for (attune::cache_state const cache :
                 {attune::cache_state::warm, attune::cache_state::cold})
                for (long long const wait_ns : {1'000'000LL, 4'000'000LL}) {
                    attune::detail::device_bench_options how;
                    how.as_graph = as_graph;
                    how.cache = cache;
                    attune::measurement const m = one_kernel{*g, wait_ns, in_worker, how}.time();
                    double const expected_s = static_cast<double>(wait_ns) * 1e-9;
                    INFO("worker " << in_worker << ", graph " << as_graph << ", cold "
                                   << (cache == attune::cache_state::cold) << ": " << m.value * 1e6
                                   << " us of " << expected_s * 1e6 << ", " << m.low * 1e6 << " to "
                                   << m.high * 1e6 << ", samples " << m.samples);
                    MESSAGE("waited " << expected_s * 1e6 << " us, measured " << m.value * 1e6);
                    // Never less than what went by, but for what an event and the counter resolve;
                    // more by what it takes to begin and end a kernel, within the precision asked.
                    CHECK(m.value > expected_s - 1.5e-6);
                    CHECK(m.value < expected_s * (1 + how.precision) + 1.5e-6);
                    CHECK(m.low <= m.value);
                    CHECK(m.value <= m.high);
                    CHECK(m.high - m.low <= 2 * how.precision * m.value);
                }
}

TEST_CASE("what a kernel adds to the time it waits is the same for short and for long ones")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (bool const as_graph : {false, true}) {
        attune::detail::device_bench_options how;
        how.as_graph = as_graph;
        for (long long const wait_ns : {5'000LL, 20'000LL, 100'000LL}) {
            attune::measurement const m = one_kernel{*g, wait_ns, false, how}.time();
            double const more_us = m.value * 1e6 - static_cast<double>(wait_ns) * 1e-3;
            MESSAGE("graph " << as_graph << ", waited " << static_cast<double>(wait_ns) * 1e-3
                             << " us: measured " << m.value * 1e6 << ", " << more_us << " more");
            CHECK(more_us > -1.5);
            CHECK(more_us < 6); // to begin and end a kernel
        }
    }
}

TEST_CASE("a cold run finds its data in memory, a warm one in the L2 cache")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    if (g->limits().l2_bytes < 8 << 20) {
        MESSAGE("not looked at: an L2 cache of " << g->limits().l2_bytes << " bytes");
        return;
    }
    // Lines of 128 bytes, 4 MiB of them, in an order that no prefetch follows: a full cycle.
    constexpr std::size_t lines = 1 << 15;
    std::vector<int> next(lines * 32, 0);
    for (std::size_t i = 0; i < lines; ++i)
        next[i * 32] = static_cast<int>((i * 12997 + 7919) % lines * 32);
    std::vector<float> out(2);
    int const loads = 4000;
    attune::detail::device_call call;
    call.buffers = {
        {attune::detail::as_buffer(std::span<int const>(next), 0),
         attune::detail::memory_place::host},
        {attune::detail::as_buffer(std::span<float>(out), 1), attune::detail::memory_place::host}};
    call.arguments = {array_number(0), array_number(1), by_value(loads)};
    attune::device_variant const code =
        g->compile(chasing_text, gpu_variant("chasing", {"int const*", "float*", "int"}, 1, 32));
    for (bool const as_graph : {false, true}) {
        double clocks[2] = {};
        double seconds[2] = {};
        for (std::size_t cold = 0; cold < 2; ++cold) {
            attune::detail::device_bench_options how;
            how.as_graph = as_graph;
            how.cache = cold == 1 ? attune::cache_state::cold : attune::cache_state::warm;
            how.compare_results = false; // clocks differ from run to run
            how.perturb = false;
            auto const bench = attune::detail::make_local_bench(g->driver, call, how);
            REQUIRE(std::holds_alternative<double>(bench->establish(code, {}, 20)));
            attune::timing_record taken;
            attune::outcome const end = bench->time(code, never, 20, &taken);
            REQUIRE(std::holds_alternative<attune::measurement>(end));
            seconds[cold] = std::get<attune::measurement>(end).value;
            float got[2] = {};
            std::vector<std::byte> const bytes = bench->contents(1); // of the latest run
            REQUIRE(bytes.size() == sizeof got);
            std::memcpy(got, bytes.data(), sizeof got);
            clocks[cold] = static_cast<double>(got[0]);
        }
        MESSAGE("graph " << as_graph << ": a load takes " << clocks[0] << " clocks warm, "
                         << clocks[1] << " cold; the kernel " << seconds[0] * 1e6 << " and "
                         << seconds[1] * 1e6 << " us");
        CHECK(clocks[0] > 50);
        CHECK(clocks[1] > 1.3 * clocks[0]);
    }
}

TEST_CASE("the clocks of the device can be read, or there is a reason")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::detail::cuda::context_scope const here{*g->context};
    attune::detail::cuda::clock_reader const reader{*g->driver, 0};
    if (!reader.why_none().empty()) {
        MESSAGE("not looked at: " << reader.why_none());
        return;
    }
    std::optional<attune::detail::cuda::clock_reading> const now = reader.read();
    if (!now) {
        MESSAGE("not looked at: NVML is there and gives no clocks");
        return;
    }
    MESSAGE(text_of(*now));
    CHECK(now->mhz > 0);
    CHECK(now->most_mhz >= now->mhz);
    CHECK(now->most_mhz < 10000);
}
