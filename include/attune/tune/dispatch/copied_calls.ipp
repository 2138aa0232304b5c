// attune/tune/dispatch/copied_calls.ipp - copies a call, and has a job run on it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/copied_calls.hpp>
#include <attune/tune/kernel/owned_call.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE copied_calls::refusal copied_calls::take_room(std::size_t bytes)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (pid_t const me = ::getpid(); std::exchange(process_, me) != me) bytes_ = 0;
    if (bytes > most_bytes_)
        return "nothing is tuned or verified in the background: a copy of the arguments "
               "takes " +
               std::to_string(bytes) + " bytes, and tuning_options::limits.copied_bytes is " +
               std::to_string(most_bytes_) + "; tuned.tune(arguments...) tunes in the call";
    if (bytes_ > most_bytes_ - bytes) return "";
    bytes_ += bytes;
    return {};
}

ATTUNE_INLINE void copied_calls::give_room(std::size_t bytes)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    bytes_ -= bytes;
}

ATTUNE_INLINE copied_calls::refusal copied_calls::start(call_frame const& frame,
                                                        std::function<void(call_frame const&)> job)
{
    std::size_t const bytes = bytes_to_own(frame);
    if (refusal const refused = take_room(bytes)) return refused;
    try {
        auto call = std::make_shared<owned_call const>(frame); // takes its time: without the lock
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        worker_.add([this, bytes, call = std::move(call), job = std::move(job)]() mutable {
            try {
                job(call->frame());
            } catch (...) { // a sink or a check of the program's threw; nobody is there to hear it
            }
            call.reset();
            give_room(bytes);
        });
    } catch (std::exception const& e) {
        give_room(bytes);
        return std::string("nothing is tuned or verified in the background: ") + e.what();
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
