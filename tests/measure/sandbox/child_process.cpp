// tests/measure/sandbox/child_process.cpp : mirrors include/attune/measure/sandbox/child_process.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/child_process.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <limits>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "../../support/open_files.hpp"
#include "../../support/texts.hpp"
#include "../program_output.hpp"

using attune::detail::child_end;
using attune::detail::child_ending;
using attune::detail::child_limits;
using attune::detail::child_phase;
using attune_test::has_no_children;
using attune_test::open_descriptors;
using attune_test::stdout_of_a_program;
using namespace attune::detail;

namespace {

std::function<std::string()> const no_check;

void sleep_s(double seconds)
{
    timespec const nap{0, static_cast<long>(seconds * 1e9)};
    nanosleep(&nap, nullptr);
}

template <class F>
void in_child(F const& f)
{
    static_cast<void>(attune_test::status_of(attune_test::fork_child(f)));
}

} // namespace

TEST_CASE("a run that returns gives its time, and the child's memory is not the parent's")
{
    int volatile value = 1;
    child_end const end = run_in_child([&] { value = 2; }, no_check);
    CHECK(end.ending == child_ending::returned);
    CHECK(end.elapsed_s >= 0);
    CHECK(end.text.empty());
    CHECK(end.log.empty());
    CHECK(value == 1);
    CHECK(has_no_children());
}

TEST_CASE("a fork takes CPU time")
{
    static_cast<void>(attune::detail::run_in_child([] {}, {}));
    CHECK(attune::detail::usual_fork_s() > 0);
    CHECK(attune::detail::usual_fork_s() < 10);
}

TEST_CASE("an exception of the run or of the check is told with its text")
{
    auto const boom = [] { throw std::runtime_error("boom"); };
    CHECK(run_in_child(boom, no_check).ending == child_ending::threw);
    CHECK(run_in_child(boom, no_check).text == "boom");
    CHECK(run_in_child([] { throw 3; }, no_check).ending == child_ending::threw);
    child_end const end = run_in_child([] {}, []() -> std::string { throw std::bad_alloc(); });
    CHECK(end.ending == child_ending::threw);
    std::string const endless(10000, 'x');
    CHECK(run_in_child([&] { throw std::runtime_error(endless); }, no_check).text ==
          endless.substr(0, 4000));
}

TEST_CASE("a child that leaves by itself is told with its status, even status 0")
{
    child_end const three = run_in_child([] { std::exit(3); }, no_check);
    CHECK(three.ending == child_ending::exited);
    CHECK(three.code == 3);
    CHECK(run_in_child([] { std::exit(0); }, no_check).ending == child_ending::exited);
    CHECK(run_in_child([] { _exit(0); }, no_check).ending == child_ending::exited);
    CHECK(run_in_child([] { std::quick_exit(0); }, no_check).ending == child_ending::exited);
    CHECK(run_in_child([] { _exit(5); }, no_check).code == 5);
}

TEST_CASE("a signal is told, whoever sends it")
{
    for (int const signal : {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGTERM, SIGKILL, SIGPIPE}) {
        child_end const end = run_in_child([&] { raise(signal); }, no_check);
        CHECK(end.ending == child_ending::signalled);
        CHECK(end.code == signal);
        CHECK_FALSE(end.address.has_value());
    }
    CHECK(has_no_children());
}

TEST_CASE("an endless run that has left its process group is killed all the same")
{
    auto const leaves = [] {
        setpgid(0, getpgid(getppid()));
        for (int volatile i = 0;;)
            i = i + 1;
    };
    CHECK(run_in_child(leaves, no_check, child_limits{0.1, 60}).ending == child_ending::overran);
    CHECK(has_no_children());
}

TEST_CASE("a child that never begins is the fault of no run, and an error that says what to do")
{
    static bool waits = false;
    REQUIRE(pthread_atfork(nullptr, nullptr, [] {
                while (waits)
                    pause();
            }) == 0);
    waits = true;
    std::string const text = attune_test::error_of(
        [] { static_cast<void>(run_in_child([] {}, no_check, {.begin_s = 0.25})); });
    waits = false;
    CHECK(text.find("a child process for a trial run has not begun after 0.25 s") !=
          std::string::npos);
    CHECK(text.find("isolation::guard") != std::string::npos);
    CHECK(has_no_children());
    CHECK(run_in_child([] {}, no_check).ending == child_ending::returned);
}

TEST_CASE("the limit of the run does not cut the check short")
{
    auto const slow = [] {
        sleep_s(0.5);
        return std::string("slow");
    };
    CHECK(run_in_child([] {}, slow, child_limits{0.2, 60}).text == "slow");
}

TEST_CASE("what a thread of a run has started dies with the run, in a session of its own, too")
{
    // Started by posix_spawn(), so that no handler of fork() binds it to its parent.
    auto const starts_one = [] {
        char sleep[] = "sleep";
        char seconds[] = "60";
        char* const arguments[] = {sleep, seconds, nullptr};
        posix_spawnattr_t apart;
        posix_spawnattr_init(&apart);
        posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETSID);
        pid_t id = 0;
        CHECK(posix_spawnp(&id, "sleep", nullptr, &apart, arguments, environ) == 0);
    };
    auto const pauses = [] {
        for (;;)
            pause();
    };
    // On a thread that goes on; by a process that ends before it, too.
    auto const on_a_thread = [](auto const& starts, auto const& goes_on) {
        std::atomic<bool> has_begun{false};
        std::thread([&] {
            starts();
            has_begun = true;
            goes_on();
        }).detach();
        while (!has_begun)
            sched_yield();
        sleep_s(0.05); // and its fault has ended the process
    };
    auto const starts_by_another = [&] {
        pid_t const id = fork();
        if (id == 0) {
            starts_one();
            _exit(0);
        }
        waitpid(id, nullptr, 0);
    };
    struct way {
        std::function<void()> run;
        child_ending ending;
    };
    for (way const& one :
         {way{[&] { on_a_thread(starts_one, pauses); }, child_ending::returned},
          {[&] { on_a_thread(starts_by_another, pauses); }, child_ending::returned},
          {[&] {
               on_a_thread(starts_one, pauses);
               std::exit(0);
           },
           child_ending::exited},
          {[&] {
               on_a_thread(starts_one, pauses);
               on_a_thread([] {}, [] { raise(SIGSEGV); });
               pauses();
           },
           child_ending::signalled},
          {[&] {
               on_a_thread(starts_one, pauses);
               pauses();
           },
           child_ending::overran}}) {
        CAPTURE(static_cast<int>(one.ending));
        int ends[2];
        REQUIRE(pipe(ends) == 0); // the process inherits the writing end, which closes when it dies
        CHECK(run_in_child(one.run, no_check, child_limits{0.5, 60}).ending == one.ending);
        close(ends[1]);
        pollfd reading{ends[0], POLLIN, 0};
        CHECK(poll(&reading, 1, 10000) == 1);
        close(ends[0]);
    }
}

TEST_CASE("who waits for a child is woken by its end")
{
    pid_t const id = fork();
    if (id == 0) {
        usleep(20'000);
        _exit(0);
    }
    attune::detail::started_child child(id);
    if (child.await()) {
        child.nap(3600); // otherwise the test would time out
        CHECK(child.has_ended());
        child.nap(3600); // over at once
    }
    CHECK(WEXITSTATUS(child.end().value_or(-1)) == 0);
    CHECK(has_no_children());
    child.nap(1e-4); // of a child that is gone: only the time
    attune::detail::started_child gone(id);
    CHECK(!gone.await());
}

TEST_CASE("a program that ignores SIGCHLD learns what the child could still say")
{
    auto* const before = std::signal(SIGCHLD, SIG_IGN);
    child_end const good = run_in_child([] {}, no_check);
    child_end const bad = run_in_child([] { raise(SIGSEGV); }, no_check);
    std::signal(SIGCHLD, before);
    CHECK(good.ending == child_ending::returned);
    CHECK(bad.ending == child_ending::lost);
}

TEST_CASE("where no process can be made, an error says so and what to do")
{
    std::string const text = stdout_of_a_program([] {
        // The limit on processes does not bind root.
        if (getuid() == 0 && setuid(65534) != 0) return;
        rlimit const none{0, 0};
        setrlimit(RLIMIT_NPROC, &none);
        try {
            static_cast<void>(run_in_child([] {}, no_check));
            std::fputs("no limit here", stdout);
        } catch (attune::error const& e) {
            std::fputs(e.what(), stdout);
        }
    });
    if (text == "no limit here") {
        MESSAGE("this system does not enforce RLIMIT_NPROC: not tested");
    } else {
        CHECK(text.find("cannot start a child process") != std::string::npos);
        CHECK(text.find("ulimit -u") != std::string::npos);
    }
}

TEST_CASE("what a forked child writes is seen, and only there")
{
    shared_with_child<int> const shared;
    int own = 0;
    in_child([&] {
        shared.get() = 7;
        own = 7;
    });
    CHECK(shared.get() == 7);
    CHECK(own == 0);
}

TEST_CASE("shared bytes begin as zeros and cover all that was asked for")
{
    for (std::size_t const size : {0u, 1u, 4095u, 4096u, 100'000u}) {
        shared_pages const shared{size};
        REQUIRE(shared.bytes().size() == size);
        auto const all = [&](std::byte what) {
            return std::all_of(shared.bytes().begin(), shared.bytes().end(),
                               [&](std::byte b) { return b == what; });
        };
        CHECK(all(std::byte{0}));
        in_child([&] { std::fill(shared.bytes().begin(), shared.bytes().end(), std::byte{9}); });
        CHECK((size == 0 || all(std::byte{9})));
    }
}

TEST_CASE("more memory than there are addresses is bad_alloc")
{
    CHECK_THROWS_AS(shared_pages(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}
