// tests/tune/over/mpi/ranks.cpp - a search on real ranks of this machine, by mpirun.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/minimize_over.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#ifdef ATTUNE_TEST_MPIRUN
#include "../../../support/ranks_run.hpp"
#include "../../../support/scratch_directory.hpp"

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

/// What a log has as told, in order, as ranks say it.
std::vector<std::string> told_in(std::string const& log)
{
    std::vector<std::string> out;
    attune::logged_session const session = attune::read_event_log(log).back();
    for (attune::event const& e : session.events)
        if (e.kind == attune::event_kind::told)
            out.push_back(" " + std::to_string(e.points.front()[0].index) + "," +
                          std::to_string(e.points.front()[1].index));
    return out;
}

} // namespace

TEST_CASE("four ranks find the best of a space, and all have the result")
{
    if (!problem().empty()) {
        MESSAGE("skipped: no MPI: " << problem());
        return;
    }
    struct row {
        int ranks;
        char const* what;
        bool evaluates; ///< rank 0, too
    };
    for (auto const& [ranks, what, evaluates] :
         {row{4, "all", false}, row{4, "own", true}, row{1, "all", true}}) {
        ranks_run const r = run(ranks, what);
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(all_say(r, static_cast<std::size_t>(ranks),
                      "evaluations=106 failed=0 ended=space interrupted=0 best=7,3 value=2."));
        CHECK(r.evaluated == 106);
        CHECK(r.different.size() == 106);
        CHECK(has(r.all, "evaluated 0 ") == evaluates);
        CHECK(r.over == static_cast<std::size_t>(ranks));
        if (ranks == 1) CHECK(has(r.results.front(), "workers=106,")); // it is minimize()
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

TEST_CASE("rank 0 is killed: the next job goes on, and evaluates nothing again that was told")
{
    if (!problem().empty()) return;
    support::scratch_directory const folder;
    for (int const ranks : {2, 4}) {
        std::string const log = folder.file("log" + std::to_string(ranks));
        ranks_run const killed = run(ranks, "all " + log + " 30");
        CAPTURE(killed.all);
        CHECK(killed.code != 0);
        CHECK(killed.results.empty());
        std::vector<std::string> const told = told_in(log);
        REQUIRE(told.size() == 30);
        ranks_run const rest = run(ranks, "all " + log);
        CAPTURE(rest.all);
        CHECK(rest.code == 0);
        CHECK(all_say(rest, static_cast<std::size_t>(ranks),
                      "evaluations=106 failed=0 ended=space interrupted=0 best=7,3 value=2."));
        CHECK(has(rest.notices, "notice continued an earlier search: 30 evaluations were known"));
        CHECK(rest.evaluated == 106 - 30);
        CHECK(rest.different.size() == 106 - 30);
        for (std::string const& one : told)
            CHECK(!rest.different.contains(one));
    }
    // With one worker the calls are those of a job that nobody killed; with none, of minimize().
    for (int const ranks : {1, 2}) {
        std::string const whole = folder.file("whole" + std::to_string(ranks));
        CHECK(run(ranks, "few " + whole).code == 0);
        std::string const log = folder.file("few" + std::to_string(ranks));
        CHECK(run(ranks, "few " + log + " 15").code != 0);
        CHECK(told_in(log).size() == 15);
        ranks_run const rest = run(ranks, "few " + log);
        CHECK(rest.evaluated == 40 - 15);
        CHECK(support::read_file(log) == support::read_file(whole));
    }
}

TEST_CASE("Ctrl-C, then the same job again: it goes on")
{
    if (!problem().empty()) return;
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    ranks_run const cut = run(4, "interrupted " + log);
    CAPTURE(cut.all);
    CHECK(all_say(cut, 4, "ended=interrupted interrupted=1 best="));
    CHECK(told_in(log).size() == cut.evaluated);
    ranks_run const rest = run(4, "few " + log);
    CAPTURE(rest.all);
    CHECK(all_say(rest, 4, "evaluations=40 failed=0 ended=budget interrupted=0"));
    CHECK(cut.evaluated + rest.evaluated == 40);
    for (std::string const& one : cut.different)
        CHECK(!rest.different.contains(one));
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
            CHECK(has(text, "the limit of an evaluation is not above 0 seconds"));
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
