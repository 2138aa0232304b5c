// tests/search/searcher.cpp : mirrors include/attune/search/searcher.hpp
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/search/searcher.hpp>
// clang-format on

#include <attune/search/automatic.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/random.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../laws/searcher.hpp"
#include "../support/minimal_searcher.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, minimal_searcher);

static_assert(attune::searcher<attune::any_searcher>);
static_assert(!attune::searcher<int>);
static_assert(std::is_nothrow_move_constructible_v<attune::any_searcher>);

TEST_CASE("a search_factory makes what it was given")
{
    attune::search_factory const factory = [](attune::chain_of_trees const& space,
                                              std::uint64_t seed) {
        return attune::any_searcher(attune::random_searcher(space, seed));
    };
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::any_searcher made = factory(space, 12);
    attune::random_searcher plain(space, 12);
    CHECK(made.ask(5) == plain.ask(5));
    attune::any_searcher moved = std::move(made);
    CHECK(moved.ask(5) == plain.ask(5));
}

TEST_CASE("any_searcher passes the expected gain on, where there is one")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::any_searcher chance = attune::random_searcher(space, 1);
    CHECK(!chance.expected_gain());
    attune::any_searcher model = attune::search::automatic(space, 1);
    CHECK(!model.expected_gain());
    for (int i = 0; i < 12; ++i) {
        attune::point const p = model.ask(1).front();
        model.tell(p, attune::measurement::exact(1.0 + p[0].index + p[1].index));
    }
    REQUIRE(model.expected_gain());
    CHECK(*model.expected_gain() >= 0);
}

TEST_CASE("any_searcher passes on what a model expected of its own points, where there is one")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::any_searcher chance = attune::random_searcher(space, 1);
    CHECK(!chance.prediction_of(chance.ask(1).front()));
    attune::any_searcher model = attune::search::automatic(space, 1);
    attune::any_searcher silent = attune::search::automatic(space, 1); // is not asked
    std::size_t expected = 0;
    for (int i = 0; i < 20; ++i) {
        attune::point const p = model.ask(1).front();
        CHECK(silent.ask(1).front() == p);
        double const value = 1.0 + p[0].index + p[1].index;
        if (std::optional<double> const said = model.prediction_of(p)) {
            ++expected;
            CHECK(*said > 0);
            CHECK(*said < 4 * value + 4); // a sum is easy to learn
        }
        model.tell(p, attune::measurement::exact(value));
        silent.tell(p, attune::measurement::exact(value));
        CHECK(!model.prediction_of(p));
    }
    CHECK(expected >= 5);
    CHECK(expected < 20); // the first ones are a design
}

TEST_CASE("search_with passes options to the searcher, with the seed where it takes one")
{
    attune::chain_of_trees const space = search_spaces::grid(20);
    attune::annealing_options const options{.starts = 3};
    attune::any_searcher made = attune::search_with<attune::annealing>(options)(space, 5);
    attune::annealing plain(space, 5, options);
    attune::annealing other(space, 5);
    bool differs = false;
    for (int i = 0; i < 20; ++i) {
        attune::point const p = made.ask(1).front();
        CHECK(plain.ask(1).front() == p);
        attune::point const q = other.ask(1).front();
        differs = differs || q != p;
        made.tell(p, attune::measurement::exact(1.0 + p[0].index));
        plain.tell(p, attune::measurement::exact(1.0 + p[0].index));
        other.tell(q, attune::measurement::exact(1.0 + q[0].index));
    }
    CHECK(differs);
    attune::any_searcher all = attune::search_with<attune::exhaustive_searcher>()(space, 5);
    CHECK(all.ask(3).size() == 3);
}

TEST_CASE("a bound goes to a searcher that learns from bounds; others are told that value")
{
    struct plain {
        std::vector<attune::outcome>* told;
        std::vector<attune::point> ask(std::size_t) { return {}; }
        void tell(attune::point const&, attune::outcome const& o) { told->push_back(o); }
    };
    struct learning : plain {
        std::vector<double>* bounds;
        void tell_bound(attune::point const&, double value) { bounds->push_back(value); }
    };
    std::vector<attune::outcome> told;
    std::vector<double> bounds;
    attune::any_searcher simple = plain{&told};
    simple.tell_bound({{0}}, 3);
    REQUIRE(told.size() == 1);
    CHECK(std::get<attune::measurement>(told.front()).value == 3);
    attune::any_searcher better = learning{{&told}, &bounds};
    better.tell_bound({{0}}, 4);
    CHECK(told.size() == 1);
    CHECK(bounds == std::vector<double>{4});
}
