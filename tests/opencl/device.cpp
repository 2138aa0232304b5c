// tests/opencl/device.cpp : mirrors include/attune/opencl/device.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/opencl/device.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../support/needs_opencl.hpp"
#include "../support/texts.hpp"

TEST_CASE("a device is found by nothing, by numbers and by parts of names")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const first = attune::find_opencl_target();
    CHECK(first.device.can_run());
    CHECK(first.device.ordinal == 0);
    CHECK(!first.driver_version.empty());
    CHECK(first.name() == "OpenCL " + first.device.limits.name + " (" + first.platform + ')');
    CHECK(attune::find_opencl_target("0", "0").name() == first.name());
    std::string const part = first.platform.substr(1, 4);
    CHECK(attune::find_opencl_target(part).name() == first.name());
    CHECK(attune::find_opencl_target("", first.device.limits.name).name() == first.name());
}

TEST_CASE("an unknown device is an error that lists the devices")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const first = attune::find_opencl_target();
    for (auto const& [platform, device] :
         {std::pair{"no such platform", ""}, {"", "no such device"}, {"77", ""}, {"0", "77"}}) {
        std::string const said = attune_test::error_of(
            [&] { static_cast<void>(attune::find_opencl_target(platform, device)); });
        CAPTURE(said);
        CHECK(said.find("there is no OpenCL device") != said.npos);
        CHECK(said.find(first.device.limits.name) != said.npos);
    }
}

TEST_CASE("the limits are those that the device states")
{
    if (!attune_test::has_opencl()) return;
    attune::device_limits const limits = attune::find_opencl_target().device.limits;
    CHECK(limits.threads_per_block >= 1);
    CHECK(limits.block[0] >= 1);
    CHECK(limits.shared_bytes_opt_in >= 1024);
    CHECK(limits.multiprocessors >= 1);
    CHECK(limits.global_bytes > (std::int64_t{1} << 20));
    CHECK(limits.blocks_per_cluster == 1);
    CHECK(!limits.can_cooperate);
}

TEST_CASE("the list has a line for each device")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const first = attune::find_opencl_target();
    auto const lines = attune::opencl_devices();
    REQUIRE(!lines.empty());
    CHECK(lines.front().starts_with("0.0 " + first.platform + ": " + first.device.limits.name));
    CHECK(lines.front().find("driver " + first.driver_version) != std::string::npos);
}

TEST_CASE("a second library in one process is refused")
{
    if (!attune_test::has_opencl()) return;
    static_cast<void>(attune::find_opencl_target());
    std::string const said = attune_test::error_of(
        [] { static_cast<void>(attune::find_opencl_target("", "", "/no/libOpenCL.so")); });
    CHECK(said.find("no OpenCL library") != said.npos);
}
