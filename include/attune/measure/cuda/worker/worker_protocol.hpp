// attune/measure/cuda/worker/worker_protocol.hpp - what a bench is asked and answers, as messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::worker {

/// Memory of the caller as it reaches a worker: overlapping arrays in one.
struct sent_region {
    memory_place place = memory_place::host; ///< of the original
    std::size_t bytes = 0;
    std::size_t skew = 0; ///< of the original's address past a multiple of device_alignment
    bool by_handle = false;
    cuda::ipc_handle handle{}; ///< of the allocation; its own `offset` bytes from the beginning
    std::size_t offset = 0;    ///< without a handle: in the message's shared memory
};

/// The first message: everything a worker needs for a bench of its own.
struct beginning {
    std::string driver_path;
    std::string bus; ///< of the device: ordinals depend on the environment
    device_bench_options options;
    bool may_copy = true; ///< false: what comes by the host stays there, for want of room
    std::vector<sent_region> regions;
    std::vector<std::size_t> region_of; ///< for each array of the call
    std::vector<std::size_t> offset_of; ///< in that region
    device_call call;                   ///< the addresses in it mean nothing there
};

/// What both ends have to have in common: the version, and the sizes of all that travels as it lies
/// in memory. Different ones have different marks.
[[nodiscard]] std::string protocol_mark(std::string_view version,
                                        std::span<std::size_t const> sizes);

void put(writer& to, device_code const& what);
void put(writer& to, device_variant const& what);
void put(writer& to, device_bench_options const& what);
void put(writer& to, beginning const& what);
void put(writer& to, failure const& what);
void put(writer& to, first_run_result const& what);
void put(writer& to, outcome const& what);
void put(writer& to, timing_record const& what);
void put(writer& to, std::variant<round_times, std::size_t> const& what);
/// An exception as its three sentences, where it is an attune::error.
void put_thrown(writer& to, std::exception_ptr const& thrown);

/// Errors   damaged_message, all of them; get_beginning: attune::error, of another attune
[[nodiscard]] device_code get_code(reader& from);
[[nodiscard]] device_variant get_variant(reader& from);
[[nodiscard]] device_bench_options get_options(reader& from);
[[nodiscard]] beginning get_beginning(reader& from);
[[nodiscard]] failure get_failure(reader& from);
[[nodiscard]] first_run_result get_first_run_result(reader& from);
[[nodiscard]] outcome get_outcome(reader& from);
[[nodiscard]] timing_record get_timing(reader& from);
[[nodiscard]] std::variant<round_times, std::size_t> get_comparison(reader& from);
[[nodiscard]] error get_thrown(reader& from);

/// Arrays of bytes, in shared memory: their lengths in the text, their contents in the bulk.
void put_arrays(message& to, writer& text, std::span<std::vector<std::byte> const> arrays);
[[nodiscard]] std::vector<std::vector<std::byte>> get_arrays(message& from, reader& text);

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_protocol.ipp>
#endif
