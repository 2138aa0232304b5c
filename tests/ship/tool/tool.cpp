// tests/ship/tool/tool.cpp - the program attune: help, wrong words, and what looks into stores.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/tool.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/remember/lines/store_content.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <streambuf>

#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

bool is_one_sentence(std::string const& err)
{
    return err.starts_with("attune: ") && std::count(err.begin(), err.end(), '\n') == 1;
}

} // namespace

TEST_CASE("each command has help, and the program names all of them and its exit codes")
{
    ran const all = run_here({"--help"});
    CHECK(all.code == 0);
    CHECK(has(all.out, "130 after Ctrl-C"));
    for (auto const& one : attune::detail::tool::all_commands()) {
        std::string const name(one.name);
        CHECK(has(all.out, "\n  " + name + ' '));
        ran const help = run_here({name, "--help"});
        CHECK(help.code == 0);
        CHECK(help.err.empty());
        CHECK(help.out.starts_with("attune " + name + ' '));
        CHECK(run_here({"help", name}).out == help.out);
        for (auto const& option : one.options)
            CHECK(has(help.out, std::string(option.name)));
        ran const wrong = run_here({name, "--nonsense"});
        CHECK(wrong.code == 2);
        CHECK(is_one_sentence(wrong.err));
    }
    CHECK(run_here({"--version"}).out == "attune " + std::string(attune::version) + "\n");
    ran const nothing = run_here({});
    CHECK(nothing.code == 2);
    CHECK(nothing.out.empty());
    CHECK(has(nothing.err, "show"));
}

TEST_CASE("bash completes commands, options and files")
{
    support::scratch_directory const folder;
    support::write_file(folder.file("script"), run_here({"completion"}).out);
    auto const completes = [&](std::string const& words) {
        return attune::detail::run_process(
                   {"bash", "-c",
                    "source \"$1\"; COMP_WORDS=($2 \"$3\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                    "_attune; echo ${COMPREPLY[*]}",
                    "bash", folder.file("script"), words.substr(0, words.rfind(' ')),
                    words.substr(words.rfind(' ') + 1)},
                   60.0)
            .output;
    };
    if (attune::detail::find_program("bash").empty()) return;
    CHECK(completes("attune ex") == "explain export\n");
    CHECK(completes("attune prune a --d") == "--device --dry-run\n");
    CHECK(completes("attune prune ") == "\n");
}

TEST_CASE("wrong words get a sentence that says which and what was meant")
{
    auto const refused = [](std::vector<std::string> const& words, std::string const& part) {
        ran const got = run_here(words);
        CHECK(got.code == 2);
        CHECK(got.out.empty());
        CHECK(is_one_sentence(got.err));
        INFO(got.err);
        CHECK(has(got.err, part));
    };
    refused({"shwo"}, "did you mean show?");
    refused({"\x1b[2J"}, "\\x1b[2J");
    refused({"show"}, "something is missing");
    refused({"show", "a", "--jsno"}, "did you mean --json?");
    refused({"show", "a", "--kernel"}, "--kernel needs a value: --kernel NAME");
    refused({"show", "a", "--json=5"}, "--json takes no value");
    refused({"show", "a", "--most", "x"}, "--most takes a whole number, not 'x'");
    refused({"show", "a", "--most", "0"}, "--most takes a number from 1 on");
    refused({"show", "a", "--input", "N"}, "--input takes NAME=VALUE");
    refused({"show", "a", "--input=N=1", "--input=N=2"}, "given twice");
    refused({"best", "a", "b"}, "'b' is too much");
    refused({"show", "a", "--", "b"}, "takes nothing behind --");
}

TEST_CASE("a file that is no store is told, and ends with 3")
{
    support::scratch_directory const folder;
    support::write_file(folder.file("text"), "hello\n");
    support::write_file(folder.file("newer"), "{\"attune_store\":9}\n");
    for (char const* command : {"show", "best", "explain", "merge", "prune", "export"}) {
        for (char const* name : {"none", "text", "newer"}) {
            ran const got = run_here({command, folder.file(name)});
            CHECK(got.code == 3);
            CHECK(got.out.empty());
            CHECK(is_one_sentence(got.err));
            CHECK(has(got.err, folder.file(name)));
        }
    }
    CHECK(support::read_file(folder.file("text")) == "hello\n");
    CHECK(run_here({"diff", folder.file("none"), folder.file("none")}).code == 3);
}

TEST_CASE("output that cannot be written ends with 3")
{
    struct full_disk : std::streambuf {
        int_type overflow(int_type) override { return traits_type::eof(); }
    } none;
    std::istringstream in;
    std::ostream out(&none);
    std::ostringstream err;
    attune::detail::tool::console on{in, out, err};
    CHECK(attune::detail::tool::run_tool({"--version"}, on) == 3);
    CHECK(has(err.str(), "standard output cannot be written"));
}

TEST_CASE("show has a line for each problem, filtered, cut to the latest, and as JSON")
{
    auto const [folder, path] = support::scratch_file("a.attune", support::sgemm_store());
    ran const all = run_here({"show", path});
    CHECK(all.code == 0);
    CHECK(all.err.empty());
    CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 3);
    CHECK(has(all.out, "KERNEL"));
    CHECK(has(all.out, "sgemm   N=512   cpu zen4  1.95 ms   2.00x         2       1  2026-01-31"));
    CHECK(has(all.out, "TILE=64 ORDER={0, 1}\n"));
    CHECK(all.out.find("N=512") < all.out.find("N=1024"));
    CHECK(has(run_here({"show", path, "--most=1"}).err, "only the latest 1"));
    CHECK(!has(run_here({"show", path, "--most=1"}).out, "N=512 "));
    CHECK(!has(run_here({"show", path, "--input", "N=512"}).out, "N=1024"));
    CHECK(run_here({"show", path, "--kernel", "none"}).code == 1);
    CHECK(run_here({"show", path, "--device", "zen"}).code == 0);
    json const read = json::parse(run_here({"show", path, "--json"}).out);
    REQUIRE(read.size() == 2);
    CHECK(read[1]["kernel"] == "sgemm");
    CHECK(read[1]["inputs"]["N"] == "1024");
    CHECK(read[1]["outcomes"] == 2);
    CHECK(read[1]["shapes"] == 1);
    CHECK(read[1]["best"]["seconds"] == 1.0 / 1024);
    CHECK(read[1]["best"]["configuration"]["TILE"] == "64");
}

TEST_CASE("names that would move a terminal's cursor are written as text, and damage is told")
{
    auto const [folder, path] = support::scratch_file("a.attune");
    attune::memory_store store;
    attune::record evil = support::sgemm_winner(1);
    evil.key.kernel = "\x1b[2J<script>\n";
    store.add(evil);
    support::write_file(path, store.text() + "damaged\n");
    for (char const* command : {"show", "explain"}) {
        ran const got = run_here({command, path});
        CHECK(got.code == 0);
        CHECK(has(got.out, "\\x1b[2J<script>\\x0a"));
        CHECK(!has(got.out, "\x1b"));
        CHECK(has(got.err, ":4: this damaged line is skipped"));
    }
}

TEST_CASE("best gives words that a shell takes, of one problem")
{
    auto const [folder, path] = support::scratch_file("a.attune", support::sgemm_store());
    ran const two = run_here({"best", path});
    CHECK(two.code == 2);
    CHECK(has(two.err, "2 problems are meant (sgemm N=512 on cpu zen4; "));
    ran const one = run_here({"best", path, "--input", "N=512"});
    CHECK(one.out == "TILE=64 'ORDER={0, 1}'\n");
    CHECK(run_here({"best", path, "--input=N=512", "--macros"}).out ==
          "-DATTUNE_COMPILES_VARIANT=2 -DTILE=64 -DATTUNE_VALUE_TILE=64 '-DORDER={0, 1}' "
          "'-DATTUNE_VALUE_ORDER={0, 1}'\n");
    CHECK(
        json::parse(run_here({"best", path, "--input=N=512", "--json"}).out)["best"]["default_s"] ==
        2.0 / 512);
    CHECK(json::parse(run_here({"best", path, "--all", "--json"}).out).size() == 2);
    CHECK(has(run_here({"best", path, "--all"}).out, "sgemm N=1024 on cpu zen4: TILE=64"));
    ran const none = run_here({"best", path, "--input", "N=7"});
    CHECK(none.code == 1);
    CHECK(is_one_sentence(none.err));
}

TEST_CASE("best --macros gives nothing that a compiler would take for another option")
{
    auto const [folder, path] = support::scratch_file("a.attune");
    auto const written = [&](std::string const& name, std::string const& value) {
        attune::memory_store store;
        attune::record one = support::sgemm_winner(512);
        one.configuration = {{name, value}};
        store.add(one);
        support::write_file(path, store.text());
    };
    written("X -fplugin=./evil.so", "1");
    ran const refused = run_here({"best", path, "--macros"});
    CHECK(refused.code == 3);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "no name of a macro"));
    CHECK(run_here({"best", path}).code == 0);
    written("X", "\x1b[2J");
    CHECK(run_here({"best", path}).code == 3);
    CHECK(run_here({"best", path, "--json"}).code == 0);
}

TEST_CASE("explain says how a winner was found and what is near a size that nobody tuned")
{
    auto const [folder, path] = support::scratch_file("a.attune", support::sgemm_store());
    std::string const known = run_here({"explain", path, "--input", "N=512"}).out;
    for (char const* part :
         {"TILE=64 ORDER={0, 1}", "1.95 ms, between 1.76 ms and 2.15 ms (14 samples)",
          "the best is 2.00x faster",
          "60 evaluations, 1 of them failed; at most 60 were allowed; ended by: budget",
          "2 outcomes are kept; 1 crashed", "most often (1 times): SIGSEGV",
          "verified for 2 shapes of calls, wrong for 0", "for N=1024, not N=512"})
        CHECK_MESSAGE(has(known, part), std::string(part), " in ", known);
    ran const near = run_here({"explain", path, "--input", "N=700"});
    CHECK(near.code == 0);
    CHECK(has(near.out, "nothing was tuned for exactly this"));
    CHECK(has(near.out, "0.31"));
    CHECK(near.out.find("N=512") < near.out.find("N=1024"));
    CHECK(has(run_here({"explain", path, "--input", "M=7"}).err, "has no input M; it has N="));
    CHECK(run_here({"explain", path, "--kernel", "none"}).code == 1);
    std::string const alone = run_here({"explain", path, "--input=N=512", "--most=0"}).out;
    CHECK(has(alone, "TILE=64 ORDER={0, 1}"));
    CHECK(!has(alone, "near problems"));
    CHECK(has(run_here({"explain", path, "--input=N=512", "--most=1"}).out, "not N=512"));
    json const read = json::parse(run_here({"explain", path, "--input=N=700", "--json"}).out);
    CHECK(read["known"][0]["inputs"]["N"] == "512");
    CHECK(read["known"][0]["distance"].get<double>() == doctest::Approx(std::log(700.0 / 512)));
}

TEST_CASE("diff is empty for equal winners and names each that is not")
{
    support::scratch_directory const folder;
    std::string const a = folder.file("a"), b = folder.file("b");
    support::write_file(a, support::sgemm_store());
    support::write_file(b, support::sgemm_store());
    ran const same = run_here({"diff", a, b});
    CHECK(same.code == 0);
    CHECK(same.out.empty());
    attune::memory_store other;
    other.add(support::sgemm_winner(512, "32"));
    other.add(support::sgemm_winner(7));
    support::write_file(b, other.text());
    ran const got = run_here({"diff", a, b});
    CHECK(got.code == 1);
    CHECK(has(got.out,
              "N=512 on cpu zen4: another configuration\n  - TILE=64 ORDER={0, 1}: 1.95 ms\n"
              "  + TILE=32"));
    CHECK(has(got.out, "N=1024 on cpu zen4: in the first store alone"));
    CHECK(has(got.out, "N=7 on cpu zen4: in the second store alone"));
    json const read = json::parse(run_here({"diff", a, b, "--json"}).out);
    CHECK(read.size() == 3);
    CHECK(run_here({"diff", a, b, "--input", "N=1"}).code == 0);
}

TEST_CASE("names that turn the direction of a text or are no UTF-8 do not reach a terminal")
{
    using attune::detail::tool::printable;
    CHECK(printable("a\xe2\x80\xae"
                    "b") == "a\\xe2\\x80\\xae"
                            "b");
    CHECK(printable("\xff\xc3(") == "\\xff\\xc3(");
    CHECK(printable("\xc3\xa9\xef\xbf\xbd") == "\xc3\xa9\xef\xbf\xbd");
    CHECK(printable("\xc2\x9b"
                    "2J") == "\\xc2\\x9b2J");
}

TEST_CASE("a reader that has enough is no error")
{
    struct closed_pipe : std::streambuf {
        int_type overflow(int_type) override { return traits_type::eof(); }
    } none;
    std::istringstream in;
    std::ostream out(&none);
    std::ostringstream err;
    attune::detail::tool::console on{in, out, err};
    on.has_no_reader = [] { return true; };
    CHECK(attune::detail::tool::run_tool({"--version"}, on) == 0);
    CHECK(err.str().empty());
}
