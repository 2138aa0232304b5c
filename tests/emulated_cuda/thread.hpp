// tests/emulated_cuda/thread.hpp - what a kernel compiled for the emulated device and the emulated driver know of each other. No other header: it stands before every kernel's text.
// SPDX-License-Identifier: MIT
#pragma once

namespace attune_emulated {

/// CUDA's built-in variables of one thread.
struct index3 {
    unsigned x, y, z;
};
struct thread_place {
    index3 thread, block;   ///< threadIdx, blockIdx
    index3 threads, blocks; ///< blockDim, gridDim
    index3 cluster;         ///< blocks of a cluster
    unsigned number;        ///< of the thread in its block; its lane is in the last five bits
    unsigned char* shared;  ///< dynamic shared memory of the block
};

enum class barrier_kind { block, cluster, grid };

/// What a thread asks of the machine that runs it.
struct services {
    /// Waits for the threads of the block, cluster or grid.
    void (*barrier)(barrier_kind kind);
    /// Waits for the lanes of `mask`. @return  the value that lane `source` brought
    unsigned long long (*exchange)(unsigned mask, unsigned long long value, unsigned source);
    void (*fault)(int error);                 ///< ends the launch with a CUDA error
    void (*hang)();                           ///< as if it never ended
    void (*cost)(unsigned long long cost_ns); ///< the launch takes exactly this long
};

} // namespace attune_emulated
