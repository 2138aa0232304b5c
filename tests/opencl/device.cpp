// tests/opencl/device.cpp : mirrors include/attune/opencl/device.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/opencl/device.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/driver.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>

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
    std::string const path = attune::detail::opencl::library_in_use()->path;
    attune::detail::temporary_folder const folder;
    std::string const copy = folder.path() + "/libOpenCL.so.1";
    std::filesystem::copy_file(std::filesystem::canonical(path), copy);
    std::string const said =
        attune_test::error_of([&] { static_cast<void>(attune::find_opencl_target("", "", copy)); });
    CHECK(said.find("this process uses another OpenCL library already") != said.npos);
    CHECK(said.find(copy) != said.npos);
    CHECK(said.find(path) != said.npos);
}

TEST_CASE("a context of the program chooses among its devices alone")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_target const first = attune::find_opencl_target();
    void* const context = cl::context_of(0);
    CHECK(attune::find_opencl_target("", "", "", context).device.ordinal == 0);
    CHECK(attune::find_opencl_target("", first.device.limits.name, "", context).name() ==
          first.name());
    // Another device of the same machine, by its list: the context does not have it.
    cl::found_device other = cl::devices_in_use().front();
    other.name = "another device";
    other.at = reinterpret_cast<cl::device>(&other);
    cl::this_machine().devices.insert(cl::this_machine().devices.begin(), other);
    std::string const said = attune_test::error_of(
        [&] { static_cast<void>(attune::find_opencl_target("", "another device", "", context)); });
    cl::this_machine().devices.erase(cl::this_machine().devices.begin());
    CHECK(said.find("not in the program's OpenCL context") != said.npos);
    CHECK(said.find("another device is named") != said.npos);
    CHECK(said.find("the context has 0.1 " + first.platform + ": " + first.device.limits.name) !=
          said.npos);
}
