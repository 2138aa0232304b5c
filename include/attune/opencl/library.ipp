// attune/opencl/library.ipp - libOpenCL by dlopen, its functions by name; the names of errors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/library.hpp>

#include <dlfcn.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

/// Looks up all functions.  @return  the name of the first that is missing, or null
[[nodiscard]] inline char const* take_functions(void* from, library& l)
{
    char const* missing = nullptr;
    auto const wish = [&]<class Function>(char const* name, Function*& to) {
        to = reinterpret_cast<Function*>(::dlsym(from, name));
    };
    auto const need = [&]<class Function>(char const* name, Function*& to) {
        wish(name, to);
        if (to == nullptr && missing == nullptr) missing = name;
    };
    need("clGetPlatformIDs", l.get_platform_ids);
    need("clGetPlatformInfo", l.get_platform_info);
    need("clGetDeviceIDs", l.get_device_ids);
    need("clGetDeviceInfo", l.get_device_info);
    need("clCreateContext", l.create_context);
    need("clReleaseContext", l.release_context);
    need("clRetainContext", l.retain_context);
    wish("clCreateCommandQueueWithProperties", l.create_queue);
    need("clCreateCommandQueue", l.create_queue_1);
    need("clReleaseCommandQueue", l.release_queue);
    need("clRetainCommandQueue", l.retain_queue);
    need("clGetContextInfo", l.get_context_info);
    need("clGetCommandQueueInfo", l.get_queue_info);
    need("clCreateProgramWithSource", l.create_program_with_source);
    need("clCreateProgramWithBinary", l.create_program_with_binary);
    need("clBuildProgram", l.build_program);
    need("clGetProgramInfo", l.get_program_info);
    need("clGetProgramBuildInfo", l.get_program_build_info);
    need("clReleaseProgram", l.release_program);
    need("clCreateKernel", l.create_kernel);
    need("clReleaseKernel", l.release_kernel);
    need("clGetKernelInfo", l.get_kernel_info);
    need("clGetKernelArgInfo", l.get_kernel_arg_info);
    need("clGetKernelWorkGroupInfo", l.get_kernel_work_group_info);
    need("clSetKernelArg", l.set_kernel_arg);
    need("clCreateBuffer", l.create_buffer);
    need("clCreateSubBuffer", l.create_sub_buffer);
    need("clRetainMemObject", l.retain_memory);
    need("clReleaseMemObject", l.release_memory);
    need("clGetMemObjectInfo", l.get_memory_info);
    need("clEnqueueReadBuffer", l.enqueue_read);
    need("clEnqueueWriteBuffer", l.enqueue_write);
    need("clEnqueueCopyBuffer", l.enqueue_copy);
    need("clEnqueueFillBuffer", l.enqueue_fill);
    need("clEnqueueNDRangeKernel", l.enqueue_kernel);
    need("clEnqueueMarkerWithWaitList", l.enqueue_marker);
    need("clFlush", l.flush);
    need("clFinish", l.finish);
    need("clGetEventInfo", l.get_event_info);
    need("clGetEventProfilingInfo", l.get_event_profiling_info);
    need("clRetainEvent", l.retain_event);
    need("clReleaseEvent", l.release_event);
    return missing;
}

ATTUNE_INLINE std::shared_ptr<library const> open_library(std::string const& path)
{
    std::string name = path;
    if (name.empty()) {
        name = attune::detail::environment_variable("ATTUNE_OPENCL");
        if (name.empty()) name = "libOpenCL.so.1";
    }
    void* const opened = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        char const* const words = ::dlerror();
        throw error("no OpenCL library", words != nullptr ? words : name.c_str(),
                    "install the loader and a platform (Debian: ocl-icd-libopencl1 and "
                    "pocl-opencl-icd), or name the library in ATTUNE_OPENCL");
    }
    auto const made = std::make_shared<library>();
    if (char const* const missing = take_functions(opened, *made)) {
        ::dlclose(opened);
        throw error(std::string("the OpenCL library has no function ") + missing, name,
                    "it is older than OpenCL 1.2, or no OpenCL library: update it");
    }
    made->path = name;
    Dl_info found{};
    if (::dladdr(reinterpret_cast<void*>(made->get_platform_ids), &found) != 0 &&
        found.dli_fname != nullptr)
        made->path = found.dli_fname;
    return made;
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
