// tests/ship/tool/looking.cpp - attune report and attune watch.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/ship/report/write_html.hpp>
#include <attune/ship/tool/tool.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "run_here.hpp"

using attune_test::has;
using support::ran;
using support::run_here;

TEST_CASE("report writes a page whole, of all problems or of those that are meant")
{
    support::scratch_directory const folder;
    std::string const store = folder.file("a.attune"), page = folder.file("a.html");
    support::write_file(store, support::sgemm_store());
    ran const all = run_here({"report", store, "-o", page});
    CHECK(all.code == 0);
    CHECK(all.out == page + ": 4 outcomes of 2 problems\n");
    CHECK(has(support::read_file(page), "Sizes and devices side by side"));
    ran const one = run_here({"report", store, "--input", "N=512"});
    CHECK(one.code == 0);
    CHECK(one.out.starts_with("<!DOCTYPE html>"));
    CHECK_FALSE(has(one.out, "side by side"));
    ran const none = run_here({"report", store, "--kernel", "dgemm", "-o", folder.file("b.html")});
    CHECK(none.code == 1);
    CHECK(has(none.err, "nothing is known of what is meant"));
    CHECK_FALSE(std::filesystem::exists(folder.file("b.html")));
    CHECK(run_here({"report", folder.file("none"), "-o", page}).code == 3);
    // Of several stores, each problem says its store.
    std::string const second = folder.file("b.attune");
    support::write_file(second, support::sgemm_store("32"));
    ran const both = run_here({"report", store, second, "--input", "N=512", "-o", page});
    CHECK(both.out == page + ": 4 outcomes of 2 problems\n");
    for (std::string const& path : {store, second})
        CHECK(has(support::read_file(page), "N=512, " + path + "</th>"));
}

TEST_CASE("show counts the shapes for which a store has a proof")
{
    auto const [folder, store] = support::scratch_file("a.attune", support::sgemm_store());
    ran const got = run_here({"show", store});
    CHECK(got.code == 0);
    std::string const head = got.out.substr(0, got.out.find('\n'));
    std::size_t const end = head.find("SHAPES") + std::string("SHAPES").size();
    std::string const row = got.out.substr(head.size() + 1);
    CHECK(row.substr(end - 2, 3) == " 1 ");
}

namespace {

/// sgemm_store() with the calls of a program for N=512, and of one for N=7, which is untuned.
std::string called_store(std::string const& shape, std::string const& why)
{
    using attune::detail::calls_line;
    using attune::detail::past_calls;
    using attune::detail::problem_line;
    using attune::detail::problem_of;
    attune::record untuned = support::sgemm_winner(7);
    std::string const id = id_of(problem_of(support::sgemm_winner(512)));
    std::string const other = id_of(problem_of(untuned));
    past_calls const calls{{.calls = 1'000,
                            .by_winner = 970,
                            .seconds = 2,
                            .winner_s = 1.98,
                            .rest = {{.shape = shape, .why = why, .calls = 30, .seconds = 0.02}}},
                           100,
                           200};
    return support::sgemm_store() + calls_line(id, calls) + '\n' +
           problem_line(other, problem_of(untuned)) + '\n' +
           calls_line(other, {{.calls = 5, .by_winner = 5}, 100, 200}) + '\n';
}

} // namespace

TEST_CASE("show and the page say which share of the calls ran the winner, and why the rest did not")
{
    auto const [folder, store] = support::scratch_file(
        "a.attune", called_store("argument 0 has 999 elements", "the default serves: <no time>"));
    ran const got = run_here({"show", store});
    CHECK(got.code == 0);
    std::string const said = "97 % of 1000 calls and 99 % of their time ran the winner; the rest: "
                             "30 calls where argument 0 has 999 elements: the default serves: ";
    CHECK(has(got.out, "\nsgemm N=512 on cpu zen4: " + said + "<no time>\n"));
    CHECK(has(got.out, "\nsgemm N=7 on cpu zen4: the winner ran all calls: 5\n"));
    CHECK(has(got.out, " untuned"));
    CHECK_FALSE(has(got.out, "sgemm N=1024 on cpu zen4: "));
    CHECK(run_here({"show", store, "--input", "N=7"}).code == 0);
    ran const json = run_here({"show", store, "--json", "--input", "N=512"});
    CHECK(has(json.out, R"x("calls":{"calls":1000,"by_winner":970,"seconds":2.0,"winner_s":1.98,)x"
                        R"x("from_s":100.0,"to_s":200.0,"rest":[{"shape":"argument 0 has 999 )x"
                        R"x(elements","why":"the default serves: <no time>","calls":30,)x"
                        R"x("seconds":0.02}],"more_shapes":0})x"));
    CHECK(has(run_here({"show", store, "--json", "--input", "N=1024"}).out, R"x("calls":null)x"));
    std::string const page = folder.file("a.html");
    CHECK(run_here({"report", store, "-o", page}).out == page + ": 4 outcomes of 2 problems\n");
    CHECK(has(support::read_file(page), "<dt>calls</dt><dd>" + said + "&lt;no time&gt;</dd>"));
    // The untuned problem is none for other commands.
    CHECK(run_here({"best", store, "--input", "N=7"}).code == 1);
    CHECK(run_here({"diff", store, store}).code == 0);
}

TEST_CASE("control characters in a store's calls reach neither a terminal nor a page")
{
    std::string const bad = "\x1b[2J\n\xe2\x80\xae\xff";
    auto const [folder, store] = support::scratch_file("a.attune", called_store(bad, bad));
    std::string const page = folder.file("a.html");
    CHECK(run_here({"report", store, "-o", page}).code == 0);
    std::string const html = support::read_file(page);
    std::size_t const at = html.find("<dt>calls</dt>");
    REQUIRE(at != std::string::npos);
    std::string const fact = html.substr(at, html.find("</dd>", at) - at);
    for (std::string const& shown :
         {run_here({"show", store}).out, run_here({"show", store, "--json"}).out, fact}) {
        CHECK_FALSE(has(shown, "\x1b"));
        CHECK_FALSE(has(shown, "\xff"));
        CHECK(has(shown, "30"));
    }
    CHECK_FALSE(has(run_here({"show", store}).out, "\xe2\x80\xae"));
    CHECK_FALSE(has(fact, "\xe2\x80\xae"));
}

TEST_CASE(
    "a page says for how many shapes of calls the winner was verified, and for how many wrong")
{
    auto const [folder, store] = support::scratch_file("a.attune", support::sgemm_store());
    std::string const page = folder.file("a.html");
    CHECK(run_here({"report", store, "-o", page}).code == 0);
    CHECK(has(support::read_file(page),
              "<dt>serves</dt><dd>the winner was verified for 2 shapes of "
              "calls; it serves these"));
    attune::memory_store bad;
    attune::record const r = support::sgemm_winner(512, "64");
    bad.add(r);
    bad.prove(attune::detail::problem_of(r), {r.code, {7, 2}, false});
    bad.prove(attune::detail::problem_of(r), {r.code, {7, 3}, true});
    bad.prove(attune::detail::problem_of(r), {r.code, {7, 4}, true});
    bad.prove(attune::detail::problem_of(r), {"0ther", {7, 5}, true});
    CHECK(has(attune::read_report(bad).html(),
              "verified for 2 shapes of calls, and was wrong for 1;"));
}

TEST_CASE("a least time is said beside times only, not beside a number of the user's")
{
    support::scratch_directory const folder;
    for (bool const is_time : {true, false}) {
        attune::memory_store store;
        attune::record r = support::sgemm_winner(512, "64");
        r.least_s = r.best_s / 2;
        if (!is_time)
            r.key.setting = {{"measured", "objective"}, {"better", "higher"}, {"unit", "GFLOP/s"}};
        store.add(r);
        std::string const file = folder.file(is_time ? "time.attune" : "rate.attune");
        support::write_file(file, store.text());
        ran const got = run_here({"explain", file});
        CHECK(got.code == 0);
        CHECK(has(got.out, "no call takes less than") == is_time);
        store.note(attune::detail::problem_of(r),
                   {{"64", "{0, 1}"}, attune::measurement{1, 0.9, 1.1, 14}, "c0de"});
        CHECK(has(attune::read_report(store).html(), "<h3>Roofline</h3>") == is_time);
    }
}

TEST_CASE("watch says once what is known")
{
    auto const [folder, store] = support::scratch_file("a.attune");
    CHECK(run_here({"watch", store, "--once"}).code == 3);
    CHECK(run_here({"watch", folder.path(), "--once"}).code == 3);
    support::write_file(store, support::sgemm_store());
    ran const got = run_here({"watch", store, "--once"});
    CHECK(got.code == 0);
    CHECK(got.out ==
          "sgemm N=1024: 2.00x faster than the default: 977 us, tuned 2026-01-31T12:00:00Z\n");
    CHECK(run_here({"watch", store, "--once", "--kernel", "x"}).out == "nothing is kept yet\n");
    support::write_file(store, "hello\nworld\n");
    CHECK(run_here({"watch", store, "--once"}).code == 3);
}
