// bench/support/pin.hpp - a bench stays on one core.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <sched.h>

namespace bench {

/// Keeps this process, and those that it starts, on the first core that it may use.
inline void pin_to_one_core()
{
    cpu_set_t allowed;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed)) {
            CPU_SET(core, &one);
            break;
        }
    (void)::sched_setaffinity(0, sizeof one, &one);
}

} // namespace bench
