// tests/search/published/other_tools.cpp : mirrors include/attune/search/published/other_tools.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/published/other_tools.hpp>

#include <attune/core/random.hpp>
#include <attune/search/published/detail/opentuner_techniques.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/factory_searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace {

attune::search_factory whole() { return attune::published::baco(); }
attune::search_factory reduced() { return attune::published::baco_minus_minus(); }
attune::search_factory trees()
{
    attune::published::baco_options const o{
        .model = attune::published::baco_options::surrogate::random_forest, .feasibility = false};
    return attune::published::baco(o);
}

/// Powers of two, an order of three and a choice; a third of it fails, where the model cannot know.
attune::chain_of_trees loops()
{
    return search_spaces::space_of({search_spaces::ordinal("tile", {1, 2, 4, 8, 16, 32, 64, 128}),
                                    search_spaces::permutation("order", 4),
                                    search_spaces::counting("unroll", 5)});
}
attune::outcome loops_cost(attune::point const& p)
{
    if ((p[0].index + p[2].index) % 3 == 2)
        return attune::failure{attune::failure_stage::crash, ""};
    double const tile = p[0].index - 4.0;
    return attune::measurement::exact(std::exp(0.3 * tile * tile) + 0.7 * (p[1].index % 7) +
                                      p[2].index);
}

std::vector<attune::point> path(attune::search_factory const& make, std::size_t steps,
                                double unit = 1, std::uint64_t seed = 1)
{
    attune::any_searcher s = make(loops(), seed);
    std::vector<attune::point> out;
    for (std::size_t i = 0; i < steps; ++i)
        for (attune::point const& p : s.ask(1)) {
            out.push_back(p);
            attune::outcome result = loops_cost(p);
            if (auto* const m = std::get_if<attune::measurement>(&result))
                result = attune::measurement::exact(m->value * unit);
            s.tell(p, result);
        }
    return out;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, factory_searcher<whole>, factory_searcher<reduced>,
                          factory_searcher<trees>);

TEST_CASE("BaCO finds the valley of a constrained space sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<factory_searcher<whole>>(60, 4);
}

TEST_CASE("BaCO begins with ten uniform configurations, whatever becomes of them")
{
    // A failure or a value after the tenth configuration changes what comes next, not before.
    attune::any_searcher works = attune::published::baco()(search_spaces::grid(12), 3);
    attune::any_searcher fails = attune::published::baco()(search_spaces::grid(12), 3);
    for (int i = 0; i < 10; ++i) {
        std::vector<attune::point> const asked = works.ask(1);
        REQUIRE(fails.ask(1) == asked);
        works.tell(asked.front(), searcher_law::judge(asked.front()));
        fails.tell(asked.front(), searcher_law::fail(asked.front()));
    }
    CHECK(works.ask(1) != fails.ask(1));
}

TEST_CASE("each part that the ablations remove has an effect on the search")
{
    using attune::published::baco_options;
    std::vector<attune::point> const usual = path(attune::published::baco(), 40);
    auto const changed = [&](auto const& change) {
        baco_options o;
        change(o);
        return path(attune::published::baco(o), 40) != usual;
    };
    CHECK(changed([](baco_options& o) { o.initial_samples = 5; }));
    CHECK(changed([](baco_options& o) { o.model = baco_options::surrogate::random_forest; }));
    CHECK(changed([](baco_options& o) { o.orders = attune::order_distance::kendall; }));
    CHECK(changed([](baco_options& o) { o.log_values = false; }));
    CHECK(changed([](baco_options& o) { o.log_inputs = false; }));
    CHECK(changed([](baco_options& o) { o.priors = false; }));
    CHECK(changed([](baco_options& o) { o.several_starts = false; }));
    CHECK(changed([](baco_options& o) { o.feasibility = false; }));
    CHECK(changed([](baco_options& o) { o.feasibility_limit = false; }));
    // A space of 960 configurations is scored whole, where local search finds nothing better.
    CHECK_FALSE(changed([](baco_options& o) { o.local_search = false; }));
}

TEST_CASE("BaCO-- is BaCO without what Sec. 5.3 lists")
{
    attune::published::baco_options o;
    o.log_values = o.log_inputs = false;
    o.priors = false;
    o.local_search = false;
    o.several_starts = false;
    o.orders = attune::order_distance::naive;
    CHECK(path(attune::published::baco(o), 30) == path(attune::published::baco_minus_minus(), 30));
}

TEST_CASE("the scale of values is that of their model: without logarithms a unit changes nothing")
{
    // Standardised values times a power of two are the same numbers, bit for bit.
    CHECK(path(attune::published::baco_minus_minus(), 30, 1024) ==
          path(attune::published::baco_minus_minus(), 30));
}

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::child_wise_searcher);

TEST_CASE("the first configuration is drawn child by child: sparse parts are more likely")
{
    // a + b <= 4 with a in 0..2, b in 0..4: 5, 4 and 3 leaves below the three values of a.
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::search_factory const make = attune::published::cot_sampling();
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> count;
    constexpr int searches = 12'000;
    for (int seed = 0; seed < searches; ++seed) {
        attune::any_searcher s = make(space, static_cast<std::uint64_t>(seed));
        attune::point const p = s.ask(1).front();
        count[{p[0].index, p[1].index}] += 1;
    }
    double chi_square = 0;
    for (auto const& [setting, n] : count) {
        double const expected = searches / 3.0 / (5.0 - setting.first);
        chi_square += (n - expected) * (n - expected) / expected;
    }
    CHECK(count.size() == 12);
    CHECK(chi_square < 31.3); // 99.9 % point of 11 degrees of freedom
}

namespace {

namespace detail = attune::detail;

attune::search_factory usual() { return attune::published::opentuner_default(); }

/// x and y of 0 .. 100, and a choice of three.
attune::chain_of_trees plane()
{
    return search_spaces::space_of({search_spaces::counting("x", 101),
                                    search_spaces::counting("y", 101),
                                    search_spaces::categorical("z", {"a", "b", "c"})});
}
attune::point at(std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    attune::point out(3);
    out[0].index = x;
    out[1].index = y;
    out[2].index = z;
    return out;
}

detail::opentuner_technique simplex(attune::chain_of_trees const& space, std::uint64_t seed)
{
    return detail::opentuner_technique(space, seed, detail::opentuner_simplex, 50);
}

/// What the technique proposes until it has nothing, or `most` configurations, by values of `cost`.
template <class Cost>
std::vector<attune::point> driven(detail::opentuner_technique& by, Cost const& cost,
                                  std::size_t most)
{
    std::vector<attune::point> out;
    while (out.size() < most) {
        std::vector<attune::point> const asked = by.ask(1);
        if (asked.empty()) break;
        out.push_back(asked.front());
        by.tell(asked.front(), attune::measurement::exact(cost(asked.front())));
    }
    return out;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, factory_searcher<usual>);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, factory_searcher<usual>);

TEST_CASE("numbers are combined by their places, choices are taken over or drawn")
{
    attune::chain_of_trees const space = plane();
    detail::opentuner_genome const genes(space, {});
    attune::random_engine engine{1};
    std::vector<bool> const every(3, true);
    attune::point const a = at(40, 90, 1);
    std::set<std::uint32_t> drawn;
    for (int i = 0; i < 100; ++i) {
        attune::point child = at(0, 0, 0);
        // 40 + (70 - 50) / 2; 90 + (60 - 20) / 2 is clipped
        detail::set_opentuner_linear(genes, child, every, a, at(70, 60, 0), at(50, 20, 0), 0.5,
                                     engine);
        CHECK(child == at(50, 100, 1)); // b and c choose alike: that of a
        detail::set_opentuner_linear(genes, child, every, a, at(70, 60, 0), at(50, 20, 2), 0.5,
                                     engine);
        drawn.insert(child[2].index);
    }
    CHECK(drawn == std::set<std::uint32_t>{0, 1, 2});

    attune::point child = at(7, 8, 2);
    detail::set_opentuner_linear(genes, child, {false, true, false}, a, at(0, 10, 0), at(0, 20, 0),
                                 1, engine);
    CHECK(child == at(7, 80, 2));
}

TEST_CASE("a child of differential evolution: others move by F of a difference, F in [0.5, 1)")
{
    // Members with one value of x: x of the child is that value, whoever the parents are. Those of
    // the best and of the members differ in y, by 40: y is theirs, or moved by 20 to 40.
    attune::chain_of_trees const space = plane();
    detail::opentuner_genome const genes(space, {});
    std::vector<attune::point> const members(4, at(10, 50, 0));
    attune::point const best = at(10, 90, 0);
    attune::random_engine engine{3};
    std::set<std::uint32_t> ys;
    for (int i = 0; i < 2000; ++i) {
        attune::point const child =
            detail::opentuner_descendant(genes, members, 0, &best, 1, engine);
        CHECK(child[0].index == 10);
        CHECK(child[2].index == 0);
        ys.insert(child[1].index);
    }
    std::set<std::uint32_t> expected{50};
    for (std::uint32_t moved = 20; moved <= 40; ++moved) {
        expected.insert(50 - moved); // x3 is the best
        expected.insert(50 + moved); // x2 is the best
    }
    expected.insert(90); // x1 is the best
    CHECK(ys == expected);
}

TEST_CASE("the simplex: the first reflection is as the formula says")
{
    // Three corners; the worst one w is reflected at the centre c of all: c + 2 (c - w).
    attune::chain_of_trees const space = plane();
    auto const cost = [](attune::point const& p) { return 1.0 + p[0].index + 2.0 * p[1].index; };
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        detail::opentuner_technique by = simplex(space, seed);
        std::vector<attune::point> const corners = driven(by, cost, 3);
        REQUIRE(corners.size() == 3);
        attune::point const worst = *std::max_element(
            corners.begin(), corners.end(),
            [&](attune::point const& p, attune::point const& q) { return cost(p) < cost(q); });
        std::vector<attune::point> const next = driven(by, cost, 1);
        if (next.empty()) continue; // it is one of the corners: nothing new for 50 steps
        ++compared;
        for (std::size_t d = 0; d < 2; ++d) {
            double centre = 0;
            for (attune::point const& p : corners)
                centre += p[d].index / 3.0;
            double const wanted =
                std::clamp(3 * std::round(centre) - 2.0 * worst[d].index, 0.0, 100.0);
            CHECK(next.front()[d].index == static_cast<std::uint32_t>(wanted));
        }
    }
    CHECK(compared >= 15);
}

TEST_CASE("the simplex finds the bottom of a bowl, ends, and has nothing to ask where it ended")
{
    attune::chain_of_trees const space = plane();
    auto const bowl = [](attune::point const& p) {
        double const x = p[0].index - 30.0;
        double const y = p[1].index - 60.0;
        return 1 + x * x + y * y;
    };
    int near = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        detail::opentuner_technique by = simplex(space, seed);
        std::vector<attune::point> const asked = driven(by, bowl, 1000);
        REQUIRE(asked.size() < 1000); // of 30,603
        double best = 1e9;
        for (attune::point const& p : asked)
            best = std::min(best, bowl(p));
        near += best < 1 + 12 * 12 ? 1 : 0; // chance: 1.5 % a configuration
        CHECK(by.ask(1).empty());
        by.tell(at(0, 0, 0), attune::measurement::exact(0.5));
        CHECK(by.ask(1).empty());
    }
    CHECK(near >= 15);
}

TEST_CASE("the simplex ends at once where no parameter is a number")
{
    detail::opentuner_technique by =
        simplex(search_spaces::space_of({search_spaces::categorical("z", {"a", "b", "c"})}), 1);
    CHECK(by.ask(1).empty());
}

TEST_CASE("a mutation is of the best that anyone found, and none where nothing worked")
{
    attune::chain_of_trees const space = plane();
    auto const begin = [](attune::trials& t) { return detail::opentuner_mutation(t, 0, false); };
    detail::opentuner_technique by(space, 5, begin, 1);
    CHECK(by.ask(1).size() == 1); // of a random configuration
    by.tell(at(20, 30, 1), attune::measurement::exact(1));
    // The one before waits for its outcome.
    CHECK(by.ask(1).empty());
    detail::opentuner_technique other(space, 6, begin, 1);
    other.tell(at(20, 30, 1), attune::measurement::exact(1));
    other.tell(at(90, 90, 0), attune::measurement::exact(2));
    int asked = 0;
    for (int i = 0; i < 50; ++i)
        for (attune::point const& p : other.ask(1)) {
            // rate 0: one parameter alone
            int const changed =
                (p[0].index != 20 ? 1 : 0) + (p[1].index != 30 ? 1 : 0) + (p[2].index != 1 ? 1 : 0);
            CHECK(changed == 1);
            ++asked;
            other.tell(p, attune::measurement::exact(3));
        }
    CHECK(asked > 20);
}
