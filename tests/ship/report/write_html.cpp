// tests/ship/report/write_html.cpp - each number of a page is the store's; hostile texts stay texts.
// SPDX-License-Identifier: MIT
#include <attune/ship/report/write_html.hpp>

#include <attune/core/error.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "page_tree.hpp"
#include "told_outcomes.hpp"

using support::cells_of;
using support::page_element;
using support::told_ratio;
using support::told_time;
using support::told_tuning;

namespace {

page_element page_of(told_tuning const& told, bool has_ended = true)
{
    attune::memory_store store;
    told.put_into(store, has_ended);
    return support::parse_page(attune::read_report(store).html());
}

std::string interval(support::told_outcome const& of)
{
    return told_time(of.low) + " \xe2\x80\x93 " + told_time(of.high);
}

/// Every <data>: its text is its exact number as people read it.
void check_data(page_element const& page)
{
    for (page_element const* const one : page.all("data")) {
        double const exact = std::stod(one->attributes.at("value"));
        std::string const text = one->text();
        if (text.ends_with('x'))
            CHECK(text == told_ratio(exact));
        else if (text.ends_with('%'))
            CHECK(std::stod(text) ==
                  doctest::Approx(100 * exact).epsilon(0.51 / (100 * exact + 1e-9)));
        else
            CHECK(text == told_time(exact));
    }
}

std::string what(auto const& attempt)
{
    try {
        attempt();
    } catch (attune::error const& thrown) {
        return thrown.what();
    }
    return "nothing was thrown";
}

} // namespace

TEST_CASE("the contestants on the page are the store's")
{
    told_tuning told = support::random_tuning(60, 1);
    told.ties = {1, 2};
    page_element const page = page_of(told);
    auto const& best = told.outcomes[told.winner];
    auto const& own = told.outcomes[0];
    std::string const verdict = page.first("p", "verdict").text();
    CHECK(verdict.starts_with(told_ratio(own.s / best.s)));
    CHECK(verdict.find(told_time(best.s) + ", was " + told_time(own.s)) != verdict.npos);
    auto const rows = cells_of(page.first("table", "contest"));
    REQUIRE(rows.size() == 3 + told.names.size());
    auto const last_time = [&](std::size_t tie) { // a configuration may have been tried twice
        std::string out;
        for (auto const& one : told.outcomes)
            if (one.s > 0 && one.values == told.outcomes[tie].values) out = told_time(one.s);
        return out;
    };
    CHECK(rows[0] == std::vector<std::string>{
                         "time", told_time(best.s), told_time(own.s), last_time(1), last_time(2)});
    CHECK(rows[1][1] == interval(best));
    CHECK(rows[1][2] == interval(own));
    CHECK(rows[2][1] == std::to_string(best.samples));
    for (std::size_t p = 0; p < told.names.size(); ++p)
        CHECK(rows[3 + p] == std::vector<std::string>{told.names[p],
                                                      best.values[p],
                                                      own.values[p],
                                                      told.outcomes[1].values[p],
                                                      told.outcomes[2].values[p]});
    check_data(page);
}

TEST_CASE("the log has the fastest outcomes, each number the store's, and all of them as data")
{
    told_tuning const told = support::random_tuning(60, 2);
    page_element const page = page_of(told);
    auto const rows = cells_of(page.first("div", "log").first("table"));
    REQUIRE(rows.size() == told.outcomes.size());
    double last_s = 0;
    for (auto const& row : rows) {
        support::told_outcome const& of = told.outcomes[std::stoul(row[0]) - 1];
        if (of.s > 0) {
            CHECK(of.s >= last_s);
            last_s = of.s;
            CHECK(row[1] == told_time(of.s));
            CHECK(row[2] == interval(of));
            CHECK(row[3] == std::to_string(of.samples));
            CHECK(std::vector(row.begin() + 4, row.end() - 1) == of.values);
        } else {
            CHECK(row[1] == attune::describe(of.stage));
            CHECK(row.back() == of.why);
        }
    }
    std::string const facts = page.first("dl", "facts").text();
    CHECK(facts.find("60 configurations, " + std::to_string(told.failures()) + " of them failed") !=
          facts.npos);
}

TEST_CASE("effects count outcomes and name the best value of each parameter")
{
    told_tuning const told = support::random_tuning(200, 4);
    page_element const page = page_of(told);
    auto const charts = page.first("div", "effects").all("figure");
    REQUIRE(charts.size() == told.names.size());
    for (page_element const* const chart : charts) {
        std::string const name = chart->first("h4").first("span").text();
        auto const p = static_cast<std::size_t>(
            std::find(told.names.begin(), told.names.end(), name) - told.names.begin());
        REQUIRE(p < told.names.size());
        std::map<std::string, std::pair<int, int>> counts; // measured, failed
        for (auto const& one : told.outcomes)
            ++(one.s > 0 ? counts[one.values[p]].first : counts[one.values[p]].second);
        std::string level;
        std::size_t seen = 0;
        for (page_element const* const text : chart->all("text")) {
            if (text->is("text", "label")) level = text->text();
            if (!text->is("text", "small") || text->is("text", "middle")) continue;
            auto const [measured, failed] = counts.at(level);
            CHECK(text->text() ==
                  std::to_string(measured) +
                      (failed > 0 ? " + " + std::to_string(failed) + "\xe2\x9c\x95" : ""));
            ++seen;
        }
        CHECK(seen == counts.size());
        CHECK(chart->first("text", "strong").text() == told.outcomes[told.winner].values[p]);
    }
}

TEST_CASE("the heat map has the best time of each pair of values")
{
    told_tuning const told = support::random_tuning(300, 5);
    page_element const page = page_of(told);
    page_element const& table = page.first("table", "heat");
    auto const heads = table.first("thead").all("th");
    std::string const corner = heads[0]->text(); // "DOWN \ ACROSS"
    auto const index = [&](std::string const& name) {
        return static_cast<std::size_t>(std::find(told.names.begin(), told.names.end(), name) -
                                        told.names.begin());
    };
    std::size_t const across = index(corner.substr(corner.find('\\') + 2));
    std::size_t const down = index(corner.substr(0, corner.find('\\') - 1));
    REQUIRE(across < told.names.size());
    REQUIRE(down < told.names.size());
    std::size_t compared = 0;
    for (auto const& row : cells_of(table))
        for (std::size_t x = 1; x < row.size(); ++x) {
            double best_s = HUGE_VAL;
            for (auto const& one : told.outcomes)
                if (one.s > 0 && one.values[down] == row[0] &&
                    one.values[across] == heads[x]->text())
                    best_s = std::fmin(best_s, one.s);
            if (std::isfinite(best_s)) {
                CHECK(row[x] == told_time(best_s));
                ++compared;
            } else
                CHECK((row[x] == "\xc2\xb7" || row[x] == "\xe2\x9c\x95"));
        }
    CHECK(compared > 4);
}

TEST_CASE("the seconds of the tuning and the roofline are the store's")
{
    told_tuning told = support::random_tuning(30, 14);
    auto const& best = told.outcomes[told.winner];
    auto const part = [&](page_element const& page, std::string const& words) {
        for (page_element const* const one : page.all("figcaption"))
            if (one->text().find(words) != std::string::npos) return one->text();
        return std::string();
    };
    page_element const strip = page_of(told);
    CHECK(
        part(strip, "The tuning took") ==
        "The tuning took 20 s: 12 s to run and time variants, 6.5 s to compile or to wait for it, "
        "1.5 s to decide what to try next.");
    CHECK(part(strip, "measured peak").find("The winner reaches 62 % of that") !=
          std::string::npos);

    told.roof = {2e9, 1e9, 4e12, 1e12}; // 2 flop per byte, the ridge at 4
    page_element const page = page_of(told);
    std::vector<std::string> labels;
    for (page_element const* const one : page.all("text", "halo"))
        labels.push_back(one->text());
    char rate[64];
    std::snprintf(rate,
                  sizeof rate,
                  best.s < 2e-3 ? "winner %.3g Tflop/s, 62 %%" : "winner %.3g Gflop/s, 62 %%",
                  best.s < 2e-3 ? 2e-3 / best.s : 2 / best.s);
    CHECK(std::count(labels.begin(), labels.end(), rate) == 2); // wide and narrow
    check_data(page);
}

TEST_CASE("problems stand side by side, each with the values of its winner")
{
    attune::memory_store store;
    std::map<std::string, told_tuning> all;
    for (char const* n : {"64", "512", "4096"}) {
        told_tuning told = support::random_tuning(30, static_cast<unsigned>(std::stoul(n)));
        told.inputs = {{"N", n}};
        told.put_into(store);
        all["N=" + std::string(n)] = told;
    }
    page_element const page = support::parse_page(attune::read_report(store).html());
    auto const rows = cells_of(page.first("table", "sides"));
    REQUIRE(rows.size() == 3);
    for (auto const& row : rows) {
        told_tuning const& told = all.at(row[0]);
        auto const& best = told.outcomes[told.winner];
        CHECK(row[1] == told_ratio(told.outcomes[0].s / best.s));
        CHECK(row[2] == told_time(best.s));
        CHECK(row[3] == told_time(told.outcomes[0].s));
        CHECK(row[4] == "30");
        CHECK(row[5] == std::to_string(told.failures()));
        CHECK(std::vector(row.begin() + 6, row.end()) == best.values);
    }
    CHECK(page.all("details", "problem").size() == 3);
    check_data(page);
}

TEST_CASE("names that would be elements, scripts or attributes are shown as texts")
{
    std::string const hostile[] = {"<script>alert(1)</script>",
                                   "\"><img src=x onerror=alert(1)>",
                                   "</script><b>",
                                   "<!--",
                                   "]]>&amp;'",
                                   "\xe2\x80\xaegnp.exe"};
    for (std::string const& text : hostile) {
        CAPTURE(text);
        told_tuning told = support::random_tuning(12, 6);
        told.kernel = text;
        told.inputs = {{text, text}};
        told.names[0] = text;
        for (auto& one : told.outcomes) {
            one.values[1] = text;
            one.why = text;
        }
        page_element const page = page_of(told);
        CHECK(page.all("script").size() == 2); // the data and the page's own
        CHECK(page.all("img").empty());
        CHECK(page.all("b").size() == 1); // of the verdict
        std::string shown = text;
        if (std::size_t const at = shown.find("\xe2\x80\xae"); at != shown.npos)
            shown.replace(at, 3, "\xef\xbf\xbd");
        CHECK(page.first("h1").text() == shown);
        CHECK(cells_of(page.first("table", "contest"))[3][0] == shown);
        CHECK(page.first("script", "data").text().find('<') == std::string::npos);
    }
}

TEST_CASE("bytes that are no UTF-8 and control characters are replaced")
{
    told_tuning told = support::random_tuning(3, 7);
    told.kernel = "a\xff\x01\xc3(\xed\xa0\x80z\xc3\xa9";
    std::string const no = "\xef\xbf\xbd";
    CHECK(page_of(told).first("h1").text() ==
          "a" + no + no + no + "(" + no + no + no + "z\xc3\xa9");
}

TEST_CASE("a page says what there is where there is no winner, no outcome or no time")
{
    CHECK(page_of(support::random_tuning(5, 8), false)
              .first("p", "verdict")
              .text()
              .find("no tuning has ended") != std::string::npos);
    told_tuning broken = support::random_tuning(4, 9);
    for (auto& one : broken.outcomes)
        one.s = 0;
    CHECK(page_of(broken, false).first("p", "verdict").text() ==
          "No configuration has worked: all 4 outcomes failed.");
    told_tuning alone = support::random_tuning(9, 10);
    attune::memory_store winner;
    winner.add(alone.record());
    page_element const page = support::parse_page(attune::read_report(winner).html());
    CHECK(page.first("table", "contest").all("th")[0]->text() == "winner");
    CHECK(page.all("div", "log").empty());
}

TEST_CASE("a report is written whole or not at all")
{
    support::scratch_directory const folder;
    attune::store store(folder.file("a.attune"));
    CHECK(what([&] {
              attune::write_html(store, folder.file("r.html"));
          }).find("the store is empty") != std::string::npos);
    support::random_tuning(5, 11).put_into(store);
    CHECK(what([&] { attune::write_html(store, folder.file("r.html"), "other"); }) ==
          "attune: the store knows nothing of the kernel other\n  where: " +
              folder.file("a.attune") + "\n  next:  it knows: sgemm");
    CHECK_FALSE(std::filesystem::exists(folder.file("r.html")));
    std::filesystem::create_directory(folder.file("folder.html"));
    CHECK(what([&] { attune::write_html(store, folder.file("folder.html")); }) !=
          "nothing was thrown");
    attune::write_html(store, folder.file("r.html"), "sgemm");
    CHECK(support::read_file(folder.file("r.html")) == attune::read_report(store).html());
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);
}

TEST_CASE("a damaged line is told on the page")
{
    support::scratch_directory const folder;
    {
        attune::store store(folder.file("a.attune"));
        support::random_tuning(5, 12).put_into(store);
    }
    std::string text = support::read_file(folder.file("a.attune"));
    text[text.find("SIGSEGV") != text.npos ? text.find("SIGSEGV") : text.rfind("\"s\":[") + 6] =
        '9';
    support::write_file(folder.file("a.attune"), text);
    attune::store store(folder.file("a.attune"));
    page_element const page = support::parse_page(attune::read_report(store).html());
    CHECK(page.first("p", "notice").text().find("damaged") != std::string::npos);
}

TEST_CASE("a time without an interval has none on the page")
{
    told_tuning told = support::random_tuning(5, 16);
    for (auto& one : told.outcomes)
        one.low = one.high = one.s, one.samples = 1;
    page_element const page = page_of(told);
    CHECK(page.first("figcaption").text().find("95 %") == std::string::npos);
    CHECK(cells_of(page.first("table", "contest"))[1] ==
          std::vector<std::string>{"95 % interval", "", ""});
    CHECK(cells_of(page.first("div", "log").first("table"))[0][2].empty());
}

TEST_CASE("a page on paper says that the log is a part, and its tables have headings")
{
    page_element const page = page_of(support::random_tuning(300, 17));
    CHECK(page.first("p", "print-only").text() == "On paper: at most 100 of 300 outcomes.");
    for (page_element const* const one : page.all("th"))
        CHECK(one->attributes.contains("scope"));
    for (page_element const* const one : page.all("svg"))
        CHECK(one->attributes.at("aria-label").size() > 20);
}

TEST_CASE("a winner that is slower than the default is not called faster")
{
    told_tuning told = support::random_tuning(9, 18);
    told.winner = told.standard = 0;
    for (std::size_t i = 1; i < told.outcomes.size(); ++i)
        if (told.outcomes[i].s > 0) told.winner = i;
    told.outcomes[told.winner].s = 2 * told.outcomes[0].s;
    page_element const page = page_of(told);
    CHECK(page.first("p", "verdict").text().starts_with("2.00x slower than the default: "));
    check_data(page);
    told.outcomes[told.winner].s = told.outcomes[0].s;
    CHECK(page_of(told).first("p", "verdict").text().find("as fast as the default") !=
          std::string::npos);
}

TEST_CASE("problems that differ in what a label does not say have labels of their own")
{
    attune::memory_store store;
    for (char const* name : {"A", "B", "C"}) {
        told_tuning told = support::random_tuning(5, 19);
        told.names[0] = name;
        told.put_into(store);
    }
    page_element const page = support::parse_page(attune::read_report(store).html());
    auto const rows = cells_of(page.first("table", "sides"));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0][0] == "N=1024");
    CHECK(rows[1][0] == "N=1024 (2)");
    CHECK(rows[2][0] == "N=1024 (3)");
}

TEST_CASE("the schedule of a program: its code, and where its loops sit; of no other kernel")
{
    told_tuning told = support::random_tuning(30, 3);
    CHECK(page_of(told).all("pre").empty());
    told.generated.text = "void f();"; // a generated kernel that is no program
    told.generated.fallback = "void g();";
    CHECK(page_of(told).all("pre").empty());
    told.generated = {.shared = "#include <span>\n",
                      .text = "if (a < b && c > d) x(\"</code>\");\n  // two\n",
                      .fallback = "for (;;) {}</pre><script>alert(1)</script>\n",
                      .is_plain = true,
                      .print = "0",
                      .loops = {{"i_0", 0, 24, "parallel", {{"A", 96}, {"<B>", 33 << 20}}},
                                {"k_0", 1, 0, "unrolled by 4", {}},
                                {"j_0", 1, 3, "vector", {{"A", 513}, {"copy", 1536}}}},
                      .levels = {{"registers", 512}, {"L1", 2048}, {"L2", 1 << 20}}};
    page_element const page = page_of(told);
    auto const codes = page.first("div", "codes").all("code");
    REQUIRE(codes.size() == 2);
    CHECK(codes[0]->text() == told.generated.fallback);
    CHECK(codes[1]->text() == told.generated.text);
    CHECK(page.first("details", "prelude").first("code").text() == told.generated.shared);
    CHECK(page.all("script").size() == page_of(support::random_tuning(30, 3)).all("script").size());
    page_element const& table = page.first("table", "loops");
    auto const rows = cells_of(table);
    auto const heads = table.first("thead").all("th");
    REQUIRE(rows.size() == told.generated.loops.size());
    std::vector<std::string> const names{"loop", "times", "how", "A", "<B>", "copy", "together"};
    REQUIRE(heads.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        CHECK(heads[i]->text() == names[i]);
    std::string const space = "\xc2\xa0\xc2\xa0";
    CHECK(rows[0] ==
          std::vector<std::string>{
              "i_0", "24", "parallel", "96 B registers", "33 MiB memory", "", "33 MiB memory"});
    CHECK(rows[1] == std::vector<std::string>{space + "k_0", "", "unrolled by 4", "", "", "", ""});
    CHECK(rows[2] == std::vector<std::string>{
                         space + "j_0", "3", "vector", "513 B L1", "", "1.5 KiB L1", "2 KiB L2"});
}
