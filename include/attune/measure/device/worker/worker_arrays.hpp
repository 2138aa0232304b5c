// attune/measure/device/worker/worker_arrays.hpp - transfers a call's arrays to a worker.
// SPDX-License-Identifier: MIT
//
// CUDA IPC passes device memory; it copies nothing but needs plain allocations. Shared memory
// passes other memory. The worker closes IPC memory when the bench has its own copies, before any
// variant runs. No variant can then write to the caller's memory.
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Route of device memory to another process.
enum class route : std::uint8_t {
    handle, ///< by CUDA IPC if possible, else through host memory
    host,   ///< through host memory
};

/// Prepares the arrays of `call` for sending: sets `how.regions` and the position of each array,
/// and fills the message's shared memory.
/// Errors   attune::error: no shared memory; an array cannot be read
void pack_arrays(std::shared_ptr<cuda::driver const> const& driver, device_call const& call,
                 route by, beginning& how, message& to);

/// The arrays in a worker: device memory until release(), host memory until the destructor.
class received_arrays {
public:
    /// Sets the addresses in `how.call`.
    /// Errors   attune::error: the driver's own; damaged_message
    received_arrays(std::shared_ptr<cuda::driver const> driver, beginning& how, message& from);
    ~received_arrays();
    received_arrays(received_arrays const&) = delete;
    received_arrays& operator=(received_arrays const&) = delete;

    /// The driver's message if a handle cannot be opened here; use another route then. Empty if all
    /// arrays are reachable.
    [[nodiscard]] std::string const& why_unreachable() const noexcept { return why_unreachable_; }

    /// Frees or closes device memory. Call it after the bench has its own copies (see
    /// device_copies).
    /// Errors   attune::error: the driver's own, after an attempt to free everything
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
    /// Opens an allocation. @return  its address here; 0 on failure, see why_unreachable()
    [[nodiscard]] cuda::device_pointer open(cuda::ipc_handle const& handle);

    std::shared_ptr<cuda::driver const> driver_;
    std::unique_ptr<cuda::primary_context> context_{};
    shared_memory bulk_{};
    std::vector<cuda::device_pointer> copies_{};
    std::vector<opened> opened_{};
    std::string why_unreachable_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_arrays.ipp>
#endif
