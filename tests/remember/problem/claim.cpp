// tests/remember/problem/claim.cpp - one process tunes a problem.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/claim.hpp>

#include <attune/remember/store.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "../../laws/record_store.hpp"
#include "../../support/scratch_directory.hpp"

using attune::detail::lock_state;
using attune::detail::problem_claim;
using laws::example_key;
using support::scratch_directory;

TEST_CASE("of two objects and two processes one may tune a problem, and both may tune two")
{
    scratch_directory const directory;
    attune::store one(directory.file("deep/s")), other(directory.file("deep/s"));
    problem_claim mine = one.claim(example_key(), 0.0);
    CHECK(mine.state() == lock_state::mine);
    CHECK(other.claim(example_key(), 0.0).state() == lock_state::busy);
    CHECK_FALSE(other.claim(example_key(), 0.0).may_tune());
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        attune::store third(directory.file("deep/s"));
        attune::record_key next = example_key();
        next.inputs[0].second = "4096";
        bool const right = !third.claim(example_key(), 0.0).may_tune() &&
                           third.claim(next, 0.0).state() == lock_state::mine;
        ::_exit(right ? 0 : 1);
    }
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    attune::record_key added_value = example_key();
    added_value.schema = "wider";
    CHECK_FALSE(other.claim(added_value, 0.0).may_tune()); // its rows are the same
    mine.release();
    CHECK(other.claim(example_key(), 0.0).state() == lock_state::mine);
    CHECK_FALSE(std::filesystem::exists(directory.file("deep/s"))); // nothing was added
}

TEST_CASE("where no lock file can be made everybody may tune")
{
    attune::store nowhere("/proc/attune/s");
    problem_claim const claim = nowhere.claim(example_key(), 5.0);
    CHECK(claim.state() == lock_state::unavailable);
    CHECK(claim.may_tune());
    CHECK(problem_claim().may_tune());
}
