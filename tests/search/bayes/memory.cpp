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

std::vector<std::size_t> kept(std::size_t count, attune::memory_policy policy, bool only_working)
{
    return policy(line(count), plane().describe(), 60, only_working);
}

} // namespace

TEST_CASE("up to the limit everything is remembered")
{
    CHECK(kept(60, attune::reset_memory, false).size() == 60);
    CHECK(kept(66, attune::representative_memory, true).size() == 60); // 6 of 66 failed
}

TEST_CASE("every policy keeps to the limit, in order, each once, and keeps the best")
{
    for (attune::memory_policy const policy :
         {attune::representative_memory, attune::recent_memory, attune::reset_memory}) {
        for (bool const only_working : {false, true}) {
            std::vector<std::size_t> const got = kept(1000, policy, only_working);
            CHECK(got.size() <= 60);
            CHECK(got.size() >= 12);
            CHECK(std::is_sorted(got.begin(), got.end()));
            CHECK(std::set<std::size_t>(got.begin(), got.end()).size() == got.size());
            CHECK(std::find(got.begin(), got.end(), 500U) != got.end());
            if (only_working)
                for (std::size_t const i : got)
                    CHECK(i % 10 != 7);
        }
    }
}

TEST_CASE("recent keeps the latest, representative a part of them and of the rest")
{
    auto const count_after = [](std::vector<std::size_t> const& got, std::size_t first) {
        return std::count_if(got.begin(), got.end(), [&](std::size_t i) { return i >= first; });
    };
    CHECK(count_after(kept(1000, attune::recent_memory, false), 952) == 48);
    std::vector<std::size_t> const mixed = kept(1000, attune::representative_memory, false);
    CHECK(mixed.size() == 60);
    CHECK(count_after(mixed, 980) == 20);
    CHECK(count_after(mixed, 530) - count_after(mixed, 980) >= 5); // far from the best, not recent
}

TEST_CASE("reset begins anew each time the limit is reached")
{
    CHECK(kept(121, attune::reset_memory, false).size() == 13);
    CHECK(kept(150, attune::reset_memory, false).size() == 12 + 30);
}
