// tests/tune/over/mpi/ranks.cpp - a search on real ranks of this machine, by mpirun.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/mpi/ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <string>

#ifdef ATTUNE_TEST_MPIRUN
#include "../../../support/ranks_run.hpp"

using namespace attune_test;
#endif

TEST_CASE("a communicator is a pointer or a number of at most eight bytes")
{
    int place = 0;
    CHECK(attune::detail::may_be_communicator<int>);   // MPICH's
    CHECK(attune::detail::may_be_communicator<void*>); // Open MPI's
    CHECK(!attune::detail::may_be_communicator<double>);
    CHECK(!attune::detail::may_be_communicator<std::string>);
    int* back = nullptr;
    attune::detail::communicator_bits const bits = attune::detail::bits_of(&place);
    std::memcpy(&back, &bits.bits, sizeof back);
    CHECK(back == &place);
}

#ifdef ATTUNE_TEST_MPIRUN

namespace {

ranks_run run(int ranks, std::string const& what)
{
    return run_on_ranks(ATTUNE_TEST_RANKS, ranks, what);
}

std::string const& problem()
{
    static std::string const said = problem_with_ranks(ATTUNE_TEST_RANKS, "before_init");
    return said;
}

} // namespace

TEST_CASE("four ranks find the best of a space, and all have the result")
{
    if (!problem().empty()) {
        MESSAGE("skipped: no MPI: " << problem());
        return;
    }
    SUBCASE("rank 0 searches")
    {
        ranks_run const r = run(4, "all");
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(
            all_say(r, 4, "evaluations=106 failed=0 ended=space interrupted=0 best=7,3 value=2."));
        CHECK(r.evaluated == 106);
        CHECK(r.different.size() == 106);
        CHECK(!has(r.all, "evaluated 0 "));
        CHECK(r.over == 4);
    }
    SUBCASE("rank 0 evaluates too")
    {
        ranks_run const r = run(4, "own");
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(
            all_say(r, 4, "evaluations=106 failed=0 ended=space interrupted=0 best=7,3 value=2."));
        CHECK(r.different.size() == 106);
        CHECK(has(r.all, "evaluated 0 "));
        CHECK(r.over == 4);
    }
    SUBCASE("one rank is minimize()")
    {
        ranks_run const r = run(1, "all");
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(
            all_say(r, 1, "evaluations=106 failed=0 ended=space interrupted=0 best=7,3 value=2."));
        CHECK(has(r.results.front(), "workers=106,"));
    }
}

TEST_CASE(
    "a rank that throws, or returns NaN, costs its evaluations and is told of by rank and host")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "faults");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(all_say(r, 4, "evaluations=40 "));
    CHECK(r.evaluated == 40);
    CHECK(r.different.size() == 40);
    CHECK(has(r.notices, "notice rank 2 on "));
    CHECK(has(r.notices, ": no licence, at X="));
    CHECK(has(r.notices, "notice rank 3 on "));
    CHECK(has(r.notices, ": the value is not finite, at X="));
    CHECK(std::ranges::count(r.notices, '\n') == 2);
}

TEST_CASE("a rank beyond the limit holds neither the search nor its end")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "slow");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(all_say(r, 4, "evaluations=40 "));
    CHECK(has(r.results.front(), "workers=1left!,"));
    CHECK(has(r.notices, ": no outcome within 0.5 s, at X="));
    CHECK(r.over == 4); // MPI_Finalize waited for it
}

TEST_CASE("Ctrl-C at rank 0, or at another, ends the search on all, with a result")
{
    if (!problem().empty()) return;
    for (char const* what : {"interrupted", "interrupted_worker"}) {
        ranks_run const r = run(4, what);
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(all_say(r, 4, "ended=interrupted interrupted=1 best="));
        CHECK(r.evaluated < 40);
        // What was evaluated was told.
        CHECK(all_say(r, 4, "evaluations=" + std::to_string(r.evaluated) + " "));
        CHECK(r.over == 4);
    }
}

TEST_CASE("Ctrl-C at a rank that waits: it evaluates nothing more")
{
    if (!problem().empty()) return;
    ranks_run const r = run(2, "interrupted_waiting");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(all_say(r, 2, "evaluations=10 failed=0 ended=interrupted interrupted=1 best="));
    CHECK(r.evaluated == 10);
}

TEST_CASE("the others do not wait for rank 0's own objective, nor for what rank 0 does next")
{
    if (!problem().empty()) return;
    ranks_run const own = run(3, "slow_own");
    CAPTURE(own.all);
    CHECK(all_say(own, 3, "evaluations=40 "));
    REQUIRE(has(own.all, "through 0"));
    CHECK(own.all.find("result 1 ") < own.all.find("through 0"));
    CHECK(own.all.find("result 2 ") < own.all.find("through 0"));
    // Rank 1 is left; the end is longer than what MPI sends at once.
    ranks_run const sink = run(4, "slow_sink");
    REQUIRE(sink.errors.size() == 4);
    CHECK(sink.over == 4);
    CHECK(sink.all.find("error 2 ") < sink.all.find("through 0"));
    CHECK(sink.all.find("error 3 ") < sink.all.find("through 0"));
}

TEST_CASE("a rank with another value of an input, or another function, does not pass for alike")
{
    if (!problem().empty()) return;
    ranks_run const input = run(4, "unlike_input");
    CAPTURE(input.all);
    REQUIRE(input.errors.size() == 4);
    for (std::string const& text : input.errors)
        CHECK(has(text, "its space is not that of rank 0: it has N=6, rank 0 has N=5"));
    CHECK(input.over == 4);
    ranks_run const odd = run(4, "odd");
    CAPTURE(odd.all);
    CHECK(odd.results.size() == 4);
    CHECK(has(odd.notices, "notice rank 2 on "));
    CHECK(has(odd.notices, "this rank's space does not have the configuration"));
    CHECK(odd.evaluated < 40);
}

TEST_CASE("a rank with another space that comes when the search is over hears that it is another")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "unlike_late");
    CAPTURE(r.all);
    CHECK(all_say(r, 3, "evaluations=40 "));
    REQUIRE(r.errors.size() == 1);
    CHECK(has(r.errors.front(), "its space is not that of rank 0"));
    CHECK(r.over == 4);
}

TEST_CASE("no communicator of one group, and no seconds, are errors on all ranks")
{
    if (!problem().empty()) return;
    ranks_run const groups = run(2, "groups");
    CAPTURE(groups.all);
    REQUIRE(groups.errors.size() == 4);
    CHECK(has(groups.all, "error 0 attune: the communicator joins two groups"));
    CHECK(has(groups.all, "error 1 attune: the communicator joins two groups"));
    CHECK(has(groups.all, "error 1 attune: the communicator is MPI_COMM_NULL"));
    CHECK(groups.over == 2);
    for (int ranks : {1, 3}) {
        ranks_run const none = run(ranks, "no_seconds");
        CAPTURE(none.all);
        REQUIRE(none.errors.size() == static_cast<std::size_t>(ranks));
        for (std::string const& text : none.errors)
            CHECK(has(text, "an evaluation may take no time"));
        CHECK(none.evaluated == 0);
    }
}

TEST_CASE("what ends the search on rank 0 is an error on all ranks, none of which hangs")
{
    if (!problem().empty()) return;
    ranks_run const unlike = run(4, "unlike");
    CAPTURE(unlike.all);
    CHECK(unlike.code == 0);
    REQUIRE(unlike.errors.size() == 4);
    for (std::string const& text : unlike.errors)
        CHECK(has(text, "its space is not that of rank 0"));
    CHECK(unlike.over == 4);
    ranks_run const sink = run(3, "sink");
    CAPTURE(sink.all);
    REQUIRE(sink.errors.size() == 3);
    for (std::string const& text : sink.errors)
        CHECK(has(text, "the sink is full"));
    CHECK(sink.over == 3);
    ranks_run const before = run(1, "before_init");
    CHECK(has(before.all, "error 0 MPI is not initialised"));
}

TEST_CASE("messages of the program's own stay its own, and a second search is another")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "beside");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(r.results.size() == 8);
    CHECK(r.evaluated == 80);
    CHECK(has(r.all, "sum 306")); // 101 + 102 + 103
}

#else

TEST_CASE("a search on ranks")
{
    MESSAGE("skipped: no MPI: neither its library nor mpirun was found (Debian: libopenmpi-dev, "
            "openmpi-bin)");
}

#endif
