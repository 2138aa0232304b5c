// tests/support/one_processor.hpp - a thread with one processor, as on a machine that has no more.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/pipeline/core_pin.hpp>

#include <cstddef>
#include <sched.h>
#include <vector>

namespace attune_test {

/// The calling thread runs on exactly these.
inline void run_on(std::vector<int> const& processors)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int const p : processors)
        CPU_SET(static_cast<std::size_t>(p), &set);
    ::sched_setaffinity(0, sizeof set, &set);
}

/// While it lives, the calling thread may run on one processor only.
class one_processor {
public:
    one_processor()
        : before_(attune::detail::allowed_processors())
    {
        run_on({before_.front()});
    }
    ~one_processor() { run_on(before_); }
    one_processor(one_processor const&) = delete;
    one_processor& operator=(one_processor const&) = delete;

private:
    std::vector<int> before_;
};

} // namespace attune_test
