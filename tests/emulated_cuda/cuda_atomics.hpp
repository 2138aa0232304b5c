// tests/emulated_cuda/cuda_atomics.hpp - CUDA's atomics and cached loads, where one thread runs at a time.
// SPDX-License-Identifier: MIT
#pragma once

template <class T>
T atomicAdd(T* at, typename attune_emulated::same<T>::type value)
{
    T const old = *at;
    *at = old + value;
    return old;
}

#define ATTUNE_EMULATED_LOAD(name)                                                                 \
    template <class T>                                                                             \
    T name(T const* at)                                                                            \
    {                                                                                              \
        return *at;                                                                                \
    }
ATTUNE_EMULATED_LOAD(__ldg)
ATTUNE_EMULATED_LOAD(__ldcg)
ATTUNE_EMULATED_LOAD(__ldcs)
#undef ATTUNE_EMULATED_LOAD

template <class T>
void __stcs(T* at, typename attune_emulated::same<T>::type value)
{
    *at = value;
}
