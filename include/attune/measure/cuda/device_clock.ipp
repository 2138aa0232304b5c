// attune/measure/cuda/device_clock.ipp - events, and waiting with a time limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/numbers.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cuda/device_clock.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The waiting thread polls for so many seconds, then sleeps between polls.
inline constexpr double attentive_wait_s = 500e-6;
inline constexpr std::chrono::microseconds nap_of_a_wait{50};

ATTUNE_INLINE device_clock::device_clock(std::shared_ptr<device_session> where)
    : where_(std::move(where))
{
    cuda::driver const& d = where_->driver();
    try {
        where_->require(d.stream_create(&stream_, cuda::flag::stream_non_blocking),
                        "making a stream");
        where_->require(d.event_create(&begin_, 0), "making an event");
        where_->require(d.event_create(&end_, 0), "making an event");
    } catch (...) {
        give_back();
        throw;
    }
}

ATTUNE_INLINE device_clock::~device_clock() { give_back(); }

ATTUNE_INLINE void device_clock::give_back() const noexcept
{
    where_->clean_up([this](cuda::driver const& d) {
        if (end_ != nullptr) d.event_destroy(end_);
        if (begin_ != nullptr) d.event_destroy(begin_);
        if (stream_ != nullptr) d.stream_destroy(stream_);
    });
}

ATTUNE_INLINE bool device_clock::ends_within(double limit_s)
{
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    for (;;) {
        cuda::result const got = where_->driver().event_query(end_);
        if (got != cuda::not_ready) {
            where_->check(got, failure_stage::crash, {});
            return true;
        }
        double const waited_s = clocks.wall_s() - begun_s;
        if (waited_s > limit_s) return false;
        if (waited_s > attentive_wait_s)
            std::this_thread::sleep_for(nap_of_a_wait);
        else
            std::this_thread::yield();
    }
}

ATTUNE_INLINE void device_clock::wait_for_end(double limit_s)
{
    if (ends_within(limit_s)) return;
    where_->set_blocked(true);
    throw stopped{{failure_stage::timeout, "still running after " + seconds_text(limit_s)}};
}

ATTUNE_INLINE double device_clock::time(std::function<void()> const& enqueue, double limit_s)
{
    cuda::driver const& d = where_->driver();
    where_->check(d.event_record(begin_, stream_), failure_stage::crash, "cuEventRecord");
    enqueue();
    where_->check(d.event_record(end_, stream_), failure_stage::crash, "cuEventRecord");
    wait_for_end(limit_s);
    float milliseconds = 0;
    where_->check(d.event_elapsed_ms(&milliseconds, begin_, end_), failure_stage::crash,
                  "cuEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
}

ATTUNE_INLINE void device_clock::wait(double limit_s)
{
    where_->check(where_->driver().event_record(end_, stream_), failure_stage::crash,
                  "cuEventRecord");
    wait_for_end(limit_s);
}

ATTUNE_INLINE bool device_clock::recovers(double limit_s)
{
    if (!ends_within(limit_s)) return false;
    where_->set_blocked(false);
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
