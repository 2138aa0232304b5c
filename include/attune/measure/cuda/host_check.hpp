// attune/measure/cuda/host_check.hpp - the user's reference and check for results on a device.
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

namespace attune::inline ATTUNE_ABI::detail {

/// Copies of all arrays of a call, in order. Waits for work launched on the device.
/// Errors   attune::error: the driver's own; the copy would end a capture
[[nodiscard]] std::vector<std::vector<std::byte>>
host_copies(std::shared_ptr<cuda::driver const> const& driver, device_call const& call);

/// Calls the reference and the refusal of a trial_call in this process, with copies of all arrays
/// in host memory. Benches of several devices share one: it makes one call at a time, and calls the
/// reference once.
class host_check {
public:
    host_check(std::shared_ptr<cuda::driver const> driver, device_call on_device, trial_call call);
    ~host_check();
    host_check(host_check const&) = delete;
    host_check& operator=(host_check const&) = delete;

    /// The reference's results, per array; empty for arrays that are not written. Empty: no
    /// reference.
    /// Errors   `stopped`: the reference threw
    [[nodiscard]] std::vector<std::vector<std::byte>> const& expected();
    [[nodiscard]] bool has_refusal() const noexcept;
    [[nodiscard]] std::size_t arrays() const noexcept;
    /// What is wrong with the results of all arrays; or an empty text.
    [[nodiscard]] std::string refusal(std::vector<std::vector<std::byte>> results);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/host_check.ipp>
#endif
