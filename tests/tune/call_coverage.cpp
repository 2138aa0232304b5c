// tests/tune/call_coverage.cpp - the counts of calls are those of a test that counts by itself.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../support/texts.hpp"
#include "../support/tuned_add.hpp"

using namespace attune_test;

namespace {

std::string text_of_length(std::size_t n)
{
    std::string const elements = " has " + std::to_string(n) + " elements";
    return "argument 0" + elements + ", argument 1" + elements;
}

} // namespace

TEST_CASE("random calls of a variant that is wrong for some lengths: counts are the test's own")
{
    for (attune::miss_policy const policy :
         {attune::miss_policy::tune_if_missing, attune::miss_policy::tune_in_background}) {
        attune::tuning_options options = quick_options();
        options.on_miss = policy;
        auto add = tuned_add(options);
        add_data of;
        CHECK(add.report().coverage.calls == 0);
        std::mt19937 random(7);
        std::vector<std::size_t> const pool{1'024, 1'000, 515, 999, 67, 64, 32, 3, 2'048};
        std::uint64_t by_winner = 0;
        std::map<std::string, std::uint64_t> rest;
        constexpr std::uint64_t calls = 4'000;
        for (std::uint64_t i = 0; i < calls; ++i) {
            std::size_t const n = i == 0 ? 1'024 : pool[random() % pool.size()];
            if (of.call(add, n) == 'f')
                ++by_winner;
            else
                ++rest[text_of_length(n)];
            // What a call runs while a thread changes the code of its shape counts for either.
            if (i <= 40) add.wait();
        }
        REQUIRE(add.report().how == attune::decision::tuned);
        attune::call_coverage const seen = add.report().coverage;
        INFO(seen.text());
        CHECK(seen.calls == calls);
        CHECK(seen.by_winner == by_winner);
        CHECK(by_winner > 0);
        CHECK(seen.more_shapes == 0);
        CHECK(seen.rest.size() == rest.size());
        for (attune::uncovered_calls const& one : seen.rest) {
            CAPTURE(one.shape);
            CHECK(one.calls == rest[one.shape]);
            CHECK(!one.why.empty());
            CHECK(one.seconds > 0);
        }
        CHECK(seen.rest.front().calls > 100); // one of those for which the variant is wrong
        CHECK(has(seen.rest.front().why, "the variant is wrong where"));
        CHECK(seen.winner_s > 0);
        CHECK(seen.seconds > seen.winner_s);
        CHECK(has(seen.text(), "ran the winner; the rest: "));
    }
}

TEST_CASE("a default that nothing beats is the winner")
{
    attune::kernel<accumulate_signature> const kernel = accumulate_kernel(ways<usual, wrong>());
    attune::tuned call{kernel, accumulate_compiler(), quick_options()};
    accumulate_data of;
    for (int i = 0; i < 10; ++i)
        call(of.x, of.y, 3.0);
    REQUIRE(call.report().how == attune::decision::kept_default);
    attune::call_coverage const seen = call.report().coverage;
    CHECK(seen.calls == 10);
    CHECK(seen.by_winner == 10);
    CHECK(seen.rest.empty());
    CHECK(seen.text() == "the winner ran all calls: 10");
}

TEST_CASE("calls without a tuning say why the default serves, and prepare() is no call")
{
    attune::tuning_options options = quick_options();
    options.on_miss = attune::miss_policy::lookup_only;
    auto add = tuned_add(options);
    add_data of;
    for (int i = 0; i < 5; ++i)
        CHECK(of.call(add, 128) == 'u');
    attune::call_coverage const before = add.report().coverage;
    CHECK(before.calls == 5);
    CHECK(before.by_winner == 0);
    REQUIRE(before.rest.size() == 1);
    CHECK(before.rest[0].shape == text_of_length(128));
    CHECK(has(before.rest[0].why, "not tuned"));
    static_cast<void>(add.tune(std::span<int const>(of.x).first(128), std::span(of.y).first(128)));
    CHECK(add.report().coverage.calls == 5);
    CHECK(of.call(add, 128) == 'f');
    attune::call_coverage const after = add.report().coverage;
    CHECK(after.calls == 6);
    CHECK(after.by_winner == 1);
    REQUIRE(after.rest.size() == 1);
    CHECK(after.rest[0].calls == 5);
    CHECK(after.rest[0].why.starts_with("earlier, "));
}

TEST_CASE("threads that call a known shape are counted")
{
    auto add = tuned_add(quick_options());
    add_data of;
    of.call(add, 1'024);
    constexpr std::uint64_t of_each = 2'000;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&add] {
            add_data mine;
            for (std::uint64_t i = 0; i < of_each; ++i)
                add(std::span<int const>(mine.x).first(1'024), std::span(mine.y).first(1'024));
        });
    threads.clear();
    attune::call_coverage const seen = add.report().coverage;
    CHECK(seen.calls > of_each); // counts of threads that share a row may be lost
    CHECK(seen.calls <= 2 * of_each + 1);
}
