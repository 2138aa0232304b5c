// attune/core/posix/detail/loaded_objects.hpp - a walk over what is loaded in this process.
// SPDX-License-Identifier: MIT
// Source   man page of dl_iterate_phdr(3)
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <link.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `each` for the program and each library that is loaded, until it returns true; it throws
/// nothing. A fork on another thread waits for the end: the C library resets the lock of this walk
/// in no child, and a child forked while another thread held it would wait for ever.
/// @return  whether `each` returned true
template <class Each>
bool any_loaded(Each each)
{
    fork_delay const whole;
    auto const call = [](dl_phdr_info* info, std::size_t, void* function) -> int {
        return (*static_cast<Each*>(function))(*info) ? 1 : 0;
    };
    return ::dl_iterate_phdr(call, &each) != 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
