// tests/opencl/library.cpp : mirrors include/attune/opencl/library.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/opencl/library.hpp>

#include <attune/core/error.hpp>
#include <attune/cuda/driver.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../support/needs_opencl.hpp"
#include "../support/texts.hpp"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#endif

namespace cl = attune::detail::opencl;

TEST_CASE("a missing library is a sentence with the way to get one")
{
    std::string const said =
        attune_test::error_of([] { static_cast<void>(cl::open_library("/no/lib.so")); });
    CHECK(said.find("no OpenCL library") != said.npos);
    CHECK(said.find("pocl-opencl-icd") != said.npos);
}

TEST_CASE("a library without OpenCL's functions is refused by the first that it lacks")
{
    std::string const said =
        attune_test::error_of([] { static_cast<void>(cl::open_library("libm.so.6")); });
    CHECK(said.find("has no function clGetPlatformIDs") != said.npos);
}

TEST_CASE("errors have the names of the specification")
{
    CHECK(cl::text_of(0) == "CL_SUCCESS");
    CHECK(cl::text_of(-5) == "CL_OUT_OF_RESOURCES");
    CHECK(cl::text_of(-19) == "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
    CHECK(cl::text_of(-30) == "CL_INVALID_VALUE");
    CHECK(cl::text_of(-54) == "CL_INVALID_WORK_GROUP_SIZE");
    CHECK(cl::text_of(-68) == "CL_INVALID_DEVICE_PARTITION_COUNT");
    CHECK(cl::text_of(-1001) == "CL_PLATFORM_NOT_FOUND_KHR");
    CHECK(cl::text_of(-20) == "OpenCL error -20");
    CHECK(cl::text_of(-9999) == "OpenCL error -9999");
}

#ifdef CL_SUCCESS
TEST_CASE("the numbers are those of the Khronos headers")
{
    CHECK(cl::of_platform::version == CL_PLATFORM_VERSION);
    CHECK(cl::of_platform::name == CL_PLATFORM_NAME);
    CHECK(cl::of_device::type == CL_DEVICE_TYPE);
    CHECK(cl::of_device::compute_units == CL_DEVICE_MAX_COMPUTE_UNITS);
    CHECK(cl::of_device::work_item_dimensions == CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
    CHECK(cl::of_device::work_group_size == CL_DEVICE_MAX_WORK_GROUP_SIZE);
    CHECK(cl::of_device::work_item_sizes == CL_DEVICE_MAX_WORK_ITEM_SIZES);
    CHECK(cl::of_device::largest_allocation == CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    CHECK(cl::of_device::base_alignment == CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    CHECK(cl::of_device::cache_bytes == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    CHECK(cl::of_device::global_bytes == CL_DEVICE_GLOBAL_MEM_SIZE);
    CHECK(cl::of_device::local_bytes == CL_DEVICE_LOCAL_MEM_SIZE);
    CHECK(cl::of_device::is_available == CL_DEVICE_AVAILABLE);
    CHECK(cl::of_device::name == CL_DEVICE_NAME);
    CHECK(cl::of_device::driver_version == CL_DRIVER_VERSION);
    CHECK(cl::of_device::version == CL_DEVICE_VERSION);
    CHECK(cl::of_device::c_version == CL_DEVICE_OPENCL_C_VERSION);
    CHECK(cl::of_device::il_version == CL_DEVICE_IL_VERSION);
    CHECK(cl::of_program::binary_sizes == CL_PROGRAM_BINARY_SIZES);
    CHECK(cl::of_program::binaries == CL_PROGRAM_BINARIES);
    CHECK(cl::of_program::build_log == CL_PROGRAM_BUILD_LOG);
    CHECK(cl::of_kernel::argument_count == CL_KERNEL_NUM_ARGS);
    CHECK(cl::of_argument::address_space == CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    CHECK(cl::of_argument::type_name == CL_KERNEL_ARG_TYPE_NAME);
    CHECK(cl::of_argument::name == CL_KERNEL_ARG_NAME);
    CHECK(cl::of_argument::access == CL_KERNEL_ARG_ACCESS_QUALIFIER);
    CHECK(cl::of_argument::read_only == CL_KERNEL_ARG_ACCESS_READ_ONLY);
    CHECK(cl::of_argument::global == CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK(cl::of_argument::local == CL_KERNEL_ARG_ADDRESS_LOCAL);
    CHECK(cl::of_argument::constant == CL_KERNEL_ARG_ADDRESS_CONSTANT);
    CHECK(cl::of_argument::by_value == CL_KERNEL_ARG_ADDRESS_PRIVATE);
    CHECK(cl::of_work_group::most_items == CL_KERNEL_WORK_GROUP_SIZE);
    CHECK(cl::of_work_group::declared_size == CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
    CHECK(cl::of_work_group::local_bytes == CL_KERNEL_LOCAL_MEM_SIZE);
    CHECK(cl::of_work_group::private_bytes == CL_KERNEL_PRIVATE_MEM_SIZE);
    CHECK(cl::of_memory::bytes == CL_MEM_SIZE);
    CHECK(cl::of_memory::context == CL_MEM_CONTEXT);
    CHECK(cl::of_memory::parent == CL_MEM_ASSOCIATED_MEMOBJECT);
    CHECK(cl::of_memory::offset == CL_MEM_OFFSET);
    CHECK(cl::of_memory::type == CL_MEM_TYPE);
    CHECK(cl::of_memory::picture == CL_MEM_OBJECT_IMAGE2D);
    CHECK(cl::of_memory::buffer == CL_MEM_OBJECT_BUFFER);
    CHECK(cl::of_picture::format == CL_IMAGE_FORMAT);
    CHECK(cl::of_picture::pixel_bytes == CL_IMAGE_ELEMENT_SIZE);
    CHECK(cl::of_picture::width == CL_IMAGE_WIDTH);
    CHECK(cl::of_picture::height == CL_IMAGE_HEIGHT);
    CHECK(cl::flag::read_only == CL_MEM_READ_ONLY);
    CHECK(cl::invalid_memory == CL_INVALID_MEM_OBJECT);
    CHECK(sizeof(cl::picture_format) == sizeof(cl_image_format));
    CHECK(sizeof(cl::picture_extents) == sizeof(cl_image_desc));
    CHECK(cl::of_event::status == CL_EVENT_COMMAND_EXECUTION_STATUS);
    CHECK(cl::of_event::started == CL_PROFILING_COMMAND_START);
    CHECK(cl::of_event::ended == CL_PROFILING_COMMAND_END);
    CHECK(cl::of_queue::properties == CL_QUEUE_PROPERTIES);
    CHECK(cl::of_queue::shares == CL_QUEUE_REFERENCE_COUNT);
    CHECK(cl::of_context::devices == CL_CONTEXT_DEVICES);
    CHECK(cl::flag::all_devices == CL_DEVICE_TYPE_ALL);
    CHECK(cl::flag::read_write == CL_MEM_READ_WRITE);
    CHECK(cl::flag::use_host_memory == CL_MEM_USE_HOST_PTR);
    CHECK(cl::flag::profiling == CL_QUEUE_PROFILING_ENABLE);
    CHECK(cl::flag::context_platform == CL_CONTEXT_PLATFORM);
    CHECK(cl::flag::sub_buffer_region == CL_BUFFER_CREATE_TYPE_REGION);
    CHECK(cl::build_failed == CL_BUILD_PROGRAM_FAILURE);
    CHECK(cl::no_memory_for_object == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(cl::out_of_resources == CL_OUT_OF_RESOURCES);
    CHECK(cl::out_of_host_memory == CL_OUT_OF_HOST_MEMORY);
    CHECK(cl::invalid_value == CL_INVALID_VALUE);
    CHECK(cl::invalid_buffer_size == CL_INVALID_BUFFER_SIZE);
    CHECK(cl::misaligned_sub_buffer == CL_MISALIGNED_SUB_BUFFER_OFFSET);
    namespace cuda = attune::detail::cuda;
    CHECK(cuda::opencl_device_not_available == CL_DEVICE_NOT_AVAILABLE);
    CHECK(cuda::opencl_invalid_context == CL_INVALID_CONTEXT);
    CHECK(cuda::opencl_invalid_queue == CL_INVALID_COMMAND_QUEUE);
    CHECK(sizeof(cl::sub_buffer) == sizeof(cl_buffer_region));
}
#endif

TEST_CASE("the devices have names, and a text is without its final zero")
{
    if (!attune_test::has_opencl()) return;
    auto const library = cl::open_library();
    auto const all = cl::devices_of(*library);
    REQUIRE(!all.empty());
    CHECK(!all.front().platform_name.empty());
    CHECK(!all.front().name.empty());
    CHECK(all.front().name.back() != '\0');
    CHECK(all.front().platform_version.starts_with("OpenCL "));
}
