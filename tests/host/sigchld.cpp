// tests/host/sigchld.cpp - a program that ignores SIGCHLD: statuses of its children are lost.
// SPDX-License-Identifier: MIT
#include <csignal>

#include "scale.hpp"

int main(int count, char**)
{
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGCHLD, &ignored, nullptr);
    host::settings s;
    s.evaluations = 5;
    s.system = count > 1;
    s.fork_always = true;
    host::scale scale{s};
    host::arrays data(100'000);
    data.call(scale);
    auto const told = scale.report();
    std::printf("%u evaluations, %u failed\n%s", told.evaluations, told.failures,
                told.notices.c_str());
    HOST_CHECK(data.called(1));
    HOST_CHECK(told.evaluations == 5);
    HOST_CHECK(told.failures == 0);
    struct sigaction now{};
    ::sigaction(SIGCHLD, nullptr, &now);
    HOST_CHECK(now.sa_handler == SIG_IGN);
}
