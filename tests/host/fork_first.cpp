// tests/host/fork_first.cpp - a program that forks while another of its threads makes the first call of a kernel.
// SPDX-License-Identifier: MIT
//
// In the child the same object is called: the module of the compiler, a session, a default or a
// tuning may be half made there.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "../support/rounds.hpp"
#include "scale.hpp"

extern "C" char const* __asan_default_options();
extern "C" char const* __asan_default_options()
{
    return "detect_leaks=0:handle_segv=0:handle_sigfpe=0";
}

namespace {

/// Exit status of a child of this process; minus the signal when one ended it.
int in_child(unsigned most_s, std::function<int()> const& f)
{
    pid_t const id = ::fork();
    if (id == 0) {
        ::alarm(most_s);
        ::_exit(f());
    }
    int status = 0;
    while (::waitpid(id, &status, 0) < 0) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A program of its own, in which nothing was opened before.
int first_call(std::chrono::microseconds delay)
{
    static host::scale scale{{.evaluations = 3}};
    host::arrays mine(1000);
    std::thread caller([&] { mine.call(scale); });
    std::this_thread::sleep_for(delay);
    int const same = in_child(30, [] {
        host::arrays at_child(1000);
        at_child.call(scale);
        return at_child.called(1) ? 0 : 1;
    });
    int const other = in_child(30, [] {
        host::arrays at_child(1200);
        at_child.call(scale);
        at_child.call(scale);
        return at_child.called(2) ? 0 : 1;
    });
    caller.join();
    if (!mine.called(1)) return 2;
    if (same != 0) std::fprintf(stderr, "the child ended by %d\n", same);
    if (other != 0) std::fprintf(stderr, "the second child ended by %d\n", other);
    return same == 0 && other == 0 ? 0 : 3;
}

} // namespace

int main(int count, char** text)
{
    std::mt19937 random(count > 1 ? static_cast<unsigned>(std::atoi(text[1])) : 1u);
    for (int i = 0; i < attune_test::rounds(6, 20); ++i) {
        std::chrono::microseconds const delay(random() % (i % 2 == 0 ? 60'000 : 600'000));
        int const ended = in_child(100, [&] { return first_call(delay); });
        if (ended != 0)
            std::fprintf(stderr, "%d: a fork after %d us ended by %d\n", i, int(delay.count()),
                         ended);
        HOST_CHECK(ended == 0);
    }
}
