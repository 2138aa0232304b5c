// tests/search/published/baco.cpp : mirrors include/attune/search/published/baco.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/published/baco.hpp>

#include <attune/search/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
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
