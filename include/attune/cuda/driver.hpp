// attune/cuda/driver.hpp - the CUDA driver, opened at run time.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference; no CUDA header is needed
// Source   cuda.h of CUDA 13.0; these numbers are part of the driver's ABI and do not change
// Source   CUDA driver API reference, cuMemGetAddressRange and virtual memory management. Memory
//          that cuMemMap joins from pieces (as growing pools of other libraries do) is one array
//          to a program, but the driver reports each piece as an allocation
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// CUdevice_attribute.
namespace of_device {
enum : int {
    threads_per_block = 1,
    block_x = 2,
    block_y = 3,
    block_z = 4,
    grid_x = 5,
    grid_y = 6,
    grid_z = 7,
    shared_bytes_per_block = 8,
    warp_threads = 10,
    registers_per_block = 12,
    multiprocessors = 16,
    l2_bytes = 38,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    shared_bytes_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    can_cooperate = 95,
    shared_bytes_opt_in = 97,
    blocks_per_multiprocessor = 106,
    shared_bytes_reserved = 111,
    can_form_clusters = 120,
    is_shared_by_mps = 133, ///< contexts of this device use MPS; older drivers lack this attribute
};
} // namespace of_device

/// CUfunction_attribute.
namespace of_function {
enum : int {
    dynamic_shared_bytes = 8, ///< to set before a launch with more than 48 KiB
};
} // namespace of_function

/// CUpointer_attribute, and CUmemorytype.
namespace of_pointer {
enum : int {
    memory_type = 2,
    is_managed = 8,
    device_ordinal = 9,
    is_legacy_ipc_capable = 10, ///< true for memory from cuMemAlloc
};
enum : int { host_memory = 1, device_memory = 2 }; ///< values of memory_type
} // namespace of_pointer

/// CUlaunchAttributeID.
namespace of_launch {
enum : int { cooperative = 2, cluster = 4 };
} // namespace of_launch

/// Flags and modes of functions.
namespace flag {
enum : unsigned {
    stream_non_blocking = 1,
    ipc_enable_peer_access = 1, ///< the only value for cuIpcOpenMemHandle
};
enum : int { capture_this_thread = 1, capture_relaxed = 2 };
} // namespace flag

/// Types of the driver's ABI. Handles are opaque.
using result = int; ///< 0: success
using device = int;
using device_pointer = unsigned long long;
using context = struct context_object*;
using module = struct module_object*;
using function = struct function_object*;
using stream = struct stream_object*;
using event = struct event_object*;
using graph = struct graph_object*;
using executable_graph = struct executable_graph_object*;

struct ipc_handle {
    char reserved[64];
};

/// CUlaunchAttribute and CUlaunchConfig.
struct launch_attribute {
    int id = 0;
    char padding[4] = {};
    union alignas(8) {
        char bytes[64];
        unsigned cluster[3];
        int cooperative;
    } value{};
};
struct launch_config {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    stream on;
    launch_attribute* attributes;
    unsigned attribute_count;
};

/// Results that attune handles. Messages have the names of others.
enum : result {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    link_time_library = 34, ///< the library is the toolkit's libcuda, for linking only
    device_unavailable = 46,
    no_device = 100,
    invalid_device = 101,
    no_binary_for_device = 209,
    uncorrectable_memory_error = 214,
    uncorrectable_link_error = 220,
    unsupported_version = 222,
    contained_error = 226,
    not_ready = 600,
    illegal_address = 700,
    launch_timeout = 702,
    context_is_destroyed = 709,
    assertion_failed = 710,
    hardware_stack_error = 714,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_program_counter = 718,
    launch_failed = 719,
    tensor_memory_leak = 721,
    driver_mismatch = 803, ///< libcuda and the kernel's module have different versions
    compatibility_not_supported = 804,
    server_ended = 810, ///< MPS
    capture_unsupported = 900,
    capture_implicit = 906, ///< the legacy stream would wait for a stream under capture
    external_device_error = 911,
    unknown_error = 999,
    opencl_device_not_available = -2, ///< of the table of opencl/driver.hpp, as the next ones
    opencl_invalid_context = -34,
    opencl_invalid_queue = -36, ///< NVIDIA's, after a fault of a kernel
};

/// The driver functions that attune calls, with the names of the driver API without "cu". A pointer
/// is null only if it is optional and the library lacks the function.
struct driver {
    result (*init)(unsigned flags);
    result (*driver_get_version)(int* version);
    result (*get_error_name)(result error, char const** text);
    result (*get_error_string)(result error, char const** text);
    result (*device_get_count)(int* count);
    result (*device_get)(device* out, int ordinal);
    result (*device_get_name)(char* text, int bytes, device of);
    result (*device_get_attribute)(int* value, int attribute, device of);
    result (*device_total_mem)(std::size_t* bytes, device of);
    result (*device_get_pci_bus_id)(char* text, int bytes, device of);

    result (*primary_context_retain)(context* out, device of);
    result (*primary_context_release)(device of);
    result (*context_get_current)(context* out);
    result (*context_set_current)(context to);
    result (*context_get_device)(device* out);
    result (*context_synchronize)();

    result (*module_load_data)(module* out, void const* image);
    result (*module_unload)(module of);
    result (*module_get_function)(function* out, module from, char const* name);
    result (*function_set_attribute)(function of, int attribute, int value);
    result (*launch_kernel)(function what, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, stream on, void** arguments, void** extra);
    result (*launch_kernel_ex)(launch_config const* how, function what, void** arguments,
                               void** extra); ///< optional: since CUDA 11.8

    result (*memory_allocate)(device_pointer* out, std::size_t bytes);
    result (*memory_free)(device_pointer what);
    result (*memory_get_info)(std::size_t* free_bytes, std::size_t* total_bytes);
    result (*memory_get_address_range)(device_pointer* base, std::size_t* bytes, device_pointer of);
    result (*pointer_get_attribute)(void* value, int attribute, device_pointer of);
    result (*copy_to_device)(device_pointer to, void const* from, std::size_t bytes);
    result (*copy_to_host)(void* to, device_pointer from, std::size_t bytes);
    result (*copy_on_device)(device_pointer to, device_pointer from, std::size_t bytes);
    result (*copy_on_device_async)(device_pointer to, device_pointer from, std::size_t bytes,
                                   stream on);
    result (*set_bytes_async)(device_pointer to, unsigned char value, std::size_t bytes, stream on);
    result (*ipc_get_memory)(ipc_handle* out, device_pointer of);
    result (*ipc_open_memory)(device_pointer* out, ipc_handle from, unsigned flags);
    result (*ipc_close_memory)(device_pointer of);

    result (*stream_create)(stream* out, unsigned flags);
    result (*stream_destroy)(stream what);
    result (*stream_synchronize)(stream what);
    result (*event_create)(event* out, unsigned flags);
    result (*event_destroy)(event what);
    result (*event_record)(event what, stream on);
    result (*event_query)(event what);
    result (*event_elapsed_ms)(float* milliseconds, event begin, event end);

    result (*exchange_capture_mode)(int* mode); ///< optional; swaps the calling thread's mode
    result (*stream_begin_capture)(stream on, int mode);
    result (*stream_is_capturing)(stream on, int* status); ///< optional; status 0: not capturing
    result (*stream_end_capture)(stream on, graph* out);
    result (*graph_instantiate)(executable_graph* out, graph from, unsigned long long flags);
    result (*graph_launch)(executable_graph what, stream on);
    result (*executable_graph_destroy)(executable_graph what);
    result (*graph_destroy)(graph what);

    int version = 0;  ///< 13000: the newest CUDA that this driver supports
    std::string path; ///< path of the library
};

/// Opens and initialises the driver. Never closes the library, because threads of the driver may
/// run.
///
/// @param path  path of libcuda; empty: $ATTUNE_CUDA_DRIVER, else libcuda.so.1 of the loader
/// Errors   attune::error: no driver (with the loader's message), a missing function, cuInit failed
[[nodiscard]] std::shared_ptr<driver const> open_driver(std::string const& path = {});

/// Returns for example "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
[[nodiscard]] std::string text_of(driver const& of, result error);

/// Returns true for errors that make a context unusable: errors after which the process must
/// restart, by the driver's reference, every error of the device's hardware, and OpenCL's errors of
/// a lost device.
[[nodiscard]] constexpr bool is_sticky(result error) noexcept
{
    switch (error) {
    case uncorrectable_memory_error:
    case uncorrectable_link_error:
    case contained_error:
    case illegal_address:
    case launch_timeout:
    case context_is_destroyed:
    case assertion_failed:
    case hardware_stack_error:
    case illegal_instruction:
    case misaligned_address:
    case invalid_address_space:
    case invalid_program_counter:
    case launch_failed:
    case tensor_memory_leak:
    case server_ended:
    case external_device_error:
    case unknown_error:
    case opencl_device_not_available:
    case opencl_invalid_context:
    case opencl_invalid_queue:
        return true;
    default:
        return false;
    }
}

/// @param doing  a sentence's subject: "cuModuleLoadData"
/// Errors   attune::error unless `got` is success
void require_success(driver const& of, result got, std::string const& doing);

/// Throws an error with the requested memory and the free memory of the device.
/// @param what_for  "argument 2"; may be empty  @param on  the device: "NVIDIA H200"
/// @param next      advice for the user
[[noreturn]] void throw_out_of_memory(driver const& of, std::size_t bytes,
                                      std::string const& what_for, std::string const& on,
                                      std::string const& next);

/// Returns the bytes from an address to the end of its allocation; empty if the driver has no
/// answer. For memory that cuMemMap joins from pieces, adds the next pieces without a gap until the
/// sum is at least `wanted`. Memory of cuMemAlloc is a single piece.
/// @pre  a context of the device is current
[[nodiscard]] inline std::optional<std::size_t> bytes_from(driver const& of, device_pointer at,
                                                           std::size_t wanted) noexcept
{
    device_pointer base = 0;
    std::size_t bytes = 0;
    if (of.memory_get_address_range(&base, &bytes, at) != success || at - base > bytes) return {};
    std::uint64_t is_one_piece = 0; // a boolean; its width depends on the driver
    if (of.pointer_get_attribute(&is_one_piece, of_pointer::is_legacy_ipc_capable, at) != success)
        is_one_piece = 1;
    std::size_t reach = bytes - static_cast<std::size_t>(at - base);
    while (is_one_piece == 0 && reach < wanted) {
        device_pointer const next = at + reach;
        if (of.memory_get_address_range(&base, &bytes, next) != success) break;
        if (next < base || next - base >= bytes) break;
        reach += bytes - static_cast<std::size_t>(next - base);
    }
    return reach;
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/driver.ipp>
#endif
