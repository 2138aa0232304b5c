// tests/search/transfer/portfolio.cpp : mirrors include/attune/search/transfer/portfolio.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/portfolio.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::detail::greedy_portfolio;
using attune::detail::most_slowdown;
using attune::detail::portfolio_mean_share;

namespace {

using table = std::vector<std::vector<double>>; // session -> candidate

/// What a list of candidates costs, from the definition.
double cost(table const& slowdown, std::vector<double> const& weight,
            std::vector<std::size_t> const& chosen)
{
    double out = 0;
    for (std::size_t s = 0; s < slowdown.size(); ++s) {
        double least = most_slowdown;
        for (std::size_t const row : chosen)
            least = std::min(least, slowdown[s][row]);
        out += weight[s] * (least + portfolio_mean_share * slowdown[s][chosen.back()]);
    }
    return out;
}

table random_table(std::size_t sessions, std::size_t rows, attune::random_engine& engine)
{
    table out(sessions, std::vector<double>(rows));
    for (auto& of_session : out)
        for (double& v : of_session)
            v = std::min(most_slowdown, 3 * attune::uniform_unit(engine));
    return out;
}

} // namespace

TEST_CASE("each candidate is the one that costs least behind those before it")
{
    attune::random_engine engine(5);
    for (int repeat = 0; repeat < 20; ++repeat) {
        table const slowdown = random_table(3, 30, engine);
        std::vector<double> const weight{0.5, 0.3, 0.2};
        std::vector<std::size_t> const chosen = greedy_portfolio(slowdown, weight, 5);
        REQUIRE(chosen.size() == 5);
        CHECK(std::set<std::size_t>(chosen.begin(), chosen.end()).size() == 5);
        for (std::size_t k = 1; k <= chosen.size(); ++k) {
            std::vector<std::size_t> list(chosen.begin(),
                                          chosen.begin() + static_cast<std::ptrdiff_t>(k));
            double const own = cost(slowdown, weight, list);
            for (std::size_t row = 0; row < 30; ++row) {
                list.back() = row;
                if (std::count(list.begin(), list.end() - 1, row) == 0)
                    CHECK(cost(slowdown, weight, list) >= own - 1e-12);
            }
        }
    }
}

TEST_CASE("what two candidates leave uncovered is near the least that any two leave")
{
    attune::random_engine engine(6);
    std::vector<double> const weight{0.4, 0.3, 0.2, 0.1};
    auto const left = [&](table const& slowdown, std::size_t a, std::size_t b) {
        double out = 0;
        for (std::size_t s = 0; s < slowdown.size(); ++s)
            out += weight[s] * std::min(slowdown[s][a], slowdown[s][b]);
        return out;
    };
    for (int repeat = 0; repeat < 20; ++repeat) {
        table const slowdown = random_table(4, 25, engine);
        double least = most_slowdown;
        for (std::size_t a = 0; a < 25; ++a)
            for (std::size_t b = 0; b < a; ++b)
                least = std::min(least, left(slowdown, a, b));
        std::vector<std::size_t> const chosen = greedy_portfolio(slowdown, weight, 2);
        // The law of greedy covers, and the share of the mean that is not part of the cover.
        double const bound = most_slowdown - (1 - 1 / std::exp(1.0)) * (most_slowdown - least);
        CHECK(left(slowdown, chosen[0], chosen[1]) <= bound + 2 * portfolio_mean_share);
    }
}

TEST_CASE("the second candidate is good where the first one is not")
{
    table const slowdown{{0.0, 2.0, 0.3, 0.1}, {2.0, 0.0, 0.3, 2.0}};
    CHECK(greedy_portfolio(slowdown, {0.5, 0.5}, 1) == std::vector<std::size_t>{2});
    // 0 and 1 tie behind 2: the first of equals.
    CHECK(greedy_portfolio(slowdown, {0.5, 0.5}, 3) == std::vector<std::size_t>{2, 0, 1});
    CHECK(greedy_portfolio(slowdown, {0.9, 0.1}, 2) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("there are no more candidates than there are rows, and none without sessions")
{
    CHECK(greedy_portfolio({}, {}, 3).empty());
    CHECK(greedy_portfolio({{}}, {1}, 3).empty());
    CHECK(greedy_portfolio({{0.5, 0.1}}, {1}, 3) == std::vector<std::size_t>{1, 0});
}
