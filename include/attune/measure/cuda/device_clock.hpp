// attune/measure/cuda/device_clock.hpp - a stream of work, and how long it takes by the device's own clock.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, event management: events resolve about half a microsecond.
//          Nothing is taken off a time: what two events with nothing between them lie apart is the
//          gap that a kernel fills
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI {

/// Owns a stream that waits for no other. All functions need the session's context to be current.
class device_clock {
public:
    /// Errors   attune::error: the driver's own
    explicit device_clock(std::shared_ptr<device_session> where);
    ~device_clock();
    device_clock(device_clock const&) = delete;
    device_clock& operator=(device_clock const&) = delete;

    [[nodiscard]] cuda::stream stream() const noexcept { return stream_; }

    /// Puts work on the stream and waits until it is done.
    /// @param limit_s  wall seconds for that and all that was on the stream before
    /// @return  seconds from the first of it to the last, by events
    /// Errors   `stopped`: crash with CUDA's words; timeout, and then the session is blocked;
    ///          whatever `enqueue` throws
    double time(std::function<void()> const& enqueue, double limit_s);

    /// Until all work on the stream is done. Errors  as time()
    void wait(double limit_s);

    /// Whether a kernel that ran too long ends within this time after all.
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_clock.ipp>
#endif
