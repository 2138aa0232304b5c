// attune/cuda/driver.ipp - libcuda by dlopen, its functions by name.
// SPDX-License-Identifier: MIT
// Source   the names that libcuda of CUDA 12 and 13 exports: cuda.h maps cuMemAlloc to
//          cuMemAlloc_v2, for example. Streams are the legacy ones (no _ptsz)
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/library_functions.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>

namespace attune::inline ATTUNE_ABI::detail::cuda {

inline void take_functions(library_functions& from, driver& d)
{
    from.need("cuInit", d.init);
    from.need("cuDriverGetVersion", d.driver_get_version);
    from.need("cuGetErrorName", d.get_error_name);
    from.need("cuGetErrorString", d.get_error_string);
    from.need("cuDeviceGetCount", d.device_get_count);
    from.need("cuDeviceGet", d.device_get);
    from.need("cuDeviceGetName", d.device_get_name);
    from.need("cuDeviceGetAttribute", d.device_get_attribute);
    from.need("cuDeviceTotalMem_v2", d.device_total_mem);
    from.need("cuDeviceGetPCIBusId", d.device_get_pci_bus_id);
    from.need("cuDevicePrimaryCtxRetain", d.primary_context_retain);
    from.need("cuDevicePrimaryCtxRelease_v2", d.primary_context_release);
    from.need("cuCtxGetCurrent", d.context_get_current);
    from.need("cuCtxSetCurrent", d.context_set_current);
    from.need("cuCtxGetDevice", d.context_get_device);
    from.need("cuCtxSynchronize", d.context_synchronize);
    from.need("cuModuleLoadData", d.module_load_data);
    from.need("cuModuleUnload", d.module_unload);
    from.need("cuModuleGetFunction", d.module_get_function);
    from.need("cuFuncSetAttribute", d.function_set_attribute);
    from.need("cuLaunchKernel", d.launch_kernel);
    from.wish("cuLaunchKernelEx", d.launch_kernel_ex);
    from.need("cuMemAlloc_v2", d.memory_allocate);
    from.need("cuMemFree_v2", d.memory_free);
    from.need("cuMemGetInfo_v2", d.memory_get_info);
    from.need("cuMemGetAddressRange_v2", d.memory_get_address_range);
    from.need("cuPointerGetAttribute", d.pointer_get_attribute);
    from.need("cuMemcpyHtoD_v2", d.copy_to_device);
    from.need("cuMemcpyDtoH_v2", d.copy_to_host);
    from.need("cuMemcpyDtoD_v2", d.copy_on_device);
    from.need("cuMemcpyDtoDAsync_v2", d.copy_on_device_async);
    from.need("cuMemsetD8Async", d.set_bytes_async);
    from.need("cuIpcGetMemHandle", d.ipc_get_memory);
    from.need("cuIpcOpenMemHandle_v2", d.ipc_open_memory);
    from.need("cuIpcCloseMemHandle", d.ipc_close_memory);
    from.need("cuStreamCreate", d.stream_create);
    from.need("cuStreamDestroy_v2", d.stream_destroy);
    from.need("cuStreamSynchronize", d.stream_synchronize);
    from.need("cuEventCreate", d.event_create);
    from.need("cuEventDestroy_v2", d.event_destroy);
    from.need("cuEventRecord", d.event_record);
    from.need("cuEventQuery", d.event_query);
    from.need("cuEventElapsedTime", d.event_elapsed_ms);
    from.wish("cuThreadExchangeStreamCaptureMode", d.exchange_capture_mode);
    from.need("cuStreamBeginCapture_v2", d.stream_begin_capture);
    from.wish("cuStreamIsCapturing", d.stream_is_capturing);
    from.need("cuStreamEndCapture", d.stream_end_capture);
    from.need("cuGraphInstantiateWithFlags", d.graph_instantiate);
    from.need("cuGraphLaunch", d.graph_launch);
    from.need("cuGraphExecDestroy", d.executable_graph_destroy);
    from.need("cuGraphDestroy", d.graph_destroy);
}

/// Returns advice for the user on an error; empty if attune has none.
[[nodiscard]] inline char const* advice_on(result got) noexcept
{
    if (is_sticky(got))
        return "the context is lost with all memory in it: end the program and start it again";
    switch (got) {
    case out_of_memory:
        return "free device memory, or use less of it";
    case no_binary_for_device:
    case unsupported_version:
        return "the code was made for another device or for a newer driver: compile it for this "
               "device, or update the driver";
    case capture_unsupported:
    case capture_implicit:
        return "a stream is being captured: do this before the capture begins, or after it has "
               "ended";
    case no_device:
    case invalid_device:
        return "look at the list of nvidia-smi: CUDA_VISIBLE_DEVICES must name a device of it, and "
               "a container must be given one (docker run --gpus all)";
    case driver_mismatch:
        return "libcuda and the kernel's NVIDIA module are of different versions: restart the "
               "machine after an update of the driver; in a container, use the libcuda of the "
               "host";
    case compatibility_not_supported:
        return "this device does not run with a compatibility package: take its folder "
               "(cuda/compat) out of LD_LIBRARY_PATH, or update the driver";
    case link_time_library:
        return "this libcuda is the toolkit's, for linking only: take its folder out of "
               "LD_LIBRARY_PATH, so that the driver's own is found";
    case device_unavailable:
        return "another process or this program has exclusive use of the device, and its worker "
               "process needs the device too: wait, or set the device's compute mode to default "
               "(nvidia-smi -c 0)";
    default:
        return "";
    }
}

ATTUNE_INLINE std::shared_ptr<driver const> open_driver(std::string const& path)
{
    constexpr library_words words{
        "CUDA driver", "ATTUNE_CUDA_DRIVER", "libcuda.so.1",
        "install NVIDIA's driver, which brings libcuda.so.1, or name the library in "
        "ATTUNE_CUDA_DRIVER",
        "it is older than CUDA 11.4, or no CUDA driver: update it"};
    auto const made = open_functions<driver>(path, words, take_functions);
    if (result const got = made->init(0); got != success) {
        std::string next = is_sticky(got) ? "" : advice_on(got); // no context exists yet
        if (next.empty())
            next = "check that nvidia-smi works, and look for NVRM in the system's log";
        throw error("the CUDA driver does not start: " + text_of(*made, got), made->path, next);
    }
    if (made->driver_get_version(&made->version) != success) made->version = 0;
    return made;
}

ATTUNE_INLINE std::string text_of(driver const& of, result error)
{
    char const* name = nullptr;
    char const* words = nullptr;
    if (of.get_error_name(error, &name) != success || name == nullptr)
        return "CUDA error " + std::to_string(error);
    std::string text = name;
    if (of.get_error_string(error, &words) == success && words != nullptr)
        text = text + ": " + words;
    return text;
}

ATTUNE_INLINE void require_success(driver const& of, result got, std::string const& doing)
{
    if (got == success) return;
    throw error(doing + " failed", text_of(of, got), advice_on(got));
}

ATTUNE_INLINE void throw_out_of_memory(driver const& of, std::size_t bytes,
                                       std::string const& what_for, std::string const& on,
                                       std::string const& next)
{
    std::size_t unused = 0;
    std::size_t all = 0;
    std::string rest;
    if (of.memory_get_info(&unused, &all) == success)
        rest = ", " + std::to_string(unused) + " of " + std::to_string(all) + " are free";
    throw error("the device is out of memory",
                (what_for.empty() ? what_for : what_for + ": ") + std::to_string(bytes) +
                    " bytes were asked for" + rest + " on " + on,
                next);
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda
