// tests/tune/loop/candidate_pruning.cpp - configurations whose work takes longer than the best.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/candidate_pruning.hpp>

#include <attune/attune.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/space/query/setting_list.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../space/space_generator.hpp"
#include "../../support/pruned_grid.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::configuration_view;
using attune::measurement;
using attune::point;
using attune::work;
using attune::detail::candidate_pruning;

namespace {

constexpr double margin = candidate_pruning::margin;
constexpr double infinite = std::numeric_limits<double>::infinity();

using bench = pruned_grid;

/// Of a problem beside the bench's own.
candidate_pruning pruning_of(attune::tuning_problem const& problem, bench& b)
{
    return {
        problem,
        b.options,
        [](std::string const&) {},
        {.peaks = [](bool) { return slow_core(); }, .is_even = [] { return true; }, .cached = 100}};
}

/// Of all X and Y, the part with (1 + X) (1 + Y) up to `most`.
double share_up_to(int most)
{
    int count = 0;
    for (int x = 1; x <= 10; ++x)
        for (int y = 1; y <= 10; ++y)
            count += x * y <= most ? 1 : 0;
    return count / 100.0;
}

/// At least its bound; the hundred times are different.
double time_of(point const& p)
{
    return bound_of(p) * (1.0 + 0.01 * ((p[0].index * 7 + p[1].index * 3) % 10)) + 30 +
           1e-3 * (10 * p[0].index + p[1].index);
}

/// A random space whose work is drawn for each setting of some of its parameters. The last of them
/// is read only where the first has an even index.
struct random_bench : bench {
    attune::kernel_description described = kernel.describe();
    std::vector<std::uint32_t> scope{};
    attune::tuning_problem random;
    std::size_t calls = 0;

    random_bench(attune::chain_of_trees const& of, std::uint64_t seed)
        : random{described, of, of.at(0), compiler, frame}
    {
        attune::random_engine engine{seed};
        for (std::uint32_t p = 0; p < of.describe().parameters.size(); ++p)
            if (attune::uniform_below(engine, 3) > 0) scope.push_back(p);
        described.work_varies = true;
        described.work = [this, seed](attune::description const&, point const& at, void const*,
                                      std::vector<bool>* read) -> work {
            ++calls;
            return {.flops = flops(seed, at, read), .threads = 1};
        };
    }
    [[nodiscard]] double flops(std::uint64_t seed, point const& at,
                               std::vector<bool>* read = nullptr) const
    {
        std::uint64_t mixed = seed;
        for (std::size_t i = 0; i < scope.size(); ++i) {
            if (i > 0 && i + 1 == scope.size() && at[scope[0]].index % 2 == 1) break;
            if (read != nullptr) (*read)[scope[i]] = true;
            mixed = mixed * 31 + at[scope[i]].index;
        }
        attune::random_engine engine{mixed};
        return 1.0 + static_cast<double>(attune::uniform_below(engine, 1000));
    }
};

} // namespace

TEST_CASE("what is pruned are the configurations whose bound is above the best, by brute force")
{
    for (double const best : {0.5, 1.0, 7.0, 33.3, 100.0, 1e9}) {
        bench b;
        candidate_pruning pruning = b.pruning();
        REQUIRE(pruning.is_on());
        CHECK(!pruning.cannot_win(b.at(9, 9))); // no best yet
        // as if measured at the configuration with the least work
        bool const contradicts = pruning.measured(b.at(0, 0), measurement::exact(best));
        CHECK(contradicts == (margin * best < 1));
        std::size_t verdicts = 0;
        for (std::uint64_t i = 0; i < 100; ++i) {
            point const p = b.space.at(i);
            bool const loses = !contradicts && bound_of(p) > margin * best;
            verdicts += loses ? 1U : 0U;
            // the 2nd, 8th and 32nd of those that cannot win are tried all the same
            bool const is_checked = loses && (verdicts == 2 || verdicts == 8 || verdicts == 32);
            std::optional<double> const least = pruning.cannot_win(p);
            CHECK(least.has_value() == (loses && !is_checked));
            if (least) CHECK(*least == bound_of(p));
        }
    }
}

TEST_CASE("whatever comes first, the fastest configuration is measured")
{
    bench b;
    double fastest = infinite;
    for (std::uint64_t i = 0; i < 100; ++i)
        fastest = std::min(fastest, time_of(b.space.at(i)));
    std::size_t pruned = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::vector<std::uint64_t> order(100);
        for (std::uint64_t i = 0; i < 100; ++i)
            order[i] = i;
        attune::random_engine engine{seed};
        for (std::size_t i = 99; i > 0; --i)
            std::swap(order[i], order[attune::uniform_below(engine, i + 1)]);
        candidate_pruning pruning = b.pruning();
        double best = infinite;
        for (std::uint64_t const i : order) {
            point const p = b.space.at(i);
            if (pruning.cannot_win(p)) continue;
            best = std::min(best, time_of(p));
            REQUIRE(!pruning.measured(p, measurement::exact(time_of(p))));
        }
        CHECK(best == fastest);
        pruned += pruning.pruned();
    }
    CHECK(pruned > 300 * 10);
    CHECK(b.said.empty());
}

TEST_CASE("the verdict is by the upper end of the interval of the best, and by the margin")
{
    bench b;
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), {.value = 10, .low = 9, .high = 20}));
    CHECK(!pruning.cannot_win(b.at(4, 3)));                                     // 20
    CHECK(!pruning.cannot_win(b.at(2, 6)));                                     // 21
    CHECK(pruning.cannot_win(b.at(4, 4)));                                      // 25 > 1.15 * 20
    CHECK(!pruning.measured(b.at(0, 1), {.value = 11, .low = 11, .high = 11})); // not the best
    CHECK(!pruning.cannot_win(b.at(4, 3)));
    CHECK(!pruning.measured(b.at(0, 1), {.value = 9, .low = 9, .high = 9}));
    CHECK(!pruning.cannot_win(b.at(4, 3))); // the second verdict is checked
    CHECK(pruning.cannot_win(b.at(4, 3)));
    CHECK(!pruning.measured(b.at(0, 2), {.value = 8, .low = 7, .high = std::nan("")}));
    CHECK(pruning.cannot_win(b.at(1, 4)) == 10);
}

TEST_CASE("nothing is pruned, and nothing measured, without work of a configuration")
{
    auto const is_on = [](bench& b) {
        candidate_pruning pruning = b.pruning();
        bool const contradicts = pruning.measured(b.at(0, 0), measurement::exact(1e-9));
        bool const pruned = pruning.cannot_win(b.at(9, 9)).has_value();
        CHECK(!contradicts);
        CHECK(!pruned);
        CHECK(b.measured_anew.empty());
        CHECK(pruning.sentence().empty());
        return pruning.is_on();
    };
    bench of_call; // equal for all: it can decide nothing
    of_call.kernel.work([](auto&&...) -> work { return {.flops = 1e9}; });
    CHECK(!is_on(of_call));
    of_call.kernel.work(1e9, 1e9);
    CHECK(!is_on(of_call));
    bench off;
    off.options.search.prune =
        attune::tuning_options{}.search.prune; // until proven on more machines
    CHECK(!is_on(off));
    bench predicted;
    predicted.problem.predict = true;
    CHECK(!is_on(predicted));
    bench by_formula;
    by_formula.kernel.work(1 + grid_x, 1);
    CHECK(!is_on(by_formula)); // for the report, as it always was
    by_formula.kernel.work(1, grid_y);
    CHECK(!is_on(by_formula));
}

TEST_CASE("work that is none prunes nothing, and the rest of the space goes on")
{
    double const most = std::numeric_limits<double>::max();
    for (double const odd : {0.0, -1.0, infinite, std::nan(""), most * 0.0}) {
        bench b;
        b.state([=](int x, int) { return work{.flops = x == 5 ? odd : 50.0, .threads = 1}; });
        candidate_pruning pruning = b.pruning();
        CHECK(!pruning.measured(b.at(5, 0), measurement::exact(1)));
        CHECK(!pruning.cannot_win(b.at(5, 1)));
        CHECK(pruning.cannot_win(b.at(4, 1)) == 50);
    }
    bench denormal;
    denormal.state([](int, int) {
        return work{.flops = std::numeric_limits<double>::denorm_min(), .threads = 1};
    });
    candidate_pruning tiny = denormal.pruning();
    CHECK(!tiny.measured(denormal.at(0, 0), measurement::exact(1e-9)));
    CHECK(!tiny.cannot_win(denormal.at(1, 1)));

    bench throwing;
    throwing.state([](int x, int) -> work {
        if (x == 5) throw std::runtime_error("no work here");
        return {.flops = 50, .threads = 1};
    });
    candidate_pruning careful = throwing.pruning();
    CHECK(!careful.measured(throwing.at(5, 0), measurement::exact(1)));
    CHECK(!careful.cannot_win(throwing.at(5, 1)));
    CHECK(careful.cannot_win(throwing.at(4, 1)));
}

TEST_CASE("times that are none are no best")
{
    bench b;
    candidate_pruning pruning = b.pruning();
    for (double const odd : {infinite, -infinite, std::nan(""), -1.0}) {
        CHECK(!pruning.measured(b.at(0, 0), measurement::exact(odd)));
        CHECK(!pruning.cannot_win(b.at(9, 9)));
    }
    bench no_work; // shorter than the clock can tell: 0 s, without a contradiction
    no_work.state([](int x, int) { return work{.flops = x == 0 ? 0.0 : 1.0, .threads = 1}; });
    candidate_pruning short_calls = no_work.pruning();
    CHECK(!short_calls.measured(no_work.at(0, 0), measurement::exact(0)));
    CHECK(!short_calls.cannot_win(no_work.at(9, 9)));
    CHECK(short_calls.measured(no_work.at(1, 0), measurement::exact(0)));
}

TEST_CASE("a machine that cannot be measured bounds nothing")
{
    bench b;
    b.core = [](bool) { return attune::detail::core_peaks{}; };
    candidate_pruning unknown = b.pruning();
    CHECK(!unknown.measured(b.at(0, 0), measurement::exact(1e-9)));
    CHECK(!unknown.cannot_win(b.at(9, 9)));

    bench slowed;
    slowed.core = [](bool) {
        attune::detail::core_peaks out = slow_core(1e-6);
        out.is_optimised = false;
        return out;
    };
    candidate_pruning unsure = slowed.pruning();
    CHECK(!unsure.measured(slowed.at(0, 0), measurement::exact(1)));
    CHECK(!unsure.cannot_win(slowed.at(9, 9)));
    CHECK(!unsure.is_on());
    REQUIRE(slowed.said.size() == 1); // who asked for pruning is told why there is none
    CHECK(slowed.said[0].find("compiled without optimisation") != std::string::npos);

    bench uneven;
    uneven.is_even = false;
    CHECK(!uneven.pruning().is_on());
    CHECK(uneven.said == std::vector<std::string>{"nothing is pruned: the cores of this machine "
                                                  "differ in their highest rates"});

    bench large;
    large.state([](int x, int) { return work{.bytes = 200.0 + 10 * x, .threads = 2}; });
    std::vector<unsigned> asked;
    large.memory = [&](unsigned threads) {
        asked.push_back(threads);
        return 2.0;
    };
    candidate_pruning memory = large.pruning();
    CHECK(!memory.measured(large.at(0, 0), measurement::exact(5)));
    CHECK(asked.empty()); // the caches of two threads keep all bytes
    CHECK(memory.cannot_win(large.at(2, 0)) == 10);
    CHECK(!memory.cannot_win(large.at(1, 0)));
    CHECK(asked == std::vector<unsigned>{2});
    large.memory = [](unsigned) -> double { throw std::bad_alloc(); };
    candidate_pruning full = large.pruning();
    CHECK(!full.measured(large.at(0, 0), measurement::exact(5)));
    CHECK(!full.cannot_win(large.at(2, 0)));
}

TEST_CASE("a configuration that states no threads is bounded by as many as any run kept busy")
{
    bench b;
    b.state([](int x, int) { return work{.flops = 1.0 + 9999 * x}; });
    candidate_pruning pruning = b.pruning();
    CHECK(pruning.least(b.at(9, 0)).seconds == 89'992); // the text mentions no threads
    pruning.note_threads(4);
    CHECK(pruning.least(b.at(9, 0)).seconds == 89'992.0 / 4);
    pruning.note_threads(2);
    CHECK(pruning.least(b.at(9, 0)).seconds == 89'992.0 / 4);
    bench stated;
    candidate_pruning by_number = stated.pruning();
    by_number.note_threads(4);
    CHECK(by_number.least(stated.at(9, 9)).seconds == 100);
}

TEST_CASE("work that is too large is found out, and nothing is pruned from then on")
{
    bench b;
    b.state([](int x, int) { return work{.flops = x == 0 ? 1.0 : 1000.0, .threads = 1}; });
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(10)));
    CHECK(pruning.cannot_win(b.at(3, 0)));
    CHECK(!pruning.cannot_win(b.at(4, 0))); // is tried, to check the statement
    CHECK(pruning.measured(b.at(4, 0), measurement::exact(2)));
    CHECK(!pruning.is_on());
    CHECK(pruning.pruned() == 0); // what was pruned is to be tried
    CHECK(!pruning.cannot_win(b.at(3, 0)));
    CHECK(!pruning.measured(b.at(5, 0), measurement::exact(2)));
    REQUIRE(b.said.size() == 1);
    CHECK(has(b.said.front(), "nothing is pruned any more: X=4 Y=0 takes 2"));
    CHECK(has(b.said.front(), "by the flops of kernel.work(...) at least 1"));
    CHECK(has(b.said.front(), "state less"));
}

TEST_CASE("a machine that was disturbed when it was measured is measured again before a verdict")
{
    bench b;
    b.core = [](bool anew) { return slow_core(anew ? 4 : 1); };
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(10)));
    CHECK(b.measured_anew == std::vector<bool>{false});
    CHECK(!pruning.cannot_win(b.at(3, 3))); // 16 at first, then 4
    CHECK(b.measured_anew == std::vector<bool>{false, true});
    CHECK(pruning.cannot_win(b.at(9, 9)) == 25);
    CHECK(b.measured_anew == std::vector<bool>{false, true}); // this verdict is the eighth at most

    bench doubted; // and before a statement is called wrong
    doubted.core = [](bool anew) { return slow_core(anew ? 4 : 1); };
    candidate_pruning careful = doubted.pruning();
    CHECK(!careful.measured(doubted.at(1, 1), measurement::exact(2)));
    CHECK(doubted.measured_anew == std::vector<bool>{false, true});
    CHECK(careful.is_on());
    CHECK(careful.measured(doubted.at(1, 1), measurement::exact(0.5)));
}

TEST_CASE("the report has one line of what was pruned, also before an interruption")
{
    bench b;
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(1)));
    CHECK(pruning.sentence().empty());
    CHECK(pruning.cannot_win(b.at(9, 9)));
    CHECK(has(pruning.sentence(), "1 configuration was not tried, because its work takes longer"));
    pruning.add_pruned(4);
    CHECK(pruning.pruned() == 5);
    CHECK(has(pruning.sentence(), "5 configurations were not tried, because their work takes"));
}

TEST_CASE("the narrower space is what cannot win leaves, on random spaces with random work")
{
    attune_tests::space_generator generator(41);
    std::size_t narrowed = 0;
    std::size_t wide = 0;
    for (std::uint64_t tried = 0; tried < 300;) {
        attune::description drawn =
            tried % 4 == 0 ? generator.draw_conditional() : generator.draw();
        attune::detail::settle_conditions(drawn);
        if (attune_tests::valid_settings(drawn).empty()) continue;
        std::uint64_t const seed = ++tried;
        CAPTURE(seed);
        attune::chain_of_trees const whole(drawn);
        random_bench b(whole, seed);
        candidate_pruning pruning = pruning_of(b.random, b);
        std::uint64_t const size = static_cast<std::uint64_t>(*whole.size());
        point const best = whole.at(seed * 7919 % size);
        double const time = b.flops(seed, best);
        REQUIRE(!pruning.measured(best, measurement::exact(time)));
        CHECK(!pruning.narrower()); // nothing was pruned yet
        std::vector<point> left;
        for (std::uint64_t i = 0; i < size; ++i) {
            point const p = whole.at(i);
            bool const loses = b.flops(seed, p) > margin * time;
            if (!loses) left.push_back(p);
            if (loses) (void)pruning.cannot_win(p);
        }
        bool const is_worth = pruning.pruned() > 0 && 2 * left.size() < size;
        auto const part = pruning.narrower();
        REQUIRE(part.has_value() == is_worth);
        CHECK(!pruning.narrower()); // the best stays
        narrowed += is_worth ? 1U : 0U;
        wide += is_worth ? 0U : 1U;
        if (!part) continue;
        auto const narrow = attune::detail::part_of(whole, *part);
        REQUIRE(narrow);
        CHECK(narrow->size() == left.size());
        for (point const& p : left)
            CHECK(narrow->contains(p));
        std::size_t const calls = b.calls;
        pruning.narrowed(part);
        CHECK(b.calls == calls); // the user's function is asked once a setting
        CHECK(pruning.left_share() == static_cast<double>(left.size()) / static_cast<double>(size));
        CHECK(has(pruning.sentence(),
                  ("the search continued in " + std::to_string(left.size()) + " of " +
                   std::to_string(size) + " configurations, because the work of the others")
                      .c_str()));
        pruning.narrowed({});
        CHECK(pruning.left_share() == 1);
    }
    CHECK(narrowed > 50);
    CHECK(wide > 20);
}

TEST_CASE("a part is narrowed again only when half of it cannot win any more")
{
    bench b; // flops are (1 + X) (1 + Y)
    candidate_pruning pruning = b.pruning();
    auto const best_is = [&](double seconds) {
        CHECK(!pruning.measured(b.at(0, 0), measurement::exact(seconds)));
        (void)pruning.cannot_win(b.at(9, 9));
        auto const part = pruning.narrower();
        if (part) pruning.narrowed(part);
        return part.has_value();
    };
    auto const left = [&] { return pruning.left_share(); };
    CHECK(!best_is(80)); // 92 at least: 98 of 100 may win
    CHECK(left() == 1);
    CHECK(best_is(14)); // up to 16.1: 45 products of two numbers up to 10
    double const first = left();
    CHECK(first == share_up_to(16));
    CHECK(!best_is(12)); // not worth it
    CHECK(left() == first);
    CHECK(best_is(2));
    CHECK(left() == 0.03); // 1 x 1, 1 x 2, 2 x 1 are below 2.3
    pruning.stays_wide();
    CHECK(!best_is(1));
}

TEST_CASE("the machine is measured anew before a space is narrowed")
{
    bench b;
    b.core = [&](bool anew) { return slow_core(anew && b.measured_anew.size() > 2 ? 50 : 1); };
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(1)));
    CHECK(pruning.cannot_win(b.at(9, 9)));
    CHECK(b.measured_anew == std::vector<bool>{false, true});
    CHECK(!pruning.narrower()); // all may win at 50 flops a second but 60 and more of them
    CHECK(b.measured_anew == std::vector<bool>{false, true, true});
}

TEST_CASE("a part that lacks what may win on a machine that does more than was known is widened")
{
    for (bool const by_threads : {false, true}) {
        bench b;
        b.state([](int x, int y) { return work{.flops = (1.0 + x) * (1.0 + y)}; });
        double rate = 1;
        b.core = [&](bool anew) { return slow_core(anew ? rate : 1); };
        candidate_pruning pruning = b.pruning();
        CHECK(!pruning.measured(b.at(0, 0), measurement::exact(2)));
        CHECK(pruning.cannot_win(b.at(9, 9)));
        pruning.narrowed(pruning.narrower());
        CHECK(pruning.left_share() == 0.03); // up to 2.3
        CHECK(!pruning.narrower());
        if (by_threads) {
            pruning.note_threads(4);
        } else {
            rate = 4;
            CHECK(!pruning.measured(b.at(9, 9), measurement::exact(25))); // the machine does it
        }
        auto const wider = pruning.narrower();
        REQUIRE(wider);
        pruning.narrowed(wider);
        CHECK(pruning.left_share() == share_up_to(9)); // up to 9.2
        CHECK(!pruning.narrower());
    }
}

TEST_CASE("of a huge space few settings are listed, and the part is right")
{
    auto const many = attune::array_of<17>(attune::ordinal<"A">(attune::range(0, 9)));
    attune::chain_of_trees const huge =
        attune::build(attune::space(many, grid_x, grid_y).where(grid_x + grid_y <= 15));
    bench b;
    attune::kernel_description described = b.kernel.describe();
    std::size_t calls = 0;
    auto const state = [&](bool reads_array) {
        described.work = [&, reads_array](attune::description const& in, point const& at,
                                          void const*, std::vector<bool>* read) -> work {
            ++calls;
            attune::configuration_view const values{in, at, read};
            double const more = reads_array ? values[many][16] + values[many][0] : 0;
            return {.flops = 1 + more + (1.0 + values[grid_x]) * (1.0 + values[grid_y]),
                    .threads = 1};
        };
    };
    attune::tuning_problem const problem{described, huge, huge.at(0), b.compiler, b.frame};
    for (bool const reads_array : {false, true}) {
        state(reads_array);
        calls = 0;
        candidate_pruning pruning = pruning_of(problem, b);
        CHECK(!pruning.measured(problem.default_at, measurement::exact(4)));
        attune::random_engine engine{1};
        for (int i = 0; i < 20; ++i)
            (void)pruning.cannot_win(huge.sample(engine));
        auto const part = pruning.narrower();
        CHECK(part.has_value() == !reads_array); // 10^19 settings are too many: pruned one by one
        CHECK(calls < 1000);
        if (!part) continue;
        auto const narrow = attune::detail::part_of(huge, *part);
        REQUIRE(narrow);
        for (int i = 0; i < 100; ++i)
            CHECK(pruning.least(narrow->sample(engine)).seconds <= margin * 4);
        CHECK(narrow->log2_size() == doctest::Approx(17 * std::log2(10.0) + std::log2(5.0)));
    }
}

TEST_CASE("a space with real parameters is not narrowed")
{
    auto const real = attune::real<"R">(0.0, 1.0);
    attune::chain_of_trees const space = attune::build(attune::space(grid_x, grid_y, real));
    bench b;
    attune::tuning_problem const problem{b.kernel.describe(), space, space.at(0), b.compiler,
                                         b.frame};
    candidate_pruning pruning = pruning_of(problem, b);
    CHECK(!pruning.measured(problem.default_at, measurement::exact(1)));
    CHECK(pruning.cannot_win(space.at(99)));
    CHECK(!pruning.narrower());
    CHECK(pruning.left_share() == 1);
}

TEST_CASE("a part by other parameters than those of the stated work is not taken")
{
    bench b;
    candidate_pruning pruning = b.pruning();
    attune::detail::kept_settings const by_x{{0}, std::vector<bool>(10, true)};
    CHECK(!pruning.narrowed(by_x)); // the work reads X and Y
    CHECK(pruning.left_share() == 1);
    attune::detail::kept_settings by_both{{0, 1}, std::vector<bool>(100, false)};
    by_both.kept[7] = true;
    CHECK(pruning.narrowed(by_both));
    CHECK(pruning.left_share() == 0.01);
    CHECK(pruning.narrowed({}));
    CHECK(pruning.left_share() == 1);
}

TEST_CASE("a setting's bytes are bounded by rates of the memory that are known, and no others")
{
    bench b;
    std::vector<unsigned> asked;
    b.memory = [&](unsigned threads) {
        asked.push_back(threads);
        return 1.0;
    };
    b.state([](int x, int) {
        return work{.bytes = x == 0 ? 1.0 : 1e6, .threads = 1U + static_cast<unsigned>(x)};
    });
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(2)));
    for (int x = 9; x >= 4; --x)
        (void)pruning.cannot_win(b.at(static_cast<std::uint64_t>(x), 0));
    std::size_t const before = asked.size();
    CHECK(before == 6);
    auto const part = pruning.narrower();
    REQUIRE(part);
    CHECK(asked.size() == before);
    for (std::uint64_t i = 0; i < 100; ++i)
        CHECK(part->kept[i] == (i / 10 < 4)); // of two to four threads nothing is known
}

TEST_CASE("settings are listed as long as there is time, and later where there was none")
{
    bench b;
    std::size_t calls = 0;
    b.kernel.work([&](configuration_view const& at, auto const&, auto const&, double) {
        ++calls;
        return work{.flops = (1.0 + at[grid_x]) * (1.0 + at[grid_y]), .threads = 1};
    });
    candidate_pruning pruning = b.pruning();
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(2)));
    CHECK(pruning.cannot_win(b.at(9, 9)));
    calls = 0;
    CHECK(!pruning.narrower([] { return false; }));
    CHECK(calls < 5);
    CHECK(!pruning.narrower([&] { return calls < 50; }));
    CHECK(calls == 50);
    CHECK(pruning.narrower());
}

TEST_CASE("what was pruned may win once the machine does more, and the report has what is left")
{
    bench b;
    b.core = [&](bool anew) { return slow_core(anew && b.measured_anew.size() > 3 ? 4 : 1); };
    candidate_pruning pruning = b.pruning();
    CHECK(pruning.may_win(b.at(9, 9))); // no best yet
    CHECK(!pruning.measured(b.at(0, 0), measurement::exact(2)));
    CHECK(pruning.cannot_win(b.at(1, 3)) == 8);
    CHECK(!pruning.cannot_win(b.at(8, 8))); // the second is tried
    CHECK(pruning.cannot_win(b.at(9, 9)) == 100);
    CHECK(pruning.pruned() == 2);
    CHECK(!pruning.may_win(b.at(1, 3)));
    pruning.narrowed(pruning.narrower());
    CHECK(has(pruning.sentence(), "the search continued in 3 of 100 configurations, because"));
    CHECK(has(pruning.sentence(),
              "; 2 of its proposals were not tried for this reason (kernel.work"));
    CHECK(!pruning.measured(b.at(8, 8), measurement::exact(25))); // the machine does it
    CHECK(pruning.may_win(b.at(1, 3)));
    CHECK(!pruning.may_win(b.at(9, 9)));
    CHECK(pruning.pruned() == 2); // asking counts nothing
    pruning.take_back(1);
    CHECK(
        has(pruning.sentence(), "; 1 of its proposals was not tried for this reason (kernel.work"));
    attune::detail::kept_settings const all{{0, 1}, std::vector<bool>(100, true)};
    CHECK(pruning.narrowed(all));
    CHECK(pruning.left_share() == 1);
    CHECK(pruning.sentence().starts_with("1 configuration was not tried, because"));
    pruning.take_back(1);
    CHECK(pruning.sentence().empty());
}
