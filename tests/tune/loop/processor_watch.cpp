// tests/tune/loop/processor_watch.cpp : what other programs take from a tuning is told
// SPDX-License-Identifier: MIT
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/tune/loop/detail/session_report.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using attune::machine_noise;
using attune::detail::processor_watch;

namespace {

/// What a tuning of 0.6 s with variants of `threads` threads is told, on one processor.
machine_noise noise_beside(bool another_program, unsigned threads)
{
    machine_noise out;
    std::thread([&] {
        int const processor = attune::detail::allowed_processors().front();
        REQUIRE(attune::detail::run_only_on({processor}));
        pid_t const other = another_program ? fork() : 0;
        if (another_program && other == 0) {
            alarm(60);
            bool const volatile goes_on = true;
            while (goes_on) {
            }
        }
        processor_watch watch;
        watch.note_threads(threads);
        double const began_s = attune::detail::steady_seconds();
        while (attune::detail::steady_seconds() - began_s < 0.6) {
        }
        watch.put_into(out, {});
        if (another_program) {
            kill(other, SIGKILL);
            waitpid(other, nullptr, 0);
        }
    }).join();
    return out;
}

} // namespace

TEST_CASE(
    "variants with threads beside a program that holds their processor: the tuning is disturbed")
{
    machine_noise const n = noise_beside(true, 2);
    if (n.processors == 0) {
        MESSAGE("the system does not tell the times of its processors");
        return;
    }
    CHECK(n.processors == 1);
    CHECK(n.threads == 2);
    CHECK(n.held > machine_noise::most_lacking);
    CHECK(n.held <= 1);
    CHECK(n.is_disturbed);
}

TEST_CASE("variants of one thread are told of by a run of known time instead")
{
    machine_noise const n = noise_beside(true, 1);
    CHECK(n.lacking() == 0);
    CHECK(!n.is_disturbed);
}
