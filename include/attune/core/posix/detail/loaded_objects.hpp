// attune/core/posix/detail/loaded_objects.hpp - walks over the loaded program and libraries.
// SPDX-License-Identifier: MIT
// Source   man page of dl_iterate_phdr(3)
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <link.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `each` for the program and each loaded library until it returns true. `each` must not
/// throw. A fork on another thread waits for the end of the walk. The C library does not reset the
/// lock of this walk in a child, so a child forked meanwhile would hang.
/// @return  true if `each` returned true
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
