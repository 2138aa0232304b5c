// attune/measure/cuda/queue_filler.hpp - keeps a device busy while more work is enqueued.
// SPDX-License-Identifier: MIT
// Source   own: a graph of 24 small fills in sequence; each takes the 1 to 2 us that a device needs
//          to start any work. They use 64 KiB, so the caches keep their contents
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_memory.hpp>
#include <attune/measure/cuda/device_session.hpp>
#include <attune/measure/cuda/launch_graph.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

class queue_filler {
public:
    static constexpr std::size_t bytes = std::size_t{64} << 10;
    static constexpr int fills = 24;

    /// Without room for its 64 KiB, enqueue() does nothing.
    /// @pre the session's context is current
    /// Errors   attune::error: the driver's own
    queue_filler(std::shared_ptr<device_session> const& where, device_clock& clock)
        : room_(device_memory::if_it_fits(where, bytes))
    {
        if (!room_) return;
        try {
            graph_.emplace(where, clock.stream(), [&] {
                for (int done = 0; done < fills; ++done)
                    where->require(where->driver().set_bytes_async(room_->address(), 1,
                                                                   room_->bytes(), clock.stream()),
                                   "filling a stream");
            });
        } catch (stopped const& s) {
            throw error("no graph can be made to fill a stream: " + s.why.reason, where->name(),
                        "see whether other CUDA programs still work on this device; if they do, "
                        "install a newer driver");
        }
    }

    /// Enqueues the fills on the clock's stream.
    /// Errors   `stopped`
    void enqueue(device_clock& clock)
    {
        if (graph_) graph_->replay(clock.stream());
    }

private:
    std::optional<device_memory> room_;
    std::optional<launch_graph> graph_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
