// tests/cuda/device.cpp : mirrors include/attune/cuda/device.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/device.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>
#include <attune/cuda/primary_context.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../support/set_variable.hpp"

using attune::cuda_target;
using attune::device_limits;
using attune::find_cuda_target;
using attune::detail::cuda::clock_reader;
using attune::detail::cuda::clock_reading;
using attune_test::contains;
using attune_test::set_variable;
using attune_test::text_thrown_by;

TEST_CASE("each limit is read from the attribute that the driver's reference names")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    device_limits const limits = attune::detail::limits_of_device(*driver, 1);
    // This driver answers 1000 * ordinal + the attribute's number.
    CHECK(limits.name == "Scripted 1");
    CHECK(limits.architecture == 90);
    CHECK(limits.threads_per_block == 1001);
    CHECK(limits.block == std::array<std::int64_t, 3>{1002, 1003, 1004});
    CHECK(limits.grid == std::array<std::int64_t, 3>{1005, 1006, 1007});
    CHECK(limits.shared_bytes_per_block == 1008);
    CHECK(limits.warp_threads == 1010);
    CHECK(limits.registers_per_block == 1012);
    CHECK(limits.multiprocessors == 1016);
    CHECK(limits.l2_bytes == 1038);
    CHECK(limits.threads_per_multiprocessor == 1039);
    CHECK(limits.shared_bytes_per_multiprocessor == 1081);
    CHECK(limits.registers_per_multiprocessor == 1082);
    CHECK(limits.can_cooperate);
    CHECK(limits.shared_bytes_opt_in == 1097);
    CHECK(limits.blocks_per_multiprocessor == 1106);
    CHECK(limits.shared_bytes_reserved == 1111);
    CHECK(limits.blocks_per_cluster == 8);
    CHECK(limits.global_bytes == (std::int64_t{1} << 40) + 1);
    CHECK(limits.registers_per_thread == 255); // of every architecture
}

TEST_CASE("a device that is not there: how many there are")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    for (int const ordinal : {-1, 2, 7}) {
        std::string const text = text_thrown_by<attune::error>(
            [&] { (void)attune::detail::limits_of_device(*driver, ordinal); });
        CHECK(contains(text, ("no CUDA device " + std::to_string(ordinal)).c_str()));
        CHECK(contains(text, "the driver finds 2"));
    }
    set_variable const none{"ATTUNE_TEST_CU_DEVICES", "0"};
    CHECK(contains(text_thrown_by<attune::error>(
                       [] { (void)find_cuda_target(-1, 0, ATTUNE_SCRIPTED_DRIVER); }),
                   "the driver finds 0"));
}

TEST_CASE("where there is a device, code is for it and can run")
{
    for (int const architecture : {0, 90}) {
        cuda_target const target = find_cuda_target(1, architecture, ATTUNE_SCRIPTED_DRIVER);
        CHECK(target.can_run());
        CHECK(target.ordinal == 1);
        CHECK(target.limits.name == "Scripted 1");
        CHECK(target.why_no_device.empty());
    }
}

TEST_CASE("the device that is not named is that of the thread's context, else the first")
{
    CHECK(find_cuda_target(-1, 0, ATTUNE_SCRIPTED_DRIVER).ordinal == 0);
    attune::detail::cuda::primary_context const second{
        attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER), 1};
    attune::detail::cuda::context_scope const here{second};
    CHECK(find_cuda_target(-1, 0, ATTUNE_SCRIPTED_DRIVER).ordinal == 1);
    CHECK(find_cuda_target(0, 0, ATTUNE_SCRIPTED_DRIVER).ordinal == 0);
}

TEST_CASE("without a driver, an architecture is enough to compile for")
{
    cuda_target const target = find_cuda_target(-1, 80, "/nowhere/libcuda.so.1");
    CHECK_FALSE(target.can_run());
    CHECK(target.ordinal == 0);
    CHECK(target.limits == attune::detail::limits_of_architecture(80));
    CHECK(contains(target.why_no_device, "no CUDA driver (/nowhere/libcuda.so.1"));
    CHECK_FALSE(contains(target.why_no_device, "\n"));
}

TEST_CASE("with neither a driver nor an architecture there is nothing to compile for")
{
    CHECK(contains(text_thrown_by<attune::error>(
                       [] { (void)find_cuda_target(-1, 0, "/nowhere/libcuda.so.1"); }),
                   "no CUDA driver"));
    CHECK(contains(text_thrown_by<attune::error>(
                       [] { (void)find_cuda_target(-1, 42, "/nowhere/libcuda.so.1"); }),
                   "does not know the CUDA architecture 42"));
}

TEST_CASE("code for another architecture than the device's is compiled and never run")
{
    cuda_target const target = find_cuda_target(0, 75, ATTUNE_SCRIPTED_DRIVER);
    CHECK_FALSE(target.can_run());
    CHECK(target.limits == attune::detail::limits_of_architecture(75));
    CHECK(target.why_no_device == "code for sm_75 was asked for, device 0 (Scripted 0) is sm_90");
}

TEST_CASE("the clocks of the device at the place that the driver names")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    clock_reader const reader{*driver, 1, ATTUNE_SCRIPTED_NVML};
    CHECK(reader.why_none().empty());
    auto const reading = reader.read();
    REQUIRE(reading.has_value());
    CHECK(reading->mhz == 1410); // clock 1 is that of the multiprocessors
    CHECK(reading->most_mhz == 1980);
    CHECK(text_of(*reading) == "1410 of 1980 MHz");

    set_variable const bits{"ATTUNE_TEST_NVML_REASONS", "0x24"};
    auto const hot = reader.read();
    REQUIRE(hot.has_value());
    CHECK(text_of(*hot) == "1410 of 1980 MHz: power limit, heat");
}

TEST_CASE("without the library, or where it does not know the device, nothing is read")
{
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    clock_reader const none{*driver, 0, "/nowhere/libnvidia-ml.so.1"};
    CHECK_FALSE(none.read().has_value());
    CHECK(contains(none.why_none(), "no NVML: /nowhere"));

    clock_reader const other{*driver, 0, ATTUNE_SCRIPTED_NVML}; // it knows bus 0x42 only
    CHECK_FALSE(other.read().has_value());
    CHECK(other.why_none() == "device at 0000:41:00.0: Not Found");

    clock_reader const wrong{*driver, 0, ATTUNE_SCRIPTED_DRIVER};
    CHECK_FALSE(wrong.read().has_value());
    CHECK(contains(wrong.why_none(), "has no function nvmlInit_v2"));

    set_variable const broken{"ATTUNE_TEST_NVML_INIT", "9"};
    clock_reader const asleep{*driver, 1, ATTUNE_SCRIPTED_NVML};
    CHECK_FALSE(asleep.read().has_value());
    CHECK(asleep.why_none() == "nvmlInit: Driver Not Loaded");
}
