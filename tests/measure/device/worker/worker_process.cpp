// tests/measure/device/worker/worker_process.cpp : mirrors include/attune/measure/device/worker/worker_process.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_process.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_door.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../support/open_files.hpp"
#include "../../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
using attune_test::has_no_children;
using attune_test::open_descriptors;
using worker::message;
using worker::transfer;

namespace {

double in_s(double seconds) { return attune::system_clocks().wall_s() + seconds; }

/// A program's own static object: a worker must not get as far.
struct announcement {
    announcement()
    {
        if (std::getenv("ATTUNE_TEST_ANNOUNCE") != nullptr)
            std::fputs("a static object was made", stderr);
    }
};
announcement const made_before_main;

/// A worker that is a forked child.
worker::starter forked(std::function<void(int socket, int log)> const& live)
{
    return [live](int socket, int log) {
        int const id = ::fork();
        if (id == 0) {
            live(socket, log);
            ::_exit(0);
        }
        return id;
    };
}

/// The same of one that waits to be killed, with something done about it here.
worker::starter forked_and(std::function<void(int id)> const& then)
{
    return [then](int, int) {
        int const id = ::fork();
        if (id == 0) {
            ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
            for (;;)
                ::pause();
        }
        then(id);
        return id;
    };
}

bool ends_within(worker::process& p, double seconds)
{
    for (double const until_s = in_s(seconds); in_s(0) < until_s;) {
        if (p.has_ended()) return true;
        timespec const nap{0, 1000000};
        ::nanosleep(&nap, nullptr);
    }
    return false;
}

} // namespace

TEST_CASE("how a worker ended is told in the words of a failure")
{
    CHECK(text_of(worker::ending{true, SIGSEGV, 0, false}) == "SIGSEGV (invalid memory access)");
    CHECK(text_of(worker::ending{true, 0, 3, false}) == "exit(3) was called");
    CHECK(text_of(worker::ending{}) == "the worker process has ended");
}

TEST_CASE("a worker that ends is seen, reaped, and leaves nothing open")
{
    int const before = open_descriptors();
    {
        worker::process p(forked([](int, int) { ::_exit(7); }));
        message got;
        // The connection's other end is open here no more.
        CHECK(p.receive(got, in_s(10)) == transfer::ended);
        CHECK(ends_within(p, 10));
        worker::ending const how = p.end();
        CHECK(how.is_known);
        CHECK(how.code == 7);
        CHECK(how.signal == 0);
        CHECK(p.end().code == 7);
        CHECK(has_no_children());
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("a worker whose connection somebody else holds open is seen to end all the same")
{
    int other = 0;
    worker::process p([&](int socket, int) {
        other = ::dup(socket);
        int const id = ::fork();
        if (id == 0) ::raise(SIGKILL);
        return id;
    });
    message got;
    double const begun_s = in_s(0);
    CHECK(p.receive(got, in_s(60)) == transfer::ended);
    CHECK(in_s(0) - begun_s < 30);
    CHECK(p.end().signal == SIGKILL);
    ::close(other);
}

TEST_CASE("a worker that is silent is late, and is killed with what it has started")
{
    {
        worker::process p(forked([](int, int) {
            ::setpgid(0, 0);
            if (::fork() >= 0) // both of them
                for (;;)
                    ::pause();
        }));
        message got;
        CHECK(p.receive(got, in_s(0.1)) == transfer::late);
        CHECK_FALSE(p.has_ended());
        CHECK(p.end().signal == SIGKILL);
    }
    CHECK(has_no_children());
}

TEST_CASE(
    "a worker that somebody else has reaped is not killed: its number may be another's by now")
{
    struct sigaction reaping{};
    struct sigaction before{};
    reaping.sa_handler = SIG_IGN;
    REQUIRE(::sigaction(SIGCHLD, &reaping, &before) == 0);
    int group[2] = {-1, -1};
    REQUIRE(::pipe(group) == 0);
    pollfd rest{group[0], POLLIN, 0};
    {
        // What is left of its group stands for a group of others with the same number.
        worker::process p(forked([&](int, int) {
            ::setpgid(0, 0);
            if (::fork() == 0)
                for (;;)
                    ::pause();
        }));
        int const former = p.id();
        ::close(group[1]);
        CHECK(ends_within(p, 10));
        CHECK_FALSE(p.end().is_known);
        CHECK(::poll(&rest, 1, 200) == 0); // it still lives
        ::kill(-former, SIGKILL);
    }
    CHECK(::poll(&rest, 1, 10000) == 1);
    ::close(group[0]);
    ::sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("a worker that does not end, though it was killed, is left after a while")
{
    // What a debugger holds on to is not to be reaped by its parent, as what hangs in a driver.
    auto ends = worker::make_connection();
    int tracer = 0;
    worker::process p(forked_and([&](int id) {
                          tracer = ::fork();
                          if (tracer != 0) return;
                          char word = ::ptrace(PTRACE_SEIZE, id, nullptr, nullptr) == 0 ? 'y' : 'n';
                          if (::write(ends.second.get(), &word, 1) == 1) {
                              pollfd end{ends.second.get(), POLLIN, 0};
                              ::poll(&end, 1, 60000);
                          }
                          ::_exit(0);
                      }),
                      0.2);
    char word = 0;
    REQUIRE(::read(ends.first.get(), &word, 1) == 1);
    worker::ending const how = p.end();
    if (word == 'y') {
        CHECK_FALSE(how.is_known);
        CHECK(how.is_left);
        CHECK(text_of(how) == "the worker process has not ended, though it was killed: see whether "
                              "the device's driver hangs (dmesg)");
    } else {
        MESSAGE("skipped: no process may trace another one here");
    }
    CHECK(::write(ends.first.get(), &word, 1) == 1);
    CHECK(::waitpid(tracer, nullptr, 0) == tracer);
    if (word == 'y') CHECK(::waitpid(-1, nullptr, 0) > 0); // nobody holds it any more
    CHECK(has_no_children());
}

TEST_CASE("its destructor ends a worker")
{
    int id = 0;
    {
        worker::process const p(forked([](int, int) { ::pause(); }));
        id = p.id();
        CHECK(::kill(id, 0) == 0);
    }
    CHECK(has_no_children());
}

TEST_CASE("what a worker writes is kept until it is forgotten")
{
    worker::process p(forked([](int socket, int log) {
        if (::write(log, "first", 5) != 5) ::_exit(1);
        message m;
        CHECK(worker::send(socket, m, in_s(10)) == transfer::done);
        CHECK(worker::receive(socket, m, in_s(10)) == transfer::done);
        if (::write(log, "2nd", 3) != 3) ::_exit(1);
        CHECK(worker::send(socket, m, in_s(10)) == transfer::done);
    }));
    message m;
    CHECK(p.receive(m, in_s(10)) == transfer::done);
    CHECK(p.log() == "first");
    p.forget_log();
    CHECK(p.log().empty());
    CHECK(worker::send(p.socket(), m, in_s(10)) == transfer::done);
    CHECK(p.receive(m, in_s(10)) == transfer::done);
    CHECK(p.log() == "2nd");
}

TEST_CASE("a worker that cannot be started is an error that leaves nothing")
{
    int const before = open_descriptors();
    CHECK_THROWS_AS(worker::process([](int, int) -> int {
                        throw attune::error("no worker process can be started", "", "");
                    }),
                    attune::error);
    CHECK(open_descriptors() == before);
    CHECK(has_no_children());
}

TEST_CASE("this program, started anew, is a worker before its main")
{
    // This very test program: were main reached, doctest would write to the log.
    int const before = open_descriptors();
    attune::hold_worker_door();
    attune_test::set_variable const speaks{"ATTUNE_TEST_ANNOUNCE", "1"};
    {
        worker::process p(worker::start_this_program);
        message m;
        m.kind = worker::message_kind::first_run; // nothing has begun: a damaged message
        CHECK(worker::send(p.socket(), m, in_s(30)) == transfer::done);
        CHECK(p.receive(m, in_s(30)) == transfer::done);
        CHECK(m.kind == worker::message_kind::thrown);
        CHECK(p.log().empty());
        CHECK_FALSE(p.has_ended());
    }
    CHECK(has_no_children());
    CHECK(open_descriptors() == before);
}
