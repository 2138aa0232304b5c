// attune/measure/cuda/launch_graph.hpp - launches recorded as a graph, which saves launch time.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, graph management
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// A graph of launches. All functions need the session's context to be current.
class launch_graph {
public:
    /// Captures the work of `enqueue`, without running it.
    /// Errors   `stopped` at stage launch; exceptions of `enqueue`
    launch_graph(std::shared_ptr<device_session> where, cuda::stream on,
                 std::function<void()> const& enqueue);
    ~launch_graph();
    launch_graph(launch_graph const&) = delete;
    launch_graph& operator=(launch_graph const&) = delete;

    /// Enqueues the graph.
    /// Errors   `stopped` at stage launch
    void replay(cuda::stream on);

private:
    std::shared_ptr<device_session> where_;
    cuda::executable_graph graph_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/launch_graph.ipp>
#endif
