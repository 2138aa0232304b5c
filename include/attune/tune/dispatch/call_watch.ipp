// attune/tune/dispatch/call_watch.ipp - the part that watches, set before static objects are made.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/call_watch.hpp>

#include <atomic>

namespace attune::inline ATTUNE_ABI::detail {

inline constinit std::atomic<call_watch const*> watch_of_calls = nullptr;

ATTUNE_INLINE call_watch const* exchange_call_watch(call_watch const* watch) noexcept
{
    return watch_of_calls.exchange(watch);
}

ATTUNE_INLINE call_watch const* call_watch_of_program() noexcept { return watch_of_calls.load(); }

} // namespace attune::inline ATTUNE_ABI::detail
