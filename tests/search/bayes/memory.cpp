// tests/search/bayes/memory.cpp : mirrors include/attune/search/bayes/memory.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/memory.hpp>

#include <attune/search/history.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace {

/// `count` points of a line; the value falls towards the middle of the history; every tenth fails.
attune::search_history line(std::size_t count)
{
    attune::search_history h;
    for (std::uint32_t i = 0; i < count; ++i) {
        attune::point const p{{i % 100, 0}, {i / 100, 0}};
        double const away = std::abs(static_cast<double>(i) - static_cast<double>(count) / 2);
        if (i % 10 == 7)
            h.tell(p, attune::failure{attune::failure_stage::crash, "no"});
        else
            h.tell(p, attune::measurement::exact(1 + away));
    }
    return h;
}

attune::chain_of_trees const& plane()
{
    static attune::chain_of_trees const space = search_spaces::grid(100);
    return space;
}

std::vector<std::size_t> kept(std::size_t count, bool only_working)
{
    return attune::detail::representative_memory(line(count), plane().describe(), 60, only_working);
}

} // namespace

TEST_CASE("up to the limit everything is remembered")
{
    CHECK(kept(60, false).size() == 60);
    CHECK(kept(66, true).size() == 60); // 6 of 66 failed
}

TEST_CASE("beyond the limit a third each stays: the best, the latest and distant ones")
{
    for (bool const only_working : {false, true}) {
        std::vector<std::size_t> const got = kept(1000, only_working);
        CHECK(got.size() == 60);
        CHECK(std::is_sorted(got.begin(), got.end()));
        CHECK(std::set<std::size_t>(got.begin(), got.end()).size() == got.size());
        CHECK(std::find(got.begin(), got.end(), 500U) != got.end());
        auto const after = [&](std::size_t first) {
            return std::count_if(got.begin(), got.end(), [&](std::size_t i) { return i >= first; });
        };
        CHECK(after(only_working ? 978 : 980) == 20);
        CHECK(after(530) - after(978) >= 5); // far from the best, not recent
        for (std::size_t const i : got)
            CHECK((!only_working || i % 10 != 7));
    }
}
