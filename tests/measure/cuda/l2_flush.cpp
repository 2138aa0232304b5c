// tests/measure/cuda/l2_flush.cpp : mirrors include/attune/measure/cuda/l2_flush.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/l2_flush.hpp>

#include <doctest/doctest.h>

#include "scripted_call.hpp"

TEST_CASE("twice the cache is written")
{
    attune_test::scripted_session s;
    attune::detail::device_clock clock(s.where);
    attune::detail::l2_flush flush(s.where);
    CHECK(s.device.flushed_bytes == 0);
    flush.enqueue(clock);
    CHECK(s.device.flushed_bytes == 2 << 20);
}

TEST_CASE("where the driver does not know its cache, a large one is assumed")
{
    attune_test::scripted_session s;
    attune::detail::device_clock clock(s.where);
    s.device.fails = "device_get_attribute";
    attune::detail::l2_flush flush(s.where);
    flush.enqueue(clock);
    CHECK(s.device.flushed_bytes == std::size_t{128} << 20);
}
