// tests/search/compose/recommended.cpp : mirrors include/attune/search/compose/recommended.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/recommended.hpp>

#include <attune/core/error.hpp>
#include <attune/search/compose/technique_sets.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

using attune::search::recommended;
using attune::search::technique;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

/// Two techniques that differ much, one of them of set A.
technique_history two_techniques()
{
    technique_history out;
    out.add({.label = "other",
             .structure = {},
             .uses = {{attune::search::technique_set_a()[1].name, 100, 50},
                      {attune::search::technique_set_d()[2].name, 100, 60},
                      {"of a later release", 100, 90}}});
    return out;
}

struct by_history {
    by_history(attune::chain_of_trees const& space, std::uint64_t seed)
        : inner(recommended(two_techniques(), {.interval = 5, .from_history = 1})(space, seed))
    {
    }
    std::vector<attune::point> ask(std::size_t k) { return inner.ask(k); }
    void tell(attune::point const& p, attune::outcome const& o) { inner.tell(p, o); }
    attune::any_searcher inner;
};
struct without {
    without(attune::chain_of_trees const& space, std::uint64_t seed)
        : inner(recommended()(space, seed))
    {
    }
    std::vector<attune::point> ask(std::size_t k) { return inner.ask(k); }
    void tell(attune::point const& p, attune::outcome const& o) { inner.tell(p, o); }
    attune::any_searcher inner;
};

std::vector<std::string> names_of(attune::any_searcher const& s)
{
    std::vector<std::string> out;
    for (technique_use const& use : s.uses())
        out.push_back(use.name);
    return out;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, by_history, without);

TEST_CASE("without a history the search begins with set A, with one by what gained most")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    std::vector<std::string> of_a;
    for (technique const& t : attune::search::technique_set_a())
        of_a.push_back(t.name);
    attune::any_searcher bare = recommended()(space, 1);
    CHECK(names_of(bare) == of_a);

    std::string const best = attune::search::technique_set_d()[2].name;
    CHECK(names_of(recommended(two_techniques(), {.from_history = 1})(space, 1)) ==
          std::vector<std::string>{best});
    // Names that cannot be made are passed over, and the set is filled up.
    CHECK(names_of(recommended(two_techniques(), {.from_history = 3})(space, 1)).size() == 3);
    // As one that is told later.
    attune::any_searcher later = recommended({}, {.from_history = 1})(space, 1);
    CHECK(later.learn_from(two_techniques()));
    CHECK(names_of(later) == std::vector<std::string>{best});
    CHECK(!attune::any_searcher(attune::random_searcher(space, 1)).learn_from(two_techniques()));
}

TEST_CASE("each technique of the library is made of its name")
{
    auto const make = attune::search::techniques_by_name();
    for (technique const& t : attune::search::technique_library()) {
        CAPTURE(t.name);
        auto const again = make(t.name);
        REQUIRE(again.has_value());
        CHECK(again->name == t.name);
    }
    CHECK(!make("of a later release").has_value());
    CHECK(!make("").has_value());
}

TEST_CASE("each of the twelve approaches begins with its set, and only dbi with the past")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    std::vector<std::string> const names = attune::search::approach_names();
    CHECK(names.size() == 12);
    CHECK(std::set(names.begin(), names.end()).size() == 12);
    auto const names_in = [](std::vector<technique> const& set) {
        std::vector<std::string> out;
        for (technique const& t : set)
            out.push_back(t.name);
        return out;
    };
    for (std::string const& name : names) {
        CAPTURE(name);
        std::vector<std::string> const got =
            names_of(attune::search::approach(name, two_techniques())(space, 1));
        if (name.ends_with("-A")) CHECK(got == names_in(attune::search::technique_set_a()));
        if (name.ends_with("-pgd")) CHECK(got == names_in(attune::search::technique_set_pgd()));
        if (name.ends_with("-D")) CHECK(got == names_in(attune::search::technique_set_d()));
        if (name.ends_with("-dbi")) {
            REQUIRE(got.size() == 5);
            CHECK(got[0] == attune::search::technique_set_d()[2].name);
            CHECK(got[1] == attune::search::technique_set_a()[1].name);
        }
    }
    CHECK_THROWS_WITH_AS((void)attune::search::approach("rec-B"), doctest::Contains("rec-bndt-dbi"),
                         attune::error);
}

TEST_CASE("bndt never changes its techniques, rec asks them equally often")
{
    attune::chain_of_trees const space = searcher_trials::valley_space();
    auto const uses_after = [&](char const* name, int outcomes) {
        attune::any_searcher s = attune::search::approach(name, two_techniques())(space, 3);
        for (int i = 0; i < outcomes; ++i) {
            attune::point const asked = searcher_law::asked_of(s);
            s.tell(asked, attune::measurement::exact(searcher_trials::valley(asked)));
        }
        return s.uses();
    };
    CHECK(uses_after("bndt-dbi", 200).size() == 5);
    CHECK(uses_after("bndt-A", 200).size() == 4);
    std::vector<technique_use> const even = uses_after("rec-A", 24); // before the first change
    REQUIRE(even.size() == 4);
    for (technique_use const& use : even)
        CHECK(use.requests == 6);
}

TEST_CASE("a space with an order begins with small moves of orders")
{
    std::vector<std::string> of_orders;
    attune::chain_of_trees const space =
        search_spaces::space_of({search_spaces::permutation("ORDER", 5)});
    for (technique const& t : attune::search::technique_set_for(space.describe()))
        of_orders.push_back(t.name);
    CHECK(names_of(recommended()(space, 1)) == of_orders);
    CHECK(of_orders.front() == attune::search::technique_set_orders().front().name);
}
