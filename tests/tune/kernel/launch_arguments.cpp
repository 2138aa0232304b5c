// tests/tune/kernel/launch_arguments.cpp - what a kernel on a device receives.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/launch_arguments.hpp>

#include <attune/tune/device/cuda/cuda_kernel.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "../../support/recorded_driver.hpp"
#include "../../support/scripted_device.hpp"

using namespace attune_test;

namespace {

enum class mode : short { fast = 3 };

attune::callable code()
{
    auto made = std::make_shared<attune::device_variant>();
    made->code = {"image", "k", 90, {}};
    return {made.get(), made, "key", 0, ""};
}

template <class... Args>
recorded_launch launch(std::vector<std::size_t> sizes, Args... args)
{
    attune::cuda_target target = target_without_driver();
    target.driver = recorded_driver();
    recorded().argument_bytes = std::move(sizes);
    attune::detail::cuda_kernel const kernel{target, code(), "k"};
    attune::detail::launch_arguments<Args...>{args...}.launch(kernel, handle_of<void*>(9));
    REQUIRE(recorded().launches.size() == 1);
    return recorded().launches.front();
}

std::uint64_t number_of(void const* p) { return reinterpret_cast<std::uint64_t>(p); }

} // namespace

TEST_CASE("arrays of a device are passed by their address, numbers by their bytes")
{
    float a[4] = {};
    double b[2] = {};
    recorded_launch const seen = launch({8, 8, 4, 2, 1}, attune::device_span<float const>(a, 4),
                                        static_cast<double*>(b), -1, mode::fast, true);
    CHECK(seen.arguments ==
          std::vector<std::uint64_t>{number_of(a), number_of(b), 0xffffffff, 3, 1});
    CHECK(seen.on == handle_of<attune::detail::cuda::stream>(9));
    CHECK(recorded().said.back() != "wait for stream 9"); // a launch waits for nothing
}

TEST_CASE("a kernel without arguments is launched") { CHECK(launch({}).arguments.empty()); }

TEST_CASE("arrays of the host are passed by the address of a copy")
{
    std::vector<float> x{1, 2, 3};
    recorded_launch const seen = launch({8, 4}, std::span<float const>(x), 5);
    CHECK(seen.arguments[0] != number_of(x.data()));
    CHECK(seen.arguments[0] != 0);
    CHECK(seen.arguments[1] == 5);
}
