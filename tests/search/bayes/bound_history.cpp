// tests/search/bayes/bound_history.cpp : mirrors include/attune/search/bayes/bound_history.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/bound_history.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::point;
using attune::detail::bound_history;

namespace {

point at(std::uint32_t index) { return {{index, 0.0}}; }
void tell(bound_history& h, std::uint32_t p, double value, std::vector<double> const& excess)
{
    h.tell(at(p), value, excess);
}

} // namespace

TEST_CASE("the value beyond a bound is known where a bound was broken, and only there")
{
    bound_history h;
    CHECK(h.count() == 0);
    CHECK(!h.value_beyond(at(0)));
    tell(h, 0, 3, {0.0, -1.0});
    tell(h, 1, 4, {0.5, -1.0});
    tell(h, 2, std::nan(""), {std::nan(""), 1.0});
    tell(h, 3, 5, {std::nan(""), std::nan("")});
    CHECK(h.count() == 2);
    CHECK(!h.value_beyond(at(0)));
    CHECK(h.value_beyond(at(1)) == 4);
    REQUIRE(h.value_beyond(at(2)));
    CHECK(std::isnan(*h.value_beyond(at(2))));
    CHECK(!h.value_beyond(at(3))); // nothing says why it failed
    CHECK(h.of(0).worked() == 2);
    CHECK(h.of(1).worked() == 3);
}

TEST_CASE("what is told again replaces what was told, and a wrong count is ignored")
{
    bound_history h;
    tell(h, 0, 1, {2.0});
    tell(h, 0, 1, {-2.0});
    CHECK(!h.value_beyond(at(0)));
    CHECK(h.of(0).told().size() == 1);
    CHECK(h.of(0).told().front().value == -2);
    tell(h, 0, 1, {std::nan("")});
    CHECK(h.of(0).worked() == 0);
    tell(h, 1, 1, {1.0, 2.0});
    tell(h, 1, 1, {});
    CHECK(!h.value_beyond(at(1)));
    CHECK(h.count() == 1);
}
