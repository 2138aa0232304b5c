// tests/tune/over/variant_text.cpp - what processes tell each other, and which processes may tune one kernel together.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../support/texts.hpp"

using namespace attune::detail;
using attune_test::has;

namespace {

tried_variant a_variant()
{
    tried_variant out;
    out.made.code.object_key = "key";
    out.made.code.compile_s = 0.25;
    out.made.code.from_cache = true;
    out.made.first_run_s = 1e-3;
    out.made.timing = {
        .times = {1e-3, 2e-3}, .disturbed = {1}, .runs = 3, .threads = 4, .clock = "wall"};
    out.features = {1, std::numeric_limits<double>::quiet_NaN()};
    return out;
}

constexpr auto tile = attune::ordinal<"TILE">(attune::range(1, 8));

process_identity one(int rank, std::string const& machine = "Fast 1")
{
    attune::record_key key{.kernel = "gemm",
                           .source = "a1",
                           .schema = "b2",
                           .compiler = "clang 19",
                           .device = machine,
                           .signature = "c3",
                           .setting = {{"cache", "cold"}}};
    return identity_of(key, attune::build(attune::space(tile)).describe(),
                       "rank " + std::to_string(rank) + " on node" + std::to_string(rank / 2));
}

std::string refusal(std::vector<process_identity> const& all)
{
    return attune_test::error_of([&] { refuse_unlike(all); });
}

} // namespace

TEST_CASE("a variant comes back from its text")
{
    tried_variant const given = a_variant();
    tried_variant back;
    back.at = attune::point(2);
    read_variant(text_of_variant(given, 10000), back);
    CHECK(back.at.size() == 2); // not touched
    CHECK(back.made.code.object_key == "key");
    CHECK(back.made.code.compile_s == 0.25);
    CHECK(back.made.code.from_cache);
    CHECK(back.made.code.address == nullptr);
    CHECK(back.made.first_run_s == 1e-3);
    CHECK(std::isnan(back.made.bounded.error));
    CHECK(back.made.timing == given.made.timing);
    REQUIRE(back.features.size() == 2);
    CHECK(back.features[0] == 1);
    CHECK(std::isnan(back.features[1]));
}

TEST_CASE("single times are left out where the text would be too long")
{
    tried_variant given = a_variant();
    given.made.timing.times.assign(5000, 1.0 / 3);
    std::string const text = text_of_variant(given, 1000);
    CHECK(text.size() <= 1000);
    tried_variant back;
    read_variant(text, back);
    CHECK(back.made.timing.times.empty());
    CHECK(back.made.timing.threads == 4);
}

TEST_CASE("the end of a tuning comes back from its text, and damage is an error")
{
    found_elsewhere given;
    given.at = attune::point{{.index = 3}, {.index = 0, .real = 0.5}};
    attune::tuning_report& r = given.report;
    r.kernel = "gemm";
    r.compiler = "clang";
    r.how = attune::decision::tuned;
    r.configuration = "TILE=4";
    r.default_configuration = "TILE=1";
    r.best = {1, 0.9, 1.1, 30};
    r.default_time = {2, 1.9, 2.1, 30};
    r.speedup = 2;
    r.speedup_low = 1.8;
    r.speedup_high = 2.2;
    r.ties = {"TILE=8"};
    r.log2_space_size = 5;
    r.left_share = 0.25;
    r.evaluations = 20;
    r.same_code = 1;
    r.compiled = 18;
    r.from_cache = 2;
    r.failures[1] = 3;
    r.first_failures = {{attune::failure_stage::compile, "no", "a log"}};
    r.isolation = "fork";
    r.elapsed_s = 12;
    r.interrupted = true;
    r.notices = {"one", "two"};
    std::string const text = text_of_found(given);
    found_elsewhere const back = read_found(text);
    CHECK(back.at == given.at);
    CHECK(back.report.summary() == r.summary());
    CHECK(back.report.how == r.how);
    CHECK(back.report.configuration == r.configuration);
    CHECK(back.report.default_configuration == r.default_configuration);
    CHECK(back.report.best.high == 1.1);
    CHECK(back.report.speedup_low == 1.8);
    CHECK(back.report.ties == r.ties);
    CHECK(back.report.left_share == 0.25);
    CHECK(back.report.failures == r.failures);
    CHECK(back.report.first_failures.front().log == "a log");
    CHECK(back.report.interrupted);
    CHECK(back.report.notices == r.notices);
    CHECK(read_found(text_of_found({})).at == std::nullopt);
    for (std::size_t length = 0; length < text.size(); length += 7)
        CHECK_THROWS_AS(static_cast<void>(read_found(text.substr(0, length))), std::runtime_error);
}

TEST_CASE("processes that are alike are not refused, also as text")
{
    std::vector<process_identity> all;
    for (int i = 0; i < 4; ++i)
        all.push_back(read_identity(text_of_identity(one(i))));
    CHECK(all[3].name == "rank 3 on node1");
    CHECK(all[3].machine == "Fast 1");
    CHECK(all[3].facts == one(0).facts);
    CHECK(all[3].space == one(0).space);
    CHECK(refusal(all).empty());
    CHECK_THROWS_AS(static_cast<void>(read_identity("nonsense")), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(read_identity("")), std::runtime_error);
}

TEST_CASE("unlike machines are refused with a line for each, and who is on it")
{
    std::vector<process_identity> const all{one(0), one(1, "Slow 2"), one(2), one(3, "Slow 2")};
    std::string const said = refusal(all);
    CAPTURE(said);
    CHECK(has(said, "the ranks are on unlike machines"));
    CHECK(has(said, "Fast 1: rank 0 on node0, rank 2 on node1\n"));
    CHECK(has(said, "Slow 2: rank 1 on node0, rank 3 on node1"));
    std::vector<process_identity> many;
    for (int i = 0; i < 100; ++i)
        many.push_back(one(i, i == 99 ? "Odd" : "Fast 1"));
    CHECK(has(refusal(many), "rank 7 on node3 and 91 more"));
    CHECK(has(refusal(many), "Odd: rank 99 on node49"));
}

TEST_CASE("a process that differs in anything but its machine is named, with both values")
{
    process_identity other = one(1);
    other.facts[1].second = "clang 18";
    CHECK(has(refusal({one(0), other}),
              "rank 1 on node0: its compiler is not that of rank 0 on node0: clang 18, not clang "
              "19"));
    other = one(1);
    other.facts.pop_back(); // warm
    CHECK(has(refusal({one(0), other}), "its cache is not that of rank 0 on node0: nothing, not "
                                        "cold"));
    CHECK(has(refusal({other, one(0)}), "its options are not those of rank 1 on node0"));
    other = one(1);
    other.space = space_of_rank(
        attune::build(attune::space(attune::ordinal<"TILE">(attune::range(1, 9)))).describe());
    CHECK(has(refusal({one(0), other}), "rank 1 on node0: its space is not that of rank 0"));
    other = one(1, "Slow 2");
    other.problem = "no compiler";
    CHECK(has(refusal({one(0), other}), "rank 1 on node0: no compiler"));
}
