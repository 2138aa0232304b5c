// tests/ship/tool/hostile.cpp - names that a terminal would obey, that turn text, or that are formulas.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/tool/detail/csv.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "run_here.hpp"

using attune::detail::tool::cell_of_value;
using attune::detail::tool::csv_text;
using attune::detail::tool::read_csv;
using attune::detail::tool::value_of_cell;
using attune_test::has;
using support::ran;
using support::run_here;

namespace {

constexpr char const* turn = "\xe2\x80\xae"; // U+202E

/// Whether a terminal or a page could be led astray by it.
bool is_clean(std::string const& text)
{
    for (std::string_view rest = text; !rest.empty();) {
        auto const c = attune::detail::first_code_point(rest);
        if (!attune::detail::is_shown(c.value)) return false;
        rest.remove_prefix(c.bytes);
    }
    return true;
}

std::string hostile_store()
{
    attune::memory_store out;
    attune::record one = support::sgemm_winner(512);
    std::string const bad = std::string("\x1b[31m") + turn + "x";
    one.key.kernel = "=cmd|' /C calc'!A0" + bad;
    one.key.inputs = {{"+n" + bad, "@1" + bad}};
    one.key.device += bad;
    one.key.compiler = "-O3" + bad;
    one.key.setting = {{"s" + bad, bad}};
    one.configuration = {{"=P" + bad, "-1+1" + bad}, {"Q", "-1.5"}};
    one.when = "2026" + bad;
    one.ended = bad;
    auto const problem = attune::detail::problem_of(one);
    out.note(problem, {{"-1+1" + bad, "-1.5"}, attune::measurement{0.1, 0.09, 0.2, 7}, ""});
    out.note(
        problem,
        {{"\t=2", "'=3"}, attune::failure{attune::failure_stage::verify, "@SUM(1)\n" + bad}, ""});
    out.add(one);
    return out.text();
}

} // namespace

TEST_CASE("no name of a store reaches the terminal, a table or a page as a command")
{
    support::scratch_directory const folder;
    std::string const store = folder.file("s.attune"), page = folder.file("page.html");
    support::write_file(store, hostile_store());
    for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
             {"show", store},
             {"best", store},
             {"explain", store},
             {"diff", store, store},
             {"merge", store, store, "-o", folder.file("m")},
             {"prune", store, "--dry-run"},
             {"export", store, "--format", "csv"},
             {"report", store, "-o", page},
             {"show", folder.file(std::string("none\x1b[2J") + turn)},
             {std::string("sh\x1b[2J") + turn}}) {
        ran const got = run_here(words);
        CAPTURE(words[0]);
        CAPTURE(got.out);
        CAPTURE(got.err);
        CHECK(is_clean(got.out));
        CHECK(is_clean(got.err));
    }
    CHECK(is_clean(support::read_file(page)));
    std::string const table = run_here({"export", store, "--format", "csv"}).out;
    for (char const* const begin : {"\n=", ",=", ",\"=", ",@", ",\"@", ",-1+", ",\"-1+", ",\"\t"})
        CHECK(!has(table, begin));
    CHECK(has(table, ",-1.5\n"));
    // The same values come back.
    support::write_file(folder.file("t.csv"), table);
    REQUIRE(run_here({"import", folder.file("back"), folder.file("t.csv")}).code == 0);
    CHECK(run_here({"export", folder.file("back"), "--format", "csv"}).out == table);
    std::string const again = run_here({"import", folder.file("back"), store + ""}).err;
    CHECK(has(again, "use attune merge"));
}

TEST_CASE("any bytes come back out of a cell, and none is a formula")
{
    for (std::string const& number : {"-1.5", "+3", "-1e-5", "1", "-.5", "+1.E+3"})
        CHECK(csv_text(number) == number);
    for (std::string const& formula :
         {"=1", "+1+1", "-x", "@a", "-", "+", "-1e", "--1", "-.", "\t1", "\n=1", "-inf"})
        CHECK(cell_of_value(formula).starts_with('\''));
    CHECK(cell_of_value("plain") == "plain");
    CHECK(cell_of_value("C:\\x") == "C:\\x");
    CHECK(value_of_cell("C:\\x64\\a") == "C:\\x64\\a"); // nothing that is ever escaped
    attune::random_engine engine(11);
    std::vector<std::string> const pieces{
        "=",       "+",     "-",   "@",        "\t",   "\r",       "\n",
        "'",       "\"",    ",",   " ",        "\\",   "\\x",      "\\x1b",
        "\\x5c",   "\\xe2", "x5c", "1",        "a",    "\x1b",     "\xe2",
        "\x80",    "\xae",  turn,  "\xc3\xa9", "\xff", "\xc2\x9b", "\xf0\x9f\x98\x80",
        "\xd8\x9c"};
    for (int round = 0; round < 20'000; ++round) {
        std::string value;
        std::size_t const length = attune::uniform_below(engine, 7);
        for (std::size_t i = 0; i < length; ++i)
            value += pieces[attune::uniform_below(engine, pieces.size())];
        CAPTURE(value);
        std::string const cell = cell_of_value(value);
        REQUIRE(value_of_cell(cell) == value);
        REQUIRE(is_clean(cell));
        auto const rows = read_csv("head,b\n" + csv_text(value) + ",1\n", "table");
        REQUIRE(rows.size() == 2);
        REQUIRE(rows[1][0].text == value);
    }
}

TEST_CASE("a store that another user may write is shown with a warning")
{
    auto const [folder, store] = support::scratch_file("s.attune", support::sgemm_store());
    REQUIRE(::chmod(store.c_str(), 0644) == 0);
    CHECK(run_here({"show", store}).err.empty());
    REQUIRE(::chmod(store.c_str(), 0666) == 0);
    ran const got = run_here({"show", store});
    CHECK(got.code == 0);
    CHECK(has(got.err, "another user may write it"));
    // An output is created at the end of no link, and a pipe is not waited for.
    std::filesystem::create_symlink("none", folder.file("link"));
    CHECK(has(run_here({"export", store, "-o", folder.file("link")}).err, "which is not there"));
    CHECK(!std::filesystem::exists(folder.file("none")));
    REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0600) == 0);
    CHECK(has(run_here({"export", store, "-o", folder.file("fifo")}).err, "not a regular file"));
}
