// attune/measure/cuda/worker/worker_main.hpp - the main loop of a worker process.
// SPDX-License-Identifier: MIT
//
// worker_door.hpp decides which process becomes a worker.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_bench.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Makes the bench that runs the variants.
using bench_maker = std::function<std::unique_ptr<device_bench>(
    std::shared_ptr<cuda::driver const> driver, device_call call,
    device_bench_options const& options)>;

/// Answers messages on `socket` until the other end is closed.
void serve(int socket, bench_maker const& make) noexcept;

/// serve() until the end of this process, which also ends when the other end is closed and leaves
/// no core file.
[[noreturn]] void live_as_worker(int socket, int parent, bench_maker const& make) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_main.ipp>
#endif
