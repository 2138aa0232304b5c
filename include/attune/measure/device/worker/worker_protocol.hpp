// attune/measure/device/worker/worker_protocol.hpp - requests and answers of a bench as messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Memory of the caller, in the form for a worker. Overlapping arrays are one region.
struct sent_region {
    memory_place place = memory_place::host; ///< of the original
    std::size_t bytes = 0;
    std::size_t skew = 0; ///< offset of the original's address from a multiple of device_alignment
    bool by_handle = false;
    cuda::ipc_handle handle{}; ///< handle of the allocation
    std::size_t offset =
        0; ///< offset of the region in the allocation, or else in the shared memory
};

/// The content of `begin`: all that a worker needs for a bench.
struct beginning {
    std::string driver_path;
    std::string bus; ///< bus id of the device, because ordinals depend on the environment
    device_bench_options options;
    bool may_copy = true; ///< false: the device has no room for copies of arrays in host memory
    std::vector<sent_region> regions;
    std::vector<std::size_t> region_of; ///< of each array of the call
    std::vector<std::size_t> offset_of; ///< of each array in its region
    device_call call;                   ///< its addresses are invalid in the worker
};

/// A mark of one end's version and sizes of structures. Both ends must have the same mark.
[[nodiscard]] std::string protocol_mark(std::string_view version,
                                        std::span<std::size_t const> sizes);

void put(message_writer& to, device_code const& what);
void put(message_writer& to, device_variant const& what);
void put(message_writer& to, device_bench_options const& what);
void put(message_writer& to, beginning const& what);
void put(message_writer& to, first_run_result const& what);
void put(message_writer& to, timing_record const& what);
void put(message_writer& to, std::variant<round_times, std::size_t> const& what);
/// An exception as three texts: those of an attune::error, or what() and two empty texts.
void put_thrown(message_writer& to, std::exception_ptr const& thrown);

/// Errors   damaged_message; get_beginning() also attune::error for another version of attune
[[nodiscard]] device_code get_code(message_reader& from);
[[nodiscard]] device_variant get_variant(message_reader& from);
[[nodiscard]] device_bench_options get_options(message_reader& from);
[[nodiscard]] beginning get_beginning(message_reader& from);
[[nodiscard]] first_run_result get_first_run_result(message_reader& from);
[[nodiscard]] timing_record get_timing(message_reader& from);
[[nodiscard]] std::variant<round_times, std::size_t> get_comparison(message_reader& from);
[[nodiscard]] error get_thrown(message_reader& from);

/// Arrays of bytes: lengths in the text, contents in the shared memory.
void put_arrays(message& to, message_writer& text, std::span<std::vector<std::byte> const> arrays);
[[nodiscard]] std::vector<std::vector<std::byte>> get_arrays(message& from, message_reader& text);

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_protocol.ipp>
#endif
