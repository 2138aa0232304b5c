// attune/measure/cuda/host_check.hpp - what the user's own functions say of results on a device.
// SPDX-License-Identifier: MIT
//
// tested by tune/device/cuda/cuda_bench.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/cuda/device_call.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What all arrays of a call hold now, in order. Waits for what was launched on the device.
/// Errors   attune::error: the driver's own; the copy would end a capture
[[nodiscard]] std::vector<std::vector<std::byte>>
host_copies(std::shared_ptr<cuda::driver const> const& driver, device_call const& call);

/// The reference and the refusal of a trial_call, called in this process with copies of all arrays
/// in the host's memory. The benches of several devices share one: it calls one function at a time,
/// and the reference once.
class host_check {
public:
    host_check(std::shared_ptr<cuda::driver const> driver, device_call on_device, trial_call call);
    ~host_check();
    host_check(host_check const&) = delete;
    host_check& operator=(host_check const&) = delete;

    /// Right results, by array; an empty array: not known. Empty: the call has no reference.
    /// Errors   `stopped`: the reference threw
    [[nodiscard]] std::vector<std::vector<std::byte>> const& expected();
    [[nodiscard]] bool has_refusal() const noexcept;
    [[nodiscard]] std::size_t arrays() const noexcept;
    /// What is wrong with the results, given all arrays; or an empty text.
    [[nodiscard]] std::string refusal(std::vector<std::vector<std::byte>> results);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/host_check.ipp>
#endif
