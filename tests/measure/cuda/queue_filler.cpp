// tests/measure/cuda/queue_filler.cpp : mirrors include/attune/measure/cuda/queue_filler.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/queue_filler.hpp>

#include <doctest/doctest.h>

#include "scripted_call.hpp"

TEST_CASE("all the work of a filler is put on the stream by one call")
{
    attune_test::scripted_session s;
    {
        attune::detail::device_clock clock(s.where);
        attune::detail::queue_filler filler(s.where, clock);
        CHECK(s.device.calls["set_bytes_async"] == attune::detail::queue_filler::fills);
        CHECK(s.device.used_bytes == attune::detail::queue_filler::bytes);
        filler.enqueue(clock);
        filler.enqueue(clock);
        CHECK(s.device.replays == 2);
        CHECK(s.device.calls["set_bytes_async"] == attune::detail::queue_filler::fills);
    }
    CHECK(s.device.used_bytes == 0);
    CHECK(s.device.live["executable graph"] == 0);
}

TEST_CASE("where there is no room for it, a filler does nothing")
{
    attune_test::scripted_session s;
    s.device.memory_bytes = attune::detail::queue_filler::bytes - 1;
    attune::detail::device_clock clock(s.where);
    attune::detail::queue_filler filler(s.where, clock);
    filler.enqueue(clock);
    CHECK(s.device.replays == 0);
    CHECK(s.device.used_bytes == 0);
}
