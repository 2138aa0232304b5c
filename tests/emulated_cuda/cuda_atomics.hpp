// tests/emulated_cuda/cuda_atomics.hpp - CUDA's atomics and cached loads, where one thread runs at a time.
// SPDX-License-Identifier: MIT
#pragma once

#define ATTUNE_EMULATED_ATOMIC(name, expression)                                                   \
    template <class T>                                                                             \
    T name(T* at, typename attune_emulated::same<T>::type value)                                   \
    {                                                                                              \
        T const old = *at;                                                                         \
        *at = expression;                                                                          \
        return old;                                                                                \
    }                                                                                              \
    template <class T>                                                                             \
    T name##_block(T* at, typename attune_emulated::same<T>::type value)                           \
    {                                                                                              \
        return name(at, value);                                                                    \
    }
ATTUNE_EMULATED_ATOMIC(atomicAdd, old + value)
ATTUNE_EMULATED_ATOMIC(atomicSub, old - value)
ATTUNE_EMULATED_ATOMIC(atomicMin, value < old ? value : old)
ATTUNE_EMULATED_ATOMIC(atomicMax, old < value ? value : old)
ATTUNE_EMULATED_ATOMIC(atomicExch, value)
ATTUNE_EMULATED_ATOMIC(atomicAnd, old& value)
ATTUNE_EMULATED_ATOMIC(atomicOr, old | value)
ATTUNE_EMULATED_ATOMIC(atomicXor, old ^ value)
ATTUNE_EMULATED_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
ATTUNE_EMULATED_ATOMIC(atomicDec, (old == 0 || old > value) ? value : old - 1)
#undef ATTUNE_EMULATED_ATOMIC

template <class T>
T atomicCAS(T* at, typename attune_emulated::same<T>::type expected,
            typename attune_emulated::same<T>::type value)
{
    T const old = *at;
    if (old == expected) *at = value;
    return old;
}

#define ATTUNE_EMULATED_LOAD(name)                                                                 \
    template <class T>                                                                             \
    T name(T const* at)                                                                            \
    {                                                                                              \
        return *at;                                                                                \
    }
ATTUNE_EMULATED_LOAD(__ldg)
ATTUNE_EMULATED_LOAD(__ldca)
ATTUNE_EMULATED_LOAD(__ldcg)
ATTUNE_EMULATED_LOAD(__ldcs)
ATTUNE_EMULATED_LOAD(__ldlu)
ATTUNE_EMULATED_LOAD(__ldcv)
#undef ATTUNE_EMULATED_LOAD

#define ATTUNE_EMULATED_STORE(name)                                                                \
    template <class T>                                                                             \
    void name(T* at, typename attune_emulated::same<T>::type value)                                \
    {                                                                                              \
        *at = value;                                                                               \
    }
ATTUNE_EMULATED_STORE(__stcg)
ATTUNE_EMULATED_STORE(__stcs)
ATTUNE_EMULATED_STORE(__stwb)
ATTUNE_EMULATED_STORE(__stwt)
#undef ATTUNE_EMULATED_STORE
