// tests/tune/loop/online_bench.cpp - verified on a copy, timed in the program's own calls.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/online_bench.hpp>

#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "../../support/timed_bench.hpp"

using namespace attune::detail;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::array<char, 16> codes{}; // where code would be

attune::callable code_at(std::size_t i)
{
    return {&codes.at(i), nullptr, std::to_string(i), 0.001, "scripted"};
}

} // namespace

TEST_CASE(
    "online: at most a share of the time is lost, over 10,000 calls of 5 sizes whose speed drifts")
{
    constexpr double cap = 0.03;
    constexpr std::size_t sizes = 5;
    constexpr std::size_t ways = 12; // 0 serves; of the others some are faster
    std::atomic<double> now_s{0};
    struct size_state {
        std::array<double, ways> seconds{};
        attune_test::time_script on_copy{};
        std::unique_ptr<online_slot> slot{};
        std::atomic<bool> is_over{false};
        std::atomic<int> timed{0};
        std::size_t best = ways;
        double spent_s = 0;
        double lost_s = 0;
        std::thread tunes{};
    };
    std::array<size_state, sizes> all;
    for (std::size_t s = 0; s < sizes; ++s) {
        size_state& of = all[s];
        for (std::size_t w = 0; w < ways; ++w) {
            double const slower = w == 0 ? 1 : 0.6 + 0.15 * static_cast<double>((w * 5 + s) % 11);
            of.seconds[w] = slower * 1e-4 * static_cast<double>(s + 1);
            // A copy says something else: there, all are alike.
            of.on_copy.seconds[&codes[w]] = 1e-4;
        }
        of.slot = std::make_unique<online_slot>(&codes[0], cap, [&now_s] { return now_s.load(); });
        of.tunes = std::thread([&of] {
            online_bench bench{std::make_unique<attune_test::timed_bench>(of.on_copy), *of.slot,
                               code_at(0), 0.01, [] { return 1e9; }};
            (void)bench.establish(code_at(0), 1);
            std::vector<attune::callable> leaders{code_at(0)};
            double best_s = no_limit;
            for (std::size_t w = 0; w < ways; ++w) {
                (void)bench.first_run(code_at(w), 1);
                attune::timing_record record;
                double const limit_s = best_s;
                auto const time =
                    std::get<attune::measurement>(bench.time(code_at(w), limit_s, 1, record));
                ++of.timed;
                if (time.value < best_s && w > 0) {
                    best_s = time.value;
                    leaders.resize(1);
                    leaders.push_back(code_at(w));
                }
            }
            auto const times = std::get<attune::round_times>(bench.compare(leaders, 1));
            void* const winner = leaders[times.fastest()].address;
            of.best = static_cast<std::size_t>(static_cast<char*>(winner) - codes.data());
            of.slot->serve(winner);
            of.is_over = true;
        });
    }
    double worst = 0;
    auto const is_open = [&] {
        return std::any_of(all.begin(), all.end(),
                           [](size_state const& of) { return !of.is_over; });
    };
    for (int call = 0; call < 10'000 || is_open(); ++call) {
        REQUIRE(call < 200'000);
        size_state& of = all[static_cast<std::size_t>(call) % sizes];
        while (!of.is_over && of.slot->has_ended())
            std::this_thread::yield(); // there is no time in this program but that of calls
        bool const is_frozen = of.is_over;
        double const drift = (1 + 0.4 * std::sin(call / 300.0)) * (call / 2'000 % 2 == 0 ? 1 : 1.7);
        online_call const turn(*of.slot);
        auto const way = static_cast<std::size_t>(static_cast<char*>(turn.entry()) - codes.data());
        double const took_s = drift * of.seconds.at(way);
        now_s = now_s + took_s;
        of.spent_s += took_s;
        if (!is_frozen) of.lost_s += std::max(0.0, took_s - drift * of.seconds[0]);
        worst = std::max(worst, of.lost_s / of.spent_s);
    }
    for (size_state& of : all) {
        of.tunes.join();
        CHECK(of.lost_s > 0);
        CHECK(of.lost_s <= cap * of.spent_s);
        CHECK(of.timed == static_cast<int>(ways));
        auto const least = std::min_element(of.seconds.begin(), of.seconds.end());
        CHECK(of.best == static_cast<std::size_t>(least - of.seconds.begin()));
    }
    CHECK(worst <= cap); // at no time
}

TEST_CASE(
    "online: what is wrong on the copy is never offered, what is far slower there is timed there")
{
    struct wrong_bench final : attune::bench {
        attune_test::timed_bench inner;
        explicit wrong_bench(attune_test::time_script const& script)
            : inner(script)
        {
        }
        attune::first_run_result establish(attune::callable const& c, double s) override
        {
            return inner.establish(c, s);
        }
        attune::first_run_result first_run(attune::callable const& c, double s) override
        {
            if (c.address == &codes[1])
                return attune::failure{attune::failure_stage::verify, "wrong"};
            return inner.first_run(c, s);
        }
        attune::outcome time(attune::callable const& c, double a, double s,
                             attune::timing_record& r) override
        {
            return inner.time(c, a, s, r);
        }
        std::variant<attune::round_times, std::size_t> compare(std::span<attune::callable const> c,
                                                               double s) override
        {
            return inner.compare(c, s);
        }
        std::string protection() const override { return "scripted"; }
    };
    attune_test::time_script script;
    for (std::size_t w = 0; w < codes.size(); ++w)
        script.seconds[&codes[w]] = w == 2 ? 1e-2 : 1e-4;
    std::atomic<double> now_s{0};
    online_slot slot{&codes[0], 0.03, [&] { return now_s.load(); }};
    online_bench bench{std::make_unique<wrong_bench>(script), slot, code_at(0), 0.01,
                       [] { return 1e9; }};
    std::atomic<bool> is_over{false};
    std::array<int, 16> ran{};
    std::thread program([&] {
        while (!is_over) {
            online_call const turn(slot);
            auto const way = static_cast<char*>(turn.entry()) - codes.data();
            ++ran[static_cast<std::size_t>(way)];
            now_s = now_s + 3e-4;
        }
    });
    CHECK(std::holds_alternative<double>(bench.establish(code_at(0), 1)));
    attune::timing_record record;
    auto const base = std::get<attune::measurement>(bench.time(code_at(0), no_limit, 1, record));
    CHECK(base.value == doctest::Approx(3e-4));
    CHECK(std::holds_alternative<attune::failure>(bench.first_run(code_at(1), 1)));
    CHECK(std::holds_alternative<double>(bench.first_run(code_at(2), 1)));
    auto const slow = std::get<attune::measurement>(bench.time(code_at(2), base.value, 1, record));
    CHECK(slow.value == doctest::Approx(3e-2));
    CHECK(std::holds_alternative<double>(bench.first_run(code_at(3), 1)));
    CHECK(
        std::holds_alternative<attune::measurement>(bench.time(code_at(3), base.value, 1, record)));
    is_over = true;
    program.join();
    CHECK(ran[1] == 0);
    CHECK(ran[2] == 0);
    CHECK(ran[3] > 0);
}

TEST_CASE("online: where no calls come any more, the tuning says so")
{
    attune_test::time_script script;
    script.seconds[&codes[0]] = 1e-4;
    online_slot slot{&codes[0], 0.03, [] { return 1.0; }};
    online_bench bench{std::make_unique<attune_test::timed_bench>(script), slot, code_at(0), 0.01,
                       [] { return 0.01; }};
    (void)bench.establish(code_at(0), 1);
    attune::timing_record record;
    CHECK_THROWS_AS((void)bench.time(code_at(0), no_limit, 1, record), calls_ended);
    CHECK(slot.has_ended());
    online_call const turn(slot);
    CHECK(turn.entry() == &codes[0]);
}
