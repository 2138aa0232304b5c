// tests/core/shape/length_formula.cpp - formulas give what their operators give.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/length_formula.hpp>

#include <cstdint>
#include <doctest/doctest.h>

TEST_CASE("a length is a formula of the call's whole numbers")
{
    constexpr auto rows = attune::argument<2>;
    constexpr auto columns = attune::argument<3>;
    std::int64_t const call[] = {0, 0, 12, 7};
    CHECK((rows * columns)(call) == 84);
    CHECK(((rows + 2) * (columns + 2))(call) == 126);
    CHECK((2 * rows - 1)(call) == 23);
    CHECK(((rows + 3) / 4)(call) == 3);
    CHECK((rows / (columns - 7))(call) == 0); // divides by nothing
}
