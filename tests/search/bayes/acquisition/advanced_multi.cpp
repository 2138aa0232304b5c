// tests/search/bayes/acquisition/advanced_multi.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/advanced_multi.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::advanced_multi_acquisition;
using members = std::vector<std::size_t>;

namespace {

void round_of(advanced_multi_acquisition& m, std::vector<double> const& value)
{
    members const active = m.portfolio().active();
    for (std::size_t i = 0; i < active.size(); ++i) {
        std::size_t const member = m.take_turn();
        m.observe(member, value[member]);
    }
}

} // namespace

TEST_CASE("a member that is worse than the mean by 5 % five times is skipped")
{
    // The mean is 10.2: the last is 8 % above it, the others 4 % below.
    advanced_multi_acquisition m;
    for (int i = 0; i < 4; ++i)
        round_of(m, {9.8, 9.8, 11.0});
    CHECK(m.portfolio().active() == members{0, 1, 2});
    round_of(m, {9.8, 9.8, 11.0});
    CHECK(m.portfolio().active() == members{0, 1});
}

TEST_CASE("a member that is better than the mean by 5 % five times is promoted to be the only one")
{
    // The mean is 10.2: the second is 8 % below it, the others 4 % above.
    advanced_multi_acquisition m;
    for (int i = 0; i < 4; ++i)
        round_of(m, {10.6, 9.4, 10.6});
    CHECK(m.portfolio().active() == members{0, 1, 2});
    round_of(m, {10.6, 9.4, 10.6});
    CHECK(m.portfolio().active() == members{1});
    for (int i = 0; i < 10; ++i)
        CHECK(m.take_turn() == 1);
    m.observe(1, 1000); // it stays, whatever comes
    CHECK(m.portfolio().active() == members{1});
}

TEST_CASE("differences below the required improvement change nothing")
{
    advanced_multi_acquisition m;
    for (int i = 0; i < 100; ++i)
        round_of(m, {10.0, 10.3, 9.8});
    CHECK(m.portfolio().active() == members{0, 1, 2});
}

TEST_CASE("counts start again when a member is skipped")
{
    // With next to no memory a score is the last observation.
    advanced_multi_acquisition m(3, {.discount = 1e-9});
    round_of(m, {9.8, 9.8, 11.0}); // the last is worse
    for (int i = 0; i < 4; ++i)
        round_of(m, {9.4, 10.2, 11.1}); // it is again, and the first is better
    CHECK(m.portfolio().active() == members{0, 1});
    for (int i = 0; i < 4; ++i)
        round_of(m, {9.4, 10.6, 0}); // the first would be promoted with its four from before
    CHECK(m.portfolio().active() == members{0, 1});
    round_of(m, {9.4, 10.6, 0});
    CHECK(m.portfolio().active() == members{0});
}

TEST_CASE("a single member is never judged")
{
    advanced_multi_acquisition m(1);
    for (int i = 0; i < 20; ++i)
        round_of(m, {1.0 + i});
    CHECK(m.portfolio().active() == members{0});
}
