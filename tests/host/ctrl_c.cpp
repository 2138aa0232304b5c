// tests/host/ctrl_c.cpp - a program with a handler for Ctrl-C, as Python has one, is asked to end.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

namespace {

std::sig_atomic_t volatile asked = 0;

extern "C" void on_interrupt(int) { asked = asked + 1; }

using clock_type = std::chrono::steady_clock;

} // namespace

int main()
{
    struct sigaction mine{};
    mine.sa_handler = on_interrupt;
    ::sigaction(SIGINT, &mine, nullptr);

    // A final may take 12 s of these, a measurement 6 s.
    host::scale scale{{.evaluations = 100000, .seconds = 120}};
    host::arrays data(4'000'000); // some ms a run
    std::atomic<clock_type::time_point> pressed{};
    std::thread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3000));
        pressed.store(clock_type::now());
        ::kill(::getpid(), SIGINT);
    });
    data.call(scale);
    double const took_s = std::chrono::duration<double>(clock_type::now() - pressed.load()).count();
    user.join();

    auto const told = scale.report();
    std::printf("ended %.3f s after Ctrl-C, %u evaluations, %.2fx\n%s", took_s, told.evaluations,
                told.speedup, told.notices.c_str());
    HOST_CHECK(told.interrupted);
    HOST_CHECK(told.evaluations >= 1);
    HOST_CHECK(data.called(1));
    HOST_CHECK(asked == 1);
    HOST_CHECK(took_s < 10); // on a machine that has much else to do; else below 1
    data.call(scale);        // known now
    HOST_CHECK(data.called(2));

    struct sigaction now{};
    ::sigaction(SIGINT, nullptr, &now);
    HOST_CHECK(now.sa_handler == on_interrupt);
}
