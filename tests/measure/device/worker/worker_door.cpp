// tests/measure/device/worker/worker_door.cpp : mirrors include/attune/measure/device/worker/worker_door.hpp, included first. That a worker of this program's own comes up: worker_process.cpp.
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_door.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_process.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "../../../support/privileged_start.hpp"
#include "../../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
using attune_test::contains;
using attune_test::ended_program;

namespace {

double in_s(double seconds) { return attune::system_clocks().wall_s() + seconds; }

struct ends {
    worker::descriptor here{};
    worker::descriptor there{};
};

ends connected()
{
    auto made = worker::make_connection();
    return {std::move(made.first), std::move(made.second)};
}

/// A start of this program by this very process, with sockets of its own, as a worker has them.
struct hostile_start {
    ends socket = connected();
    ends door = connected();

    /// @param act  what the parent does before
    [[nodiscard]] ended_program run(std::string const& file, std::function<void()> const& act)
    {
        std::string const named =
            std::string(worker::worker_variable) + '=' + std::to_string(::getpid());
        act();
        return attune_test::run_with_environment(file, {"--no-run"}, {named}, [&] {
            ::dup2(socket.there.get(), worker::worker_socket);
            ::dup2(door.there.get(), worker::door_socket);
        });
    }
};

/// Answers from a process that is not the parent.
pid_t fork_answering(int socket)
{
    pid_t const id = ::fork();
    if (id != 0) return id;
    char asked[16] = {};
    if (::recv(socket, asked, sizeof asked, MSG_WAITALL) == sizeof asked)
        (void)!::send(socket, asked, sizeof asked, 0);
    ::_exit(0);
}

} // namespace

TEST_CASE("a program that was started with the variable alone is refused")
{
    attune::hold_worker_door();
    ended_program const run = attune_test::run_with_environment(
        "/proc/self/exe", {"--no-run"},
        {std::string(worker::worker_variable) + '=' + std::to_string(::getpid())}, [] {
            ::close(worker::worker_socket);
            ::close(worker::door_socket);
        });
    CAPTURE(run.output);
    CHECK(run.exit_status == worker::refused_code);
    CHECK(contains(run.output, "sockets were not made by the parent"));
}

TEST_CASE("a variable that does not name the parent is refused")
{
    for (char const* const named : {"1", "3 4711", "-1", "x", "99999999999999999999"}) {
        ended_program const run = attune_test::run_with_environment(
            "/proc/self/exe", {"--no-run"}, {std::string(worker::worker_variable) + '=' + named},
            [] {});
        CAPTURE(named);
        CAPTURE(run.output);
        CHECK(run.exit_status == worker::refused_code);
        CHECK(contains(run.output, "does not name the parent"));
    }
}

TEST_CASE("a parent that cannot know what it is asked is refused")
{
    // Its answer lies in the socket already, as that of a program which was another one then.
    hostile_start start;
    ended_program const run = start.run("/proc/self/exe", [&] {
        char const guess[16] = "what you wanted";
        CHECK(::send(start.door.here.get(), guess, sizeof guess, 0) == sizeof guess);
    });
    CAPTURE(run.output);
    CHECK(run.exit_status == worker::refused_code);
    CHECK(contains(run.output, "has not answered"));
    // Nothing was read from the connection, and nothing was answered there.
    char byte = 0;
    CHECK(::recv(start.socket.here.get(), &byte, 1, MSG_DONTWAIT) < 1);
}

TEST_CASE("an answer of another process than the parent is refused")
{
    hostile_start start;
    pid_t other = 0;
    ended_program const run =
        start.run("/proc/self/exe", [&] { other = fork_answering(start.door.here.get()); });
    CAPTURE(run.output);
    CHECK(run.exit_status == worker::refused_code);
    CHECK(contains(run.output, "has not answered"));
    ::waitpid(other, nullptr, 0);
}

TEST_CASE("sockets that another process has made are refused")
{
    hostile_start start;
    int report[2] = {-1, -1};
    REQUIRE(::pipe(report) == 0);
    pid_t const between = ::fork();
    if (between == 0) {
        ended_program const run = start.run("/proc/self/exe", [] {});
        (void)!::write(report[1], run.output.data(), run.output.size());
        ::_exit(run.exit_status);
    }
    ::close(report[1]);
    std::string output(4096, '\0');
    ssize_t const got = ::read(report[0], output.data(), output.size());
    output.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    ::close(report[0]);
    int status = 0;
    CHECK(::waitpid(between, &status, 0) == between);
    CHECK(WEXITSTATUS(status) == worker::refused_code);
    CHECK(contains(output, "sockets were not made by the parent"));
}

TEST_CASE("a parent that runs another program is refused")
{
    int report[2] = {-1, -1};
    REQUIRE(::pipe(report) == 0);
    pid_t const parent = ::fork();
    if (parent == 0) {
        hostile_start start;
        if (::fork() == 0) {
            // Until the parent has become another program.
            std::string const its = "/proc/" + std::to_string(::getppid()) + "/exe";
            struct stat here{};
            struct stat there{};
            ::stat("/proc/self/exe", &here);
            for (double const until_s = in_s(20); in_s(0) < until_s;) {
                if (::stat(its.c_str(), &there) == 0 && there.st_ino != here.st_ino) break;
                timespec const nap{0, 1000000};
                ::nanosleep(&nap, nullptr);
            }
            ::dup2(report[1], STDERR_FILENO);
            ::close(report[1]);
            ::dup2(start.socket.there.get(), worker::worker_socket);
            ::dup2(start.door.there.get(), worker::door_socket);
            std::string named =
                std::string(worker::worker_variable) + '=' + std::to_string(::getppid());
            char name[] = "victim";
            char no[] = "--no-run";
            char* const arguments[] = {name, no, nullptr};
            char* const environment[] = {named.data(), nullptr};
            ::execve("/proc/self/exe", arguments, environment);
            ::_exit(99);
        }
        ::close(report[1]);
        ::execlp("sleep", "sleep", "20", nullptr);
        ::_exit(98);
    }
    ::close(report[1]);
    std::string output;
    char block[512];
    for (ssize_t got = 0; (got = ::read(report[0], block, sizeof block)) > 0;)
        output.append(block, static_cast<std::size_t>(got));
    ::close(report[0]);
    ::kill(parent, SIGKILL);
    ::waitpid(parent, nullptr, 0);
    CHECK(contains(output, "runs another program"));
}

TEST_CASE("a program with privileges of its own is never a worker, and starts none")
{
    attune_test::setuid_copy const program;
    if (!program.lacking().empty()) {
        MESSAGE("skipped: " << program.lacking());
        return;
    }
    hostile_start start;
    // Its main runs.
    ended_program const run = start.run(program.path(), [] {});
    CAPTURE(run.output);
    CHECK(run.exit_status == 0);
    CHECK_FALSE(contains(run.output, worker::worker_variable));
    ended_program const other = attune_test::run_with_environment(
        program.path(), {"--no-skip", "--test-case=as a program with privileges"}, {}, [] {});
    CAPTURE(other.output);
    CHECK(other.exit_status == 0);
    CHECK(contains(other.output, "a privileged start was seen"));
}

// Run by the one before, in a process of its own.
TEST_CASE("as a program with privileges" * doctest::skip())
{
    std::string const text = attune_test::text_thrown_by<attune::error>(
        [] { (void)worker::start_this_program(STDIN_FILENO, -1); });
    CHECK(contains(text, "privileges that its caller lacks"));
    MESSAGE("a privileged start was seen");
}
