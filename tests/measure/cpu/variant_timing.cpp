// tests/measure/cpu/variant_timing.cpp - timing as the application will run it.
// SPDX-License-Identifier: MIT
#include <attune/measure/cpu/cpu_bench.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <vector>

#include "../../support/accumulate.hpp"

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A call that only writes its output, or one that updates it; both far too short for the clock.
struct bench {
    std::vector<double> x = std::vector<double>(8, 1.0);
    std::vector<double> y = std::vector<double>(8, 100.0);
    std::vector<attune::buffer> buffers{attune::detail::as_buffer(std::span<double const>(x), 0),
                                        attune::detail::as_buffer(std::span<double>(y), 1)};
    attune::bench_options options{};
    int calls = 0;
    int prepares = 0;
    double largest = 0;

    void prepare()
    {
        ++prepares;
        y.assign(y.size(), 100.0);
    }
    attune::measurement time(std::function<void()> const& call)
    {
        attune::detail::variant_timing timing(buffers, options);
        return timing.time([this] { prepare(); }, call, never);
    }
    void overwrite()
    {
        ++calls;
        y[0] = 2 * x[0];
    }
    void update()
    {
        ++calls;
        y[0] += x[0];
        largest = std::max(largest, y[0]);
    }
};

} // namespace

TEST_CASE("a short call that overwrites its output is repeated within a sample")
{
    bench b;
    attune::measurement const m = b.time([&] { b.overwrite(); });
    CHECK(m.samples >= 6);
    CHECK(b.calls > 2 * b.prepares);
}

TEST_CASE("a call that updates its data always starts from the original ones")
{
    bench b;
    CHECK(b.time([&] { b.update(); }).samples >= 6);
    // Twice in a row, to find that out; where one call takes long, by a sanitizer say, never.
    CHECK(b.largest <= 102);
    CHECK(b.calls == b.prepares + (b.largest == 102 ? 1 : 0));
}

TEST_CASE("with cold caches every call is prepared")
{
    bench b;
    b.options.cache = attune::cache_state::cold;
    CHECK(b.time([&] { b.overwrite(); }).samples >= 6);
    CHECK(b.calls == b.prepares);
    CHECK(b.x == std::vector<double>(8, 1.0));
}

TEST_CASE("calls are compared in turns, each prepared, warm or cold")
{
    for (auto const cache : {attune::cache_state::warm, attune::cache_state::cold}) {
        bench b;
        b.options.cache = cache;
        attune::detail::variant_timing timing(b.buffers, b.options);
        std::vector<std::function<void()>> const calls{[&] { attune_test::idle(100'000); },
                                                       [&] { b.update(); }};
        attune::round_times const times = timing.compare([&] { b.prepare(); }, calls, 2.0);
        CHECK(times.fastest() == 1);
        CHECK(times.ratio(0, 1).high < 1);
        // At most twice in a row, to find out that it must not.
        CHECK(b.largest <= (cache == attune::cache_state::warm ? 102 : 101));
    }
}

TEST_CASE("calls too short for the clock are compared as they are timed: repeated in a sample")
{
    for (auto const cache : {attune::cache_state::warm, attune::cache_state::cold}) {
        bench b;
        b.options.cache = cache;
        int updates = 0;
        attune::detail::variant_timing timing(b.buffers, b.options);
        std::vector<std::function<void()>> const calls{[&] { b.overwrite(); },
                                                       [&] {
                                                           ++updates;
                                                           b.update();
                                                       }};
        attune::round_times const times = timing.compare([&] { b.prepare(); }, calls, 2.0);
        CHECK(times.rounds(0) >= 6);
        int const overwrites = b.calls - updates;
        if (cache == attune::cache_state::warm)
            CHECK(overwrites > 2 * b.prepares);
        else
            CHECK(b.calls == b.prepares);
        CHECK(b.largest <= 102); // the other one always starts from the original data
    }
}
