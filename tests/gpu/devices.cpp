// tests/gpu/devices.cpp - several real GPUs, and what is said where there is one.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

/// Why a call that may use these devices is not tuned: the default serves it.
std::string refused(gpu const& g, std::vector<int> devices)
{
    saxpy_data data(gpu_elements);
    attune::tuning_options options = gpu_options();
    options.device.others = std::move(devices);
    auto saxpy = tuned_here<on_host, plain, quick>(g, options);
    saxpy(data.x, data.y, 2.0F, data.n());
    CHECK(data.called_times(1, 2.0F));
    return saxpy.report().reason;
}

} // namespace

TEST_CASE("devices that cannot help are refused by number")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    std::string said = refused(*g, {0});
    INFO(said);
    CHECK(has(said, "device 0 is the compiler's own"));
    int const none = g->devices();
    said = refused(*g, {none});
    INFO(said);
    CHECK(has(said, "there is no CUDA device " + std::to_string(none)));
    attune::nvrtc_options other = gpu_compiling();
    other.device = none;
    CHECK(has(attune::nvrtc_compiler{other}.missing(),
              "there is no CUDA device " + std::to_string(none)));
}

TEST_CASE("the one device by its number, and whatever context is current")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::detail::cuda::context_scope const here{*g->context};
    attune::nvrtc_options whichever = gpu_compiling();
    whichever.device = -1;
    attune::nvrtc_compiler const compiler{whichever};
    CHECK(compiler.target().ordinal == 0);
    saxpy_data data(gpu_elements);
    attune::tuned saxpy{saxpy_kernel<on_host, plain, quick>(), compiler, attune::memory_store{},
                        gpu_options()};
    saxpy(data.x, data.y, 2.0F, data.n());
    INFO(all_of(saxpy.report()));
    CHECK(data.called_times(1, 2.0F));
}

TEST_CASE("two devices measure one kernel, and an array on the other one is refused")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    if (g->devices() < 2) {
        MESSAGE("not looked at: there is one device");
        return;
    }
    saxpy_data data(gpu_elements);
    attune::tuning_options options = gpu_options();
    options.device.others = {1};
    auto saxpy = tuned_here<on_host, plain, quick, doubled, one_wrong>(*g, options);
    saxpy(data.x, data.y, 2.0F, data.n());
    INFO(all_of(saxpy.report()));
    CHECK(data.called_times(1, 2.0F));
    CHECK(saxpy.report().evaluations == 8);
    CHECK(attune::total(saxpy.report().failures) == 4);

    attune::device_array<float> const x{std::span<float const>{data.x}, 1};
    attune::device_array<float> y{std::span<float const>{data.y}, 0};
    auto there = tuned_here<on_device, plain, quick>(*g);
    std::string const said = error_of([&] { there(x.span(), y.span(), 2.0F, data.n()); });
    INFO(said);
    CHECK(has(said, "argument 0 is on device 1, the kernel is compiled for device 0"));
}
