// tests/support/failing_flock.hpp - from now on, every flock() of this process fails.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace support {

/// Lets flock() fail with `error` in this process until it ends, for one descriptor or for all: for
/// children of fork(). On little-endian machines.
/// @return  false where the kernel installs no filter
[[nodiscard]] inline bool let_flock_fail(unsigned error, std::optional<int> of = {})
{
    auto const load = [](std::size_t at) -> sock_filter {
        return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at));
    };
    auto const is = [](unsigned value, unsigned char yes, unsigned char no) -> sock_filter {
        return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
    };
    unsigned char const unless = of ? 0 : 2; // where one descriptor is meant, it is looked at
    sock_filter code[] = {
        load(offsetof(seccomp_data, nr)),
        is(static_cast<unsigned>(SYS_flock), unless, 3),
        load(offsetof(seccomp_data, args)),
        is(static_cast<unsigned>(of.value_or(0)), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog const program{sizeof code / sizeof *code, code};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace support
