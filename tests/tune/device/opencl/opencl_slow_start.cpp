// tests/tune/device/opencl/opencl_slow_start.cpp - of tune/device/opencl/opencl_device.hpp: platforms that compile at a launch.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>
#include <attune/tune/device/opencl/opencl_device.hpp>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../../../support/needs_opencl.hpp"
#include "../../../support/set_variable.hpp"

namespace {

namespace cl = attune::detail::opencl;

constexpr auto n = attune::input<"N", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::values(1, 64));

char const* const add_text = R"cl(
#include <attune/tunable.hpp>
kernel void add(global float const* x, global float* y, int n)
{
    int const i = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    if (i < n) y[i] += x[i];
}
)cl";

constexpr char const* slow_variable = "ATTUNE_TEST_SLOW_START";

/// The first launch of 64 work-items in a worker takes 12 s, as a long compilation does.
cl::result enqueue_slowly(cl::queue on, cl::kernel what, unsigned dimensions,
                          std::size_t const* offset, std::size_t const* global,
                          std::size_t const* local, unsigned waits, cl::event const* before,
                          cl::event* out)
{
    static auto const enqueue = cl::open_library()->enqueue_kernel;
    static bool is_first = true;
    if (local[0] == 64 && std::exchange(is_first, false))
        std::this_thread::sleep_for(std::chrono::seconds(12));
    return enqueue(on, what, dimensions, offset, global, local, waits, before, out);
}

/// Precedes the door of workers. The variable is set only where workers start.
[[gnu::constructor(101), gnu::used]] void start_slowly()
{
    if (std::getenv(slow_variable) == nullptr) return;
    static_cast<void>(cl::open_driver());
    auto const slow = std::make_shared<cl::library>(*cl::library_in_use());
    slow->enqueue_kernel = enqueue_slowly;
    cl::this_machine().functions = slow;
}

} // namespace

TEST_CASE("a variant whose first launch compiles for longer than its run may take is no timeout")
{
    if (!attune_test::has_opencl()) return;
    constexpr std::size_t many = 40'000;
    attune_test::set_variable const slow(slow_variable, "1");
    std::vector<float> const x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::kernel<void(std::span<float const>, std::span<float>, int)> kernel{
        "add", attune::source_text(add_text, "add.cl"), attune::space(group)};
    kernel.bind<2>(n).grid(attune::ceil_div(n, group)).block(group);
    attune::tuning_options options;
    options.limits = {.evaluations = 2, .seconds = 60};
    options.measuring.precision = 0.2;
    options.progress = attune::silent_progress();
    attune::tuned f{kernel, attune_test::opencl_here(), attune::memory_store{}, options};
    f(x, y, static_cast<int>(many));
    CHECK(y == std::vector<float>(many, 2.0F));
    attune::tuning_report const report = f.report();
    CAPTURE(report.summary());
    CHECK(report.evaluations == 2);
    CHECK(attune::total(report.failures) == 0);
}
