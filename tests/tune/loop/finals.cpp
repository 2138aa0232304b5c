// tests/tune/loop/finals.cpp - who takes part in the final, and who wins it.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/finals.hpp>
// and what the test needs besides
#include <attune/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "../../measure/scripted_clocks.hpp"
#include "../../support/rounds.hpp"

using attune::measurement;
using attune::round_times;
using attune::detail::final_result;
using attune::detail::leaders;
using attune::detail::result_of_final;

namespace {

attune::detail::finalist candidate(std::uint32_t name, measurement time,
                                   std::string const& key = {})
{
    attune::callable code{};
    code.object_key = key.empty() ? std::to_string(name) : key;
    return {{attune::coordinate{name}}, time, code};
}

measurement about(double value) { return {value, 0.98 * value, 1.02 * value, 20}; }

std::vector<std::uint32_t> names(leaders& all)
{
    std::vector<std::uint32_t> out;
    for (attune::detail::finalist const& f : all.all())
        out.push_back(f.at[0].index);
    return out;
}

/// Times of a final between runs that take so many seconds, times a factor at each time of the
/// clock.
round_times final_by(std::vector<double> const& seconds, double limit_s, auto const& factor)
{
    attune_test::scripted_clocks clocks;
    std::vector<std::function<void()>> runs;
    for (double const s : seconds)
        runs.emplace_back([&, s] { clocks.pass(s * factor(clocks.wall)); });
    return attune::detail::time_in_turns_with(
        clocks, attune::detail::final_options(seconds.size(), limit_s), [] {}, runs);
}

/// Of runs whose true median times are known, 2 % noise.
round_times final_of(std::vector<double> const& truth, attune::random_engine& engine)
{
    return final_by(truth, 1e9, [&](double) { return 0.98 + 0.04 * attune::uniform_unit(engine); });
}

bool ties_with(final_result const& v, std::size_t i)
{
    return std::find(v.ties.begin(), v.ties.end(), i) != v.ties.end();
}

} // namespace

TEST_CASE("the leaders are those whose interval reaches that of the best")
{
    leaders all(about(10), "default");
    all.consider(candidate(1, about(8)));
    all.consider(candidate(2, about(7.9)));
    all.consider(candidate(3, about(12)));
    CHECK(names(all) == std::vector<std::uint32_t>{2, 1});
    all.consider(candidate(4, about(5))); // far better: the others are out
    CHECK(names(all) == std::vector<std::uint32_t>{4});
    all.consider(candidate(5, {7.5, 6.6, 9, 6})); // imprecise: it may be better
    CHECK(names(all) == std::vector<std::uint32_t>{4, 5});
    CHECK(all.take_substitute()->at[0].index == 2); // the best of those that are out
    CHECK(!all.take_substitute());
}

TEST_CASE("the best is a leader though it was timed while all took a third longer, and others not")
{
    leaders all(about(10), "default");
    all.consider(candidate(1, about(4.2)));
    all.consider(candidate(2, about(4 * 4 / 3.0)));
    all.consider(candidate(3, about(4.1)));
    CHECK(names(all) == std::vector<std::uint32_t>{3, 1, 2});
    leaders fast_default(about(3), "default"); // timed while nobody else ran
    fast_default.consider(candidate(1, about(2.9 * 4 / 3.0)));
    CHECK(names(fast_default) == std::vector<std::uint32_t>{1});
}

TEST_CASE("there are only so many leaders, the ones measured fastest")
{
    leaders all(about(10), "default");
    for (std::uint32_t i = 0; i < 10; ++i)
        all.consider(candidate(i, about(8 - 0.01 * static_cast<double>(i))));
    CHECK(names(all) == std::vector<std::uint32_t>{9, 8, 7, 6, 5, 4, 3, 2});
    CHECK(leaders::most == 8);
}

TEST_CASE("what is slower than the default, or the same code as another, is no leader")
{
    leaders all(about(10), "default");
    all.consider(candidate(1, about(14)));
    all.consider(candidate(2, about(9), "default"));
    CHECK(names(all).empty());
    all.consider(candidate(3, about(9), "x"));
    all.consider(candidate(4, about(9), "x"));
    all.consider(candidate(5, about(9)));
    CHECK(names(all) == std::vector<std::uint32_t>{3, 5});
}

TEST_CASE("what stays is a leader whatever its time, and takes the place of another")
{
    leaders all(about(10), "default");
    attune::detail::finalist known = candidate(9, about(30));
    known.stays = true;
    all.consider(known);
    CHECK(names(all) == std::vector<std::uint32_t>{9});
    for (std::uint32_t i = 0; i < 9; ++i)
        all.consider(candidate(10 + i, about(8 - 0.01 * static_cast<double>(i))));
    CHECK(names(all) == std::vector<std::uint32_t>{18, 17, 16, 15, 14, 13, 12, 9});
    attune::detail::finalist equal = candidate(7, about(30), "15");
    equal.stays = true;
    all.consider(equal); // the code of 15, which stays now
    all.consider(candidate(8, about(1)));
    CHECK(names(all) == std::vector<std::uint32_t>{8, 15, 9});
}

TEST_CASE("the fastest wins when it is proven faster than the default")
{
    attune::random_engine engine(3);
    final_result const v = result_of_final(final_of({1.0, 0.8, 0.7, 0.9}, engine));
    CHECK(v.winner == 2);
    CHECK(v.ties.empty());
    CHECK(v.ratio.value == doctest::Approx(0.7).epsilon(0.03));
    CHECK(v.ratio.low <= v.ratio.value);
    CHECK(v.ratio.high < 1);
}

TEST_CASE("the default stays when nothing is proven faster, and ties are told")
{
    attune::random_engine engine(3);
    final_result const slower = result_of_final(final_of({1.0, 1.2, 1.3}, engine));
    CHECK(slower.winner == 0);
    CHECK(slower.ties.empty());
    final_result const equal = result_of_final(final_of({1.0, 1.0, 1.3}, engine));
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
    CHECK(result_of_final(times).winner == 0);
    CHECK(result_of_final(times).ties.empty()); // and two that differ in all of them are no equals
    CHECK(attune::detail::want_of_rounds(result_of_final(times), 2) ==
          "the final had time for only 5 rounds of the 6 that can prove a difference: a "
          "configuration that was 2.00x faster than the default in them is not installed; tune "
          "with more seconds");
    times.add(0, 2.0);
    times.add(1, 1.0);
    CHECK(result_of_final(times).winner == 1);
    CHECK(attune::detail::want_of_rounds(result_of_final(times), 2).empty());
}

TEST_CASE("no winner is slower than the guard, also where the interval proves nothing")
{
    round_times times(3);
    for (double const part : {1.00, 0.99, 1.02, 0.98}) {
        times.add(0, 1.0);
        times.add(1, 0.9 * part);
        times.add(2, 1.1);
    }
    CHECK(result_of_final(times).winner == 0);
    CHECK(result_of_final(times, 0, 1).winner == 1);
    CHECK(result_of_final(times, 0, 2).winner == 0); // the guard is slower
}

TEST_CASE("too few rounds are no reason where nothing looked faster, and ties remain ties")
{
    round_times times(2);
    for (double const other : {1.01, 0.99, 1.02}) {
        times.add(0, 1.0);
        times.add(1, other);
    }
    CHECK(result_of_final(times).winner == 0);
    CHECK(result_of_final(times).ties == std::vector<std::size_t>{1});
    CHECK(attune::detail::want_of_rounds(result_of_final(times), 2).empty());
}

TEST_CASE("who left the final early is not the winner because the machine slowed down later")
{
    // 1.2 leaves after ten rounds, proven slower than 1; a little later all takes a quarter longer.
    for (std::vector<double> const& truth :
         {std::vector<double>{2.0, 1.0, 1.03, 1.2}, {2.0, 1.2, 1.0, 1.03}, {2.0, 1.03, 1.2, 1.0}}) {
        attune::random_engine engine(23);
        double const begin_s = attune_test::scripted_clocks{}.wall;
        round_times const times = final_by(truth, 1e9, [&](double now_s) {
            double const slowness = now_s > begin_s + 70 ? 1.25 : 1;
            return slowness * (0.98 + 0.04 * attune::uniform_unit(engine));
        });
        std::size_t const quickest = truth[1] == 1.0 ? 1 : truth[2] == 1.0 ? 2 : 3;
        std::size_t const slow = truth[1] == 1.2 ? 1 : truth[2] == 1.2 ? 2 : 3;
        REQUIRE(times.rounds(slow) < times.rounds(quickest) / 2);
        REQUIRE(times.time(slow).value < times.time(quickest).value); // what must not count
        final_result const v = result_of_final(times);
        CHECK(v.winner == quickest);
        CHECK(v.best == quickest);
        CHECK(!ties_with(v, slow));
    }
}

TEST_CASE("the times of a result are of the same rounds: their quotient is the ratio")
{
    round_times times(2);
    for (int round = 0; round < 10; ++round) {
        times.add(0, 2.0);
        times.add(1, 1.0 + 0.001 * round);
    }
    for (int round = 0; round < 30; ++round) // the default is out, the machine slows down
        times.add(1, 4.0);
    final_result const v = result_of_final(times);
    CHECK(v.winner == 1);
    CHECK(v.ratio.value == doctest::Approx(1.0045 / 2));
    CHECK(v.time.value == 4.0);
    CHECK(v.default_time.value == doctest::Approx(4.0 * 2 / 1.0045));
    CHECK(v.default_time.low <= v.default_time.value);
    CHECK(v.default_time.value <= v.default_time.high);
    CHECK(v.default_time.samples == 10);

    round_times stays(2);
    for (int round = 0; round < 10; ++round) {
        stays.add(0, 2.0);
        stays.add(1, 3.0);
    }
    CHECK(result_of_final(stays).time.value == 2.0);
    CHECK(result_of_final(stays).default_time.value == 2.0);
}

TEST_CASE("against the truth: the default is hardly ever replaced by what is no better")
{
    attune::random_engine engine(17);
    int replaced = 0;
    int const trials = attune_test::rounds(200, 1000);
    for (int t = 0; t < trials; ++t)
        replaced += result_of_final(final_of({1, 1, 1, 1, 1}, engine)).winner != 0 ? 1 : 0;
    CHECK(replaced <= 0.05 * trials);
}

TEST_CASE("against the truth: equals tie, others do not")
{
    attune::random_engine engine(19);
    int missing = 0;
    int wrong = 0;
    int lost = 0;
    int const trials = attune_test::rounds(100, 500);
    for (int t = 0; t < trials; ++t) {
        // 1, 2 and 3 are equal and best; 4 is 5 % slower; the default is far slower.
        final_result const v = result_of_final(final_of({2, 1, 1, 1, 1.05}, engine));
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

TEST_CASE(
    "a final of slow kernels proves who is faster, also while all takes far longer than before")
{
    double const default_s = 0.184;
    double const best_s = 0.045;
    for (double const slowdown : {1.0, 1.4, 1.8}) {
        CAPTURE(slowdown);
        double const limit_s = attune::detail::final_limit_s(60, default_s, best_s);
        auto const slow = [&](double) { return slowdown; };
        CHECK(result_of_final(final_by({default_s, best_s}, limit_s, slow)).winner == 1);
    }
}

TEST_CASE(
    "who fits into a final can be told apart there, also while all takes nearly twice as long")
{
    for (std::size_t contestants = 2; contestants <= 1 + leaders::most; ++contestants) {
        CAPTURE(contestants);
        // All are so near to the best that none leaves before the end.
        std::vector<double> seconds(contestants, 0.0105);
        seconds.front() = 0.011;
        seconds.back() = 0.010;
        double round_s = 0;
        for (double const s : seconds)
            round_s += s;
        double limit_s = 1;
        while (!attune::detail::fits_final(contestants, round_s, limit_s))
            limit_s *= 1.01;
        while (attune::detail::fits_final(contestants, round_s, limit_s))
            limit_s /= 1.01;
        auto const slow = [](double) { return 1.9; };
        CHECK(result_of_final(final_by(seconds, 1.01 * limit_s, slow)).winner == contestants - 1);
    }
}

TEST_CASE("a final takes a tenth of the budget or two seconds, for slow kernels up to a quarter")
{
    using attune::detail::final_limit_s;
    CHECK(final_limit_s(5, 1e-3, 1e-3) == 0.5);
    CHECK(final_limit_s(60, 1e-3, 1e-3) == 2);
    CHECK(final_limit_s(60, 100, 1) == 15);
}

TEST_CASE("a passenger wins nothing and ties with nobody")
{
    attune::random_engine engine(29);
    round_times const times = final_of({2.0, 1.5, 1.0}, engine);
    final_result const v = result_of_final(times, 1);
    CHECK(v.winner == 1);
    CHECK(v.best == 1);
    CHECK(v.ties.empty());
    CHECK(result_of_final(times).winner == 2);
    final_result const stays = result_of_final(final_of({1.0, 0.5}, engine), 1);
    CHECK(stays.winner == 0);
    CHECK(stays.time.value == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("a final is as unsure as the others may be faster")
{
    round_times times(3);
    for (int round = 0; round < 30; ++round) {
        times.add(0, 2.0);
        times.add(1, 1.0);
        times.add(2, round % 2 == 0 ? 1.3 : 0.8); // a little slower by the median
    }
    final_result const v = result_of_final(times);
    CHECK(v.winner == 1);
    CHECK(v.ties == std::vector<std::size_t>{2});
    CHECK(v.unsure == doctest::Approx(1 / 0.8 - 1));
    attune::random_engine engine(31);
    CHECK(result_of_final(final_of({2, 1, 1.2}, engine)).unsure == 0);
}
