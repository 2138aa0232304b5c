// tests/measure/cuda/device_memory.cpp : mirrors include/attune/measure/cuda/device_memory.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/device_memory.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>

#include "scripted_call.hpp"

using attune::detail::device_memory;

TEST_CASE("memory is freed with its owner, and moves with it")
{
    attune_test::scripted_session s;
    {
        device_memory a(s.where, 1000, "argument 2");
        CHECK(a.bytes() == 1000);
        attune::detail::cuda::device_pointer const at = a.address();
        device_memory b = std::move(a);
        CHECK(b.address() == at);
        b = device_memory(s.where, 0, "an empty array");
        CHECK(b.address() != 0);
        CHECK(s.device.live["memory"] == 1);
    }
    CHECK(s.device.live["memory"] == 0);
}

TEST_CASE("without room, the error says how much was asked for and is free")
{
    attune_test::scripted_session s;
    s.device.memory_bytes = 5000;
    device_memory const kept(s.where, 1000, "argument 0");
    CHECK(!device_memory::if_it_fits(s.where, 4001));
    CHECK(device_memory::if_it_fits(s.where, 4000));
    try {
        device_memory const more(s.where, 4001, "argument 2");
        FAIL("it did not throw");
    } catch (attune::error const& e) {
        std::string const said = e.what();
        CHECK(said.find("argument 2: 4001 bytes were asked for, 4000 of 5000 are free on "
                        "device 0") != std::string::npos);
    }
    CHECK(s.device.live["memory"] == 1);
}
