// tests/host/forking.cpp - a program that forks while another of its threads tunes.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

/// In a child the memory of the parent's other threads has no owner: for the leak checker it leaks.
/// And no handler but attune's may stand here.
extern "C" char const* __asan_default_options();
extern "C" char const* __asan_default_options()
{
    return "detect_leaks=0:handle_segv=0:handle_sigfpe=0";
}

namespace {

/// Exit status of a child of this process; -1 when a signal ended it.
template <class F>
int in_child(F const& f)
{
    pid_t const id = ::fork();
    if (id == 0) {
        ::alarm(60);
        std::exit(f());
    }
    int status = 0;
    while (::waitpid(id, &status, 0) < 0) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_free(int signal)
{
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler == SIG_DFL;
}

} // namespace

int main()
{
    static host::scale scale{{.evaluations = 100000, .seconds = 12, .fork_always = true}};
    host::scale known{{.evaluations = 3}};
    host::arrays small(1000);
    small.call(known);

    host::arrays large(2'000'000); // enough that attune's own forks leave it out
    std::atomic<bool> is_over{false};
    std::thread tuner([&] {
        large.call(scale);
        is_over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    int children = 0;
    for (; !is_over; ++children) {
        // All of the program's memory, none of attune's handlers, and nothing that waits for ever.
        int const status = in_child([&] {
            if (!is_free(SIGINT) || !is_free(SIGSEGV) || !is_free(SIGFPE)) return 3;
            double sum = 0;
            for (double const v : large.x)
                sum += v;
            if (!(sum > 0)) return 4;
            host::arrays mine(1000);
            mine.call(known);
            return mine.called(1) ? 0 : 5;
        });
        HOST_CHECK(status == 0);
        if (children % 8 != 0) continue;
        // Something new, on the object that was tuning.
        int const tuned = in_child([] {
            host::scale other{{.evaluations = 2}};
            host::arrays mine(500);
            mine.call(other);
            return mine.called(1) ? 0 : 6;
        });
        HOST_CHECK(tuned == 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    tuner.join();
    std::printf("%d children; %u evaluations meanwhile, %s\n", children, scale.report().evaluations,
                scale.report().isolation.c_str());
    HOST_CHECK(large.called(1));
    HOST_CHECK(children >= 2); // dozens on a machine that has little else to do
    HOST_CHECK(is_free(SIGINT));
}
