// tests/measure/sandbox/isolation.cpp : mirrors include/attune/measure/sandbox/isolation.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/isolation.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <pthread.h>
#include <string>

#include "../../support/other_threads.hpp"

using attune::isolation;
using attune::detail::choose_isolation;
using attune::detail::isolation_choice;

TEST_CASE("what is asked for is given, whatever the process is like")
{
    for (isolation const wanted : {isolation::fork, isolation::guard, isolation::none}) {
        isolation_choice const got = choose_isolation(wanted, {std::size_t{100} << 30, true});
        CHECK(got.how == wanted);
        CHECK(got.why == std::string(describe(wanted)) + ": as asked");
    }
}

TEST_CASE("left to itself, a process of ordinary size forks")
{
    CHECK(choose_isolation(isolation::automatic, {}).how == isolation::fork);
    CHECK(choose_isolation(isolation::automatic, {attune::detail::dear_fork_bytes, false}).how ==
          isolation::fork);
}

TEST_CASE("a large process in small pages is not forked, and the reason tells its size")
{
    auto const got = choose_isolation(isolation::automatic, {std::size_t{5'000'000'000}, false});
    CHECK(got.how == isolation::guard);
    CHECK(got.why == "guard: a fork would copy the tables of 5.0 GB in small pages");
}

TEST_CASE("a process that has used libgomp is not forked, and the reason names it")
{
    auto const got = choose_isolation(isolation::automatic, {0, true});
    CHECK(got.how == isolation::guard);
    CHECK(got.why.find("libgomp") != std::string::npos);
}

TEST_CASE("this process is small, and has no team of libgomp")
{
    auto const facts = attune::detail::observe_process();
    CHECK_FALSE(facts.has_gomp_team);
    CHECK(facts.small_page_bytes < attune::detail::dear_fork_bytes);
#if defined(__linux__)
    CHECK(facts.small_page_bytes > 100'000);
#endif
}

#if defined(__linux__)
TEST_CASE("a thread of the program is told from one of attune's")
{
    if (is_skipped(thread_sanitized, has_a_thread_of_its_own)) return;
    attune_test::wait_until_alone();
    CHECK_FALSE(attune::detail::has_other_threads());
    {
        attune_test::other_thread const other;
        CHECK(attune::detail::has_other_threads());
    }
    attune_test::wait_until_alone();
    attune_test::other_thread const ours;
    ours.call([] { pthread_setname_np(pthread_self(), attune::detail::own_thread_name); });
    CHECK_FALSE(attune::detail::has_other_threads());
}
#endif

TEST_CASE("every way has a name")
{
    CHECK(describe(isolation::automatic) == "automatic");
    CHECK(describe(isolation::guard) == "guard");
    CHECK(describe(isolation::none) == "none");
}

TEST_CASE("this program allocates by the C library") // another: tests/host/allocator.cpp
{
    CHECK(attune::detail::foreign_allocator().empty());
}

TEST_CASE("a pause of the machine is no hang, and a slow run may be as slow as allowed")
{
    CHECK(attune::detail::first_run_limit_s(0) == 0.25);
    CHECK(attune::detail::first_run_limit_s(1e-6) == 0.25);
    CHECK(attune::detail::first_run_limit_s(1) == 10);
    CHECK(attune::detail::first_run_limit_s(1, 3) == 3);
    double const never = std::numeric_limits<double>::infinity();
    CHECK(attune::detail::first_run_limit_s(never) == never);
}

TEST_CASE("the errors of all intervals against one together are 5 percent")
{
    for (std::size_t const n : {2U, 3U, 7U, 100U})
        CHECK((1 - attune::detail::confidence_among(n)) * static_cast<double>(n - 1) ==
              doctest::Approx(0.05));
    CHECK(attune::detail::confidence_among(0) == attune::detail::confidence_among(2));
}
