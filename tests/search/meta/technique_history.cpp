// tests/search/meta/technique_history.cpp : mirrors include/attune/search/meta/technique_history.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/technique_history.hpp>

#include <attune/search/meta/space_structure.hpp>

#include <doctest/doctest.h>
#include <string>
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
    for (std::string const bad : {"",
                                  "k",
                                  "k\tx",
                                  "k\tordinal.1*1",
                                  "k\tordinal.1*1\tx",
                                  "k\tordinal.1*1\t1\ta",
                                  "k\tordinal.1*1\t1\ta\t1",
                                  "k\tordinal.1*1\t1\ta\t1\t2",
                                  "k\tordinal.1*1\t1\ta\t1\t-1",
                                  "k\tordinal.1*1\t1\ta\t1\t0\t",
                                  "k\tordinal.1*1\t1\ta\t1\tx"}) {
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
