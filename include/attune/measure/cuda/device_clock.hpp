// attune/measure/cuda/device_clock.hpp - a stream, and the time of its work by events.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, event management: the resolution is about 0.5 us. The time
//          between two events without work is not subtracted, because a kernel fills that gap
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Owns a non-blocking stream. All functions need the session's context to be current.
class device_clock {
public:
    /// Errors   attune::error: the driver's own
    explicit device_clock(std::shared_ptr<device_session> where);
    ~device_clock();
    device_clock(device_clock const&) = delete;
    device_clock& operator=(device_clock const&) = delete;

    [[nodiscard]] cuda::stream stream() const noexcept { return stream_; }

    /// Enqueues work and waits for its end.
    /// @param limit_s  wall seconds for this work and all work before it on the stream
    /// @return  seconds from the beginning of the work to its end, by events
    /// Errors   `stopped`: crash with CUDA's message, or timeout, which blocks the session;
    ///          exceptions of `enqueue`
    double time(std::function<void()> const& enqueue, double limit_s);

    /// Waits for all work on the stream.
    /// Errors   as time()
    void wait(double limit_s);

    /// True when a kernel that exceeded its limit ends within `limit_s` wall seconds.
    [[nodiscard]] bool recovers(double limit_s);

private:
    [[nodiscard]] bool ends_within(double limit_s);
    void wait_for_end(double limit_s);
    void give_back() const noexcept;

    std::shared_ptr<device_session> where_;
    cuda::stream stream_ = nullptr;
    cuda::event begin_ = nullptr;
    cuda::event end_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_clock.ipp>
#endif
