// tests/search/meta/technique_history.cpp : mirrors include/attune/search/meta/technique_history.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/technique_history.hpp>

#include <attune/core/random.hpp>
#include <attune/search/meta/space_structure.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using attune::search::affinity_correlation;
using attune::search::history_line;
using attune::search::history_text;
using attune::search::read_history;
using attune::search::search_affinity;
using attune::search::space_structure;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

space_structure const one_permutation{{{"permutation", 62, 1}}};

} // namespace

TEST_CASE("affinities correlate as in the thesis' table 6.2")
{
    std::vector<technique_use> const att48 = {
        {"GA-inv", 100, 9}, {"DE", 100, 10}, {"PSO-inv", 100, 30}};
    auto const of = [&](std::size_t ga, std::size_t de, std::size_t pso) {
        std::vector<technique_use> const other = {
            {"PSO-OX3", 100, 35}, {"GA-inv", 100, ga}, {"DE", 100, de}, {"PSO-inv", 100, pso}};
        auto const correlation = affinity_correlation(att48, other);
        REQUIRE(correlation.has_value());
        return *correlation;
    };
    CHECK(of(5, 10, 10) == doctest::Approx(.54).epsilon(.01));  // dg42
    CHECK(of(40, 16, 35) == doctest::Approx(.28).epsilon(.02)); // br17
    CHECK(of(11, 50, 1) == doctest::Approx(-.63).epsilon(.01)); // sort
}

TEST_CASE("without two different affinities on both sides there is no correlation")
{
    std::vector<technique_use> const two = {{"a", 10, 1}, {"b", 10, 5}};
    CHECK(!affinity_correlation(two, std::vector<technique_use>{{"a", 10, 1}}).has_value());
    CHECK(!affinity_correlation(two, std::vector<technique_use>{{"c", 10, 1}, {"d", 10, 2}})
               .has_value());
    CHECK(!affinity_correlation(two, std::vector<technique_use>{{"a", 10, 3}, {"b", 20, 6}})
               .has_value());
    CHECK(!affinity_correlation(two, std::vector<technique_use>{{"a", 0, 0}, {"b", 20, 6}})
               .has_value());
    CHECK(affinity_correlation(two, std::vector<technique_use>{{"b", 7, 7}, {"a", 7, 2}}) ==
          doctest::Approx(1.0));
    CHECK(!search_affinity({"a", 0, 0}).has_value());
}

TEST_CASE("searches of one problem are summed, whatever their order")
{
    technique_history forwards;
    forwards.add(
        {.label = "att48", .structure = one_permutation, .uses = {{"b", 10, 2}, {"a", 5, 0}}});
    forwards.add({.label = "att48", .structure = {}, .uses = {{"a", 1, 1}}});
    forwards.add(
        {.label = "att48", .structure = one_permutation, .uses = {{"b", 30, 4}, {"c", 0, 0}}});
    technique_history backwards;
    backwards.add(
        {.label = "att48", .structure = one_permutation, .uses = {{"c", 0, 0}, {"b", 30, 4}}});
    backwards.add({.label = "att48", .structure = {}, .uses = {{"a", 1, 1}}});
    backwards.add(
        {.label = "att48", .structure = one_permutation, .uses = {{"a", 5, 0}, {"b", 10, 2}}});
    for (technique_history const& h : {forwards, backwards}) {
        REQUIRE(h.representations().size() == 2);
        auto const& of = h.representations()[1]; // the text of an empty structure comes first
        CHECK(of.label == "att48");
        CHECK(of.runs == 2);
        REQUIRE(of.uses.size() == 2);
        CHECK(of.uses[0].name == "a");
        CHECK(of.uses[0].requests == 5);
        CHECK(of.uses[1].requests == 40);
        CHECK(of.uses[1].new_bests == 6);
    }
    CHECK(history_text(read_history(history_text(forwards))) == history_text(backwards));
    CHECK(forwards.without("att48").representations().empty());
    CHECK(forwards.without("att").representations().size() == 2);
}

TEST_CASE("a search is read back from its line, and damaged lines add nothing")
{
    std::vector<technique_use> const uses = {{"genetic;a,0.1", 10, 2}, {"with\ttab", 5, 0}};
    std::string const line =
        history_line({.label = "my\nkernel", .structure = one_permutation, .uses = uses});
    CHECK(line == "my kernel\tpermutation.62*1\t1\tgenetic;a,0.1\t10\t2\twith tab\t5\t0");
    technique_history h;
    CHECK(h.add_line(line));
    REQUIRE(h.representations().size() == 1);
    CHECK(h.representations()[0].label == "my kernel");
    CHECK(h.representations()[0].uses[0].new_bests == 2);
    for (std::string const bad :
         {"", "k", "k\tx", "k\tordinal.1*1", "k\tordinal.1*1\tx", "k\tordinal.1*1\t1\ta",
          "k\tordinal.1*1\t1\ta\t1", "k\tordinal.1*1\t1\ta\t1\t2", "k\tordinal.1*1\t1\ta\t1\t-1",
          "k\tordinal.1*1\t1\ta\t1\t0\t", "k\tordinal.1*1\t1\ta\t1\tx"}) {
        CAPTURE(bad);
        CHECK(!h.add_line(bad));
    }
    std::string const long_name(65'536, 'a');
    CHECK(h.add_line("k\tordinal.1*1\t1\t" + long_name + "\t1\t0"));
    CHECK(!h.add_line("k\tordinal.1*1\t1\ta" + long_name + "\t1\t0"));
    // Every prefix of a line is refused, or ends between two techniques or within a number.
    for (std::size_t n = 0; n < line.size(); ++n)
        h.add_line(line.substr(0, n));
    for (auto const& r : h.representations())
        for (technique_use const& use : r.uses)
            CHECK(use.new_bests <= use.requests);
}

TEST_CASE("gains are kept with their searches")
{
    attune::search::representation one{.label = "k", .structure = one_permutation};
    one.gains.add(2);
    one.uses = {{"a", 4, 1}};
    CHECK(history_line(one) == "k\tpermutation.62*1\t1 14:1\ta\t4\t1");
    technique_history h;
    CHECK(h.add_line(history_line(one)));
    CHECK(h.add_line("k\tpermutation.62*1\t1\ta\t4\t1")); // of a release without gains
    CHECK(h.add_line(history_line(one)));
    REQUIRE(h.representations().size() == 1);
    CHECK(h.representations()[0].runs == 3);
    CHECK(h.representations()[0].gains.text() == "14:2");
    CHECK(history_text(read_history(history_text(h))) == history_text(h));
    for (char const* const bad : {"1 ", "1 x", "1 14:2", " 14:1", "1  14:1", "1 14:1 "}) {
        CAPTURE(bad);
        CHECK(!h.add_line(std::string("k\tpermutation.62*1\t") + bad + "\ta\t4\t1"));
    }
}

TEST_CASE("gains of strategies are kept with their names, and are no technique's")
{
    attune::search::representation one{.label = "k", .structure = one_permutation};
    one.gains.add(2);
    one.strategies = {{"climb;change_rate,1 {a b}\tc", one.gains}};
    one.uses = {{"a", 4, 1}};
    std::string const line = history_line(one);
    CHECK(line == "k\tpermutation.62*1\t1 14:1\ta\t4\t1"
                  "\tstrategy 14:1 climb;change_rate,1 {a b} c\t0\t0");
    technique_history h;
    CHECK(h.add_line(line));
    CHECK(h.add_line("k\tpermutation.62*1\t1 14:1\ta\t4\t1")); // of an unknown strategy
    CHECK(h.add_line(line));
    REQUIRE(h.representations().size() == 1);
    attune::search::representation const& sum = h.representations()[0];
    CHECK(sum.runs == 3);
    CHECK(sum.gains.text() == "14:3");
    REQUIRE(sum.strategies.size() == 1);
    CHECK(sum.strategies[0].name == "climb;change_rate,1 {a b} c");
    CHECK(sum.strategies[0].gains.text() == "14:2");
    REQUIRE(sum.uses.size() == 1);
    CHECK(sum.uses[0].requests == 12);
    CHECK(history_text(read_history(history_text(h))) == history_text(h));
    // What is none is a technique that was not asked.
    for (char const* const none : {"strategy", "strategy ", "strategy x", "strategy 14:1",
                                   "strategy 14:1 ", "strategy x y"}) {
        CAPTURE(none);
        technique_history other;
        CHECK(other.add_line("k\tpermutation.62*1\t1\t" + std::string(none) + "\t0\t0"));
        CHECK(other.representations()[0].strategies.empty());
        CHECK(other.representations()[0].uses.empty());
    }
}

TEST_CASE("many searches at once are added as one after the other")
{
    attune::random_engine engine(3);
    std::vector<attune::search::representation> all;
    technique_history slowly;
    for (int i = 0; i < 300; ++i) {
        attune::search::representation one;
        one.label = "k" + std::to_string(attune::uniform_below(engine, 4));
        if (attune::uniform_below(engine, 2) == 0) one.structure = one_permutation;
        for (int u = 0; u < 3; ++u) {
            std::size_t const requests = attune::uniform_below(engine, 5);
            one.uses.push_back({"t" + std::to_string(attune::uniform_below(engine, 9)), requests,
                                attune::uniform_below(engine, requests + 1)});
        }
        if (attune::uniform_below(engine, 2) == 0)
            one.gains.add(1 + 9 * attune::uniform_unit(engine));
        if (one.gains.count() > 0 && attune::uniform_below(engine, 3) > 0)
            one.strategies = {{"s" + std::to_string(attune::uniform_below(engine, 3)), one.gains}};
        slowly.add(one);
        all.push_back(one);
    }
    // A second implementation: sums by label, structure and name.
    std::map<std::string, std::pair<std::size_t, std::size_t>> sums;
    for (auto const& one : all)
        for (technique_use const& use : one.uses) {
            auto& of = sums[one.label + '|' + attune::search::structure_text(one.structure) + '|' +
                            use.name];
            of.first += use.requests;
            of.second += use.new_bests;
        }
    std::erase_if(sums, [](auto const& one) { return one.second.first == 0; });
    technique_history half;
    half.add_all({all.begin(), all.begin() + 100});
    half.add_all({all.begin() + 100, all.end()});
    technique_history at_once;
    at_once.add_all(all);
    CHECK(history_text(at_once) == history_text(slowly));
    CHECK(history_text(half) == history_text(slowly));
    std::size_t found = 0;
    std::size_t runs = 0;
    for (auto const& r : at_once.representations()) {
        runs += r.runs;
        for (technique_use const& use : r.uses) {
            auto const at = sums.find(r.label + '|' + attune::search::structure_text(r.structure) +
                                      '|' + use.name);
            REQUIRE(at != sums.end());
            CHECK(at->second == std::pair(use.requests, use.new_bests));
            ++found;
        }
        // Both forms of the correlation agree.
        auto const& others = at_once.representations()[0].uses;
        CHECK(affinity_correlation(others, r) == affinity_correlation(others, r.uses));
    }
    CHECK(found == sums.size());
    CHECK(runs == 300);
    std::map<std::string, attune::search::tuning_gains> by_strategy;
    for (auto const& one : all)
        for (auto const& by : one.strategies)
            by_strategy[one.label + '|' + attune::search::structure_text(one.structure) + '|' +
                        by.name]
                .add_all(by.gains);
    for (auto const& r : at_once.representations())
        for (auto const& by : r.strategies) {
            auto const at = by_strategy.find(
                r.label + '|' + attune::search::structure_text(r.structure) + '|' + by.name);
            REQUIRE(at != by_strategy.end());
            CHECK(by.gains == at->second);
            by_strategy.erase(at);
        }
    CHECK(by_strategy.empty());
}

TEST_CASE("lines at once are added as one after the other, and those that are none are named")
{
    attune::random_engine engine(8);
    auto const below = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
    // A second implementation of the sums: by label and structure, then by name.
    std::map<std::string, std::map<std::string, std::pair<std::size_t, std::size_t>>> uses;
    std::map<std::string, std::size_t> runs;
    std::vector<std::string> texts;
    std::vector<std::size_t> damaged;
    for (std::size_t i = 0; i < 400; ++i) {
        std::string const problem =
            "k" + std::to_string(below(3)) + (below(2) == 0 ? "\tordinal.1*2" : "\tboolean.1*1");
        std::size_t const searches = 1 + below(3);
        std::string line = problem + '\t' + std::to_string(searches);
        std::map<std::string, std::pair<std::size_t, std::size_t>> mine;
        for (std::size_t u = below(4); u > 0; --u) {
            std::string const name = "t" + std::to_string(below(9)); // twice in a line, too
            std::size_t const requests = below(5);
            std::size_t const bests = below(requests + 1);
            line += '\t' + name + '\t' + std::to_string(requests) + '\t' + std::to_string(bests);
            mine[name].first += requests;
            mine[name].second += bests;
        }
        bool const is_damaged = below(4) == 0;
        if (is_damaged) {
            std::string const with[] = {"\ta\t1\t2", "\ta", "\tb\t9\t1\r", "\t\t-1\t0"};
            line += with[below(4)];
            damaged.push_back(i);
        } else {
            runs[problem] += searches;
            for (auto const& [name, counts] : mine) {
                uses[problem][name].first += counts.first;
                uses[problem][name].second += counts.second;
            }
        }
        texts.push_back(line);
    }
    std::vector<std::string_view> const lines(texts.begin(), texts.end());
    technique_history at_once;
    std::size_t const half = 200; // into one that has something, too
    std::vector<std::size_t> found = at_once.add_lines(std::span(lines).first(half));
    for (std::size_t const place : at_once.add_lines(std::span(lines).subspan(half)))
        found.push_back(place + half);
    CHECK(found == damaged);
    technique_history slowly;
    for (std::string const& line : texts)
        slowly.add_line(line);
    CHECK(history_text(at_once) == history_text(slowly));
    REQUIRE(at_once.representations().size() == runs.size());
    for (auto const& r : at_once.representations()) {
        std::string const problem = r.label + '\t' + attune::search::structure_text(r.structure);
        CHECK(r.runs == runs.at(problem));
        std::erase_if(uses[problem], [](auto const& one) { return one.second.first == 0; });
        REQUIRE(r.uses.size() == uses[problem].size());
        for (technique_use const& use : r.uses)
            CHECK(uses[problem].at(use.name) == std::pair(use.requests, use.new_bests));
    }
}

using attune::search::tuning_gains;

TEST_CASE("quantiles are those of the sorted gains, within half a step")
{
    attune::random_engine engine(5);
    for (std::size_t const n : {1U, 2U, 5U, 10U, 101U}) {
        std::vector<double> all;
        tuning_gains gains;
        for (std::size_t i = 0; i < n; ++i) {
            all.push_back(std::exp(5 * attune::uniform_unit(engine)));
            gains.add(all.back());
        }
        std::sort(all.begin(), all.end());
        CHECK(gains.count() == n);
        for (std::size_t const percent : {0U, 20U, 50U, 80U, 100U}) {
            std::size_t const rank = std::max<std::size_t>(1, (percent * n + 99) / 100);
            double const exact = all[rank - 1];
            double const got = *gains.quantile(static_cast<double>(percent) / 100);
            CHECK(std::abs(std::log(got / exact)) <= std::log(1.05) / 2 + 1e-12);
        }
    }
    CHECK(!tuning_gains{}.quantile(.5).has_value());
}

TEST_CASE("gains below 1 are 1, those that are none do not count")
{
    tuning_gains gains;
    gains.add(0.5);
    gains.add(std::numeric_limits<double>::infinity());
    gains.add(std::numeric_limits<double>::quiet_NaN());
    CHECK(gains.count() == 1);
    CHECK(gains.quantile(1) == 1.0);
    gains.add(1e30);
    CHECK(*gains.quantile(1) == doctest::Approx(1e9).epsilon(.03));
}

TEST_CASE("gains are read back from their text, sums are those of all")
{
    tuning_gains a;
    tuning_gains b;
    tuning_gains both;
    for (double const gain : {1.0, 2.0, 2.0, 7.0}) {
        a.add(gain);
        both.add(gain);
    }
    for (double const gain : {2.0, 30.0}) {
        b.add(gain);
        both.add(gain);
    }
    CHECK(a.text() == "0:1,14:2,40:1"); // 1.05^14 = 1.98, 1.05^40 = 7.04
    for (tuning_gains const& one : {a, b, both, tuning_gains{}}) {
        auto const again = tuning_gains::read(one.text());
        REQUIRE(again.has_value());
        CHECK(*again == one);
    }
    a.add_all(b);
    CHECK(a == both);
    for (char const* const bad :
         {"x", "1", "1:", ":1", "1:0", "-1:1", "2:1,1:1", "1:1,1:1", "1:1,", " 1:1", "500:1"}) {
        CAPTURE(bad);
        CHECK(!tuning_gains::read(bad).has_value());
    }
}
