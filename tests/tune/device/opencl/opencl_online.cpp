// tests/tune/device/opencl/opencl_online.cpp - of tune/device/opencl/opencl_device.hpp: tuned beside the program's calls.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/opencl/device.hpp>
#include <attune/tune/device/opencl/opencl_device.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "../../../support/needs_opencl.hpp"

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::values(1, 16, 64));

char const* const add_text = R"cl(
#include <attune/tunable.hpp>
kernel void add(global float const* x, global float* y, int n)
{
    int const i = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    if (i < n) y[i] += x[i];
}
)cl";

} // namespace

TEST_CASE(
    "online, one tuning serves a bucket of inputs, other shapes are proven, calls are counted")
{
    if (!attune_test::has_opencl()) return;
    constexpr std::size_t many = 40'000;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(many, 1.0F);
    attune::opencl_array<float> const x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    attune::kernel<void(attune::device_span<float const>, attune::device_span<float>, int)> kernel{
        "add", attune::source_text(add_text, "add.cl"), attune::space(group)};
    kernel.bind<2>(n).grid(attune::ceil_div(n, group)).block(group);
    kernel.bucket<2>([](int size) { return (size + 9'999) / 10'000 * 10'000; });
    attune::tuning_options options;
    options.limits = {.evaluations = 3, .seconds = 60};
    options.on_miss = attune::miss_policy::online;
    int begun = 0;
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::started) ++begun;
    };
    attune::tuned f{kernel, compiler, attune::memory_store{}, options};
    auto const call = [&](int size) {
        f(x.span(), y.span(), size);
        f.wait();
    };
    call(40'000);
    CHECK(f.report().how == attune::decision::tuned);
    call(40'000);
    CHECK(f.explain(x.span(), y.span(), 40'000).serves);
    for (int again = 0; again < 3; ++again)
        call(35'000);
    CHECK(begun == 1);
    CHECK(f.report().shapes.verified == 1);
    CHECK(f.explain(x.span(), y.span(), 35'000).serves);
    CHECK(y.to_host()[0] == 6.0F);
    CHECK(y.to_host()[many - 1] == 3.0F);
    attune::call_coverage const covered = f.report().coverage;
    CHECK(covered.calls == 5);
    CHECK(covered.by_winner >= 1);
}
