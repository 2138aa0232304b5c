// tests/search/meta/recommendation.cpp : mirrors include/attune/search/meta/recommendation.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/recommendation.hpp>

#include <attune/core/random.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using attune::search::ranked_by_affinity;
using attune::search::recommend_next;
using attune::search::recommend_start;
using attune::search::recommend_strategy;
using attune::search::search_affinity;
using attune::search::space_structure;
using attune::search::technique_advice;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

space_structure const one_permutation{{{"permutation", 62, 1}}};
space_structure const settings{{{"boolean", 1, 20}, {"integer", 3, 10}}};

/// Table 6.1 of the thesis.
technique_history thesis()
{
    technique_history out;
    out.add({.label = "dg42",
             .structure = one_permutation,
             .uses = {{"PSO-OX3", 100, 35},
                      {"GA-OX3", 100, 25},
                      {"GA-inv", 100, 5},
                      {"DE", 100, 10},
                      {"PSO-inv", 100, 10}}});
    // A search more, so that it is the first of the two with one permutation, as in the thesis.
    for (int half = 0; half < 2; ++half)
        out.add({.label = "br17",
                 .structure = one_permutation,
                 .uses = {{"PSO-OX3", 50, 5},
                          {"GA-OX3", 50, half == 0 ? 7U : 8U},
                          {"GA-inv", 50, 20},
                          {"DE", 50, 8},
                          {"PSO-inv", 50, half == 0 ? 17U : 18U}}});
    out.add({.label = "PBsort",
             .structure = settings,
             .uses = {{"PSO-OX3", 100, 2},
                      {"GA-OX3", 100, 10},
                      {"GA-inv", 100, 11},
                      {"DE", 100, 50},
                      {"PSO-inv", 100, 1}}});
    return out;
}

std::vector<std::string> names(std::vector<technique_advice> const& advice)
{
    std::vector<std::string> out;
    for (technique_advice const& a : advice)
        out.push_back(a.technique);
    return out;
}

} // namespace

TEST_CASE("the thesis' example begins with the three best of br17")
{
    auto const start = recommend_start(thesis(), one_permutation, 3);
    CHECK(names(start) == std::vector<std::string>{"GA-inv", "PSO-inv", "DE"});
    CHECK(start[0].problem == "br17");
    CHECK(start[0].distance == 0.0);
    CHECK(start[0].affinity == doctest::Approx(.4));
}

TEST_CASE("the thesis' example goes on with PSO-OX3 of dg42")
{
    std::vector<technique_use> const uses = {
        {"GA-inv", 100, 9}, {"PSO-inv", 100, 30}, {"DE", 100, 10}};
    std::vector<std::string> const in_use = {"GA-inv", "PSO-inv", "DE"};
    auto const next = recommend_next(thesis(), uses, in_use);
    REQUIRE(next.has_value());
    CHECK(next->technique == "PSO-OX3");
    CHECK(next->problem == "dg42");
    CHECK(next->correlation == doctest::Approx(.54).epsilon(.01));
    CHECK(attune::search::advice_text(*next) ==
          "PSO-OX3: 0.35 new bests per request in 'dg42', where techniques do as they do here "
          "(correlation 0.54)");
}

TEST_CASE("techniques that cannot be made are passed over")
{
    auto const no_swarms = [](std::string_view name) { return !name.starts_with("PSO"); };
    CHECK(names(recommend_start(thesis(), one_permutation, 3, no_swarms)) ==
          std::vector<std::string>{"GA-inv", "DE", "GA-OX3"});
    std::vector<technique_use> const uses = {
        {"GA-inv", 100, 9}, {"PSO-inv", 100, 30}, {"DE", 100, 10}};
    std::vector<std::string> const in_use = {"GA-inv", "PSO-inv", "DE"};
    auto const next = recommend_next(thesis(), uses, in_use, no_swarms);
    REQUIRE(next.has_value());
    CHECK(next->technique == "GA-OX3");
    auto const nothing = [](std::string_view) { return false; };
    CHECK(recommend_start(thesis(), one_permutation, 3, nothing).empty());
    CHECK(!recommend_next(thesis(), uses, in_use, nothing).has_value());
}

TEST_CASE("what the nearest problem cannot fill comes from the next one")
{
    technique_history past;
    past.add({.label = "near", .structure = one_permutation, .uses = {{"a", 10, 1}}});
    past.add({.label = "far", .structure = settings, .uses = {{"b", 10, 9}, {"a", 10, 8}}});
    CHECK(names(recommend_start(past, one_permutation, 5)) == std::vector<std::string>{"a", "b"});
    CHECK(recommend_start({}, one_permutation, 5).empty());
    CHECK(recommend_start(past, one_permutation, 0).empty());
}

TEST_CASE("a problem where techniques do the opposite recommends nothing")
{
    technique_history past;
    past.add({.label = "other",
              .structure = one_permutation,
              .uses = {{"a", 10, 1}, {"b", 10, 9}, {"c", 10, 10}}});
    std::vector<technique_use> const uses = {{"a", 10, 9}, {"b", 10, 1}};
    CHECK(!recommend_next(past, uses, std::vector<std::string>{"a", "b"}).has_value());
    // Nor does one before two techniques were asked.
    CHECK(!recommend_next(past, std::vector<technique_use>{{"a", 1, 0}}, {}).has_value());
}

TEST_CASE("of many techniques only those that are recommended are made")
{
    attune::search::representation many{.label = "many", .structure = one_permutation};
    for (std::size_t i = 0; i < 1000; ++i)
        many.uses.push_back({"t" + std::to_string(i), 10 + i % 3, i % 10});
    technique_history past;
    past.add(many);
    std::size_t asked = 0;
    auto const but_one = [&](std::string_view name) { return ++asked, name != "t9"; };
    auto const start = recommend_start(past, one_permutation, 4, but_one);
    REQUIRE(start.size() == 4);
    CHECK(asked <= 5);
    // A second implementation: sorted by all of affinity, requests and name.
    auto const ranked = ranked_by_affinity(past.representations()[0]);
    REQUIRE(ranked.size() == 1000);
    for (std::size_t i = 1; i < ranked.size(); ++i) {
        auto const key = [&](std::size_t at) {
            technique_use const& use = ranked[at];
            return std::tuple(-*search_affinity(use), -static_cast<double>(use.requests), use.name);
        };
        CHECK(key(i - 1) < key(i));
    }
    CHECK(ranked[0].new_bests == 9);
    CHECK(ranked[0].requests == 10);
}

TEST_CASE("of equally near problems the one with as many values recommends")
{
    auto const tours = [](std::uint32_t digits) {
        return space_structure{{{"permutation", digits, 1}}};
    };
    technique_history past;
    past.add({.label = "large", .structure = tours(300), .runs = 9, .uses = {{"a", 10, 1}}});
    past.add({.label = "medium", .structure = tours(57), .runs = 1, .uses = {{"b", 10, 1}}});
    past.add({.label = "small", .structure = tours(10), .runs = 9, .uses = {{"c", 10, 1}}});
    CHECK(names(recommend_start(past, tours(62), 3)) == std::vector<std::string>{"b", "c", "a"});
    CHECK(names(recommend_start(past, tours(309), 1)) == std::vector<std::string>{"a"});
}

TEST_CASE("the strategy that gained most where the space is most alike is recommended: brute force")
{
    attune::random_engine engine(11);
    std::size_t said = 0;
    std::size_t silent = 0;
    for (int round = 0; round < 300; ++round) {
        // A few problems, each with gains of up to four strategies.
        struct problem {
            space_structure structure;
            std::map<std::string, std::vector<double>> gains;
        };
        std::map<std::string, problem> problems;
        technique_history past;
        for (std::size_t k = attune::uniform_below(engine, 4); k > 0; --k) {
            std::string const label = "k" + std::to_string(k);
            problem& of = problems[label];
            // Distances of one kind are those of log10 of the counts: 10^k is k from 1.
            std::size_t const counts[] = {1, 10, 100};
            of.structure = {{{"ordinal", 2, counts[attune::uniform_below(engine, 3)]}}};
            for (std::size_t run = attune::uniform_below(engine, 14); run > 0; --run) {
                attune::search::representation one{.label = label, .structure = of.structure};
                std::string const by = "s" + std::to_string(attune::uniform_below(engine, 4));
                double const gain = 1 + static_cast<double>(attune::uniform_below(engine, 4));
                one.gains.add(gain);
                one.strategies = {{by, one.gains}};
                past.add(one);
                of.gains[by].push_back(gain);
            }
        }
        auto const usable = [](std::string_view name) { return name != "s3"; };
        auto const advice = recommend_strategy(past, {{{"ordinal", 2, 1}}}, usable);
        // The least distance of a problem that tells its strategies apart.
        auto const median = [](std::vector<double> gains) {
            std::sort(gains.begin(), gains.end());
            return gains[(gains.size() - 1) / 2]; // number ceil(n / 2)
        };
        double least = 1e9;
        auto const tells = [&](problem const& of) {
            double low = 1e9;
            double high = 0;
            for (auto const& [by, gains] : of.gains) {
                if (by == "s3" || gains.size() < 2) continue;
                low = std::min(low, median(gains));
                high = std::max(high, median(gains));
            }
            return low < high;
        };
        auto const distance_of = [](problem const& of) {
            return of.structure.parts[0].count == 1    ? 0.
                   : of.structure.parts[0].count == 10 ? 1.
                                                       : 4.;
        };
        for (auto const& [label, of] : problems)
            if (tells(of)) least = std::min(least, distance_of(of));
        REQUIRE(advice.has_value() == (least < 1e9));
        if (!advice) {
            ++silent;
            continue;
        }
        ++said;
        problem const& of = problems.at(advice->problem);
        CHECK(advice->distance == doctest::Approx(distance_of(of)));
        CHECK(advice->distance == doctest::Approx(least));
        CHECK(advice->strategy != "s3");
        double const gain = median(of.gains.at(advice->strategy));
        double const rival = median(of.gains.at(advice->rival));
        CHECK(rival < gain);
        CHECK(of.gains.at(advice->strategy).size() > 1);
        CHECK(of.gains.at(advice->rival).size() > 1);
        for (auto const& [by, gains] : of.gains) {
            if (by == "s3" || gains.size() < 2) continue;
            CHECK(median(gains) <= gain);
            CHECK((median(gains) == gain || median(gains) <= rival));
        }
        CHECK(advice->gain == doctest::Approx(gain).epsilon(.025)); // steps of 5 %
        CHECK(advice->rival_gain == doctest::Approx(rival).epsilon(.025));
        CHECK(advice->tunings == of.gains.at(advice->strategy).size());
        CHECK(advice->rival_tunings == of.gains.at(advice->rival).size());
    }
    CHECK(said > 100);
    CHECK(silent > 50);
}

namespace {

/// A tuning of one kernel for each gain.
void add_tunings(technique_history& past, std::string const& label,
                 std::vector<std::pair<std::string, double>> const& tunings)
{
    for (auto const& [by, gain] : tunings) {
        attune::search::representation one{.label = label, .structure = settings};
        one.gains.add(gain);
        one.strategies = {{by, one.gains}};
        past.add(one);
    }
}

} // namespace

TEST_CASE("the reason for a strategy names the one that gained less, and what is compared")
{
    technique_history past;
    add_tunings(past, "sgemm",
                {{"fast;a,1", 4}, {"fast;a,1", 4.1}, {"slow", 2}, {"slow", 2}, {"slower", 1}});
    CHECK(advice_text(*recommend_strategy(past, settings)) ==
          "fast;a,1: tunings made 'sgemm' (all its inputs and devices), whose space is the most "
          "alike of those whose strategies differ (distance 0), 3.92 times as fast by it (median "
          "of 2), 1.98 times as fast by slow (median of 2)");
}

TEST_CASE("gains that differ by one step of their resolution recommend no strategy")
{
    // What is counted is the nearest power of 1.05: 1.0246 is below the half of the first step,
    // 1.0248 above it.
    technique_history past;
    add_tunings(past, "sgemm", {{"a", 1.0248}, {"b", 1.0246}});
    CHECK(!recommend_strategy(past, settings));
    add_tunings(past, "sgemm", {{"a", 1.0248}, {"b", 1.0246}});
    CHECK(!recommend_strategy(past, settings));
    // Two steps, but one tuning alone.
    technique_history few;
    add_tunings(few, "sgemm", {{"a", 1.11}, {"a", 1.11}, {"b", 1.0}});
    CHECK(!recommend_strategy(few, settings));
    add_tunings(few, "sgemm", {{"b", 1.0}});
    REQUIRE(recommend_strategy(few, settings));
    CHECK(recommend_strategy(few, settings)->strategy == "a");
    // Of steps the brute force: b has the step s, a one that is more by 0, 1 or 2.
    for (int s = 0; s < 60; ++s)
        for (int more = 0; more <= 2; ++more) {
            technique_history steps;
            double const low = std::pow(1.05, s);
            double const high = std::pow(1.05, s + more);
            add_tunings(steps, "sgemm", {{"a", high}, {"a", high}, {"b", low}, {"b", low}});
            CHECK(recommend_strategy(steps, settings).has_value() == (more > 1));
        }
    // A strategy between the two is no rival of the best, and the next one is.
    add_tunings(few, "sgemm", {{"c", 1.055}, {"c", 1.055}});
    REQUIRE(recommend_strategy(few, settings));
    CHECK(recommend_strategy(few, settings)->rival == "b");
}

using attune::search::usual_gain_of;
using attune::search::usual_gain_text;

namespace {

space_structure const tiles{{{"ordinal", 1, 4}}};
space_structure const more_tiles{{{"ordinal", 1, 40}}};
space_structure const flags{{{"boolean", 1, 4}}};

void add(technique_history& to, std::string const& label, space_structure const& structure,
         std::vector<double> const& gains)
{
    for (double const gain : gains) {
        attune::search::representation one{.label = label, .structure = structure};
        one.gains.add(gain);
        to.add(one);
    }
}

technique_history past()
{
    technique_history out;
    add(out, "one", tiles, {1, 2, 4});
    add(out, "other", tiles, {8, 16});
    add(out, "poor", tiles, {1, 1});
    add(out, "wide", more_tiles, {32});
    add(out, "flags", flags, {64, 64});
    return out;
}

} // namespace

TEST_CASE("the gains of the most similar spaces are pooled, without those of the problem itself")
{
    auto const all = usual_gain_of(past(), tiles);
    REQUIRE(all.has_value());
    CHECK(all->problems == 3);
    CHECK(all->tunings == 7); // 1 1 1 2 4 8 16
    CHECK(all->distance == 0);
    CHECK(all->low == doctest::Approx(1));
    CHECK(all->median == doctest::Approx(2).epsilon(.025));
    CHECK(all->high == doctest::Approx(8).epsilon(.025));
    CHECK(!all->own.has_value());
    CHECK(!all->is_own_poor());

    auto const without = usual_gain_of(past(), tiles, "poor");
    REQUIRE(without.has_value());
    CHECK(without->problems == 2);
    CHECK(without->tunings == 5); // 1 2 4 8 16
    CHECK(without->median == doctest::Approx(4).epsilon(.025));
    CHECK(without->own == 1.0);
    CHECK(!without->is_own_poor()); // a fifth of the others gained as little

    // 40 parameters: log10 40 / 4 squared away from 4 of them, 0 from those of `wide`.
    auto const wide = usual_gain_of(past(), more_tiles, "wide");
    REQUIRE(wide.has_value());
    CHECK(wide->distance == doctest::Approx(1));
    CHECK(wide->tunings == 7);
    CHECK(*wide->own == doctest::Approx(32).epsilon(.025));
}

TEST_CASE("a space whose tunings gained less than four fifths of the others is said to be so")
{
    technique_history h;
    add(h, "good", tiles, {2, 2, 3, 4, 5});
    add(h, "mine", tiles, {1.1, 1.1, 1.1});
    auto const gain = usual_gain_of(h, tiles, "mine");
    REQUIRE(gain.has_value());
    CHECK(gain->is_own_poor());
    std::string const text = usual_gain_text(*gain);
    CHECK(text.starts_with("tuning usually makes such a space 3.07 times as fast"));
    CHECK(text.find("5 tunings of 1 kernel, distance 0; this one 1.1 times: less than four in") !=
          text.npos);
    auto const fine = usual_gain_of(h, tiles, "good");
    REQUIRE(fine.has_value());
    CHECK(!fine->is_own_poor());
    CHECK(usual_gain_text(*fine).ends_with("this one 3.07 times"));
}

TEST_CASE("without a gain of another problem nothing is said")
{
    CHECK(!usual_gain_of({}, tiles).has_value());
    technique_history h;
    add(h, "mine", tiles, {2});
    h.add({.label = "unknown", .structure = tiles});
    CHECK(!usual_gain_of(h, tiles, "mine").has_value());
    CHECK(usual_gain_of(h, tiles).has_value());
}
