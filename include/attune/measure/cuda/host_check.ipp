// attune/measure/cuda/host_check.ipp - copies arrays to the host and calls the user's functions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/capture.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/cuda/host_check.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::vector<std::byte*>
addresses_of(std::vector<std::vector<std::byte>>& copies)
{
    std::vector<std::byte*> out;
    for (std::vector<std::byte>& copy : copies)
        out.push_back(copy.data());
    return out;
}

ATTUNE_INLINE std::vector<std::vector<std::byte>>
host_copies(std::shared_ptr<cuda::driver const> const& driver, device_call const& call)
{
    cuda::primary_context const context{driver, call.ordinal};
    cuda::context_scope const inside{context};
    std::vector<std::vector<std::byte>> out;
    for (device_buffer const& one : call.buffers) {
        buffer const& b = one.where;
        std::vector<std::byte>& copy = out.emplace_back();
        if (b.bytes == 0) continue;
        if (one.place == memory_place::host) {
            copy.assign(b.data, b.data + b.bytes);
            continue;
        }
        std::string const argument = "argument " + std::to_string(b.argument);
        cuda::require_no_capture(*driver, "copying " + argument + " from the device");
        copy.resize(b.bytes);
        auto const at = static_cast<cuda::device_pointer>(reinterpret_cast<std::uintptr_t>(b.data));
        cuda::require_success(*driver, driver->copy_to_host(copy.data(), at, b.bytes),
                              "cuMemcpyDtoH of " + argument);
    }
    return out;
}

struct host_check::state {
    std::shared_ptr<cuda::driver const> driver;
    device_call on_device;
    trial_call call;
    std::mutex turn{};                                            ///< one user function at a time
    std::optional<std::vector<std::vector<std::byte>>> results{}; ///< of the reference

    [[nodiscard]] std::vector<std::vector<std::byte>> results_of_reference() const
    {
        std::vector<std::vector<std::byte>> out;
        if (!call.reference) return out;
        out = host_copies(driver, on_device);
        out.resize(call.buffers.size());
        try {
            call.reference(addresses_of(out));
        } catch (...) {
            throw stopped{
                {failure_stage::verify, "the kernel's reference threw: " + text_of_exception()}};
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!call.buffers[i].writable) out[i].clear();
        return out;
    }
};

ATTUNE_INLINE host_check::host_check(std::shared_ptr<cuda::driver const> driver,
                                     device_call on_device, trial_call call)
    : state_(new state{std::move(driver), std::move(on_device), std::move(call)})
{
}

ATTUNE_INLINE host_check::~host_check() = default;

ATTUNE_INLINE std::vector<std::vector<std::byte>> const& host_check::expected()
{
    std::lock_guard const one(state_->turn);
    if (!state_->results) state_->results.emplace(state_->results_of_reference());
    return *state_->results;
}

ATTUNE_INLINE bool host_check::has_refusal() const noexcept
{
    return static_cast<bool>(state_->call.refusal);
}

ATTUNE_INLINE std::size_t host_check::arrays() const noexcept
{
    return state_->call.buffers.size();
}

ATTUNE_INLINE std::string host_check::refusal(std::vector<std::vector<std::byte>> results)
{
    std::lock_guard const one(state_->turn);
    return state_->call.refusal ? state_->call.refusal(addresses_of(results)) : std::string();
}

} // namespace attune::inline ATTUNE_ABI::detail
