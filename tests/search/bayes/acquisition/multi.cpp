// tests/search/bayes/acquisition/multi.cpp : mirrors include/attune/search/bayes/acquisition/multi.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/multi.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::multi_acquisition;
using candidates = std::vector<std::size_t>;

namespace {

/// One round: everybody prefers `preferred`, and what each is given has its value.
void round_of(multi_acquisition& m, candidates const& preferred, std::vector<double> const& value)
{
    for (std::size_t i = 0; i < preferred.size(); ++i) {
        m.prefer(preferred);
        std::size_t const member = m.take_turn();
        m.observe(member, value[member]);
        if (m.portfolio().active().size() != preferred.size()) return;
    }
}

} // namespace

TEST_CASE("members that agree too often are set against each other and the best one stays")
{
    multi_acquisition m;
    std::vector<double> const value{3, 2, 9};
    // The first two agree in every one of the first five suggestions.
    round_of(m, {7, 7, 1}, value);
    CHECK(m.portfolio().active() == candidates{0, 1, 2});
    round_of(m, {4, 4, 5}, value);
    CHECK(m.portfolio().active() == candidates{1, 2}); // member 1 has the lower score
    // The survivor's count began anew: four more suggestions in agreement change nothing.
    for (int i = 0; i < 4; ++i)
        m.prefer(candidates{8, 8});
    CHECK(m.portfolio().active() == candidates{1, 2});
    m.prefer(candidates{8, 8});
    CHECK(m.portfolio().active() == candidates{1});
    m.prefer(candidates{8});
    CHECK(m.take_turn() == 1);
}

TEST_CASE("members that never agree all stay")
{
    multi_acquisition m;
    for (int i = 0; i < 50; ++i)
        round_of(m, {1, 2, 3}, {5, 1, 9});
    CHECK(m.portfolio().active() == candidates{0, 1, 2});
}

TEST_CASE("three that agree leave one, and the threshold decides when")
{
    multi_acquisition m(3, 2);
    m.observe(0, 5);
    m.observe(1, 5);
    m.observe(2, 4);
    m.prefer(candidates{6, 6, 6});
    CHECK(m.portfolio().active().size() == 3);
    m.prefer(candidates{6, 6, 6});
    CHECK(m.portfolio().active() == candidates{2});
}
