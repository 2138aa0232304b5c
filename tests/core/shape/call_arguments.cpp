// tests/core/shape/call_arguments.cpp - sizes are within their bounds, small and large, and beside parameters.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/call_arguments.hpp>

#include <cstdint>
#include <doctest/doctest.h>

TEST_CASE("drawn sizes are within their bounds, small and large ones, and beside parameters")
{
    std::int64_t const special[] = {48};
    attune::call_draw draw(1, special);
    attune::call_draw again(1, special);
    int small = 0, large = 0, beside = 0;
    for (int i = 0; i < 2'000; ++i) {
        std::int64_t const n = draw.size(3, 5'000);
        REQUIRE(n == again.size(3, 5'000));
        REQUIRE((n >= 3 && n <= 5'000));
        small += n < 64 ? 1 : 0;
        large += n > 2'500 ? 1 : 0;
        beside += n == 47 || n == 48 || n == 49 ? 1 : 0;
    }
    CHECK(small > 200);
    CHECK(large > 50);
    CHECK(beside > 50);
    CHECK(draw.size(4, 4) == 4);
}

TEST_CASE("a function that draws until its sizes suit it finds them, whatever the limits")
{
    for (attune::detail::drawn_sizes const which :
         {attune::detail::drawn_sizes{.most = 0},
          attune::detail::drawn_sizes{.most = 8'192, .are_large = true}}) {
        attune::call_draw draw(1, {}, which);
        auto const finds = [&](auto const& suits) {
            for (int i = 0; i < 100'000; ++i)
                if (std::int64_t const m = draw.size(1, 20'000); suits(m, draw.size(1, 20'000)))
                    return true;
            return false;
        };
        CHECK(finds([](std::int64_t m, std::int64_t n) { return m * n <= 1'000; }));
        CHECK(finds([](std::int64_t m, std::int64_t n) { return m > 9'000 && n > 9'000; }));
    }
}

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
