// tests/search/compose/recommended.cpp : mirrors include/attune/search/compose/recommended.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/recommended.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/past_sessions.hpp"
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

using attune::search::recommending_bandit;
using attune::search::recommending_bandit_options;
using attune::search::technique;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

/// Asks the points of a line from `start` on in steps of `by`.
struct strider {
    explicit strider(attune::chain_of_trees const&, std::uint32_t start, std::uint32_t by)
        : at(start)
        , step(by)
    {
    }
    std::vector<attune::point> ask(std::size_t)
    {
        if (at >= 4000) return {};
        return {{{std::exchange(at, at + step), 0}, {0, 0}}};
    }
    void tell(attune::point const&, attune::outcome const&) {}
    std::uint32_t at;
    std::uint32_t step;
};

/// "walk<i>" asks what leaves the remainder i by 4.
std::optional<technique> walks(std::string_view name)
{
    if (!name.starts_with("walk")) return {};
    auto const first = static_cast<std::uint32_t>(name[4] - '0');
    return technique{std::string(name), attune::search_with<strider>(first, std::uint32_t{4})};
}

std::optional<technique> known(std::string_view name)
{
    if (name == "random")
        return technique{"random", attune::search_with<attune::random_searcher>()};
    if (name == "local") return technique{"local", attune::search_with<attune::local_search>()};
    if (name == "genetic") return technique{"genetic", attune::search_with<attune::genetic>()};
    return {};
}

technique_history habits()
{
    technique_history out;
    out.add({.label = "another",
             .structure = {},
             .uses = {{"random", 10, 1}, {"local", 10, 5}, {"genetic", 10, 4}}});
    return out;
}

struct with_history : recommending_bandit {
    with_history(attune::chain_of_trees const& space, std::uint64_t seed)
        : recommending_bandit(space, seed, habits(), known, {*known("random")},
                              {.interval = 5, .from_history = 2})
    {
    }
};
struct without_history : recommending_bandit {
    without_history(attune::chain_of_trees const& space, std::uint64_t seed)
        : recommending_bandit(space, seed, {}, {}, {*known("random"), *known("local")})
    {
    }
};

std::size_t requests(std::vector<technique_use> const& uses, std::string_view name)
{
    std::size_t sum = 0;
    for (technique_use const& use : uses)
        if (use.name == name) sum += use.requests;
    return sum;
}

/// Outcomes that make only walks of remainder `good` find new bests.
void step(recommending_bandit& bandit, int i, std::uint32_t good)
{
    attune::point const asked = searcher_law::asked_of(bandit);
    bool const finds = asked[0].index % 4 == good;
    bandit.tell(asked, attune::measurement::exact(finds ? 1000.0 - i : 5000.0 + i));
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, with_history, without_history);

TEST_CASE("a recommended technique replaces the worst after every interval")
{
    technique_history past;
    // There, too, walk0 is better than walk1; walk2 is the best of all.
    past.add({.label = "like this",
              .structure = {},
              .uses = {{"walk0", 100, 40}, {"walk1", 100, 10}, {"walk2", 100, 90}}});
    // There they do the opposite.
    past.add({.label = "unlike",
              .structure = {},
              .uses = {{"walk0", 100, 10}, {"walk1", 100, 40}, {"walk3", 100, 99}}});
    recommending_bandit bandit(search_spaces::grid(4000), 1, past, walks,
                               {*walks("walk0"), *walks("walk1")},
                               {.interval = 10, .from_history = 0});
    for (int i = 0; i < 9; ++i)
        step(bandit, i, 0);
    CHECK(bandit.advice().empty());
    step(bandit, 9, 0);
    REQUIRE(bandit.advice().size() == 1);
    CHECK(bandit.advice()[0].technique == "walk2");
    CHECK(bandit.advice()[0].problem == "like this");
    std::size_t const before = requests(bandit.uses(), "walk1");
    CHECK(before > 0);
    for (int i = 10; i < 19; ++i)
        step(bandit, i, 0);
    CHECK(requests(bandit.uses(), "walk1") == before); // it was the worst
    CHECK(requests(bandit.uses(), "walk2") > 0);
}

TEST_CASE("the set to begin with is that of the most similar problem, filled up")
{
    technique_history past;
    past.add({.label = "one", .structure = {}, .uses = {{"walk3", 10, 5}, {"unknown", 10, 9}}});
    recommending_bandit bandit(search_spaces::grid(4000), 1, past, walks,
                               {*walks("walk0"), *walks("walk3"), *walks("walk1")},
                               {.from_history = 2});
    auto const uses = bandit.uses();
    REQUIRE(uses.size() == 2);
    CHECK(uses[0].name == "walk3");
    CHECK(uses[1].name == "walk0");
    REQUIRE(bandit.advice().size() == 1);
    CHECK(bandit.advice()[0].problem == "one");
}

TEST_CASE("a history that is learnt later is as one from the beginning")
{
    auto const asked_by = [](recommending_bandit bandit) {
        std::vector<attune::point> out;
        for (int i = 0; i < 60; ++i) {
            out.push_back(bandit.ask(1).front());
            bandit.tell(out.back(), attune::measurement::exact(out.back()[0].index + 1.0));
        }
        return out;
    };
    auto const begun_with = [](technique_history const& past) {
        return recommending_bandit(search_spaces::grid(40), 7, past, known, {*known("random")},
                                   {.interval = 5, .from_history = 2});
    };
    recommending_bandit later = begun_with({});
    later.learn_from(habits());
    CHECK(asked_by(std::move(later)) == asked_by(begun_with(habits())));
    CHECK(asked_by(begun_with({})) != asked_by(begun_with(habits())));
}

TEST_CASE("what was good elsewhere is asked first, and is no technique's merit")
{
    attune::chain_of_trees const space = search_spaces::grid(40);
    auto const cost = [](attune::point const& p) -> std::optional<double> {
        return 1.0 + std::abs(p[0].index - 12.0) + std::abs(p[1].index - 30.0);
    };
    std::vector<attune::past_session> const past{past_sessions::of(space, 80, 1, cost),
                                                 past_sessions::of(space, 80, 2, cost)};
    std::vector<attune::point> const wanted = attune::warm_portfolio(space, past, 3);
    REQUIRE(!wanted.empty());
    auto const begun = [&](std::size_t starts) {
        return recommending_bandit(space, 7, habits(), known, {*known("random")},
                                   {.interval = 5, .from_history = 2, .starts = starts});
    };
    auto const asked_by = [&](recommending_bandit& bandit, std::size_t count) {
        std::vector<attune::point> out;
        for (std::size_t i = 0; i < count; ++i) {
            out.push_back(bandit.ask(1).front());
            bandit.tell(out.back(), attune::measurement::exact(*cost(out.back())));
        }
        return out;
    };
    recommending_bandit bandit = begun(3);
    CHECK(bandit.starts().empty());
    bandit.inform(past);
    CHECK(asked_by(bandit, wanted.size()) == wanted);
    CHECK(bandit.starts() == wanted);
    for (technique_use const& use : bandit.uses())
        CHECK(use.requests == 0);
    std::vector<attune::point> const later = asked_by(bandit, 40);
    std::size_t merits = 0;
    for (technique_use const& use : bandit.uses())
        merits += use.requests;
    CHECK(merits == 40);
    for (attune::point const& p : later) // never again
        CHECK(std::find(wanted.begin(), wanted.end(), p) == wanted.end());

    // Sessions one by one, and a history learnt after them, begin the same search.
    recommending_bandit again = begun(3);
    again.inform({past[0]});
    again.inform({past[1]});
    again.learn_from(habits());
    CHECK(asked_by(again, wanted.size()) == wanted);
    CHECK(asked_by(again, 40) == later);

    recommending_bandit without = begun(0);
    without.inform(past);
    recommending_bandit uninformed = begun(3);
    CHECK(asked_by(without, 20) == asked_by(uninformed, 20));

    // What is known already is not asked.
    recommending_bandit knowing = begun(3);
    knowing.inform(past);
    knowing.tell(wanted.front(), attune::measurement::exact(*cost(wanted.front())));
    CHECK(asked_by(knowing, 1).front() != wanted.front());
}

TEST_CASE("in a space too wide for a model a related problem's best is asked first, and is ahead")
{
    constexpr std::size_t count = 300; // of values, three each
    attune::chain_of_trees const space = search_spaces::vector_of(count);
    auto const away_from = [](attune::point const& best) {
        return [best](attune::point const& p) -> std::optional<double> {
            double out = 1;
            for (std::size_t i = 0; i < best.size(); ++i)
                out += p[i].index != best[i].index ? 1 : 0;
            return out;
        };
    };
    attune::random_engine engine(5);
    attune::point const there = space.sample(engine);
    attune::point here = there;
    constexpr std::size_t moved = 15; // values by which the problems differ
    for (std::size_t i = 0; i < moved; ++i)
        here[i * 20].index = (here[i * 20].index + 1) % 3;
    auto const begun = [&](std::uint64_t seed) {
        return recommending_bandit(space, seed, habits(), known, {*known("random")}, {.starts = 3});
    };
    auto const searched = [&](recommending_bandit& bandit, auto const& cost) {
        double best = 1e9;
        for (int i = 0; i < 30; ++i) {
            attune::point const p = bandit.ask(1).front();
            best = std::min(best, *cost(p));
            bandit.tell(p, attune::measurement::exact(*cost(p)));
        }
        return best;
    };
    // A session that came near to its best: a fifth of the values differ.
    attune::point known_there = there;
    for (std::size_t i = 0; i < count / 5; ++i)
        known_there[i * 5].index = (known_there[i * 5].index + 1) % 3;
    attune::past_session past = past_sessions::of(space, 12, 2, away_from(there));
    attune::past_outcome& best = past.outcomes.emplace_back();
    for (attune::detail::named_value const& v : attune::detail::named_values(space.describe()))
        best.values.push_back(attune::detail::text_at(space.describe(), v, known_there));
    best.value = away_from(there)(known_there);

    recommending_bandit bandit = begun(7);
    bandit.inform({past});
    std::vector<attune::point> const first = bandit.ask(1);
    REQUIRE(first.size() == 1);
    CHECK(first.front() == known_there);
    CHECK(bandit.starts() == first);
    // As the triangle says: at most as far from the best here as there, and what differs.
    CHECK(*away_from(here)(first.front()) <= *away_from(there)(known_there) + moved);
    bandit.tell(first.front(), attune::measurement::exact(1));
    for (technique_use const& use : bandit.uses())
        CHECK(use.requests == 0);

    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        recommending_bandit informed = begun(seed);
        informed.inform({past});
        recommending_bandit alone = begun(seed);
        CHECK(searched(informed, away_from(here)) < searched(alone, away_from(here)));
    }
}

TEST_CASE("without the bandit all techniques are asked equally often")
{
    auto options = recommending_bandit_options::without_bandit();
    options.from_history = 0;
    recommending_bandit bandit(search_spaces::grid(4000), 1, {}, walks,
                               {*walks("walk0"), *walks("walk1"), *walks("walk2")}, options);
    for (int i = 0; i < 300; ++i)
        step(bandit, i, 0);
    for (technique_use const& use : bandit.uses()) {
        CAPTURE(use.name);
        CHECK(use.requests == 100);
    }
}

TEST_CASE("a technique that joins knows what was measured")
{
    technique_history past;
    past.add({.label = "like this",
              .structure = {},
              .uses = {{"walk0", 100, 40}, {"walk1", 100, 10}, {"random", 100, 90}}});
    auto const make = [](std::string_view name) {
        auto out = walks(name);
        return out ? out : known(name);
    };
    recommending_bandit bandit(search_spaces::grid(40), 1, past, make,
                               {*walks("walk0"), *walks("walk1")},
                               {.interval = 10, .from_history = 0});
    // 40 * 2 points at most, none of them twice: the laws hold across the change.
    std::vector<attune::point> seen;
    for (int i = 0; i < 20; ++i) {
        attune::point const asked = searcher_law::asked_of(bandit);
        CHECK(std::find(seen.begin(), seen.end(), asked) == seen.end());
        seen.push_back(asked);
        bool const finds = asked[0].index % 4 == 0;
        bandit.tell(asked, attune::measurement::exact(finds ? 1000.0 - i : 5000.0));
    }
    CHECK(requests(bandit.uses(), "random") > 0);
}
