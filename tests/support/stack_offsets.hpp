// tests/support/stack_offsets.hpp - one call with stacks that begin at different places in a cache line.
// SPDX-License-Identifier: MIT
#pragma once

#include <alloca.h>
#include <cstddef>
#include <set>

/// Calls `call()` below `bytes` more of the stack.
template <class Call>
__attribute__((noinline)) long called_below(std::size_t bytes, Call const& call)
{
    auto* const room = static_cast<char volatile*>(alloca(bytes + 1));
    room[bytes] = 0;
    return call() + room[bytes];
}

/// What `call()` returns with the stack at each of the four multiples of 16 in 64 bytes.
template <class Call>
std::set<long> at_stack_offsets(Call const& call)
{
    std::set<long> results;
    for (std::size_t const bytes : {0U, 16U, 32U, 48U})
        results.insert(called_below(bytes, call));
    return results;
}
