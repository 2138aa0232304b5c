// tests/tune.cpp - the header in which all stages meet.
// SPDX-License-Identifier: MIT
#include <attune/tune.hpp>

#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>

TEST_CASE("tune.hpp alone gives a kernel, the call that tunes it, and the loop over a function")
{
    constexpr auto x = attune::ordinal<"X">(attune::range(1, 4));
    auto const r = attune::minimize(
        attune::space(x), [&](auto const& c) { return c[x] == 3 ? 0 : 1; },
        attune::search_limits::of_evaluations(4), {.progress = attune::silent_progress()});
    REQUIRE(r.best);
    CHECK((*r.best)[x] == 3);

    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"),
                                                   attune::space(x)};
    CHECK(k.describe().name == "k");
    attune::tuning_options const options;
    CHECK(options.limits.evaluations > 0);
}
