// tests/measure/device/device_session.cpp : mirrors include/attune/measure/device/device_session.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_session.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>

#include "../../support/texts.hpp"
#include "scripted_call.hpp"
#include "scripted_driver.hpp"

using attune::detail::device_memory;
using attune::detail::device_session;
using attune_test::scripted_device;

TEST_CASE("a session has a share in the device's primary context and gives it back")
{
    scripted_device device;
    {
        device_session const session(device.driver(), 0);
        CHECK(session.name() == "device 0 (scripted)");
        CHECK(session.attribute(attune::detail::cuda::of_device::l2_bytes) == 1 << 20);
        CHECK(device.live["context"] == 1);
    }
    CHECK(device.leaks().empty());
    CHECK_THROWS_AS(device_session(device.driver(), 1), attune::error);
    CHECK(device.leaks().empty());
}

TEST_CASE("what must work and does not is an error that names the device")
{
    scripted_device device;
    device_session session(device.driver(), 0);
    session.require(attune::detail::cuda::success, "copying");
    try {
        session.require(attune::detail::cuda::invalid_value, "copying argument 2");
        FAIL("it did not throw");
    } catch (attune::error const& e) {
        CHECK(std::string(e.what()).find("copying argument 2 failed: ") != std::string::npos);
        CHECK(e.where() == session.name());
        CHECK(e.next().find("nvidia-smi") != std::string::npos);
    }
    try {
        session.require(attune::detail::cuda::illegal_address, "copying argument 2");
        FAIL("it did not throw");
    } catch (attune::error const& e) {
        CHECK(e.next().find("start it anew") != std::string::npos);
    }
}

TEST_CASE("what was taken is given back in the session's context, or not at all")
{
    scripted_device device;
    device_session const session(device.driver(), 0);
    attune::detail::cuda::context const programs =
        reinterpret_cast<attune::detail::cuda::context>(&device);
    device.current = programs;
    int cleaned = 0;
    auto const give_back = [&](attune::detail::cuda::driver const&) {
        ++cleaned;
        CHECK(device.current == session.context().handle());
    };
    session.clean_up(give_back);
    CHECK(device.current == programs);
    device.fails = "context_set_current";
    session.clean_up(give_back);
    CHECK(cleaned == 1);
    device.fails.clear();
    device.current = nullptr;
}

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
