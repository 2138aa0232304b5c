// attune/measure/cuda/device_session.ipp - classifies errors of a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <deque>
#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps what cannot be freed while a kernel runs, reachable by a leak checker.
template <class T>
void keep_for_ever(T what)
{
    static std::mutex guard;
    static auto* const kept = new std::deque<T>;
    std::lock_guard const one(guard);
    kept->push_back(std::move(what));
}

ATTUNE_INLINE device_session::device_session(std::shared_ptr<cuda::driver const> driver,
                                             int ordinal)
    : context_(std::make_unique<cuda::primary_context>(std::move(driver), ordinal))
    , ordinal_(ordinal)
    , name_("device " + std::to_string(ordinal))
{
    cuda::driver const& of = *context_->of();
    cuda::require_success(of, of.device_get(&device_, ordinal), "cuDeviceGet");
    char text[256] = {};
    if (of.device_get_name(text, static_cast<int>(sizeof text) - 1, device_) == cuda::success)
        name_ += " (" + std::string(text) + ")";
}

ATTUNE_INLINE device_session::~device_session()
{
    // Releasing it might destroy the context, which waits for the kernel.
    if (is_blocked_) keep_for_ever(std::move(context_));
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
    throw error(doing + " failed: " + words, name_,
                cuda::is_sticky(got)
                    ? "after such an error a process cannot use the device any more: start it anew"
                    : "see what else uses the device (nvidia-smi), and whether other CUDA programs "
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

} // namespace attune::inline ATTUNE_ABI::detail
