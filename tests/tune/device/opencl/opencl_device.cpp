// tests/tune/device/opencl/opencl_device.cpp : mirrors include/attune/tune/device/opencl/opencl_device.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/tune/device/opencl/opencl_device.hpp>

#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../../support/needs_opencl.hpp"
#include "../../../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::powers_of_two(1, 64));
constexpr auto kind = attune::ordinal<"KIND">(attune::values(0, 1, 2, 3, 4, 5));

/// y = a * x + y, by work-items with one element each.
char const* const saxpy_text = R"cl(
#include <attune/tunable.hpp>
kernel void saxpy(global float const* x, global float* y, float a, int n)
{
    int const i = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
)cl";

using saxpy_signature = void(std::span<float const>, std::span<float>, float, int);
using saxpy_on_device = void(attune::device_span<float const>, attune::device_span<float>, float,
                             int);

constexpr auto saxpy_space = attune::space(group);

template <class Signature>
attune::kernel<Signature> saxpy()
{
    attune::kernel<Signature> k{"saxpy", attune::source_text(saxpy_text, "saxpy.cl"), saxpy_space};
    k.template bind<3>(n).grid(attune::ceil_div(n, group)).block(group);
    return k;
}

attune::tuning_options quick(std::uint64_t evaluations = 7)
{
    attune::tuning_options out;
    out.limits = {.evaluations = evaluations, .seconds = 60};
    out.limits.default_run_s = 20;
    out.measuring.precision = 0.2;
    out.progress = attune::silent_progress();
    return out;
}

/// A kernel that does in `KIND` what a variant must not do; 0 and 5 are right.
char const* const acts_text = R"cl(
kernel void acts(global int const* x, global int* y, int n)
{
    int const i = get_global_id(0);
#if KIND == 1 // a wrong result
    if (i < n) y[i] = x[i] + 2;
#elif KIND == 2 // an access far outside
    if (i < n) y[i] = x[i] + 1 + x[(1L << 40) + (long)i * n];
#elif KIND == 3 // no end
    volatile int stop = n;
    while (stop != 0) stop = stop | 1;
    y[i] = stop;
#elif KIND == 4 // a few bytes behind the array
    if (i < n) y[i] = x[i] + 1;
    y[n + 1] = 0;
#else
    if (i < n) y[i] = x[i] + 1;
#endif
}
)cl";

constexpr auto acts_space = attune::space(kind.with_default(0));

} // namespace

TEST_CASE("a kernel on arrays of the host is tuned in a worker process and serves right results")
{
    if (!attune_test::has_opencl()) return;
    std::vector<float> x(5000);
    std::iota(x.begin(), x.end(), 0.0F);
    std::vector<float> y(5000, 1.0F);
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    quick()};
    f(x, y, 2.0F, 5000);
    for (std::size_t i = 0; i < y.size(); ++i)
        REQUIRE(y[i] == 2.0F * static_cast<float>(i) + 1.0F);
    attune::tuning_report const report = f.report();
    CHECK(has(report.isolation, "worker: "));
    CHECK(report.evaluations == 7);
    for (std::size_t const count : report.failures)
        CHECK(count == 0);
    f(x, y, 1.0F, 5000);
    CHECK(y[10] == 31.0F);
}

TEST_CASE("arrays of the device stay there, also a sub-buffer and on a queue of the program")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(4096, 1.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick()};
    f(x.span(), y.span(), 3.0F, 4096);
    f.on(compiler.queue())(x.span(), y.span(), 3.0F, 4096);
    CHECK(y.to_host() == std::vector<float>(4096, 7.0F));

    namespace cl = attune::detail::opencl;
    cl::library const& library = *cl::library_in_use();
    cl::sub_buffer const region{4096, 4096};
    cl::result said = 0;
    cl::memory const part = library.create_sub_buffer(static_cast<cl::memory>(y.buffer()), 0,
                                                      cl::flag::sub_buffer_region, &region, &said);
    REQUIRE(said == cl::success);
    {
        attune::opencl_array<float> second{compiler.target(), static_cast<void*>(part)};
        f(x.span(), second.span(), 1.0F, 1024);
        CHECK(second.to_host() == std::vector<float>(1024, 8.0F));
    }
    CHECK(y.to_host()[1023] == 7.0F);
    CHECK(y.to_host()[1024] == 8.0F);
    CHECK(y.to_host()[2048] == 7.0F);
    library.release_memory(part);
}

TEST_CASE("a wrong, faulting, endless or overwriting variant costs one evaluation, not the program")
{
    if (!attune_test::has_opencl()) return;
    attune::kernel<void(std::span<int const>, std::span<int>, int)> k{
        "acts", attune::source_text(acts_text, "acts.cl"), acts_space};
    k.bind<2>(n).grid(attune::ceil_div(n, 8)).block(8);
    std::vector<int> x(64, 1);
    std::vector<int> y(64, 0);
    attune::tuning_options options = quick(6);
    options.limits.default_run_s = 5;
    attune::tuned f{k, attune_test::opencl_here(), attune::memory_store{}, options};
    f(x, y, 64);
    CHECK(y == std::vector<int>(64, 2));
    attune::tuning_report const report = f.report();
    CHECK(report.evaluations == 6);
    auto const failures = [&](attune::failure_stage stage) {
        return report.failures[static_cast<std::size_t>(stage)];
    };
    CHECK(failures(attune::failure_stage::verify) == 2);
    CHECK(failures(attune::failure_stage::crash) == 1);
    CHECK(failures(attune::failure_stage::timeout) == 1);
    CHECK(has(report.isolation, "replaced 2 times"));
    for (attune::failure const& one : report.first_failures) {
        CAPTURE(one.reason);
        if (one.stage == attune::failure_stage::crash) CHECK(has(one.reason, "SIGSEGV"));
        if (one.stage == attune::failure_stage::timeout) CHECK(has(one.reason, "still running"));
    }
}

TEST_CASE("the limits of the device are constraints of the space")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    attune::device_limits const& limits = compiler.target().device.limits;
    static constexpr auto wide = attune::ordinal<"GROUP">(attune::powers_of_two(1, 1 << 20));
    static constexpr auto wide_space = attune::space(wide);
    attune::kernel<saxpy_signature> k{"saxpy", attune::source_text(saxpy_text, "saxpy.cl"),
                                      wide_space};
    k.bind<3>(n).grid(attune::ceil_div(n, wide)).block(wide);
    std::vector<float> x(100, 1.0F);
    std::vector<float> y(100, 1.0F);
    attune::tuning_options options = quick(64);
    options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
    attune::tuned f{k, compiler, attune::memory_store{}, options};
    f(x, y, 1.0F, 100);
    attune::tuning_report const report = f.report();
    CHECK(report.evaluations == static_cast<std::uint32_t>(std::log2(limits.threads_per_block)) + 1);
    CHECK(report.failures[static_cast<std::size_t>(attune::failure_stage::launch)] == 0);
}

TEST_CASE("local memory as an argument, and rules over the compiled code")
{
    if (!attune_test::has_opencl()) return;
    char const* const text = R"cl(
kernel void reverse(global int const* x, global int* y, int n, local int* tile)
{
    local int more[PAD];
    int const i = get_local_id(0);
    more[i % PAD] = i;
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = tile[get_local_size(0) - 1 - i] + 0 * more[(i + 1) % PAD];
}
)cl";
    static constexpr auto pad = attune::ordinal<"PAD">(attune::powers_of_two(16, 1024));
    static constexpr auto space = attune::space(pad.with_default(16));
    attune::kernel<void(std::span<int const>, std::span<int>, int)> k{
        "reverse", attune::source_text(text, "reverse.cl"), space};
    k.bind<2>(n).grid(n / 8).block(8).shared_bytes(32);
    k.require(attune::static_shared_bytes <= 1024);
    std::vector<int> x(16);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> y(16);
    attune::tuned f{k, attune_test::opencl_here(), attune::memory_store{}, quick(7)};
    f(x, y, 16);
    CHECK(y == std::vector{7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8});
    attune::tuning_report const report = f.report();
    // 512 and 1024 ints are over 1024 bytes.
    CHECK(report.failures[static_cast<std::size_t>(attune::failure_stage::launch)] == 2);
}

TEST_CASE("a second process-wide run finds the winner in the store and tunes nothing")
{
    if (!attune_test::has_opencl()) return;
    attune::memory_store store;
    std::vector<float> x(500, 1.0F);
    std::vector<float> y(500, 1.0F);
    attune::tuned first{saxpy<saxpy_signature>(), attune_test::opencl_here(), store, quick(3)};
    first(x, y, 1.0F, 500);
    attune::tuned second{saxpy<saxpy_signature>(), attune_test::opencl_here(), store, quick(3)};
    second(x, y, 1.0F, 500);
    CHECK(second.report().evaluations == 0);
    // Other build options are another problem.
    attune::opencl_options options;
    options.flags = {"-cl-mad-enable"};
    attune::tuned third{saxpy<saxpy_signature>(), attune_test::opencl_here(options), store,
                        quick(3)};
    third(x, y, 1.0F, 500);
    CHECK(third.report().evaluations > 0);
}

TEST_CASE("two programs on one device, here threads, tune at once")
{
    if (!attune_test::has_opencl()) return;
    int right = 0;
    auto const run = [](int& good) {
        std::vector<float> x(300, 1.0F);
        std::vector<float> y(300, 1.0F);
        attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(),
                        attune::memory_store{}, quick(4)};
        f(x, y, 2.0F, 300);
        good += y == std::vector<float>(300, 3.0F) ? 1 : 0;
    };
    int other = 0;
    std::thread beside([&] { run(other); });
    run(right);
    beside.join();
    CHECK(right + other == 2);
}

TEST_CASE("bad calls are errors with a sentence: a host pointer, another length, a prediction")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(64, 1.0F);
    std::vector<float> host(64, 1.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick(3)};
    CHECK(has(error_of([&] {
                  f(x.span(), attune::device_span<float>{host.data(), host.size()}, 1.0F, 64);
              }),
              "not in its memory"));
    CHECK(has(error_of([&] {
                  f(x.span(), attune::device_span<float>{x.span().data(), 100}, 1.0F, 64);
              }),
              "longer than its memory"));
    CHECK(has(error_of([&] { f.predict(x.span(), x.span(), 1.0F, 64); }),
              "no configuration of an OpenCL kernel can be predicted"));
}

TEST_CASE("the comparison on the device has the host's rule, for each type")
{
    if (!attune_test::has_opencl()) return;
    attune::compile_request v;
    v.function = std::string(attune::detail::device_compare_entry);
    v.arguments = attune::detail::device_compare_arguments();
    attune::callable const code = attune_test::opencl_callable(attune_test::opencl_here().compile(
        {std::string(attune::detail::opencl_compare_text()), "compare.cl"}, v));
    CHECK(attune::device_variant_of(code).code.resources.most_threads >= 128);
}
