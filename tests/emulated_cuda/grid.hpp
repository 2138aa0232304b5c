// tests/emulated_cuda/grid.hpp - runs all threads of a launch on the calling thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "thread.hpp"

namespace attune_emulated {

/// A kernel in a shared object.
struct kernel_code {
    void* object = nullptr;                  ///< dlopen's handle
    void (*run)(void** arguments) = nullptr; ///< the whole kernel for one thread
    thread_place const** place = nullptr;    ///< where the kernel looks for its thread
    services const** machine = nullptr;      ///< and for these
    std::size_t static_shared_bytes = 0;
};

struct launch_shape {
    index3 blocks{1, 1, 1};
    index3 threads{1, 1, 1};
    index3 cluster{1, 1, 1};
    std::size_t shared_bytes = 0; ///< dynamic
    bool is_cooperative = false;
};

struct grid_result {
    int error = 0; ///< a CUDA error after which nothing works any more
    bool hangs = false;
    std::uint64_t cost_ns = 0; ///< what the kernel said, else the processor time it took
};

/// Static shared memory is filled with 0xff, which is no number, before each block, dynamic shared
/// memory too; past its end lies a page that may not be touched.
/// @param hang_s  processor seconds after which the launch counts as hanging
/// @param newest_first  which of the threads that can go on does; any order is right
[[nodiscard]] grid_result run_grid(kernel_code const& code, launch_shape const& shape,
                                   void** arguments, double hang_s, bool newest_first);

} // namespace attune_emulated
