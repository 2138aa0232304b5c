// attune/opencl/library.ipp - libOpenCL by dlopen, its functions by name; the names of errors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/library_functions.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/library.hpp>

#include <iterator>

namespace attune::inline ATTUNE_ABI::detail::opencl {

inline void take_functions(library_functions& from, library& l)
{
    from.need("clGetPlatformIDs", l.get_platform_ids);
    from.need("clGetPlatformInfo", l.get_platform_info);
    from.need("clGetDeviceIDs", l.get_device_ids);
    from.need("clGetDeviceInfo", l.get_device_info);
    from.need("clCreateContext", l.create_context);
    from.need("clReleaseContext", l.release_context);
    from.need("clRetainContext", l.retain_context);
    from.wish("clCreateCommandQueueWithProperties", l.create_queue);
    from.need("clCreateCommandQueue", l.create_queue_1);
    from.need("clReleaseCommandQueue", l.release_queue);
    from.need("clRetainCommandQueue", l.retain_queue);
    from.need("clGetContextInfo", l.get_context_info);
    from.need("clGetCommandQueueInfo", l.get_queue_info);
    from.need("clCreateProgramWithSource", l.create_program_with_source);
    from.need("clCreateProgramWithBinary", l.create_program_with_binary);
    from.wish("clCreateProgramWithIL", l.create_program_with_il);
    from.wish("clSetProgramSpecializationConstant", l.set_constant);
    from.need("clBuildProgram", l.build_program);
    from.need("clGetProgramInfo", l.get_program_info);
    from.need("clGetProgramBuildInfo", l.get_program_build_info);
    from.need("clReleaseProgram", l.release_program);
    from.need("clCreateKernel", l.create_kernel);
    from.need("clReleaseKernel", l.release_kernel);
    from.need("clGetKernelInfo", l.get_kernel_info);
    from.need("clGetKernelArgInfo", l.get_kernel_arg_info);
    from.need("clGetKernelWorkGroupInfo", l.get_kernel_work_group_info);
    from.need("clSetKernelArg", l.set_kernel_arg);
    from.need("clCreateBuffer", l.create_buffer);
    from.need("clCreateSubBuffer", l.create_sub_buffer);
    from.need("clCreateImage", l.create_picture);
    from.need("clGetImageInfo", l.get_picture_info);
    from.need("clRetainMemObject", l.retain_memory);
    from.need("clReleaseMemObject", l.release_memory);
    from.need("clGetMemObjectInfo", l.get_memory_info);
    from.need("clEnqueueReadBuffer", l.enqueue_read);
    from.need("clEnqueueWriteBuffer", l.enqueue_write);
    from.need("clEnqueueCopyBuffer", l.enqueue_copy);
    from.need("clEnqueueReadImage", l.enqueue_read_picture);
    from.need("clEnqueueCopyImageToBuffer", l.enqueue_picture_to_buffer);
    from.need("clEnqueueCopyBufferToImage", l.enqueue_buffer_to_picture);
    from.need("clEnqueueFillBuffer", l.enqueue_fill);
    from.need("clEnqueueNDRangeKernel", l.enqueue_kernel);
    from.need("clEnqueueMarkerWithWaitList", l.enqueue_marker);
    from.need("clFlush", l.flush);
    from.need("clFinish", l.finish);
    from.need("clGetEventInfo", l.get_event_info);
    from.need("clGetEventProfilingInfo", l.get_event_profiling_info);
    from.need("clRetainEvent", l.retain_event);
    from.need("clReleaseEvent", l.release_event);
}

ATTUNE_INLINE std::shared_ptr<library const> open_library(std::string const& path)
{
    constexpr library_words words{
        "OpenCL library", "ATTUNE_OPENCL", "libOpenCL.so.1",
        "install the loader and a platform (Debian: ocl-icd-libopencl1 and pocl-opencl-icd), or "
        "name the library in ATTUNE_OPENCL",
        "it is older than OpenCL 1.2, or no OpenCL library: update it"};
    return open_functions<library>(path, words, take_functions);
}

ATTUNE_INLINE std::string text_of(result got)
{
    static constexpr char const* first[] = {"CL_SUCCESS",
                                            "CL_DEVICE_NOT_FOUND",
                                            "CL_DEVICE_NOT_AVAILABLE",
                                            "CL_COMPILER_NOT_AVAILABLE",
                                            "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                            "CL_OUT_OF_RESOURCES",
                                            "CL_OUT_OF_HOST_MEMORY",
                                            "CL_PROFILING_INFO_NOT_AVAILABLE",
                                            "CL_MEM_COPY_OVERLAP",
                                            "CL_IMAGE_FORMAT_MISMATCH",
                                            "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                            "CL_BUILD_PROGRAM_FAILURE",
                                            "CL_MAP_FAILURE",
                                            "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                            "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                            "CL_COMPILE_PROGRAM_FAILURE",
                                            "CL_LINKER_NOT_AVAILABLE",
                                            "CL_LINK_PROGRAM_FAILURE",
                                            "CL_DEVICE_PARTITION_FAILED",
                                            "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
    static constexpr char const* invalid[] = {"VALUE",
                                              "DEVICE_TYPE",
                                              "PLATFORM",
                                              "DEVICE",
                                              "CONTEXT",
                                              "QUEUE_PROPERTIES",
                                              "COMMAND_QUEUE",
                                              "HOST_PTR",
                                              "MEM_OBJECT",
                                              "IMAGE_FORMAT_DESCRIPTOR",
                                              "IMAGE_SIZE",
                                              "SAMPLER",
                                              "BINARY",
                                              "BUILD_OPTIONS",
                                              "PROGRAM",
                                              "PROGRAM_EXECUTABLE",
                                              "KERNEL_NAME",
                                              "KERNEL_DEFINITION",
                                              "KERNEL",
                                              "ARG_INDEX",
                                              "ARG_VALUE",
                                              "ARG_SIZE",
                                              "KERNEL_ARGS",
                                              "WORK_DIMENSION",
                                              "WORK_GROUP_SIZE",
                                              "WORK_ITEM_SIZE",
                                              "GLOBAL_OFFSET",
                                              "EVENT_WAIT_LIST",
                                              "EVENT",
                                              "OPERATION",
                                              "GL_OBJECT",
                                              "BUFFER_SIZE",
                                              "MIP_LEVEL",
                                              "GLOBAL_WORK_SIZE",
                                              "PROPERTY",
                                              "IMAGE_DESCRIPTOR",
                                              "COMPILER_OPTIONS",
                                              "LINKER_OPTIONS",
                                              "DEVICE_PARTITION_COUNT"};
    if (got <= 0 && got > -static_cast<result>(std::size(first)))
        return first[static_cast<std::size_t>(-got)];
    if (got <= invalid_value && got > invalid_value - static_cast<result>(std::size(invalid)))
        return std::string("CL_INVALID_") + invalid[static_cast<std::size_t>(invalid_value - got)];
    if (got == no_platform) return "CL_PLATFORM_NOT_FOUND_KHR";
    return "OpenCL error " + std::to_string(got);
}

ATTUNE_INLINE std::vector<found_device> devices_of(library const& of)
{
    std::vector<found_device> out;
    unsigned count = 0;
    if (of.get_platform_ids(0, nullptr, &count) != success || count == 0) return out;
    std::vector<platform> platforms(count);
    if (of.get_platform_ids(count, platforms.data(), nullptr) != success) return out;
    for (platform const one : platforms) {
        auto const text = [&](unsigned what) {
            return text_by([&](std::size_t room, void* to, std::size_t* bytes) {
                return of.get_platform_info(one, what, room, to, bytes);
            });
        };
        unsigned devices = 0;
        if (of.get_device_ids(one, flag::all_devices, 0, nullptr, &devices) != success) continue;
        std::vector<device> all(devices);
        if (of.get_device_ids(one, flag::all_devices, devices, all.data(), nullptr) != success)
            continue;
        for (device const at : all) {
            if (number_of_device<unsigned>(of, at, of_device::is_available) == 0) continue;
            out.push_back({one, at, text(of_platform::name), text(of_platform::version),
                           text_of_device(of, at, of_device::name),
                           text_of_device(of, at, of_device::driver_version)});
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl
