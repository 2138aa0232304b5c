// attune/measure/device/device_session.ipp - errors, memory and streams by the driver.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/device_session.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE device_session::device_session(std::shared_ptr<cuda::driver const> driver,
                                             int ordinal)
    : context_(std::make_unique<cuda::primary_context>(std::move(driver), ordinal))
    , ordinal_(ordinal)
    , name_("device " + std::to_string(ordinal))
{
    cuda::driver const& of = *context_->of();
    cuda::require_success(of, of.device_get(&device_, ordinal), "finding the device");
    char text[256] = {};
    if (of.device_get_name(text, static_cast<int>(sizeof text) - 1, device_) == cuda::success)
        name_ += " (" + std::string(text) + ")";
}

ATTUNE_INLINE device_session::~device_session()
{
    // A release might destroy the context, which waits for the kernel.
    if (is_blocked_) keep_forever(std::move(context_));
}

ATTUNE_INLINE int device_session::attribute(int which) const noexcept
{
    int value = 0;
    return driver().device_get_attribute(&value, which, device_) == cuda::success ? value : 0;
}

ATTUNE_INLINE void device_session::require(cuda::result got, std::string const& doing)
{
    if (got == cuda::success) return;
    std::string const words = text_of(driver(), got);
    if (cuda::is_sticky(got)) lost_by_ = words;
    throw error(
        doing + " failed: " + words, name_,
        cuda::is_sticky(got)
            ? "after such an error a process cannot use the device any more: start it anew"
            : "see what else uses the device (nvidia-smi, clinfo), and whether other programs "
              "still work on it");
}

ATTUNE_INLINE void device_session::check(cuda::result got, failure_stage stage,
                                         std::string_view doing)
{
    if (got == cuda::success) return;
    std::string const words = text_of(driver(), got);
    if (cuda::is_sticky(got)) {
        lost_by_ = words;
        throw stopped{{failure_stage::crash, words}};
    }
    throw stopped{{stage, doing.empty() ? words : std::string(doing) + ": " + words}};
}

ATTUNE_INLINE void device_session::require_alive() const
{
    if (!lost_by_.empty())
        throw error(
            "an error of a variant takes this process's use of the device with it: " + lost_by_,
            name_, "let variants run in a worker process, which is replaced after such errors");
}

ATTUNE_INLINE device_memory::device_memory(std::shared_ptr<device_session> where,
                                           cuda::device_pointer address, std::size_t bytes) noexcept
    : where_(std::move(where))
    , address_(address)
    , bytes_(bytes)
{
}

ATTUNE_INLINE std::optional<device_memory>
device_memory::if_it_fits(std::shared_ptr<device_session> where, std::size_t bytes)
{
    cuda::device_pointer at = 0;
    cuda::result const got = where->driver().memory_allocate(&at, std::max<std::size_t>(bytes, 1));
    if (got == cuda::out_of_memory) return {};
    where->require(got, "asking for " + std::to_string(bytes) + " bytes of device memory");
    return device_memory(std::move(where), at, bytes);
}

ATTUNE_INLINE device_memory::device_memory(std::shared_ptr<device_session> where, std::size_t bytes,
                                           std::string const& what_for)
{
    std::optional<device_memory> got = if_it_fits(where, bytes);
    if (!got)
        cuda::throw_out_of_memory(where->driver(), bytes, what_for, where->name(),
                                  "free other arrays on the device, or tune on a smaller problem");
    *this = std::move(*got);
}

ATTUNE_INLINE device_memory::~device_memory()
{
    if (where_ && address_ != 0)
        where_->clean_up([this](cuda::driver const& d) { d.memory_free(address_); });
}

ATTUNE_INLINE device_memory::device_memory(device_memory&& other) noexcept
    : where_(std::move(other.where_))
    , address_(std::exchange(other.address_, 0))
    , bytes_(std::exchange(other.bytes_, 0))
{
}

ATTUNE_INLINE device_memory& device_memory::operator=(device_memory&& other) noexcept
{
    std::swap(where_, other.where_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

/// The waiting thread polls for this time, then sleeps between polls.
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
    where_->check(d.event_record(begin_, stream_), failure_stage::crash, "recording an event");
    enqueue();
    where_->check(d.event_record(end_, stream_), failure_stage::crash, "recording an event");
    wait_for_end(limit_s);
    float milliseconds = 0;
    where_->check(d.event_elapsed_ms(&milliseconds, begin_, end_), failure_stage::crash,
                  "reading the time of events");
    return 1e-3 * static_cast<double>(milliseconds);
}

ATTUNE_INLINE void device_clock::wait(double limit_s)
{
    where_->check(where_->driver().event_record(end_, stream_), failure_stage::crash,
                  "recording an event");
    wait_for_end(limit_s);
}

ATTUNE_INLINE bool device_clock::recovers(double limit_s)
{
    if (!ends_within(limit_s)) return false;
    where_->set_blocked(false);
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
