// tests/measure/cuda/device_layout.cpp : mirrors include/attune/measure/cuda/device_layout.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/device_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::detail::device_buffer;
using attune::detail::memory_place;

namespace {

device_buffer bytes_at(std::uintptr_t at, std::size_t bytes, bool writable,
                       memory_place place = memory_place::device)
{
    device_buffer b;
    b.where.data = reinterpret_cast<std::byte*>(at);
    b.where.bytes = bytes;
    b.where.writable = writable;
    b.place = place;
    return b;
}

} // namespace

TEST_CASE("arrays apart are regions apart, as far past an alignment boundary as they were")
{
    std::vector<device_buffer> const arrays{bytes_at(0x20010, 16, true),
                                            bytes_at(0x10000, 64, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.of[0].region == 1);
    CHECK(plan.of[1].region == 0);
    CHECK(plan.regions[1].skew() == 0x10);
    CHECK(plan.regions[1].writable);
    CHECK(plan.regions[0].skew() == 0);
    CHECK(!plan.regions[0].writable);
    CHECK(plan.regions[0].bytes() == 64);
}

TEST_CASE("arrays that overlap stay together, those that merely touch do not")
{
    std::vector<device_buffer> const arrays{bytes_at(0x10040, 0x40, true),
                                            bytes_at(0x10000, 0x80, false),
                                            bytes_at(0x10080, 0x10, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.regions[0].members == std::vector<std::size_t>{1, 0});
    CHECK(plan.regions[0].writable);
    CHECK(plan.of[0].offset == 0x40);
    CHECK(plan.of[1].offset == 0);
    CHECK(plan.of[2].region == 1);
}

TEST_CASE("the host's memory and a device's never overlap, and only the latter keeps its skew")
{
    std::vector<device_buffer> const arrays{bytes_at(0x10010, 16, true),
                                            bytes_at(0x10010, 16, true, memory_place::host)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.regions[plan.of[0].region].skew() == 0x10);
    CHECK(plan.regions[plan.of[1].region].skew() == 0);
}

TEST_CASE("an empty array has a region of its own")
{
    std::vector<device_buffer> const arrays{bytes_at(0, 0, true), bytes_at(0x10000, 16, false),
                                            bytes_at(0x10008, 0, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    CHECK(plan.regions.size() == 3);
    CHECK(plan.regions[plan.of[2].region].bytes() == 0);
}

TEST_CASE("an empty array inside another one does not part it from those that overlap it")
{
    std::vector<device_buffer> const arrays{
        bytes_at(0x10000, 100, false), bytes_at(0x10032, 0, false), bytes_at(0x1003c, 20, true)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    CHECK(plan.regions.size() == 2);
    CHECK(plan.of[0].region == plan.of[2].region);
    CHECK(plan.of[2].offset == 60);
    CHECK(plan.regions[plan.of[0].region].bytes() == 100);
    CHECK(plan.regions[plan.of[0].region].writable);
    CHECK(plan.regions[plan.of[1].region].members == std::vector<std::size_t>{1});
}
