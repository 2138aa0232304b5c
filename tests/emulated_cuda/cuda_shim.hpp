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
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#if !defined(__clang__)
#define __builtin_assume(x) static_cast<void>(0)
#endif
#define __assume(x) __builtin_assume(x)

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
    bits = attune_emulated_machine->exchange(exchange_kind::value, mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/// `step(result, value of the lane)` over the lanes of `mask`.
template <class T, class Step>
T reduced(unsigned mask, T value, Step step)
{
    T result{};
    bool is_first = true;
    for (unsigned l = 0; l < 32; ++l) {
        if ((mask >> l & 1U) == 0) continue;
        T const other = exchanged(mask, value, l);
        result = is_first ? other : step(result, other);
        is_first = false;
    }
    return result;
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
    attune_emulated_machine->barrier(attune_emulated::barrier_kind::block, 0);
}
inline int __syncthreads_count(int predicate)
{
    return attune_emulated_machine->barrier(attune_emulated::barrier_kind::count, predicate);
}
inline int __syncthreads_and(int predicate)
{
    return attune_emulated_machine->barrier(attune_emulated::barrier_kind::all, predicate);
}
inline int __syncthreads_or(int predicate)
{
    return attune_emulated_machine->barrier(attune_emulated::barrier_kind::any, predicate);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { attune_emulated_machine->yield(); }
inline void __trap() { attune_emulated_machine->fault(719); }
inline long long clock64() { return 0; }

// Lanes of a warp.
inline void __syncwarp(unsigned mask = 0xffffffffU)
{
    attune_emulated_machine->exchange(attune_emulated::exchange_kind::ballot, mask, 0, 0);
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return static_cast<unsigned>(attune_emulated_machine->exchange(
        attune_emulated::exchange_kind::ballot, mask, predicate != 0 ? 1 : 0, 0));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline unsigned __activemask() { return 1U << attune_emulated::lane(); }
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    auto const w = static_cast<unsigned>(width);
    unsigned const first = attune_emulated::lane() & ~(w - 1);
    return attune_emulated::exchanged(mask, value,
                                      first | (static_cast<unsigned>(source) & (w - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    unsigned const lane = attune_emulated::lane();
    unsigned const in_group = lane & (static_cast<unsigned>(width) - 1);
    return attune_emulated::exchanged(mask, value, in_group < delta ? lane : lane - delta);
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
template <class T>
T __reduce_add_sync(unsigned mask, T value)
{
    return attune_emulated::reduced(mask, value, [](T a, T b) { return a + b; });
}
template <class T>
T __reduce_max_sync(unsigned mask, T value)
{
    return attune_emulated::reduced(mask, value, [](T a, T b) { return a < b ? b : a; });
}
template <class T>
T __reduce_min_sync(unsigned mask, T value)
{
    return attune_emulated::reduced(mask, value, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value)
{
    unsigned out = 0;
    for (unsigned l = 0; l < 32; ++l)
        if ((mask >> l & 1U) != 0 && attune_emulated::exchanged(mask, value, l) == value)
            out |= 1U << l;
    return out;
}

#include "cuda_atomics.hpp"
#include "cuda_copies.hpp"
#include "cuda_math.hpp"
#include "cuda_matrix.hpp"
#include "cuda_vectors.hpp"
