// tests/tune/sizes/size_tree.cpp - the tree against the best at each size, and demand against sums by hand.
// SPDX-License-Identifier: MIT
#include <attune/tune/sizes/size_tree.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::detail::left_out;
using attune::detail::size_demand;
using attune::detail::size_tree;
using attune::detail::sized_calls;
using attune::detail::sized_result;

namespace {

attune::point at(std::uint32_t index)
{
    attune::point out(1);
    out[0].index = index;
    return out;
}

/// A kernel whose variant p is best for n = 2^(2 p + 4).
double model_s(double n, std::uint32_t p)
{
    double const off = std::log2(n) - 2.0 * p - 4;
    return 1e-6 * n * (1 + 0.2 * off * off);
}

constexpr std::uint32_t variants = 12;

sized_result result_at(double n)
{
    sized_result out{.sizes = {n, 7}, .best = at(0)};
    double least = model_s(n, 0);
    for (std::uint32_t p = 0; p < variants; ++p) {
        out.outcomes.push_back({at(p), attune::measurement::exact(model_s(n, p))});
        if (model_s(n, p) >= least) continue;
        least = model_s(n, p);
        out.best = at(p);
    }
    return out;
}

} // namespace

TEST_CASE("a tree gives each tuned size its own best, and sizes between them a near one")
{
    std::vector<sized_result> const results{result_at(16), result_at(1'024), result_at(65'536)};
    size_tree const tree(results);
    for (std::size_t i = 0; i < results.size(); ++i)
        CHECK(tree.at(results[i].sizes) == i);
    CHECK(tree.at(std::vector<double>{1, 7}) == 0);
    CHECK(tree.at(std::vector<double>{2'000, 9}) == 1);
    CHECK(tree.at(std::vector<double>{1e6, 7}) == 2);
}

TEST_CASE("of many tuned sizes a tree has eight variants at most, and no size loses much")
{
    attune::random_engine random(1);
    std::vector<sized_result> results;
    for (int i = 0; i < 40; ++i)
        results.push_back(result_at(std::exp2(3 + 24 * attune::uniform_unit(random))));
    size_tree const tree(results);
    std::set<std::uint32_t> used;
    for (sized_result const& of : results) {
        std::uint32_t const served = results[tree.at(of.sizes)].best[0].index;
        used.insert(served);
        CHECK(model_s(of.sizes[0], served) < 2.5 * model_s(of.sizes[0], of.best[0].index));
    }
    CHECK(used.size() > 4);
    CHECK(used.size() <= attune::detail::most_sizes);
}

TEST_CASE("equal winners are one variant, and a failure at a size keeps a variant away from it")
{
    std::vector<sized_result> results{result_at(16), result_at(18), result_at(1'024)};
    CHECK(size_tree(results).at(results[1].sizes) == 0);
    // The best for 1,024 crashed at 18, so that the tree parts the two wherever it may.
    for (attune::detail::known_outcome& one : results[1].outcomes)
        if (one.at == results[2].best)
            one.result = attune::failure{attune::failure_stage::crash, "SIGSEGV"};
    size_tree const tree(results);
    CHECK(tree.at(results[1].sizes) == 0);
    CHECK(tree.at(results[2].sizes) == 2);
}

TEST_CASE("the regret of a size that is left out is that of the tree of the others")
{
    std::vector<sized_result> results{result_at(16), result_at(1'024), result_at(2'048)};
    auto const regret = left_out(results, 2);
    REQUIRE(regret);
    CHECK(regret->served_s == model_s(2'048, results[1].best[0].index));
    CHECK(regret->best_s == model_s(2'048, results[2].best[0].index));
    // What was not measured at the size has no regret.
    std::erase_if(results[2].outcomes, [&](auto const& one) { return one.at == results[1].best; });
    CHECK(!left_out(results, 2));
    results.resize(1);
    CHECK(!left_out(results, 0));
}

TEST_CASE("demand: the size is the next that saves most seconds, by hand")
{
    std::vector<sized_calls> const calls{{{64}, 10}, {{256}, 3}, {{260}, 2}, {{4'096}, 1}};
    size_demand const demand(calls, {{64}});
    CHECK(demand.seconds() == 16);
    // 256 and 260 are one group of 5 s, two octaves away: .2 each; 4,096 then is four octaves away.
    REQUIRE(demand.best());
    CHECK(*demand.best() == 1);
    double const near = 5 * 0.2 * 2;
    double const beyond = 1 * 0.2 * (5 - 4); // no call loses more than that of five octaves
    CHECK(demand.best_gain_s() == doctest::Approx(near + beyond));
    CHECK(demand.gain(std::vector<double>{64}) == 0);
    CHECK(demand.gain(std::vector<double>{4'096}) == doctest::Approx(0.2 * 5 + 0.2 * 0));
    CHECK(!size_demand(calls, {{64}, {256}, {4'096}}).best());
}

TEST_CASE("demand: of thousands of sizes the best is no worse than the best of brute force by much")
{
    attune::random_engine random(3);
    std::vector<sized_calls> calls;
    for (int i = 0; i < 2'000; ++i) {
        double const m = std::exp2(10 * attune::uniform_unit(random)),
                     n = std::exp2(10 * attune::uniform_unit(random));
        calls.push_back({{m, n}, 1e-9 * m * n});
    }
    std::vector<double> const tuned{16, 16};
    size_demand const demand(calls, {tuned});
    auto const saved = [&](std::vector<double> const& by) {
        double sum = 0;
        for (sized_calls const& one : calls) {
            auto const far = [&](std::vector<double> const& from) {
                return std::min(5.0, std::fabs(std::log2(one.sizes[0] / from[0])) +
                                         std::fabs(std::log2(one.sizes[1] / from[1])));
            };
            sum += one.seconds * 0.2 * std::max(0.0, far(tuned) - far(by));
        }
        return sum;
    };
    double most = 0;
    for (sized_calls const& one : calls)
        most = std::max(most, saved(one.sizes));
    REQUIRE(demand.best());
    CHECK(saved(calls[*demand.best()].sizes) > 0.8 * most);
}
