// tests/ship/tool/study.cpp - attune status: what it says of a shared study.
// SPDX-License-Identifier: MIT
#include <attune/remember/study.hpp>

#include <attune/ship/tool/tool.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>

#include "run_here.hpp"

using attune::detail::claim_name;
using attune::detail::study_claim;
using attune::detail::study_header;
using attune::detail::study_join;
using attune::detail::study_leave;
using attune::detail::study_line;
using attune::detail::study_told;
using attune::detail::text_of_line;
using attune_test::has;

TEST_CASE("status says who takes part, what is best, and what failed where")
{
    auto const [directory, path] = support::scratch_file("halo.study");
    auto const said = [](char const* by, double when_s, decltype(study_line::says) says) {
        return text_of_line(study_line{.worker = by, .when_s = when_s, .says = std::move(says)}) +
               '\n';
    };
    attune::failure const crash{attune::failure_stage::crash, "no licence"};
    support::write_file(
        path, text_of_line(study_header{.objective = "halo", .parameters = {"X"}, .sizes = {"9"}}) +
                  '\n' + said("a", 1000, study_join{"node1", 11, 30}) +
                  said("b", 2000, study_join{"node2", 12, 30}) +
                  said("a", 1000, study_claim{1, {"3"}, {}}) +
                  said("a", 1030, study_told{1, {"3"}, attune::evaluation(2.5), false}) +
                  said("b", 2000, study_claim{1, {"4"}, {}}) +
                  said("b", 2060, study_told{1, {"4"}, crash, true}) +
                  said("a", 1030, study_claim{2, {"5"}, {}}) +
                  said("a", 1060, study_told{2, {"5"}, attune::evaluation(1.5), false}) +
                  said("a", 1060, study_claim{3, {"6"}, {}}) + said("b", 2060, study_leave{}) +
                  "damaged\n");
    support::ran const r = support::run_here({"status", path});
    CAPTURE(r.out);
    CHECK(r.code == 0);
    // a: two outcomes in 60 s of its own clock; b has left.
    CHECK(has(r.out, "halo: 3 outcomes, 1 in work, 2 a minute"));
    CHECK(has(r.out, "best 1.5 at X=5, by node1:11"));
    CHECK(has(r.out, "node1: 1 workers, 2 outcomes, 0 failed, 0 lost"));
    CHECK(has(r.out, "node2: 1 workers, 1 outcomes, 1 failed, 0 lost"));
    CHECK(has(r.out, "node2:12: no licence"));
    CHECK(has(r.out, "X=6"));
    CHECK(has(r.out, "evaluates"));
    CHECK(has(r.out, "left"));
    CHECK(has(r.err, "1 damaged lines"));
}

TEST_CASE("a worker whose claim was taken over is lost until it writes again")
{
    auto const [directory, path] = support::scratch_file("lost.study");
    auto const said = [](char const* by, double when_s, decltype(study_line::says) says) {
        return text_of_line(study_line{.worker = by, .when_s = when_s, .says = std::move(says)}) +
               '\n';
    };
    std::string const taken_over =
        text_of_line(study_header{.objective = "halo", .parameters = {"X"}, .sizes = {"9"}}) +
        '\n' + said("a", 1000, study_join{"node1", 11, 30}) +
        said("b", 1000, study_join{"node2", 12, 30}) + said("a", 1000, study_claim{1, {"3"}, {}}) +
        said("a", 1060, study_told{1, {"3"}, attune::evaluation(2.5), false}) +
        said("a", 1060, study_claim{2, {"4"}, {}}) +
        said("b", 1090, study_claim{1, {"4"}, claim_name{"a", 2}}) +
        said("b", 1120, study_told{1, {"4"}, attune::evaluation(2.0), false});
    support::write_file(path, taken_over);
    std::string out = support::run_here({"status", path}).out;
    CAPTURE(out);
    // One outcome in 120 s: that of b.
    CHECK(has(out, "halo: 2 outcomes, 0 in work, 0.5 a minute"));
    CHECK(has(out, "node1: 1 workers, 1 outcomes, 0 failed, 1 lost"));
    CHECK(has(out, "node1:11  lost"));
    CHECK(has(out, "node2:12  idle"));
    // It was only slow: now its one outcome in its 180 s counts, too.
    support::write_file(path, taken_over + said("a", 1180, study_claim{3, {"5"}, {}}));
    out = support::run_here({"status", path}).out;
    CHECK(has(out, "halo: 2 outcomes, 1 in work, 0.833 a minute"));
    CHECK(has(out, "node1:11  evaluates"));
}

TEST_CASE("status refuses what is no study")
{
    support::scratch_directory const directory;
    CHECK(support::run_here({"status", directory.file("none")}).code == 3);
    support::write_file(directory.file("a"), "text\n");
    support::ran const r = support::run_here({"status", directory.file("a")});
    CHECK(r.code == 3);
    CHECK(has(r.err, "the file is no study"));
}
