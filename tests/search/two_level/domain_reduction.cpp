// tests/search/two_level/domain_reduction.cpp : the window against the paper's formulas by hand
// SPDX-License-Identifier: MIT
#include <attune/search/two_level/detail/domain_reduction.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace {

using window = attune::detail::domain_reduction;

double width(window const& w) { return w.high(0) - w.low(0); }

} // namespace

TEST_CASE("a window begins as the whole list and shrinks by eta where the best stays")
{
    window w({100});
    CHECK(w.low(0) == 0);
    CHECK(w.high(0) == 100);
    for (int i = 1; i <= 10; ++i) {
        w.move_to(std::vector{50.0});
        CHECK(width(w) == doctest::Approx(100 * std::pow(0.9, i)));
    }
}

TEST_CASE("a best that moves on keeps the width, one that goes to and fro narrows it")
{
    // Half a width to one side: d = 1 and c = 0, so gamma = .85 and lambda = .9 + (.85 - .9).
    window on({1000});
    on.move_to(std::vector{1000.0});
    CHECK(on.low(0) == doctest::Approx(1000 - 425.0));
    CHECK(on.high(0) == 1000); // clipped
    // Width 850. A step of 212.5 back: d = -.5, c = -.5, turn = -sqrt(.5);
    // gamma = ((1 - .7071) + (1 + .7071) .7) / 2 = .7439, lambda = .9 - .5 (.9 - .7439) = .8220.
    on.move_to(std::vector{787.5});
    CHECK(787.5 - on.low(0) == doctest::Approx(850 * 0.8220 / 2).epsilon(1e-4));
    window fro({1000});
    fro.move_to(std::vector{600.0}); // d = .2: lambda = .9 + .2 (.85 - .9) = .89
    fro.move_to(std::vector{689.0}); // d = .2: c = .04, turn = .2, gamma = .88
    CHECK(689 - fro.low(0) == doctest::Approx(1000 * 0.89 * (0.9 + 0.2 * (0.88 - 0.9)) / 2));
}

TEST_CASE("a window holds at least the next values and ends with the list")
{
    window w({7, 0});
    for (int i = 0; i < 200; ++i)
        w.move_to(std::vector{7.0, 0.0});
    CHECK(w.low(0) == 6);
    CHECK(w.high(0) == 7);
    CHECK(w.low(1) == 0);
    CHECK(w.high(1) == 0);
}
