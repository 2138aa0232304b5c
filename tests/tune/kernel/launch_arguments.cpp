// tests/tune/kernel/launch_arguments.cpp - what a kernel on a device receives, and calls of other sizes.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/launch_arguments.hpp>

#include <attune/tune/device/cuda/cuda_kernel.hpp>

#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <tuple>
#include <utility>
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

TEST_CASE("lengths and numbers change, all else stays")
{
    std::vector<int> x(10, 1);
    std::vector<double> y(20, 2);
    using arguments = std::tuple<std::span<int const>, std::span<double>, int, bool, double, long>;
    arguments const held{x, y, 10, true, 0.5, 20L};
    std::vector<std::int64_t> const sizes{4, -1, 4, 0, std::bit_cast<std::int64_t>(-3.0), 7};
    arguments const made = attune::detail::resized_arguments(
        held, sizes, std::make_index_sequence<std::tuple_size_v<arguments>>{});
    CHECK(std::get<0>(made).size() == 4);
    CHECK(std::get<0>(made).data() == x.data());
    CHECK(std::get<1>(made).size() == 20);
    CHECK(std::get<2>(made) == 4);
    CHECK(std::get<3>(made)); // a boolean is no size
    CHECK(std::get<4>(made) == -3.0);
    CHECK(std::get<5>(made) == 7);
}

TEST_CASE("arguments change as their types allow: half of a size, another value")
{
    std::vector<int> x(10, 1);
    using arguments = std::tuple<std::span<int>, int, int, bool, double, mode>;
    arguments const held{x, 9, 1, true, 0.5, mode::fast};
    auto const made = [&](std::int64_t by) {
        return attune::detail::resized_arguments(held, std::vector<std::int64_t>(6, by),
                                                 std::make_index_sequence<6>{});
    };
    arguments const half = made(attune::detail::halved_size);
    CHECK(std::get<0>(half).size() == 5);
    CHECK(std::get<1>(half) == 4);
    CHECK(std::get<2>(half) == 1);
    CHECK(std::get<3>(half));
    CHECK(std::get<4>(half) == 0.5);
    arguments const other = made(attune::detail::altered_value);
    CHECK(std::get<0>(other).size() == 10);
    CHECK(std::get<1>(other) == 9); // a size, not a choice
    CHECK(std::get<2>(other) == 0);
    CHECK_FALSE(std::get<3>(other));
    CHECK(std::get<4>(other) == 0.75);
    CHECK(std::get<5>(other) == mode::fast);
}

TEST_CASE("a span never becomes longer, one of a fixed length never shorter; missing sizes change "
          "nothing")
{
    std::vector<int> x(10, 1);
    using arguments = std::tuple<std::span<int>, std::span<int, 4>, int>;
    arguments const held{x, std::span<int, 4>(x.data(), 4), 10};
    std::vector<std::int64_t> const sizes{99, 2};
    arguments const made =
        attune::detail::resized_arguments(held, sizes, std::make_index_sequence<3>{});
    CHECK(std::get<0>(made).size() == 10);
    CHECK(std::get<1>(made).size() == 4);
    CHECK(std::get<2>(made) == 10);
}
