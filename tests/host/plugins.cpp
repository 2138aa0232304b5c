// tests/host/plugins.cpp - a program without attune that opens plugins with one each.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

namespace {

struct plugin {
    void* handle;
    int (*tune)(int, unsigned, double);
    char const* (*told)();

    plugin(char const* path, int mode)
        : handle(::dlopen(path, RTLD_NOW | mode))
    {
        if (handle == nullptr) std::fprintf(stderr, "%s\n", ::dlerror());
        HOST_CHECK(handle != nullptr);
        tune = reinterpret_cast<int (*)(int, unsigned, double)>(::dlsym(handle, "plugin_tune"));
        told = reinterpret_cast<char const* (*)()>(::dlsym(handle, "plugin_told"));
        HOST_CHECK(tune != nullptr && told != nullptr);
    }
    void expect(int status, int expected = 0) const
    {
        std::printf("%s\n", told());
        HOST_CHECK(status == expected);
    }
};

char* page = nullptr;
std::atomic<long> mended{0};
std::atomic<int> interrupts{0};

extern "C" void on_fault(int, siginfo_t* info, void*)
{
    if (info->si_addr != page) ::_exit(3);
    ::mprotect(page, 4096, PROT_READ | PROT_WRITE);
    ++mended;
}

extern "C" void on_interrupt(int) { ++interrupts; }

bool handlers_are_ours()
{
    struct sigaction fault{};
    struct sigaction interrupt{};
    ::sigaction(SIGSEGV, nullptr, &fault);
    ::sigaction(SIGINT, nullptr, &interrupt);
    return fault.sa_sigaction == on_fault && interrupt.sa_handler == on_interrupt;
}

/// A thread of the program that lives on SIGSEGV.
struct runtime {
    std::atomic<bool> is_over{false};
    std::thread thread{[this] {
        while (!is_over) {
            ::mprotect(page, 4096, PROT_NONE);
            *const_cast<char volatile*>(page) = 1;
        }
    }};
    ~runtime()
    {
        is_over = true;
        thread.join();
    }
};

} // namespace

/// plugins <mode: local or global> <what> <plugin>...
int main(int count, char** arguments)
{
    HOST_CHECK(count >= 4);
    int const mode = std::strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    auto const is = [&](char const* what) { return std::strcmp(arguments[2], what) == 0; };

    page = static_cast<char*>(::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction fault{};
    fault.sa_sigaction = on_fault;
    fault.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &fault, nullptr);
    struct sigaction interrupt{};
    interrupt.sa_handler = on_interrupt;
    ::sigaction(SIGINT, &interrupt, nullptr);
    {
        runtime const beside;
        if (is("closed")) { // a plugin comes, tunes and goes, three times
            for (int round = 0; round < 3; ++round) {
                plugin const one(arguments[3], mode);
                one.expect(one.tune(100'000, 4, 30));
                ::dlclose(one.handle);
                HOST_CHECK(handlers_are_ours());
                ::raise(SIGINT);
                HOST_CHECK(interrupts == round + 1);
                pid_t const id = ::fork(); // handlers of forks are not in a library that is gone
                if (id == 0) ::_exit(0);
            }
        } else if (is("turns")) {
            plugin const one(arguments[3], mode);
            plugin const two(arguments[4], mode);
            for (int round = 0; round < 2; ++round) {
                one.expect(one.tune(100'000 + round, 4, 30));
                two.expect(two.tune(100'000 + round, 4, 30));
            }
        } else if (is("together")) { // both tune, and Ctrl-C ends both
            plugin const one(arguments[3], mode);
            plugin const two(arguments[4], mode);
            for (int round = 0; round < 2; ++round) {
                int first = -1;
                std::thread other([&] { first = one.tune(200'000 + round, 100000, 100); });
                std::thread user([] {
                    for (int wait = 0; wait < 4; ++wait)
                        std::this_thread::sleep_for(std::chrono::milliseconds(500));
                    ::kill(::getpid(), SIGINT);
                });
                int const second = two.tune(200'000 + round, 100000, 100);
                other.join();
                user.join();
                one.expect(first);
                two.expect(second);
                HOST_CHECK(interrupts == round + 1);
            }
        } else
            return 2;
    }
    std::printf("%ld faults of the program\n", mended.load());
    HOST_CHECK(mended > 100);
    HOST_CHECK(handlers_are_ours() || is("together"));
    ::raise(SIGINT); // reaches the program, whoever is above it
    HOST_CHECK(interrupts >= 1);
}
