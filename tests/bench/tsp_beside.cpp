// tests/bench/tsp_beside.cpp : mirrors bench/search/tsp_beside.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "../../bench/search/tsp_beside.hpp"

namespace {

std::map<std::string, bench::other_tours> tours_of(char const* text)
{
    std::istringstream in(text);
    return bench::read_tours_lines(in);
}

} // namespace

TEST_CASE("lines of tours are read, others are passed over")
{
    std::map<std::string, bench::other_tours> const t =
        tours_of("replay space=x strategy=a frac40=1 frac100=1 frac220=1\n"
                 "tours att48 best_known=10628 opentuner=34328 ratio=3.230 tested=3000 runs=2 "
                 "lengths=34000,34656\n"
                 "tours rbg323 tested=6000 opentuner=5000.5\n");
    CHECK(t.size() == 2);
    CHECK(t.at("att48").median == 34328);
    CHECK(t.at("att48").tested == 3000);
    CHECK(t.at("rbg323").median == 5000.5);
    CHECK(t.at("rbg323").tested == 6000);
    CHECK(tours_of("").empty());
}

TEST_CASE("a line of tours without its numbers is refused")
{
    for (char const* const text :
         {"tours att48 tested=3000\n", "tours att48 opentuner=5\n",
          "tours att48 opentuner=5x tested=3000\n", "tours att48 opentuner=nan tested=3000\n",
          "tours att48 opentuner=0 tested=3000\n", "tours att48 opentuner=5 tested=-1\n",
          "tours att48 opentuner=5 tested=3000\n"
          "tours att48 opentuner=6 tested=3000\n"})
        CHECK_THROWS_AS(static_cast<void>(tours_of(text)), std::runtime_error);
}
