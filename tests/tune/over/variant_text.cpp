// tests/tune/over/variant_text.cpp - what processes tell each other of a variant, and of the end.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/variant_text.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace attune::detail;

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
