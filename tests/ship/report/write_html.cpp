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
#include <sstream>
#include <string>
#include <vector>

#include "../../../bench/support/score_quality.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"
#include "page_tree.hpp"
#include "told_outcomes.hpp"

using attune_test::error_of;
using attune_test::has;
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

} // namespace

TEST_CASE("your own code comes before the default; bold is the winner; the page says so")
{
    told_tuning told = support::random_tuning(60, 1);
    attune::record won = told.record();
    won.best_s *= 1.25; // the final was slower than the search
    won.baseline_s = 2 * won.best_s;
    won.baseline_interval = {1.9 * won.best_s, 2.1 * won.best_s, 9};
    std::size_t second = told.winner == 0 ? 1 : 0; // another configuration won the final
    for (std::size_t i = 0; i < told.outcomes.size(); ++i)
        if (told.outcomes[i].s > 0 &&
            told.outcomes[i].values[0] != told.outcomes[told.winner].values[0])
            second = i;
    for (std::size_t p = 0; p < told.names.size(); ++p)
        won.configuration[p].second = told.outcomes[second].values[p];
    attune::memory_store store;
    told.put_into(store, false);
    store.add(won);
    page_element const page = support::parse_page(attune::read_report(store).html());
    CHECK(page.first("p", "verdict").text().starts_with("2.00x faster than your own code: "));
    auto const heads = page.first("table", "contest").all("th");
    REQUIRE(heads.size() > 3);
    CHECK(heads[0]->text() == "winner");
    CHECK(heads[1]->text() == "your own");
    CHECK(heads[2]->text() == "default");
    CHECK(
        has(page.text(), "Bold: the winner, here and below. Underlined: not the default's value."));
    std::string const why = "The log's first row, " + told_time(told.outcomes[told.winner].s) +
                            ", did not win the final, or did not take part.";
    CHECK(has(page.first("figcaption").text(), why));
    for (page_element const* const chart : page.first("div", "effects").all("figure")) {
        std::string const name = chart->first("h4").first("span").text();
        auto const p = static_cast<std::size_t>(
            std::find(told.names.begin(), told.names.end(), name) - told.names.begin());
        REQUIRE(chart->all("text", "strong").size() == 1);
        CHECK(chart->first("text", "strong").text() == told.outcomes[second].values[p]);
    }
    for (page_element const* const svg : page.all("svg", "wide"))
        if (svg->attributes.at("aria-label").starts_with("Configurations"))
            for (page_element const* const text : svg->all("text", "strong"))
                CHECK(std::count(told.outcomes[second].values.begin(),
                                 told.outcomes[second].values.end(), text->text()) == 1);
}

TEST_CASE("no text of a drawing is beyond its edges, and labels are whole")
{
    // Fonts take 0.6 of their size for a character on average.
    auto const check = [](page_element const& page) {
        for (page_element const* const svg : page.all("svg")) {
            std::istringstream box(svg->attributes.at("viewBox"));
            double x = 0, y = 0, width = 0;
            box >> x >> y >> width;
            CAPTURE(svg->attributes.at("aria-label"));
            for (page_element const* const text : svg->all("text")) {
                std::string const words =
                    text->all("title").empty()
                        ? text->text()
                        : text->text().substr(text->first("title").text().size());
                bool const is_small = text->is("text", "small");
                std::size_t characters = 0;
                for (char const c : words)
                    characters += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1U : 0U;
                double const room = 0.6 * (is_small ? 11.5 : 13) * static_cast<double>(characters);
                double const at = std::stod(text->attributes.at("x"));
                double const begin = text->is("text", "end")      ? at - room
                                     : text->is("text", "middle") ? at - room / 2
                                                                  : at;
                CAPTURE(words);
                CHECK(begin >= -1);
                CHECK(begin + room <= width + 1);
            }
        }
    };
    told_tuning told = support::random_tuning(120, 3);
    for (auto& one : told.outcomes) // as compilers have them
        one.values[2] = one.values[2] == "{0, 1, 2}" ? "-mprefer-vector-width=512" : "-ffast-math";
    told.ties = {1, 2};
    check(page_of(told));
    page_element const page = page_of(told);
    std::size_t whole = 0;
    for (page_element const* const text : page.first("div", "effects").all("text", "label"))
        whole += text->text() == "-mprefer-vector-width=512" ? 1U : 0U;
    CHECK(whole == 1);
    told.names = {"A_PARAMETER_WITH_A_LONG_NAME", "UNROLL", "ANOTHER_PARAMETER_OF_SUCH_A_NAME"};
    told.roof = {2e9, 1e9, 4e12, 1e12};
    check(page_of(told));
    told.roof = {9e9, 1e9, 4e12, 1e12};
    check(page_of(told));
    check(page_of(told, false));
    for (std::size_t i = 0; i < 12; ++i) { // many parameters
        told.names.push_back("P" + std::to_string(i));
        for (std::size_t r = 0; r < told.outcomes.size(); ++r)
            told.outcomes[r].values.push_back(std::to_string((r * (i + 3)) % 7 * 1'000'000));
    }
    for (auto& one : told.outcomes)
        one.predicted_s = one.s > 0 ? one.s * 1.1 : 1e-3;
    check(page_of(told));
    // Numbers with a unit of the user's.
    attune::memory_store store;
    auto problem = told.problem();
    problem.key.compiler = "attune minimize";
    problem.key.setting = {{"better", "higher"}, {"unit", "requests per second and core"}};
    for (std::size_t i = 0; i < told.outcomes.size(); ++i)
        store.note(problem, told.row(i));
    attune::record won = told.record();
    won.key = problem.key;
    won.best_s = 123456.5;
    store.add(won);
    check(support::parse_page(attune::read_report(store).html()));
}

TEST_CASE("the contestants on the page are the store's")
{
    told_tuning told = support::random_tuning(60, 1);
    told.ties = {1, 2};
    page_element const page = page_of(told);
    auto const& best = told.outcomes[told.winner];
    auto const& own = told.outcomes[0];
    std::string const verdict = page.first("p", "verdict").text();
    CHECK(verdict.starts_with(told_ratio(own.s / best.s)));
    CHECK(has(verdict, told_time(best.s) + ", was " + told_time(own.s)));
    auto const rows = cells_of(page.first("table", "contest"));
    REQUIRE(rows.size() == 3 + told.names.size());
    auto const last_time = [&](std::size_t tie) { // a configuration may have been tried twice
        std::string out;
        for (auto const& one : told.outcomes)
            if (one.s > 0 && one.values == told.outcomes[tie].values) out = told_time(one.s);
        return out;
    };
    CHECK(rows[0] == std::vector<std::string>{"time", told_time(best.s), told_time(own.s),
                                              last_time(1), last_time(2)});
    CHECK(rows[1][1] == interval(best));
    CHECK(rows[1][2] == interval(own));
    CHECK(rows[2][1] == std::to_string(best.samples));
    for (std::size_t p = 0; p < told.names.size(); ++p)
        CHECK(rows[3 + p] == std::vector<std::string>{told.names[p], best.values[p], own.values[p],
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
    CHECK(has(facts, "60 configurations, " + std::to_string(told.failures()) + " of them failed"));
}

TEST_CASE("effects have the best time, the median and the share of failures of each value")
{
    told_tuning told = support::random_tuning(200, 4);
    told.names.emplace_back("DEPTH"); // counts only with the largest tiles
    for (std::size_t i = 0; i < told.outcomes.size(); ++i) {
        auto& one = told.outcomes[i];
        bool const is_active = one.values[0] == "128" || one.values[0] == "256";
        one.values.push_back(is_active && i % 3 == 0 ? "10" : is_active && i % 3 == 1 ? "9" : "2");
        if (!is_active) one.inactive = {3};
    }
    page_element const page = page_of(told);
    auto const charts = page.first("div", "effects").all("figure");
    REQUIRE(charts.size() == told.names.size());
    std::map<std::string, std::vector<std::string>> const orders{
        {"TILE", {"8", "16", "32", "64", "128", "256"}},
        {"UNROLL", {"1", "2", "4", "8"}},
        {"ORDER", {"{0, 1, 2}", "{1, 0, 2}", "{2, 1, 0}"}},
        {"DEPTH", {"2", "9", "10", "(inactive)"}}};
    for (page_element const* const chart : charts) {
        std::string const name = chart->first("h4").first("span").text();
        auto const p = static_cast<std::size_t>(
            std::find(told.names.begin(), told.names.end(), name) - told.names.begin());
        REQUIRE(p < told.names.size());
        std::map<std::string, std::vector<double>> times;
        std::map<std::string, int> failed;
        std::string best;
        double best_s = HUGE_VAL;
        for (auto const& one : told.outcomes) { // the winner is the best
            std::string const level =
                p == 3 && !one.inactive.empty() ? "(inactive)" : one.values[p];
            if (one.s <= 0)
                ++failed[level];
            else
                times[level].push_back(one.s);
            if (one.s > 0 && one.s < best_s) best_s = one.s, best = level;
        }
        auto const rows = cells_of(chart->first("table", "levels"));
        std::vector<std::string> order;
        for (auto const& row : rows) {
            order.push_back(row[0]);
            auto& of = times[row[0]];
            std::sort(of.begin(), of.end());
            REQUIRE(!of.empty());
            CHECK(row[1] == told_time(of.front()));
            CHECK(row[2] == told_time((of[(of.size() - 1) / 2] + of[of.size() / 2]) / 2));
            std::size_t const lost = static_cast<std::size_t>(failed[row[0]]);
            CHECK(row[3] == std::to_string(of.size() + lost));
            char share[32];
            std::snprintf(share, sizeof share, "%zu, %.0f %%", lost,
                          100.0 * static_cast<double>(lost) /
                              static_cast<double>(lost + of.size()));
            CHECK(row[4] == (lost > 0 ? share : "0"));
        }
        CHECK(order == orders.at(name));
        CHECK(chart->first("text", "strong").text() == best);
        CHECK(chart->first("svg").attributes.at("aria-label") ==
              "Outcomes for each value of " + name + "; the best, " + told_time(best_s) + ", has " +
                  best + ". " + std::to_string(told.failures()) + " of 200 outcomes failed.");
        CHECK(chart->all("circle").size() == order.size());
        CHECK(chart->all("circle", "best").size() == 1);
        std::size_t lost = 0;
        for (page_element const* const text : chart->all("text", "lost"))
            lost += text->text().ends_with("\xe2\x9c\x95") ? 1U : 0U;
        CHECK(lost == failed.size());
    }
    check_data(page);
}

TEST_CASE("each outcome is a mark in the line of its value")
{
    told_tuning told = support::random_tuning(12, 4);
    for (std::size_t i = 0; i < told.outcomes.size(); ++i) {
        auto& one = told.outcomes[i];
        one.values = {i % 3 == 0 ? "8" : "16", "1", "x"};
        one.s = i == 7 ? 0 : 1e-3 * std::pow(1.5, static_cast<double>(i)); // far from each other
        one.low = one.high = one.s;
    }
    told.winner = 0;
    page_element const page = page_of(told);
    auto const paths = page.first("div", "effects").all("path", "tried");
    REQUIRE(paths.size() == 2);
    auto const marks = [](page_element const& path) {
        std::string const d = path.attributes.at("d");
        std::size_t count = 0;
        for (std::size_t at = d.find("v8"); at != d.npos; at = d.find("v8", at + 1))
            ++count;
        return count;
    };
    CHECK(marks(*paths[0]) == 4);
    CHECK(marks(*paths[1]) == 7);
    std::string const soft = page.text();
    CHECK(has(soft, "In all outcomes: UNROLL=1, ORDER=x."));
}

TEST_CASE("thousands of values become ranges of numbers, or the fastest and the others")
{
    for (char const* kind : {"", "v"}) {
        told_tuning told;
        told.names = {"TILE"};
        std::size_t failures = 0;
        for (int i = 0; i < 5'000; ++i) {
            int const value = (7 * i) % 5'000;
            support::told_outcome one{.values = {kind + std::to_string(value)}};
            one.s = value % 10 == 3 ? 0 : 1e-3 * (1 + std::fabs(value - 1234.0) / 100);
            one.low = one.high = one.s;
            one.samples = 1;
            failures += one.s > 0 ? 0 : 1;
            if (value == 1'234) told.winner = told.outcomes.size();
            told.outcomes.push_back(one);
        }
        attune::memory_store store;
        told.put_into(store);
        std::string const html = attune::read_report(store).html();
        CHECK(html.size() < 3'000'000);
        page_element const page = support::parse_page(html);
        page_element const& chart = page.first("div", "effects").first("figure");
        auto const rows = cells_of(chart.first("table", "levels"));
        std::size_t outcomes = 0, failed = 0;
        for (auto const& row : rows) {
            outcomes += std::stoul(row[3]);
            failed += std::stoul(row[4]);
        }
        CHECK(outcomes == 5'000);
        CHECK(failed == failures);
        std::string const said = chart.first("figcaption").text();
        if (*kind == '\0') {
            CHECK(said == "5000 numbers in 12 ranges with about as many outcomes each");
            REQUIRE(rows.size() == 12);
            int next = 0;
            for (auto const& row : rows) { // each number is in one range, none between two
                std::size_t const dash = row[0].find(" \xe2\x80\x93 ");
                REQUIRE(dash != row[0].npos);
                int const low = std::stoi(row[0]), high = std::stoi(row[0].substr(dash + 5));
                CHECK(low == next);
                next = high + 1;
                double best_s = HUGE_VAL;
                int lost = 0;
                for (auto const& one : told.outcomes) {
                    int const value = std::stoi(one.values[0]);
                    if (value < low || value > high) continue;
                    if (one.s > 0) best_s = std::fmin(best_s, one.s);
                    lost += one.s > 0 ? 0 : 1;
                }
                CHECK(row[1] == told_time(best_s));
                CHECK(std::stoi(row[4]) == lost);
                CHECK(std::stoul(row[3]) <= 5'000 / 12 + 1);
            }
            CHECK(next == 5'000);
        } else {
            CHECK(said == "15 of 5000 values, those with the best outcomes; the others share a "
                          "line");
            REQUIRE(rows.size() == 16);
            CHECK(rows.back()[0] == "4985 others");
            double slowest_s = 0; // of those that have a line
            for (std::size_t i = 0; i < 15; ++i) {
                int const value = std::stoi(rows[i][0].substr(1));
                slowest_s = std::fmax(slowest_s, 1e-3 * (1 + std::fabs(value - 1234.0) / 100));
            }
            std::size_t faster = 0;
            for (auto const& one : told.outcomes)
                faster += one.s > 0 && one.s < slowest_s ? 1 : 0;
            CHECK(faster < 15);
        }
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
        "The tuning took 20 s: 12 s (60 %) to run and time variants, 6.5 s (32 %) to compile or to "
        "wait for it, 1.5 s (8 %) to decide what to try next.");
    // Widths of the bar's parts are as the seconds are.
    double total = 0;
    std::vector<double> widths;
    for (page_element const* const svg : strip.all("svg", "wide"))
        for (char const* part_of : {"part0", "part1", "part2"})
            for (page_element const* const box : svg->all("rect", part_of)) {
                widths.push_back(std::stod(box->attributes.at("width")));
                total += widths.back();
            }
    REQUIRE(widths.size() == 3);
    CHECK(widths[0] / total == doctest::Approx(12.0 / 20).epsilon(1e-3));
    CHECK(widths[1] / total == doctest::Approx(6.5 / 20).epsilon(1e-3));
    CHECK(widths[2] / total == doctest::Approx(1.5 / 20).epsilon(2e-3));
    CHECK(has(part(strip, "measured peak"), "The winner reaches 62 % of that"));
    told.roof = {2e9, 1e9, 4e12, 1e12}; // 2 flop per byte, the ridge at 4
    page_element const page = page_of(told);
    std::vector<std::string> labels;
    for (page_element const* const one : page.all("text", "halo"))
        labels.push_back(one->text());
    char rate[64];
    std::snprintf(rate, sizeof rate,
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
    CHECK(rows[0][0] == "N=64"); // numbers in their order
    CHECK(rows[2][0] == "N=4096");
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

TEST_CASE("hostile values stay texts in effects, also where they are many")
{
    std::string const hostile = "</text><script>alert(1)</script>\"'<!--";
    for (int const count : {3, 40}) {
        told_tuning told;
        told.names = {hostile, "B"};
        for (int i = 0; i < count; ++i)
            told.outcomes.push_back(
                {.values = {hostile + std::to_string(i), i % 2 == 0 ? "1" : "2"},
                 .s = 1e-3 * (i + 1),
                 .low = 1e-3 * (i + 1),
                 .high = 1e-3 * (i + 1),
                 .samples = 1,
                 .predicted_s = 1e-3});
        page_element const page = page_of(told);
        CHECK(page.all("script").size() == 2);
        for (page_element const* const chart : page.first("div", "effects").all("figure")) {
            if (chart->first("h4").first("span").text() != hostile) continue;
            auto const rows = cells_of(chart->first("table", "levels"));
            REQUIRE(rows.size() == (count == 3 ? 3 : 16));
            for (int i = 0; i < (count == 3 ? 3 : 15); ++i)
                CHECK(rows[static_cast<std::size_t>(i)][0] == hostile + std::to_string(i));
            CHECK(chart->first("table", "levels").first("th").text() == hostile);
            CHECK(has(chart->first("svg").attributes.at("aria-label"), hostile));
        }
    }
}

TEST_CASE("long values are told apart by what they do not begin with alike")
{
    told_tuning told;
    told.names = {"FLAGS"};
    std::vector<std::string> const values{"-O3 -fno-strict-aliasing -fwrapv -falign=\xc3\xa4z",
                                          "-O3 -fno-strict-aliasing -fwrapv -falign=\xc3\xb6z",
                                          "-O3 -fno-strict-aliasing -fwrapv -falign=zz"};
    for (std::size_t i = 0; i < values.size(); ++i)
        told.outcomes.push_back({.values = {values[i]},
                                 .s = 1e-3 * static_cast<double>(i + 1),
                                 .low = 1e-3,
                                 .high = 1e-2,
                                 .samples = 1});
    page_element const page = page_of(told);
    page_element const& chart = page.first("div", "effects").first("figure");
    std::vector<std::string> labels, levels;
    for (page_element const* const one : chart.all("text", "label"))
        labels.push_back(one->text());
    for (auto const& row : cells_of(chart.first("table", "levels")))
        levels.push_back(row[0]);
    std::string const dots = "\xe2\x80\xa6";
    std::sort(labels.begin(), labels.end());
    CHECK(labels == std::vector<std::string>{dots + "zz", dots + "\xc3\xa4z", dots + "\xc3\xb6z"});
    std::sort(levels.begin(), levels.end());
    auto wanted = values;
    std::sort(wanted.begin(), wanted.end());
    CHECK(levels == wanted);
}

TEST_CASE("the score of the model over the tuning is that of its predictions")
{
    told_tuning told = support::random_tuning(90, 21);
    for (std::size_t i = 10; i < told.outcomes.size(); ++i) {
        auto& one = told.outcomes[i];
        // A model whose error falls; of failures it expects something too.
        one.predicted_s = (one.s > 0 ? one.s : 3e-3) *
                          std::exp((i % 2 == 0 ? 1 : -1) * 8.0 / static_cast<double>(i));
    }
    page_element const page = page_of(told);
    auto const rows = cells_of(page.first("table", "model"));
    REQUIRE(rows.size() == 8);
    CHECK(rows.back()[0] == "90");
    CHECK(rows.back()[1] == "80");
    for (auto const& row : rows) {
        std::size_t const until = std::stoul(row[0]);
        std::vector<double> squares, predicted, measured;
        for (std::size_t i = 10; i < until; ++i) {
            auto const& one = told.outcomes[i];
            predicted.push_back(1 / one.predicted_s);
            measured.push_back(one.s > 0 ? 1 / one.s : 0);
            if (one.s > 0) squares.push_back(std::pow(std::log(one.predicted_s / one.s), 2));
        }
        CHECK(row[1] == std::to_string(until - 10));
        std::size_t const used = std::min<std::size_t>(30, squares.size());
        double sum = 0;
        for (std::size_t i = squares.size() - used; i < squares.size(); ++i)
            sum += squares[i];
        CHECK(std::stod(row[2]) ==
              doctest::Approx(std::sqrt(sum / static_cast<double>(used))).epsilon(6e-3));
        CHECK(std::stod(row[3]) ==
              doctest::Approx(100 * bench::average_peak_score(predicted, measured, 32))
                  .epsilon(1e-3));
    }
    std::string text;
    for (page_element const* const one : page.all("figcaption"))
        if (one->text().find("The search's model chose") != std::string::npos) text = one->text();
    std::size_t lost = 0;
    for (std::size_t i = 10; i < told.outcomes.size(); ++i)
        lost += told.outcomes[i].s > 0 ? 0U : 1U;
    CHECK(text.starts_with(
        "The search's model chose 80 of 90 outcomes and expected a time of each; " +
        std::to_string(lost) + " of them failed. "));
    CHECK(has(text, "over the last 30 with a time"));
    check_data(page);
}

TEST_CASE("one outcome, or few predictions, are a page without charts of what is not there")
{
    told_tuning told = support::random_tuning(1, 22);
    page_element const one = page_of(told);
    CHECK(one.all("div", "effects").empty());
    CHECK_FALSE(has(one.text(), "The model"));
    told.outcomes[0].predicted_s = 1;
    page_element const page = page_of(told);
    CHECK(
        page.first("p", "model").text() ==
        "The search's model chose 1 of 1 outcome and expected a time of each. They are too few to "
        "judge it by.");
    CHECK(page.all("table", "model").empty());
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
    CHECK(has(page_of(support::random_tuning(5, 8), false).first("p", "verdict").text(),
              "no tuning has ended"));
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
    CHECK(error_of([&] {
              attune::write_html(store, folder.file("r.html"));
          }).find("the store is empty") != std::string::npos);
    support::random_tuning(5, 11).put_into(store);
    CHECK(error_of([&] { attune::write_html(store, folder.file("r.html"), "other"); }) ==
          "attune: the store knows nothing of the kernel other\n  where: " +
              folder.file("a.attune") + "\n  next:  it knows: sgemm");
    CHECK_FALSE(std::filesystem::exists(folder.file("r.html")));
    std::filesystem::create_directory(folder.file("folder.html"));
    CHECK_FALSE(error_of([&] { attune::write_html(store, folder.file("folder.html")); }).empty());
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
    CHECK(has(page.first("p", "notice").text(), "damaged"));
}

TEST_CASE("a time without an interval has none on the page")
{
    told_tuning told = support::random_tuning(5, 16);
    for (auto& one : told.outcomes)
        one.low = one.high = one.s, one.samples = 1;
    page_element const page = page_of(told);
    CHECK_FALSE(has(page.first("figcaption").text(), "95 %"));
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
    CHECK(has(page_of(told).first("p", "verdict").text(), "as fast as the default"));
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
    CHECK(rows[0] == std::vector<std::string>{"i_0", "24", "parallel", "96 bytes registers",
                                              "33 MiB memory", "", "33 MiB memory"});
    CHECK(rows[1] == std::vector<std::string>{space + "k_0", "", "unrolled by 4", "", "", "", ""});
    CHECK(rows[2] == std::vector<std::string>{space + "j_0", "3", "vector", "513 bytes L1", "",
                                              "1.5 KiB L1", "2 KiB L2"});
}
