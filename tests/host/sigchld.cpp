// tests/host/sigchld.cpp - a program that ignores SIGCHLD, or waits for all children: their statuses are lost.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

int main(int count, char** arguments)
{
    std::set<std::string> const ways(arguments + 1, arguments + count);
    bool const waits = ways.count("thread") > 0;
    if (waits)
        std::thread([] {
            for (;;)
                if (::waitpid(-1, nullptr, 0) < 0) ::usleep(100);
        }).detach();
    struct sigaction ignored{};
    ignored.sa_handler = waits ? SIG_DFL : SIG_IGN;
    ::sigaction(SIGCHLD, &ignored, nullptr);
    host::scale scale{{.evaluations = 5, .system = ways.count("system") > 0, .fork_always = true}};
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
    HOST_CHECK(now.sa_handler == ignored.sa_handler);
}
