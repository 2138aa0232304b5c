// tests/search/published/cot_sampling.cpp : mirrors include/attune/search/published/cot_sampling.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/published/cot_sampling.hpp>

#include <doctest/doctest.h>
#include <map>
#include <utility>

#include "../../laws/searcher.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::child_wise_searcher);

TEST_CASE("the first configuration is drawn child by child: sparse parts are more likely")
{
    // a + b <= 4 with a in 0..2, b in 0..4: 5, 4 and 3 leaves below the three values of a.
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::search_factory const make = attune::published::cot_sampling();
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> count;
    constexpr int searches = 12'000;
    for (int seed = 0; seed < searches; ++seed) {
        attune::any_searcher s = make(space, static_cast<std::uint64_t>(seed));
        attune::point const p = s.ask(1).front();
        count[{p[0].index, p[1].index}] += 1;
    }
    double chi_square = 0;
    for (auto const& [setting, n] : count) {
        double const expected = searches / 3.0 / (5.0 - setting.first);
        chi_square += (n - expected) * (n - expected) / expected;
    }
    CHECK(count.size() == 12);
    CHECK(chi_square < 31.3); // 99.9 % point of 11 degrees of freedom
}
