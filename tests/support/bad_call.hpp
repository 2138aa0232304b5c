// tests/support/bad_call.hpp - a call of a variant that is no good, and what it may use.
// SPDX-License-Identifier: MIT
//
// The kernel is y[i] = factor * x[i], k[i] = 2 * i.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <pthread.h>
#include <span>

#include "sanitized.hpp"

namespace attune_test {

/// What a variant gets, and what its seed says.
struct bad_call {
    std::span<double const> x;
    std::span<double> y;
    std::span<int> k;
    double factor;
    std::uint64_t detail; ///< anything
    int calls;            ///< of this variant in this process, with this one
};

inline void right(bad_call const& c)
{
    for (std::size_t i = 0; i < c.y.size(); ++i) {
        c.y[i] = c.factor * c.x[i];
        c.k[i] = static_cast<int>(2 * i);
    }
}
inline std::size_t element(bad_call const& c) { return c.detail % c.y.size(); }

/// A descriptor of the program that a variant may close, and where a variant may jump to.
inline int users_descriptor = -1;
inline std::jmp_buf users_place;

/// Which stages are right answers; `ranked` is a variant that works, slowly or not.
enum verdict : unsigned {
    ranked = 1,
    crashed = 2,
    timed_out = 4,
    refuted = 8,
    stopped_somehow = crashed | timed_out,
};

struct bad_way {
    char const* name;
    unsigned verdicts;
    void (*run)(bad_call const&);
};

inline void idle_forever()
{
    for (;;)
        asm volatile("");
}
template <class T>
ATTUNE_TEST_UNCHECKED void store(T volatile* where, T value)
{
    *where = value;
}
ATTUNE_TEST_UNCHECKED inline int overflow_stack(int depth)
{
    char volatile frame[4096];
    frame[depth % 4096] = static_cast<char>(depth);
    return depth < 0 ? 0 : overflow_stack(depth + 1) + frame[depth % 4096];
}
/// Nowhere: the first page, or addresses that no x86 or ARM program has.
inline char volatile* wild(std::uint64_t detail)
{
    std::uintptr_t const low = detail % 4096;
    std::uintptr_t const high = 0x8000'0000'0000'0000U + (detail << 12U >> 12U);
    return reinterpret_cast<char volatile*>(detail % 2 == 0 ? low : high); // NOLINT
}
/// One thing out of a list, by the seed.
template <class T, std::size_t N>
T one_of(T const (&list)[N], bad_call const& c)
{
    return list[c.detail % N];
}
inline void set_handler(int signal, void (*handler)(int))
{
    struct sigaction s{};
    s.sa_handler = handler;
    sigaction(signal, &s, nullptr);
}
inline void block(std::initializer_list<int> signals)
{
    sigset_t set;
    sigemptyset(&set);
    for (int const s : signals)
        sigaddset(&set, s);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

} // namespace attune_test
