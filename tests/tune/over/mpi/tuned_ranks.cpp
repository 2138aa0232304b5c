// tests/tune/over/mpi/tuned_ranks.cpp - a tuning on real ranks of this machine, by mpirun.
// SPDX-License-Identifier: MIT
#include <attune/tune/tune_over.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>

#ifdef ATTUNE_TEST_MPIRUN
#include "../../../support/ranks_run.hpp"

using namespace attune_test;

namespace {

ranks_run run(int ranks, std::string const& what)
{
    return run_on_ranks(ATTUNE_TEST_TUNED_RANKS, ranks, what);
}

std::string const& problem()
{
    static std::string const said = problem_with_ranks(ATTUNE_TEST_TUNED_RANKS, "few");
    return said;
}

std::size_t count_of(std::string const& text, std::string const& part)
{
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++out;
    return out;
}

} // namespace

TEST_CASE("four ranks tune a kernel: the best of all variants serves on each of them")
{
    if (!problem().empty()) {
        MESSAGE("skipped: no MPI: " << problem());
        return;
    }
    ranks_run const r = run(4, "all");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    // Steps 0 to 29: four of them do not compile, and 17 is the fastest.
    CHECK(all_say(r, 4, "STEP=17 evaluations=30 failed=4 tuned=1 interrupted=0"));
    CHECK(r.different.size() == 29);
    CHECK(count_of(r.all, "STEP=17 tuned\n") == 4);
    CHECK(has(r.all, "failure 0 did not compile: no such step"));
    // The others have tried all but the default, and only leaders are compiled again.
    for (std::string const far : {"1", "2", "28", "29"})
        CHECK(count_of(r.all, " " + far + "\n") == 1);
    CHECK(r.over == 4);
    ranks_run const alone = run(1, "all");
    CAPTURE(alone.all);
    CHECK(all_say(alone, 1, "STEP=17 evaluations=30 failed=4 tuned=1 interrupted=0"));
}

TEST_CASE("the limits of rank 0 hold for all, and what is known is not tuned again")
{
    if (!problem().empty()) return;
    ranks_run const few = run(4, "few");
    CAPTURE(few.all);
    CHECK(all_say(few, 4, "evaluations=10 "));
    CHECK(few.different.size() == 9);
    ranks_run const twice = run(3, "twice");
    CAPTURE(twice.all);
    CHECK(twice.results.size() == 6);
    CHECK(count_of(twice.all, "workers=0,0,\n") == 3);
    // 29 were tried; rank 0 compiled three leaders, and the others twice the winner, to serve it.
    CHECK(twice.different.size() == 29);
    CHECK(twice.evaluated <= 29 + 3 + 2 * 2);
}

TEST_CASE("variants that run: wrong and crashing ones cost an evaluation, with their reasons")
{
    if (!problem().empty()) return;
    ranks_run const r = run(3, "real");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(all_say(r, 3, "WAY=1 evaluations=6 failed=4 tuned=1"));
    CHECK(count_of(r.all, " yes\n") == 3); // no rank's data was changed
    CHECK(count_of(r.all, " fast right\n") == 3);
    // Of each kind of failure the report has the first that arrived: two variants crash.
    CHECK(has(r.all, "failure 0 crashed: "));
    CHECK(has(r.all, "failure 0 computed a wrong result: argument 1, element 0"));
    CHECK(r.over == 3);
}

TEST_CASE("another compiler or input on one rank is an error on all, before anything is compiled")
{
    if (!problem().empty()) return;
    for (std::string const what : {"other_compiler", "other_input"}) {
        ranks_run const r = run(4, what);
        CAPTURE(r.all);
        REQUIRE(r.errors.size() == 4);
        for (std::string const& text : r.errors) {
            CHECK(has(text, "rank 2 on "));
            CHECK(has(text, what == "other_input" ? "it has SIZE=5, rank 0 has SIZE=4"
                                                  : ": scripted 2, not scripted 1"));
        }
        CHECK(r.evaluated == 0);
        CHECK(r.over == 4);
    }
}

TEST_CASE("a rank that fails costs its evaluations or takes no part, and is told of by name")
{
    if (!problem().empty()) return;
    ranks_run const throws = run(4, "throws");
    CAPTURE(throws.all);
    CHECK(all_say(throws, 4, "evaluations=30 "));
    CHECK(has(throws.notices, "rank 1 on "));
    CHECK(has(throws.notices, ": the disk is full"));
    ranks_run const none = run(4, "no_default");
    CAPTURE(none.all);
    CHECK(all_say(none, 3, "STEP=17 evaluations=30 failed=4 tuned=1"));
    CHECK(has(none.notices, " takes no part: the default configuration of kernel 'steps' "));
    REQUIRE(none.errors.size() == 1); // nothing serves there
    CHECK(has(none.errors.front(), "the default configuration of kernel 'steps' did not compile"));
    CHECK(none.over == 4);
}

TEST_CASE("a rank that is slower by more than a quarter is named, with both times")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "slow_machine");
    CAPTURE(r.all);
    CHECK(r.results.size() == 4);
    CHECK(has(r.notices, "29.9 ms here, 44.9 ms at rank 2 on "));
    CHECK(!has(run(4, "all").notices, "does not take as long everywhere"));
}

TEST_CASE("a rank whose call is empty, too short or of another size takes no part")
{
    if (!problem().empty()) return;
    struct refused {
        char const* what;
        char const* why;
    };
    for (auto const& [what, why] : {
             refused{"empty", "all arrays of its call are empty"},
             refused{"short", "a call of the default takes less than a microsecond there"},
             refused{"other_size", "the default takes 89.7 ms there and 29.9 ms here: "},
         }) {
        ranks_run const r = run(4, what);
        CAPTURE(r.all);
        CHECK(r.results.size() == 4);
        CHECK(has(r.notices, std::string(" takes no part: ") + why));
        CHECK(count_of(r.all, "evaluated 2 ") <= 1); // to serve what was found
        CHECK(r.over == 4);
    }
}

TEST_CASE("where rank 0's own call is empty or too short, all are told so and nothing is tuned")
{
    if (!problem().empty()) return;
    for (std::string const what : {"empty_first", "short_first"}) {
        ranks_run const r = run(4, what);
        CAPTURE(r.all);
        REQUIRE(r.errors.size() == 4);
        for (std::string const& text : r.errors)
            CHECK(has(text, what == "empty_first"
                                ? "all arrays of its call are empty"
                                : "on rank 0 a call of the default takes less than a microsecond"));
        CHECK(r.evaluated == 0);
        CHECK(r.over == 4);
    }
}

TEST_CASE("Ctrl-C at a rank while rank 0 runs the final is told there")
{
    if (!problem().empty()) return;
    ranks_run const r = run(3, "interrupted_late");
    CAPTURE(r.all);
    std::string const found = " STEP=17 evaluations=30 failed=4 tuned=1 interrupted=";
    CHECK(has(r.all, "result 0" + found + "0"));
    CHECK(has(r.all, "result 1" + found + "1"));
    CHECK(has(r.all, "result 2" + found + "0"));
    CHECK(r.over == 3);
}

TEST_CASE("a rank that hangs does not hold the end of the others")
{
    if (!problem().empty()) return;
    ranks_run const r = run(4, "hangs");
    CAPTURE(r.all);
    CHECK(all_say(r, 4, "STEP=17 evaluations=29 "));
    CHECK(has(r.results.front(), "workers=0left,"));
    CHECK(has(r.notices, "was still at work when the search ended"));
    CHECK(r.all.find("result 1 ") > r.all.find("result 2 "));
    CHECK(r.all.find("result 1 ") > r.all.find("result 3 "));
    CHECK(r.over == 4);
}

TEST_CASE("Ctrl-C at rank 0, or at another, ends the tuning on all")
{
    if (!problem().empty()) return;
    for (char const* what : {"interrupted", "interrupted_worker"}) {
        ranks_run const r = run(4, what);
        CAPTURE(r.all);
        CHECK(r.code == 0);
        CHECK(all_say(r, 4, "interrupted=1"));
        CHECK(r.evaluated < 20);
        CHECK(r.over == 4);
        if (what == std::string("interrupted_worker")) continue;
        // Nothing but the default has run at rank 0, and all are told why it serves.
        CHECK(all_say(r, 4, " STEP=0 "));
        CHECK(count_of(r.all,
                       "interrupted before the final: the default serves, because the fastest "
                       "configurations elsewhere did not run here") == 4);
    }
}

TEST_CASE("Ctrl-C at another rank ends the search alone: leaders and final follow on rank 0")
{
    if (!problem().empty()) return;
    ranks_run const r = run(2, "interrupted_third");
    CAPTURE(r.all);
    // Two steps beside the default were told; each one that compiles is faster than it.
    CHECK(all_say(r, 2, " evaluations=3 "));
    CHECK(all_say(r, 2, " tuned=1 interrupted=1"));
    CHECK(has(r.all, "evaluated 0 ")); // a leader
    CHECK(r.over == 2);
}

TEST_CASE("where rank 0 cannot tune, the default serves on all ranks, each of which is told why")
{
    if (!problem().empty()) return;
    ranks_run const r = run(3, "no_bench");
    CAPTURE(r.all);
    CHECK(r.code == 0);
    CHECK(all_say(r, 3, " STEP=0 "));
    for (std::string const rank : {"0", "1", "2"})
        CHECK(has(r.all, "reason " + rank + " no clock on this node"));
    CHECK(r.over == 3);
    ranks_run const alone = run(1, "no_bench");
    CHECK(all_say(alone, 1, " STEP=0 "));
    CHECK(has(alone.all, "reason 0 no clock on this node"));
}

#else
TEST_CASE("a tuning on ranks") { MESSAGE("skipped: no MPI, or no mpirun"); }
#endif
