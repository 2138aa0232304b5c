// attune/tune/dispatch/background/call_copies.ipp - how many bytes of copies there are.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/call_copies.hpp>

#include <exception>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct call_copies::room {
    std::size_t most;
    fork_safe_mutex lock{lock_use::brief}; ///< of what follows
    std::size_t bytes = 0;
    pid_t process = 0; ///< the copies of others are not counted
};

struct call_copies::copy {
    std::shared_ptr<room> of;
    std::size_t bytes = 0; ///< of the room
    pid_t process;
    std::shared_ptr<owned_call const> call{};

    /// Takes no room yet.
    explicit copy(std::shared_ptr<room> from)
        : of(std::move(from))
        , process(::getpid())
    {
    }
    copy(copy const&) = delete;
    copy& operator=(copy const&) = delete;
    ~copy()
    {
        call.reset();
        std::scoped_lock<fork_safe_mutex> const here(of->lock);
        if (of->process == process) of->bytes -= bytes;
    }
};

ATTUNE_INLINE call_copies::call_copies(std::size_t most_bytes)
    : room_(std::make_shared<room>(most_bytes))
{
}

ATTUNE_INLINE call_copy call_copies::make(call_frame const& frame) const
{
    std::size_t const bytes = bytes_to_own(frame);
    if (bytes > room_->most)
        return {.refusal =
                    "nothing is tuned or verified in the background: a copy of the "
                    "arguments takes " +
                    std::to_string(bytes) + " bytes, and tuning_options::limits.copied_bytes is " +
                    std::to_string(room_->most) + "; tuned.tune(arguments...) tunes in the call"};
    try {
        auto made = std::make_shared<copy>(room_); // gives the room back, whatever throws
        {
            std::scoped_lock<fork_safe_mutex> const here(room_->lock);
            if (pid_t const me = ::getpid(); std::exchange(room_->process, me) != me)
                room_->bytes = 0;
            if (room_->bytes > room_->most - bytes) return {};
            room_->bytes += bytes;
            made->bytes = bytes;
        }
        made->call = std::make_shared<owned_call const>(frame); // takes its time: without the lock
        owned_call const* const held = made->call.get();
        return {.call = {std::move(made), held}};
    } catch (std::exception const& e) {
        return {.refusal =
                    std::string("nothing is tuned or verified in the background: ") + e.what()};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
