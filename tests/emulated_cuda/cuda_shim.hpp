// tests/emulated_cuda/cuda_shim.hpp - CUDA C++ for a compiler of the host: stands before the text of a kernel, which then is a function that runs one thread of the emulated device.
// SPDX-License-Identifier: MIT
//
// No standard header, so that a kernel compiles in a moment and sees only what NVRTC would give it.
// __CUDA_ARCH__ is not defined: what stands below it, such as PTX, is for real devices.
#pragma once

#include "thread.hpp"

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
/// The kernel may ask for what only the emulation has: attune_emulated_cost(nanoseconds), ...
#ifndef ATTUNE_EMULATED_CUDA
#define ATTUNE_EMULATED_CUDA 1
#endif

#define __global__
#define __device__
#define __host__
#define __constant__ static
/// Blocks run one after another on one thread of the host.
#define __shared__ static thread_local
/// What `extern __shared__ type name[];` is replaced by.
#define ATTUNE_EMULATED_DYNAMIC(type, name)                                                        \
    type* const name = reinterpret_cast<type*>(attune_emulated_place->shared)
#define ATTUNE_EMULATED_GLOBAL_DYNAMIC(type, name)                                                 \
    static attune_emulated::dynamic_array<type> const name {}
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

extern "C" {
extern __attribute__((
    visibility("default"))) attune_emulated::thread_place const* attune_emulated_place;
extern
    __attribute__((visibility("default"))) attune_emulated::services const* attune_emulated_machine;
int printf(char const*, ...);
}

#define threadIdx (attune_emulated_place->thread)
#define blockIdx (attune_emulated_place->block)
#define blockDim (attune_emulated_place->threads)
#define gridDim (attune_emulated_place->blocks)
#define warpSize 32
#undef assert
#define assert(x) ((x) ? static_cast<void>(0) : attune_emulated_machine->fault(710))

namespace attune_emulated {

template <class T>
struct dynamic_array {
    operator T*() const { return reinterpret_cast<T*>(attune_emulated_place->shared); }
};

/// A parameter from which no type is deduced.
template <class T>
struct same {
    using type = T;
};

inline unsigned lane() { return attune_emulated_place->number & 31U; }

template <class T>
T exchanged(unsigned mask, T value, unsigned source)
{
    static_assert(sizeof(T) <= 8, "lanes exchange values of at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = attune_emulated_machine->exchange(mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace attune_emulated

// The emulation's own.
inline void attune_emulated_cost(unsigned long long cost_ns)
{
    attune_emulated_machine->cost(cost_ns);
}
inline void attune_emulated_hang() { attune_emulated_machine->hang(); }

// Barriers and fences. Memory is in order: only one thread runs at a time.
inline void __syncthreads()
{
    attune_emulated_machine->barrier(attune_emulated::barrier_kind::block);
}
inline void __threadfence() {}
inline void __trap() { attune_emulated_machine->fault(719); }
inline long long clock64() { return 0; }

// Lanes of a warp.
inline void __syncwarp(unsigned mask = 0xffffffffU)
{
    attune_emulated_machine->exchange(mask, 0, 0);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    unsigned const lane = attune_emulated::lane();
    unsigned const in_group = lane & (static_cast<unsigned>(width) - 1);
    bool const is_inside = in_group + delta < static_cast<unsigned>(width);
    return attune_emulated::exchanged(mask, value, is_inside ? lane + delta : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    unsigned const lane = attune_emulated::lane();
    unsigned const other = lane ^ static_cast<unsigned>(lanes);
    bool const is_inside = other <= (lane | (static_cast<unsigned>(width) - 1));
    return attune_emulated::exchanged(mask, value, is_inside ? other : lane);
}

#include "cuda_atomics.hpp"
#include "cuda_copies.hpp"
#include "cuda_math.hpp"
#include "cuda_matrix.hpp"
#include "cuda_vectors.hpp"
