// tests/host/faults.cpp - a program whose other thread lives on SIGSEGV, as a JVM does, beside guards that come and go; and a program that changes its handlers meanwhile.
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/signal_guard.hpp>

#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

namespace {

char* page = nullptr;
std::atomic<long> mended{0};

extern "C" void on_fault(int, siginfo_t* info, void*)
{
    if (info->si_addr != page) ::_exit(3);
    ::mprotect(page, 4096, PROT_READ | PROT_WRITE);
    ++mended;
}

} // namespace

int main()
{
    page = static_cast<char*>(::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction mine{};
    mine.sa_sigaction = on_fault;
    mine.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &mine, nullptr);

    std::atomic<bool> is_over{false};
    std::thread runtime([&] {
        while (!is_over) {
            ::mprotect(page, 4096, PROT_NONE);
            *const_cast<char volatile*>(page) = 1;
        }
    });
    long caught = 0;
    for (int i = 0; i < 20'000; ++i) {
        attune::detail::signal_guard guard{10};
        guard.call([] {});
        if (i % 100 != 0) continue;
        try {
            guard.call([] { ::raise(SIGSEGV); });
        } catch (attune::detail::stopped const&) {
            ++caught;
        }
    }
    // And a tuning, whose variants run under such guards.
    host::scale scale{{.evaluations = 5}};
    host::arrays data(100'000);
    data.call(scale);
    is_over = true;
    runtime.join();
    std::printf("%ld faults of the program, %ld of guarded calls\n", mended.load(), caught);
    HOST_CHECK(data.called(1));
    HOST_CHECK(caught == 200);
    HOST_CHECK(mended > 1000);
    struct sigaction now{};
    ::sigaction(SIGSEGV, nullptr, &now);
    HOST_CHECK(now.sa_sigaction == on_fault);
}
