// tests/search/narrowing_search.cpp : mirrors include/attune/search/narrowing_search.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/narrowing_search.hpp>

#include <attune/core/error.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../laws/searcher.hpp"

using attune::chain_of_trees;
using attune::point;
using attune::detail::kept_settings;
using attune::detail::narrowing_search;

namespace {

/// Begins in the whole space.
struct narrowing_random : narrowing_search {
    narrowing_random(chain_of_trees const& space, std::uint64_t seed)
        : narrowing_search(attune::search_with<attune::random_searcher>(), space, seed)
    {
    }
};

/// Narrowed before its first point, to all that there is.
struct narrowed_random : narrowing_random {
    narrowed_random(chain_of_trees const& space, std::uint64_t seed)
        : narrowing_random(space, seed)
    {
        CHECK(narrow(kept_settings{{}, {true}}));
    }
};

/// The points of a grid of ten by ten whose first index is below `rows`.
kept_settings rows_below(std::size_t rows)
{
    kept_settings out{{0}, std::vector<bool>(10, false)};
    std::fill_n(out.kept.begin(), rows, true);
    return out;
}

/// Writes down what it is told.
struct diary {
    std::shared_ptr<std::vector<std::vector<point>>> pages;
    explicit diary(std::shared_ptr<std::vector<std::vector<point>>> to)
        : pages(std::move(to))
    {
        pages->emplace_back();
    }
    std::vector<point> ask(std::size_t) { return {}; }
    void tell(point const& p, attune::outcome const&) { pages->back().push_back(p); }
    void tell_bound(point const& p, double) { pages->back().push_back(p); }
};

/// Proposes the first point of its space, for ever.
struct stubborn {
    point only;
    std::vector<point> ask(std::size_t k) { return {k, only}; }
    void tell(point const&, attune::outcome const&) {}
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, narrowing_random, narrowed_random);

TEST_CASE("until it is narrowed it proposes what the search itself proposes")
{
    chain_of_trees const space = search_spaces::grid(10);
    for (attune::search_factory const& make :
         {attune::default_search(), attune::search_with<attune::genetic>()}) {
        attune::any_searcher alone = make(space, 3);
        narrowing_search wrapped{make, space, 3};
        for (int i = 0; i < 30; ++i) {
            std::vector<point> const asked = alone.ask(2);
            REQUIRE(wrapped.ask(2) == asked);
            for (point const& p : asked) {
                alone.tell(p, searcher_law::judge(p));
                wrapped.tell(p, searcher_law::judge(p));
            }
        }
    }
}

TEST_CASE("its strategy is that of the search itself")
{
    chain_of_trees const space = search_spaces::grid(10);
    for (attune::search_factory const& make :
         {attune::default_search(), attune::search_with<attune::random_searcher>()}) {
        attune::any_searcher const narrowing = narrowing_search{make, space, 3};
        CHECK(narrowing.strategy() == make(space, 3).strategy());
    }
    CHECK(attune::any_searcher(narrowing_search{attune::default_search(), space, 3}).strategy() ==
          "automatic");
}

TEST_CASE("in a part it proposes all of it and nothing else, and later the rest, each point once")
{
    chain_of_trees const space = search_spaces::grid(10);
    for (attune::search_factory const& make :
         {attune::default_search(), attune::search_with<attune::random_searcher>(),
          attune::search_with<attune::exhaustive_searcher>(),
          attune::search_with<attune::genetic>()}) {
        narrowing_search s{make, space, 5};
        searcher_law::point_set seen;
        auto const take = [&](std::vector<point> const& asked) {
            for (point const& p : asked) {
                CHECK(seen.insert(p).second);
                s.tell(p, searcher_law::judge(p));
            }
        };
        for (int i = 0; i < 10; ++i)
            take(s.ask(1));
        std::vector<point> const open = s.ask(3); // told later
        searcher_law::point_set const before = [&] {
            auto out = seen;
            out.insert(open.begin(), open.end());
            return out;
        }();
        REQUIRE(s.narrow(rows_below(4)));
        std::vector<point> part = searcher_law::drive(s, 1, searcher_law::judge);
        for (point const& p : part) {
            CHECK(p[0].index < 4);
            CHECK(!before.contains(p));
            CHECK(seen.insert(p).second);
        }
        std::size_t const inside = static_cast<std::size_t>(std::count_if(
            before.begin(), before.end(), [](point const& p) { return p[0].index < 4; }));
        CHECK(part.size() == 40 - inside);
        take(open);
        REQUIRE(s.narrow({}));
        take(searcher_law::drive(s, 1, searcher_law::judge));
        CHECK(seen.size() == 100);
    }
}

TEST_CASE(
    "a new searcher is told what is known of its part, in order, and the whole space all of it")
{
    chain_of_trees const space = search_spaces::grid(10);
    auto const pages = std::make_shared<std::vector<std::vector<point>>>();
    narrowing_search s{
        [&](chain_of_trees const&, std::uint64_t) -> attune::any_searcher { return diary{pages}; },
        space, 0};
    std::vector<point> const told{space.at(95), space.at(11), space.at(55), space.at(30)};
    for (std::size_t i = 0; i < 3; ++i)
        s.tell(told[i], attune::measurement::exact(1));
    s.tell_bound(told[3], 7);
    REQUIRE(s.narrow(rows_below(4)));
    CHECK(pages->back() == std::vector<point>{told[1], told[3]});
    s.tell(space.at(96), attune::measurement::exact(1)); // of outside
    s.tell(space.at(12), attune::measurement::exact(1));
    CHECK(pages->back() == std::vector<point>{told[1], told[3], space.at(12)});
    REQUIRE(s.narrow({}));
    CHECK(pages->back() ==
          std::vector<point>{told[0], told[1], told[2], told[3], space.at(96), space.at(12)});
}

TEST_CASE("where a part cannot be built, the search stays as it is")
{
    chain_of_trees const space = search_spaces::grid(10);
    narrowing_random s{space, 1};
    CHECK(!s.narrow(rows_below(0)));
    CHECK(s.ask(1) == narrowing_random(space, 1).ask(1));
    attune::any_searcher other{attune::random_searcher{space, 1}};
    CHECK(!other.narrow(std::optional(rows_below(4))));
    attune::any_searcher narrowing{narrowing_random{space, 1}};
    CHECK(narrowing.narrow(std::optional(rows_below(4))));
    CHECK(!narrowing.learn_from(attune::cost_samples{})); // a random search has no model
}

TEST_CASE("a search that repeats a point for ever ends in its part")
{
    chain_of_trees const space = search_spaces::grid(10);
    narrowing_search s{[](chain_of_trees const& of, std::uint64_t) -> attune::any_searcher {
                           return stubborn{of.at(0)};
                       },
                       space, 0};
    REQUIRE(s.narrow(rows_below(4)));
    CHECK(s.ask(2) == std::vector<point>{space.at(0)});
    CHECK(s.ask(2).empty());
}

TEST_CASE("where no search of a part can be made, that of before goes on, and hears what is told")
{
    chain_of_trees const space = search_spaces::grid(10);
    bool is_refused = false;
    attune::search_factory const make = [&](chain_of_trees const& of,
                                            std::uint64_t seed) -> attune::any_searcher {
        if (is_refused) throw attune::error("too small", "here", "a larger one");
        return attune::random_searcher{of, seed};
    };
    narrowing_search s{make, space, 1};
    REQUIRE(s.narrow(rows_below(4)));
    std::vector<point> seen = s.ask(3);
    is_refused = true;
    CHECK(!s.narrow(rows_below(2)));
    CHECK(!s.narrow({}));
    is_refused = false;
    for (std::vector<point> more = s.ask(5); !more.empty(); more = s.ask(5))
        seen.insert(seen.end(), more.begin(), more.end());
    CHECK(seen.size() == 40); // the part of before
    for (point const& p : seen)
        CHECK(p[0].index < 4);
    narrowing_search other{make, space, 1}; // as if it had never been refused
    REQUIRE(other.narrow(rows_below(4)));
    CHECK(other.ask(3) == std::vector<point>(seen.begin(), seen.begin() + 3));
    is_refused = true;
    CHECK(!other.narrow({}));
    is_refused = false;
    CHECK(other.narrow({}));
}
