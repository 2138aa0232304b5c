// tests/ship/report/watch.cpp - a running tuning is followed through its store.
// SPDX-License-Identifier: MIT
#include <attune/ship/report/watch.hpp>

#include <attune/core/error.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/store.hpp>

#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "told_outcomes.hpp"

using namespace attune::detail;

namespace {

std::vector<std::string> lines_of(support::told_tuning const& told, std::size_t count,
                                  bool has_ended)
{
    problem_history past{.problem = told.problem()};
    for (std::size_t i = 0; i < count; ++i)
        past.rows.push_back(told.row(i));
    if (has_ended) {
        past.best = told.record();
        past.open = past.rows.size();
    }
    return watch_lines({past}, 200);
}

} // namespace

TEST_CASE("a running tuning has its counts, its best so far and the configuration")
{
    support::told_tuning told = support::random_tuning(3, 1);
    for (auto& one : told.outcomes)
        one.s = 0, one.stage = attune::failure_stage::compile;
    told.outcomes[0].s = 4e-3;
    told.outcomes[2].s = 1e-3;
    told.outcomes[2].values = {"64", "4", "{2, 1, 0}"};
    std::vector<std::string> const lines = lines_of(told, 3, false);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "sgemm N=1024: 3 outcomes, 1 did not compile");
    CHECK(lines[1].starts_with("  best 1 ms (4.00x faster than the first)  "));
    CHECK(lines[1].ends_with("\xe2\x96\x88\xe2\x96\x81"));
    CHECK(lines[2] == "  TILE=64 UNROLL=4 ORDER={2, 1, 0}");
}

TEST_CASE("a tuning without a time, one that ended, and none at all are told in a line")
{
    support::told_tuning told = support::random_tuning(8, 2);
    CHECK(lines_of(told, 8, true) ==
          std::vector<std::string>{
              "sgemm N=1024: " +
              support::told_ratio(told.outcomes[0].s / told.outcomes[told.winner].s) +
              " faster than the default: " + support::told_time(told.outcomes[told.winner].s) +
              ", tuned 2026-11-23T12:00:00Z"});
    told.outcomes[0].s = 0;
    CHECK(lines_of(told, 1, false) ==
          std::vector<std::string>{"sgemm N=1024: 1 outcome, 1 did not compile",
                                   "  nothing works yet"});
    // Over without a winner, as what was imported is.
    problem_history over{.problem = told.problem(), .rows = {told.row(0), told.row(0)}, .open = 2};
    CHECK(watch_lines({over}, 80) ==
          std::vector<std::string>{"sgemm N=1024: 2 outcomes, 2 did not compile, no winner"});
    CHECK(watch_lines({}, 80) == std::vector<std::string>{"nothing is kept yet"});
}

TEST_CASE("numbers that are no seconds have their unit, their direction, and any sign")
{
    problem_history past;
    past.problem.key = {.kernel = "rate", .compiler = minimize_compiler};
    past.problem.key.setting = {{"better", "higher"}, {"unit", "GFLOP/s"}};
    past.problem.parameters = {"A"};
    for (double const value : {2.0, -1.0, 8.0, 4.0})
        past.rows.push_back(
            {{std::to_string(static_cast<int>(value))}, attune::measurement::exact(value), ""});
    std::vector<std::string> const lines = watch_lines({past}, 200);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "rate (better=higher unit=GFLOP/s): 4 outcomes");
    CHECK(lines[1].starts_with("  best 8 GFLOP/s (4.00x better than the first)  "));
    CHECK(lines[1].ends_with("\xe2\x96\x88\xe2\x96\x88")); // it rises
    CHECK(lines[2] == "  A=8");
    past.problem.key.setting.clear();
    CHECK(watch_lines({past}, 200)[1].starts_with("  best -1  "));
}

TEST_CASE("no control sequence of a name reaches the terminal, and no line is too long")
{
    support::told_tuning told = support::random_tuning(4, 3);
    told.kernel = "\x1b[2Jnice\n";
    told.names[0] = std::string(300, 'x');
    problem_history past{.problem = told.problem(), .rows = {told.row(0)}};
    for (std::string const& line : watch_lines({past}, 40)) {
        CHECK(line.find('\x1b') == std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(line.size() <= 120); // 40 characters of at most 3 bytes
    }
}

TEST_CASE("a store is waited for, followed as it grows, and written only where something changed")
{
    support::scratch_directory const folder;
    attune::store store(folder.file("a.attune"));
    support::told_tuning const told = support::random_tuning(6, 4);
    std::vector<std::string> written;
    int looks = 0;
    watch_settings with;
    with.write = [&](std::string const& text) { written.push_back(text); };
    with.wait = [](double) {};
    with.is_terminal = true;
    with.goes_on = [&] {
        ++looks;
        if (looks == 1) store.note(told.problem(), told.row(0));
        if (looks == 4) store.note(told.problem(), told.row(1));
        return looks < 8;
    };
    watch_store(folder.file("a.attune"), with);
    REQUIRE(written.size() == 3);
    CHECK(written[0] == "\x1b[?7lwaiting for " + folder.file("a.attune") + "\n\x1b[?7h");
    CHECK(written[1].starts_with("\x1b[1A\x1b[J\x1b[?7lsgemm N=1024: 1 outcome\n"));
    CHECK(written[2].starts_with("\x1b[3A\x1b[J\x1b[?7lsgemm N=1024: 2 outcomes"));
}

TEST_CASE("what is no store is refused")
{
    support::scratch_directory const folder;
    support::write_file(folder.file("a.txt"), "hello\nworld\n");
    watch_settings with;
    with.write = [](std::string const&) {};
    with.wait = [](double) {};
    with.goes_on = [] { return false; };
    CHECK_THROWS_AS(watch_store(folder.file("a.txt"), with), attune::error);
}

TEST_CASE("a tuning at which nobody seems to be at work says since when")
{
    auto const [folder, path] = support::scratch_file("a.attune");
    {
        attune::store store(path);
        support::told_tuning const told = support::random_tuning(3, 5);
        store.note(told.problem(), told.row(0));
    }
    std::string written;
    std::size_t asked = 0;
    watch_settings with;
    with.write = [&](std::string const& text) { written = text; };
    with.wait = [](double) {};
    with.goes_on = [] { return false; };
    with.columns = [&] {
        ++asked;
        return std::size_t{40};
    };
    watch_store(path, with);
    CHECK(written.find("nothing was written") == std::string::npos);
    CHECK(asked == 1);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() -
                                               std::chrono::hours(31 * 24));
    watch_store(path, with);
    CHECK(written.ends_with("  nothing was written for 31 days\n"));
}

TEST_CASE("a folder is refused, and so is a file that is not there where it is not waited for")
{
    support::scratch_directory const folder;
    watch_settings with;
    with.write = [](std::string const&) {};
    with.wait = [](double) {};
    with.goes_on = [] { return false; };
    CHECK_THROWS_AS(watch_store(folder.path(), with), attune::error);
    with.waits_for = false;
    CHECK_THROWS_AS(watch_store(folder.file("none"), with), attune::error);
}
