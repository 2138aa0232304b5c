// tests/ship/tool/looking.cpp - attune report and attune watch.
// SPDX-License-Identifier: MIT
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
