// tests/tune/finals.cpp - who takes part in the final, and who wins it.
// SPDX-License-Identifier: MIT
#include <attune/tune/finals.hpp>
// and what the test needs besides
#include <attune/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "../measure/scripted_clocks.hpp"

using attune::judge;
using attune::leaders;
using attune::measurement;
using attune::round_times;
using attune::verdict;

namespace {

attune::finalist candidate(std::uint32_t name, measurement time, std::string const& key = {})
{
    attune::callable code{};
    code.object_key = key.empty() ? std::to_string(name) : key;
    return {{attune::coordinate{name}}, time, code};
}

measurement about(double value) { return {value, 0.98 * value, 1.02 * value, 20}; }

std::vector<std::uint32_t> names(leaders& all)
{
    std::vector<std::uint32_t> out;
    for (attune::finalist const& f : all.all())
        out.push_back(f.at[0].index);
    return out;
}

/// Times of a final between runs whose true median times are known, 2 % noise.
round_times final_of(std::vector<double> const& truth, attune::random_engine& engine)
{
    attune_test::scripted_clocks clocks;
    std::vector<std::function<void()>> runs;
    for (double const t : truth)
        runs.emplace_back(
            [&, t] { clocks.pass(t * (0.98 + 0.04 * attune::uniform_unit(engine))); });
    attune::round_robin_options options = attune::final_options(truth.size(), 1e9);
    return attune::round_robin_with(clocks, options, [] {}, runs);
}

bool ties_with(verdict const& v, std::size_t i)
{
    return std::find(v.ties.begin(), v.ties.end(), i) != v.ties.end();
}

} // namespace

TEST_CASE("the leaders are those whose interval reaches that of the best")
{
    leaders all(about(10), "default");
    all.consider(candidate(1, about(8)));
    all.consider(candidate(2, about(7.9)));
    all.consider(candidate(3, about(9)));
    CHECK(names(all) == std::vector<std::uint32_t>{2, 1});
    all.consider(candidate(4, about(5))); // far better: the others are out
    CHECK(names(all) == std::vector<std::uint32_t>{4});
    all.consider(candidate(5, {5.5, 4.9, 7, 6})); // imprecise: it may be better
    CHECK(names(all) == std::vector<std::uint32_t>{4, 5});
}

TEST_CASE("there are only so many leaders, the ones measured fastest")
{
    leaders all(about(10), "default");
    for (std::uint32_t i = 0; i < 10; ++i)
        all.consider(candidate(i, about(8 - 0.01 * static_cast<double>(i))));
    CHECK(names(all) == std::vector<std::uint32_t>{9, 8, 7, 6});
    CHECK(leaders::most == 4);
}

TEST_CASE("what is slower than the default, or the same code as another, is no leader")
{
    leaders all(about(10), "default");
    all.consider(candidate(1, about(11)));
    all.consider(candidate(2, about(9), "default"));
    CHECK(names(all).empty());
    all.consider(candidate(3, about(9), "x"));
    all.consider(candidate(4, about(9), "x"));
    all.consider(candidate(5, about(9)));
    CHECK(names(all) == std::vector<std::uint32_t>{3, 5});
}

TEST_CASE("the fastest wins when it is proven faster than the default")
{
    attune::random_engine engine(3);
    verdict const v = judge(final_of({1.0, 0.8, 0.7, 0.9}, engine));
    CHECK(v.winner == 2);
    CHECK(v.ties.empty());
    CHECK(v.ratio.value == doctest::Approx(0.7).epsilon(0.03));
    CHECK(v.ratio.low <= v.ratio.value);
    CHECK(v.ratio.high < 1);
}

TEST_CASE("the default stays when nothing is proven faster, and ties are told")
{
    attune::random_engine engine(3);
    verdict const slower = judge(final_of({1.0, 1.2, 1.3}, engine));
    CHECK(slower.winner == 0);
    CHECK(slower.ties.empty());
    verdict const equal = judge(final_of({1.0, 1.0, 1.3}, engine));
    CHECK(equal.winner == 0);
    CHECK(equal.ties == std::vector<std::size_t>{1});
}

TEST_CASE("too few rounds prove nothing")
{
    round_times times(2);
    for (int round = 0; round < 5; ++round) {
        times.add(0, 2.0);
        times.add(1, 1.0);
    }
    CHECK(judge(times).winner == 0);
    times.add(0, 2.0);
    times.add(1, 1.0);
    CHECK(judge(times).winner == 1);
}

TEST_CASE("against the truth: the default is hardly ever replaced by what is no better")
{
    attune::random_engine engine(17);
    int replaced = 0;
    int const trials = 1000;
    for (int t = 0; t < trials; ++t)
        replaced += judge(final_of({1, 1, 1, 1, 1}, engine)).winner != 0 ? 1 : 0;
    CHECK(replaced <= 0.05 * trials);
}

TEST_CASE("against the truth: equals tie, others do not")
{
    attune::random_engine engine(19);
    int missing = 0;
    int wrong = 0;
    int lost = 0;
    int const trials = 500;
    for (int t = 0; t < trials; ++t) {
        // 1, 2 and 3 are equal and best; 4 is 5 % slower; the default is far slower.
        verdict const v = judge(final_of({2, 1, 1, 1, 1.05}, engine));
        lost += v.winner == 0 || v.winner == 4 ? 1 : 0;
        for (std::size_t i = 1; i <= 3; ++i)
            if (i != v.winner && !ties_with(v, i)) {
                ++missing;
                break;
            }
        wrong += ties_with(v, 4) || ties_with(v, 0) ? 1 : 0;
    }
    CHECK(lost == 0);
    CHECK(missing <= 0.05 * trials);
    CHECK(wrong <= 0.01 * trials);
}
