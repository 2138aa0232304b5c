// tests/cuda/driver.cpp : mirrors include/attune/cuda/driver.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/driver.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <unistd.h>

#include "../support/set_variable.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

using attune_test::contains;
using attune_test::set_variable;
using attune_test::text_thrown_by;
namespace cuda = attune::detail::cuda;

#if __has_include(<cuda.h>)

// What is passed to the driver by address has its layout.
static_assert(sizeof(cuda::launch_config) == sizeof(CUlaunchConfig));
static_assert(alignof(cuda::launch_config) == alignof(CUlaunchConfig));
static_assert(offsetof(cuda::launch_config, grid) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(cuda::launch_config, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cuda::launch_config, shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cuda::launch_config, on) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cuda::launch_config, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cuda::launch_config, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(cuda::launch_attribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(cuda::launch_attribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(cuda::launch_attribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(cuda::launch_attribute, id) == offsetof(CUlaunchAttribute, id));
static_assert(offsetof(CUlaunchAttributeValue, clusterDim.x) == 0);
static_assert(offsetof(CUlaunchAttributeValue, cooperative) == 0);
static_assert(sizeof(cuda::ipc_handle) == sizeof(CUipcMemHandle));
static_assert(sizeof(cuda::device_pointer) == sizeof(CUdeviceptr));
static_assert(sizeof(cuda::device) == sizeof(CUdevice));
static_assert(sizeof(cuda::result) == sizeof(CUresult));

static_assert(cuda::success == int{CUDA_SUCCESS});
static_assert(cuda::invalid_value == int{CUDA_ERROR_INVALID_VALUE});
static_assert(cuda::out_of_memory == int{CUDA_ERROR_OUT_OF_MEMORY});
static_assert(cuda::link_time_library == 34);
static_assert(cuda::device_unavailable == int{CUDA_ERROR_DEVICE_UNAVAILABLE});
static_assert(cuda::no_device == int{CUDA_ERROR_NO_DEVICE});
static_assert(cuda::invalid_device == int{CUDA_ERROR_INVALID_DEVICE});
static_assert(cuda::no_binary_for_device == int{CUDA_ERROR_NO_BINARY_FOR_GPU});
static_assert(cuda::uncorrectable_memory_error == int{CUDA_ERROR_ECC_UNCORRECTABLE});
static_assert(cuda::uncorrectable_link_error == int{CUDA_ERROR_NVLINK_UNCORRECTABLE});
static_assert(cuda::unsupported_version == int{CUDA_ERROR_UNSUPPORTED_PTX_VERSION});
static_assert(cuda::contained_error == int{CUDA_ERROR_CONTAINED});
static_assert(cuda::not_ready == int{CUDA_ERROR_NOT_READY});
static_assert(cuda::illegal_address == int{CUDA_ERROR_ILLEGAL_ADDRESS});
static_assert(cuda::launch_timeout == int{CUDA_ERROR_LAUNCH_TIMEOUT});
static_assert(cuda::context_is_destroyed == int{CUDA_ERROR_CONTEXT_IS_DESTROYED});
static_assert(cuda::assertion_failed == int{CUDA_ERROR_ASSERT});
static_assert(cuda::hardware_stack_error == int{CUDA_ERROR_HARDWARE_STACK_ERROR});
static_assert(cuda::illegal_instruction == int{CUDA_ERROR_ILLEGAL_INSTRUCTION});
static_assert(cuda::misaligned_address == int{CUDA_ERROR_MISALIGNED_ADDRESS});
static_assert(cuda::invalid_address_space == int{CUDA_ERROR_INVALID_ADDRESS_SPACE});
static_assert(cuda::invalid_program_counter == int{CUDA_ERROR_INVALID_PC});
static_assert(cuda::launch_failed == int{CUDA_ERROR_LAUNCH_FAILED});
static_assert(cuda::driver_mismatch == int{CUDA_ERROR_SYSTEM_DRIVER_MISMATCH});
static_assert(cuda::compatibility_not_supported == int{CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE});
static_assert(cuda::capture_unsupported == int{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED});
static_assert(cuda::capture_implicit == int{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT});
static_assert(cuda::server_ended == int{CUDA_ERROR_MPS_CLIENT_TERMINATED});
static_assert(cuda::external_device_error == int{CUDA_ERROR_EXTERNAL_DEVICE});
static_assert(cuda::unknown_error == int{CUDA_ERROR_UNKNOWN});

namespace device = attune::detail::cuda::of_device;
namespace kernel = attune::detail::cuda::of_function;
namespace pointer = attune::detail::cuda::of_pointer;
namespace launch = attune::detail::cuda::of_launch;
namespace flag = attune::detail::cuda::flag;
static_assert(device::threads_per_block == int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK});
static_assert(device::block_x == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X});
static_assert(device::block_y == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y});
static_assert(device::block_z == int{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z});
static_assert(device::grid_x == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X});
static_assert(device::grid_y == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y});
static_assert(device::grid_z == int{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z});
static_assert(device::shared_bytes_per_block ==
              int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK});
static_assert(device::warp_threads == int{CU_DEVICE_ATTRIBUTE_WARP_SIZE});
static_assert(device::registers_per_block == int{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK});
static_assert(device::multiprocessors == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(device::l2_bytes == int{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE});
static_assert(device::threads_per_multiprocessor ==
              int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR});
static_assert(device::capability_major == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(device::capability_minor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
static_assert(device::shared_bytes_per_multiprocessor ==
              int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR});
static_assert(device::registers_per_multiprocessor ==
              int{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR});
static_assert(device::can_cooperate == int{CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH});
static_assert(device::shared_bytes_opt_in ==
              int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN});
static_assert(device::blocks_per_multiprocessor ==
              int{CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR});
static_assert(device::shared_bytes_reserved ==
              int{CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK});
static_assert(device::can_form_clusters == int{CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH});
#if CUDA_VERSION >= 13000
static_assert(device::is_shared_by_mps == int{CU_DEVICE_ATTRIBUTE_MPS_ENABLED});
#endif
static_assert(kernel::dynamic_shared_bytes == int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES});
static_assert(pointer::memory_type == int{CU_POINTER_ATTRIBUTE_MEMORY_TYPE});
static_assert(pointer::is_managed == int{CU_POINTER_ATTRIBUTE_IS_MANAGED});
static_assert(pointer::device_ordinal == int{CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL});
static_assert(pointer::host_memory == int{CU_MEMORYTYPE_HOST});
static_assert(pointer::device_memory == int{CU_MEMORYTYPE_DEVICE});
static_assert(launch::cooperative == int{CU_LAUNCH_ATTRIBUTE_COOPERATIVE});
static_assert(launch::cluster == int{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});
static_assert(flag::stream_non_blocking == unsigned{CU_STREAM_NON_BLOCKING});
static_assert(flag::ipc_enable_peer_access == unsigned{CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS});
static_assert(flag::capture_this_thread == int{CU_STREAM_CAPTURE_MODE_THREAD_LOCAL});
static_assert(flag::capture_relaxed == int{CU_STREAM_CAPTURE_MODE_RELAXED});

#endif

TEST_CASE("the driver's errors of which its reference says that the process must end are sticky")
{
    for (cuda::result const lost :
         {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
        CHECK(cuda::is_sticky(lost));
    for (cuda::result const lost : {214, 220, 709, 999}) // the hardware's, and no context at all
        CHECK(cuda::is_sticky(lost));
    for (cuda::result const lost : {-2, -34, -36}) // OpenCL's
        CHECK(cuda::is_sticky(lost));
    for (cuda::result const harmless : {-1, -4, -5, -11, -30, -38, -54})
        CHECK_FALSE(cuda::is_sticky(harmless));
    for (cuda::result const harmless : {0, 1, 2, 3, 100, 200, 201, 209, 500, 600, 701, 720, 801})
        CHECK_FALSE(cuda::is_sticky(harmless));
}

TEST_CASE("a driver is opened by its path, and knows its version and where it is")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK(driver->version == 13000);
    CHECK(driver->path == ATTUNE_SCRIPTED_DRIVER);
    int count = 0;
    CHECK(driver->device_get_count(&count) == cuda::success);
    CHECK(count == 2);
}

TEST_CASE("the environment names the driver; an argument counts more")
{
    set_variable const named{"ATTUNE_CUDA_DRIVER", ATTUNE_SCRIPTED_DRIVER};
    CHECK(cuda::open_driver()->path == ATTUNE_SCRIPTED_DRIVER);
    CHECK_THROWS_AS((void)cuda::open_driver("/nowhere/libcuda.so.1"), attune::error);
}

TEST_CASE("no driver: the loader's words and what to install")
{
    std::string const text =
        text_thrown_by<attune::error>([] { (void)cuda::open_driver("/nowhere/libcuda.so.1"); });
    CHECK(contains(text, "no CUDA driver"));
    CHECK(contains(text, "/nowhere/libcuda.so.1"));
    CHECK(contains(text, "No such file"));
    CHECK(contains(text, "ATTUNE_CUDA_DRIVER"));
}

TEST_CASE("a library that is no driver: the function it lacks")
{
    std::string const text =
        text_thrown_by<attune::error>([] { (void)cuda::open_driver(ATTUNE_SCRIPTED_NVML); });
    CHECK(contains(text, "has no function cuInit"));
    CHECK(contains(text, ATTUNE_SCRIPTED_NVML));
}

TEST_CASE("a driver that does not start says why and what can be done")
{
    auto const text_with = [](char const* code) {
        set_variable const result{"ATTUNE_TEST_CU_INIT", code};
        return text_thrown_by<attune::error>(
            [] { (void)cuda::open_driver(ATTUNE_SCRIPTED_DRIVER); });
    };
    std::string const none = text_with("100");
    CHECK(contains(none, "CUDA_ERROR_NO_DEVICE"));
    CHECK(contains(none, "CUDA_VISIBLE_DEVICES"));
    std::string const mismatch = text_with("803");
    CHECK(contains(mismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
    CHECK(contains(mismatch, "different versions"));
    CHECK(contains(text_with("34"), "for linking only"));
    CHECK(contains(text_with("46"), "compute mode"));
    CHECK(contains(text_with("804"), "compatibility package"));
    CHECK(contains(text_with("304"), "CUDA error 304")); // unknown to this driver
}

TEST_CASE("an error has its name, and its words where the driver has any")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK(cuda::text_of(*driver, 700) ==
          "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
    CHECK(cuda::text_of(*driver, 100) == "CUDA_ERROR_NO_DEVICE");
    CHECK(cuda::text_of(*driver, 12345) == "CUDA error 12345");
}

TEST_CASE("what must succeed throws otherwise, with what was tried and what can be done")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK_NOTHROW(cuda::require_success(*driver, cuda::success, "cuMemAlloc"));
    auto const text_with = [&](cuda::result got) {
        return text_thrown_by<attune::error>(
            [&] { cuda::require_success(*driver, got, "cuMemcpyDtoH"); });
    };
    CHECK(contains(text_with(700), "cuMemcpyDtoH failed"));
    CHECK(contains(text_with(700), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(contains(text_with(700), "start it again"));
    CHECK(contains(text_with(2), "free device memory"));
    CHECK(contains(text_with(209), "another device"));
    // A worker process beside the program, on a device that serves one process.
    CHECK(contains(text_with(46), "worker process"));
    CHECK(contains(text_with(46), "compute mode"));
    CHECK(contains(text_with(803), "different versions"));
    CHECK(contains(text_with(900), "before the capture begins"));
    CHECK(contains(text_with(906), "before the capture begins"));
    CHECK_FALSE(contains(text_with(500), "next:"));
}

TEST_CASE("out of memory: what for, how much was asked for and is free, where and what to do")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    auto const text_with = [&](char const* what_for) {
        return text_thrown_by<attune::error>(
            [&] { cuda::throw_out_of_memory(*driver, 5000, what_for, "device 1", "use less"); });
    };
    CHECK(text_with("argument 2") ==
          "attune: the device is out of memory\n"
          "  where: argument 2: 5000 bytes were asked for, 4096 of 8192 are free on device 1\n"
          "  next:  use less");
    CHECK(contains(text_with(""), "where: 5000 bytes"));
}

TEST_CASE("a driver without the newer functions serves as well as it can")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK((driver->exchange_capture_mode == nullptr));
    CHECK((driver->stream_is_capturing == nullptr));
}

TEST_CASE("the toolkit's own libcuda has every function under the name it is looked up by")
{
    // It can only be linked with, and says so: after its functions were found.
    std::string text;
    for (char const* const variable : {"CUDA_HOME", "CUDA_PATH", "PATH"}) {
        char const* const set = std::getenv(variable);
        std::string folders = set != nullptr ? set : "";
        while (!folders.empty() && text.empty()) {
            std::string const folder = folders.substr(0, folders.find(':'));
            folders.erase(0, folder.size() + 1);
            for (char const* const from_there : {"", "/.."}) {
                std::string const path = folder + from_there + "/lib64/stubs/libcuda.so";
                if (::access(path.c_str(), R_OK) == 0 && text.empty())
                    text = text_thrown_by<attune::error>([&] { (void)cuda::open_driver(path); });
            }
        }
    }
    if (text.empty()) {
        MESSAGE("skipped: no CUDA toolkit here");
        return;
    }
    CHECK(contains(text, "for linking only"));
    CHECK_FALSE(contains(text, "has no function"));
}
