// tests/search/meta/credit_window.cpp : mirrors include/attune/search/meta/credit_window.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/credit_window.hpp>

#include <attune/core/random.hpp>

#include <cmath>
#include <cstddef>
#include <deque>
#include <doctest/doctest.h>
#include <limits>
#include <utility>

namespace {

/// The formula as it is printed: all events of the window, in order.
double score_of_all(std::deque<std::pair<std::size_t, bool>> const& window, std::size_t technique,
                    double exploration)
{
    double uses = 0;
    double sum = 0;
    for (auto const& [used, is_best] : window) {
        if (used != technique) continue;
        uses += 1;
        if (is_best) sum += uses;
    }
    if (uses == 0) return std::numeric_limits<double>::infinity();
    return 2 * sum / (uses * (uses + 1)) +
           exploration * std::sqrt(2 * std::log2(static_cast<double>(window.size())) / uses);
}

} // namespace

TEST_CASE("credit_window scores as the formula over all events, on 100'000 random histories")
{
    attune::random_engine engine{1};
    std::size_t wrong = 0;
    for (int history = 0; history < 100'000; ++history) {
        std::size_t const techniques = 1 + attune::uniform_below(engine, 4);
        std::size_t const size = 1 + attune::uniform_below(engine, 12);
        attune::detail::credit_window window(techniques, size);
        std::deque<std::pair<std::size_t, bool>> all;
        std::size_t const events = attune::uniform_below(engine, 30);
        for (std::size_t i = 0; i < events; ++i) {
            std::pair<std::size_t, bool> const e{attune::uniform_below(engine, techniques),
                                                 attune::uniform_below(engine, 3) == 0};
            window.push(e.first, e.second);
            all.push_back(e);
            if (all.size() > size) all.pop_front();
        }
        for (std::size_t t = 0; t < techniques; ++t) {
            double const exact = score_of_all(all, t, 0.15);
            double const kept = window.score(t, 0.15);
            wrong += std::isinf(exact) ? (kept == exact ? 0u : 1u)
                                       : (std::abs(kept - exact) > 1e-12 ? 1u : 0u);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("credit_window gives late bests more credit than early ones")
{
    attune::detail::credit_window window(2, 500);
    window.push(0, true);
    window.push(0, false);
    window.push(1, false);
    window.push(1, true);
    CHECK(window.area(0) == doctest::Approx(1.0 / 3));
    CHECK(window.area(1) == doctest::Approx(2.0 / 3));
    CHECK(window.score(0, 0.05) == doctest::Approx(1.0 / 3 + 0.05 * std::sqrt(2.0)));
}
