// tests/measure/cuda/local_bench.cpp : include/attune/measure/cuda/detail/local_bench.hpp, with kernels that run on an emulated device
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/device_bench.hpp>
// and what the test needs besides
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/measure/cuda/device_compare.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/emulated_compiler.hpp"
#include "../../support/emulated_device.hpp"
#include "scripted_call.hpp"

using attune::device_variant;
using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::detail::memory_place;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

constexpr char const* kernel_text = R"cuda(
extern "C" __global__ void twice(float const* x, float* y, int n)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef ATTUNE_EMULATED_CUDA
    attune_emulated_cost(COST_NS);
#endif
#if HOW == 0
    if (i < n) y[i] = 2 * x[i];
#elif HOW == 1 // does nothing
#elif HOW == 2 // one is wrong
    if (i < n) y[i] = i == 33 ? 1 : 2 * x[i];
#elif HOW == 3 // writes too much
    if (i < n + 1) y[i] = i < n ? 2 * x[i] : 3;
#elif HOW == 4
    __trap();
#elif HOW == 5
    attune_emulated_hang();
#elif HOW == 6 // in place
    if (i < n) y[i] += x[i];
#endif
}
)cuda";

/// One call on an emulated device, and its kernel in several ways.
struct emulated_bench {
    attune_test::emulated_device device{ATTUNE_EMULATED_CUDA};
    attune_test::emulated_compiler compiler{{.driver = ATTUNE_EMULATED_CUDA}};
    attune_test::scripted_call given{100, memory_place::host};
    std::unique_ptr<attune::detail::device_bench> bench{};

    void make(attune::detail::device_bench_options const& options = {})
    {
        bench = attune::detail::make_local_bench(device.driver, given.call, options);
    }
    [[nodiscard]] device_variant variant(int how, int cost_ns = 100000) const
    {
        attune::compile_request v{
            .function = "twice",
            .result = "void",
            .arguments = {"float const*", "float*", "int"},
            .macros = {{"HOW", std::to_string(how)}, {"COST_NS", std::to_string(cost_ns)}}};
        v.launch.grid = {4, 1, 1};
        v.launch.block = {32, 1, 1};
        return compiled({kernel_text, "twice.cu"}, v);
    }
    [[nodiscard]] attune::device_code comparison() const
    {
        attune::compile_request v;
        v.function = std::string(attune::detail::device_compare_entry);
        v.result = "void";
        v.arguments = attune::detail::device_compare_arguments();
        return compiled({std::string(attune::detail::device_compare_text), "compare.cu"}, v).code;
    }
    [[nodiscard]] failure refusal(int how, double limit_s = 10) const
    {
        attune::first_run_result const end = bench->first_run(variant(how), limit_s);
        if (auto const* why = std::get_if<failure>(&end)) return *why;
        return {failure_stage::compile, "none"};
    }

private:
    [[nodiscard]] device_variant compiled(attune::kernel_source const& source,
                                          attune::compile_request const& v) const
    {
        attune::compile_result const made = compiler.compile(source, v);
        if (auto const* why = std::get_if<failure>(&made)) FAIL(why->log);
        return *static_cast<device_variant const*>(std::get<attune::callable>(made).address);
    }
};

} // namespace

TEST_CASE("kernels are tried, on host arrays, compared there and here")
{
    for (bool const there : {false, true}) {
        emulated_bench b;
        attune::detail::device_bench_options options;
        if (there) options.comparison = b.comparison();
        b.make(options);
        CHECK(std::get<double>(b.bench->establish(b.variant(0), {}, 10)) ==
              doctest::Approx(1e-4).epsilon(0.1));
        std::vector<std::byte> const bytes = b.bench->contents(1);
        float last = 0;
        std::memcpy(&last, bytes.data() + 396, 4);
        CHECK(last == 200);
        CHECK(b.given.y[99] == 100);
        CHECK(b.refusal(0).reason == "none");
        CHECK(b.refusal(1).stage == failure_stage::verify);
        CHECK(b.refusal(2).reason.find("argument 1, element 33: got 1, reference 68") !=
              std::string::npos);
        CHECK(b.refusal(3).reason ==
              "written up to 4 bytes past the end of argument 1 (it has 400 bytes)");
        CHECK(b.refusal(0).reason == "none");
    }
}

TEST_CASE("arrays of the device are used as they are, and never written")
{
    emulated_bench b;
    attune::detail::cuda::driver const& d = *b.device.driver;
    attune::detail::cuda::device_pointer at[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        attune::detail::device_buffer& array = b.given.call.buffers[i];
        REQUIRE(d.memory_allocate(&at[i], array.where.bytes) == 0);
        REQUIRE(d.copy_to_device(at[i], array.where.data, array.where.bytes) == 0);
        array.where.data = reinterpret_cast<std::byte*>(at[i]);
        array.place = memory_place::device;
    }
    b.make();
    REQUIRE(std::holds_alternative<double>(b.bench->establish(b.variant(6), {}, 10)));
    CHECK(b.refusal(6).reason == "none");
    CHECK(b.refusal(0).stage == failure_stage::verify);
    std::vector<float> now(100);
    REQUIRE(d.copy_to_host(now.data(), at[1], 400) == 0);
    CHECK(now == b.given.y);
    b.bench.reset();
    d.memory_free(at[0]);
    d.memory_free(at[1]);
}

TEST_CASE("times are those of the events, alone and in turns, with and without a graph")
{
    for (bool const as_graph : {false, true}) {
        emulated_bench b;
        b.make(attune::detail::device_bench_options{.as_graph = as_graph});
        REQUIRE(std::holds_alternative<double>(b.bench->establish(b.variant(0), {}, 10)));
        auto const timed = b.bench->time(b.variant(0, 200000), never, 10, nullptr);
        CHECK(std::get<measurement>(timed).value == doctest::Approx(2e-4).epsilon(0.05));
        std::vector<device_variant> const field{b.variant(0, 200000), b.variant(0, 150000)};
        CHECK(std::get<attune::round_times>(b.bench->compare(field, 2)).ratio(0, 1).value ==
              doctest::Approx(0.75).epsilon(0.05));
    }
}

TEST_CASE("a trap is a crash, and ends the work on this device")
{
    emulated_bench b;
    b.make();
    REQUIRE(std::holds_alternative<double>(b.bench->establish(b.variant(0), {}, 10)));
    failure const f = b.refusal(4);
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason.find("CUDA_ERROR") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(b.refusal(0)), attune::error);
}

TEST_CASE("a hang is a timeout, and ends the work on this device")
{
    emulated_bench b;
    b.make();
    REQUIRE(std::holds_alternative<double>(b.bench->establish(b.variant(0), {}, 10)));
    CHECK(b.refusal(5, 0.05).stage == failure_stage::timeout);
    CHECK_THROWS_AS(static_cast<void>(b.refusal(0, 0.05)), attune::error);
}

TEST_CASE("an array on another device is refused with both")
{
    attune_test::environment_value const two("ATTUNE_EMULATED_DEVICES", "2");
    emulated_bench b;
    attune::detail::cuda::device_pointer at = 0;
    REQUIRE(b.device.driver->memory_allocate(&at, 400) == 0); // on device 0
    b.given.call.ordinal = 1;
    b.given.call.buffers[0].where.data = reinterpret_cast<std::byte*>(at);
    b.given.call.buffers[0].place = memory_place::device;
    try {
        b.make();
        FAIL("it did not throw");
    } catch (attune::error const& e) {
        std::string const said = e.what();
        CHECK(said.find("argument 0 is on device 0") != std::string::npos);
        CHECK(said.find("device 1") != std::string::npos);
    }
    b.given.call.ordinal = 0;
    b.make();
    b.device.driver->memory_free(at);
}

TEST_CASE("out of memory says how much was asked for and is free")
{
    attune_test::environment_value const little("ATTUNE_EMULATED_MEMORY", "2000");
    emulated_bench b;
    try {
        b.make();
        FAIL("it did not throw");
    } catch (attune::error const& e) {
        std::string const said = e.what();
        CHECK(said.find("1024 bytes were asked for") != std::string::npos);
        CHECK(said.find("of 2000 are free") != std::string::npos);
    }
}
