// attune/measure/cuda/launch_graph.ipp - capturing a stream.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/numbers.hpp>
#include <attune/measure/cuda/launch_graph.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE launch_graph::launch_graph(std::shared_ptr<device_session> where, cuda::stream on,
                                         std::function<void()> const& enqueue)
    : where_(std::move(where))
{
    cuda::driver const& d = where_->driver();
    cuda::graph captured = nullptr;
    where_->check(d.stream_begin_capture(on, cuda::flag::capture_this_thread),
                  failure_stage::launch, "cuStreamBeginCapture");
    try {
        enqueue();
    } catch (...) {
        if (d.stream_end_capture(on, &captured) == cuda::success && captured != nullptr)
            d.graph_destroy(captured);
        throw;
    }
    where_->check(d.stream_end_capture(on, &captured), failure_stage::launch, "cuStreamEndCapture");
    cuda::result const made = d.graph_instantiate(&graph_, captured, 0);
    d.graph_destroy(captured);
    where_->check(made, failure_stage::launch, "cuGraphInstantiate");
}

ATTUNE_INLINE launch_graph::~launch_graph()
{
    where_->clean_up([this](cuda::driver const& d) { d.executable_graph_destroy(graph_); });
}

ATTUNE_INLINE void launch_graph::replay(cuda::stream on)
{
    where_->check(where_->driver().graph_launch(graph_, on), failure_stage::launch,
                  "cuGraphLaunch");
}

} // namespace attune::inline ATTUNE_ABI::detail
