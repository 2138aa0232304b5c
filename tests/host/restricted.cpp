// tests/host/restricted.cpp - programs that wait for all of their children, or that a filter of system calls restricts: the argument says which.
// SPDX-License-Identifier: MIT
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale.hpp"

namespace {

/// Gives `action` to two system calls of this program and its children.
void filter(unsigned one, unsigned other, unsigned action)
{
    std::array<sock_filter, 5> steps{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 1, 0),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, action),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog const program{steps.size(), steps.data()};
    HOST_CHECK(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    HOST_CHECK(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

} // namespace

int main(int count, char** text)
{
    ::alarm(100); // where it hangs, it is ended
    auto const is = [&](char const* way) { return count > 1 && std::strcmp(text[1], way) == 0; };
    if (is("adopting")) // as the first process of a container is
        HOST_CHECK(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    else if (is("no_sockets"))
        filter(__NR_socket, __NR_socketpair, SECCOMP_RET_ERRNO | EPERM);
    else if (is("exec_kills"))
        filter(__NR_execve, __NR_execveat, SECCOMP_RET_KILL_PROCESS);
    else
        return 2;
    host::scale scale{{.evaluations = 3}};
    for (std::size_t n = 1000; n < 1003; ++n) {
        host::arrays mine(n);
        mine.call(scale);
        HOST_CHECK(mine.called(1));
        while (::wait(nullptr) > 0 || errno == EINTR) {
        }
    }
}
