// attune/measure/cuda/worker/worker_arrays.hpp - a call's arrays, from the program's memory to a worker's.
// SPDX-License-Identifier: MIT
//
// A device's memory goes by CUDA IPC, which copies nothing but works for plain allocations only;
// all else goes through memory that both processes share. What was lent is closed as soon as a
// bench has copies of its own, before any variant runs: then no wild write can reach the caller's
// memory
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::worker {

/// How to reach a device's memory from another process.
enum class route : std::uint8_t {
    handle, ///< by CUDA IPC where it works, through the host's memory where not
    host,   ///< through the host's memory
};

/// The arrays of `call`, made ready to be sent: `how.regions` and what says where each array lies
/// in them are set, and the message's shared memory is filled.
/// Errors   attune::error: no memory to share; an array cannot be read
void pack_arrays(std::shared_ptr<cuda::driver const> const& driver,
                 device_call const& call,
                 route by,
                 beginning& how,
                 message& to);

/// The same arrays in a worker: a device's until release(), the host's as long as this lives.
class received_arrays {
public:
    /// Sets the addresses in `how.call`.
    /// Errors   attune::error: the driver's own; damaged_message
    received_arrays(std::shared_ptr<cuda::driver const> driver, beginning& how, message& from);
    ~received_arrays();
    received_arrays(received_arrays const&) = delete;
    received_arrays& operator=(received_arrays const&) = delete;

    /// The driver's words when a handle cannot be opened here: the arrays are to be sent by another
    /// route. Empty when all is well.
    [[nodiscard]] std::string const& why_unreachable() const noexcept { return why_unreachable_; }

    /// Gives back what a device holds of them: for when a bench has been made, which reads them no
    /// more (see device_copies).
    /// Errors   attune::error: the driver's own, after all has been tried
    void release();

private:
    struct place {
        memory_place in = memory_place::host;
        std::byte* data = nullptr;
    };
    struct opened {
        cuda::ipc_handle handle{};
        cuda::device_pointer base = 0;
    };

    [[nodiscard]] place receive(sent_region const& region, bool may_copy);
    [[nodiscard]] cuda::device_pointer allocate(std::size_t bytes);
    /// Where an allocation lies here; 0: nowhere, see why_unreachable().
    [[nodiscard]] cuda::device_pointer open(cuda::ipc_handle const& handle);

    std::shared_ptr<cuda::driver const> driver_;
    std::unique_ptr<cuda::primary_context> context_{};
    shared_memory bulk_{};
    std::vector<cuda::device_pointer> copies_{};
    std::vector<opened> opened_{};
    std::string why_unreachable_{};
};

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_arrays.ipp>
#endif
