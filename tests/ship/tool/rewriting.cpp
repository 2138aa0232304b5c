// tests/ship/tool/rewriting.cpp - what writes stores, or beside them: merge, prune, import, outputs.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "run_here.hpp"

using attune_test::has;
using support::ran;
using support::run_here;

TEST_CASE("merge writes a new file whole, or into one of the stores, and never over another file")
{
    support::scratch_directory const folder;
    std::string const a = folder.file("a"), b = folder.file("b"), c = folder.file("c");
    support::write_file(a, support::sgemm_store());
    support::write_file(b, support::sgemm_store("32"));
    std::string const both = run_here({"merge", a, b}).out;
    CHECK(run_here({"merge", b, a}).out == both);
    ran const got = run_here({"merge", a, b, "-o", c});
    CHECK(got.code == 0);
    CHECK(has(got.out, "2 problems, 4 winners, 6 outcomes, 2 shapes"));
    CHECK(has(got.err, "left out 4 repeated lines"));
    CHECK(support::read_file(c) == both);
    support::write_file(c, "mine");
    ran const refused = run_here({"merge", a, b, "-o", c});
    CHECK(refused.code == 3);
    CHECK(has(refused.err, "exists already"));
    CHECK(support::read_file(c) == "mine");
    CHECK(run_here({"merge", a, b, "--output", a}).code == 0);
    CHECK(support::read_file(a) == both);
    CHECK(run_here({"merge", a, c, "--output", a}).code == 3);
    CHECK(support::read_file(a) == both);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()),
                        std::filesystem::directory_iterator()) == 3);
}

TEST_CASE("a store with damaged lines is not replaced by one without them")
{
    support::scratch_directory const folder;
    std::string const a = folder.file("a"), b = folder.file("b");
    std::string const text = support::sgemm_store() + "damaged\n";
    support::write_file(a, text);
    support::write_file(b, support::sgemm_store("32"));
    support::write_file(folder.file("t.csv"), "A,seconds\n1,1\n");
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"merge", a, b, "-o", a},
          {"import", a, folder.file("t.csv"), "--kernel", "k"}}) {
        ran const got = run_here(words);
        CHECK(got.code == 3);
        CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
        CHECK(has(got.err, "1 damaged line would be lost"));
        CHECK(support::read_file(a) == text);
    }
    CHECK(has(run_here({"merge", a, b, "-o", folder.file("c")}).err, "1 damaged line"));
}

TEST_CASE("neither a page nor a table takes the place of a store")
{
    support::scratch_directory const folder;
    std::string const a = folder.file("a"), b = folder.file("b");
    support::write_file(a, support::sgemm_store());
    support::write_file(b, support::sgemm_store("32"));
    for (std::string const command : {"report", "export"})
        for (std::string const& to : {a, b}) {
            std::string const before = support::read_file(to);
            ran const refused = run_here({command, a, "-o", to});
            CHECK(refused.code == 3);
            CHECK(has(refused.err, "the output is a store"));
            CHECK(support::read_file(to) == before);
        }
}

TEST_CASE("prune --before keeps what has no date: a tuning that runs")
{
    auto const [folder, a] = support::scratch_file("a");
    attune::memory_store running;
    attune::detail::stored_problem problem;
    problem.key.kernel = "k";
    problem.parameters = {"A"};
    running.note(problem, {{"1"}, attune::measurement::exact(0.1), ""});
    support::write_file(a, running.text());
    CHECK(has(run_here({"prune", a, "--problems", "--before", "2030"}).out, "removed nothing"));
    CHECK(support::read_file(a) == running.text());
}

TEST_CASE("prune removes what others beat, and more when it is told which")
{
    support::scratch_directory const folder;
    std::string const a = folder.file("a"), b = folder.file("b");
    std::string const text = support::sgemm_store() + support::sgemm_store("32") + "damaged\n";
    support::write_file(a, text);
    ran const would = run_here({"prune", a, "--dry-run"});
    CHECK(would.code == 0);
    CHECK(has(would.out, "would remove 2 winners, "));
    CHECK(has(would.out, "1 damaged line;"));
    CHECK(support::read_file(a) == text);
    CHECK(run_here({"prune", a, "--outcomes", "-o", b}).code == 0);
    CHECK(support::read_file(a) == text);
    CHECK(!has(support::read_file(b), "\"try\""));
    CHECK(run_here({"best", b, "--input=N=512"}).out == run_here({"best", a, "--input=N=512"}).out);
    CHECK(run_here({"prune", a, "-o", b}).code == 3);
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"prune", a, "--problems"},
          {"prune", a, "--problems", "--before", "2026-13"},
          {"prune", a, "--problems", "--before", "2026-01-99"},
          {"prune", a, "--problems", "--before", "2026-0"},
          {"prune", a, "--kernel", "sgemm"},
          {"prune", a, "--problems", "--before", "yesterday"}}) {
        CHECK(run_here(words).code == 2);
        CHECK(support::read_file(a) == text);
    }
    CHECK(run_here({"prune", a, "--problems", "--input", "N=512"}).code == 0);
    CHECK(!has(run_here({"show", a}).out, "N=512"));
    CHECK(has(run_here({"prune", a, "--problems", "--before", "2026"}).out, "removed nothing"));
    CHECK(has(run_here({"prune", a, "--problems", "--before", "2026-02-01"}).out, "1 problem"));
}
