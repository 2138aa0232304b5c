// tests/host/handler.cpp - a signal handler that calls a kernel for the first time while the program tunes it.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

namespace {

host::scale* kernel = nullptr;
host::arrays* of_handler = nullptr;
std::atomic<int> calls{0};
std::atomic<int> refused{0};
std::atomic<int> bad{0};

void call_kernel(int)
{
    ++calls;
    try {
        of_handler->y.assign(of_handler->y.size(), 100);
        of_handler->call(*kernel);
        if (!of_handler->called(1)) ++bad;
    } catch (std::exception const& e) {
        if (std::string_view(e.what()).find("signal handler") == std::string_view::npos) ++bad;
        ++refused;
    }
}

} // namespace

int main()
{
    ::alarm(100); // where it hangs, it is ended
    host::scale scale{{.evaluations = 4}};
    host::arrays in_handler(700);
    kernel = &scale;
    of_handler = &in_handler;
    struct sigaction ours{};
    ours.sa_handler = call_kernel;
    ours.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &ours, nullptr);
    std::atomic<bool> is_over{false};
    std::thread sender([&is_over, to = ::pthread_self()] {
        while (!is_over) {
            ::pthread_kill(to, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    for (std::size_t n = 1000; n < 1006; ++n) {
        host::arrays mine(n);
        mine.call(scale);
        HOST_CHECK(mine.called(1));
    }
    is_over = true;
    sender.join();
    std::printf("%d calls in the handler, %d refused\n", calls.load(), refused.load());
    HOST_CHECK(bad == 0);
    HOST_CHECK(calls > 0);
}
