// tests/search/two_level/evolutionary_search.cpp : laws, mutations, generations, and programs of other tasks
// SPDX-License-Identifier: MIT
#include <attune/search/two_level/evolutionary_search.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/two_level/detail/mutators.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/nest_examples.hpp"
#include "../../support/search_spaces.hpp"

namespace {

using attune::evolutionary_options;
using attune::evolutionary_search;
using attune::point;
using attune::program_rows;

evolutionary_options small(std::size_t batch) { return {.population = 60, .batch = batch}; }

struct small_evolution : evolutionary_search {
    small_evolution(attune::chain_of_trees const& space, std::uint64_t seed)
        : evolutionary_search(space, seed, small(6))
    {
    }
};

/// Four parameters of 12 values, whose rows are the values; the best is (3, 8, 5, 10).
attune::description four()
{
    attune::description d;
    for (char const* name : {"a", "b", "c", "d"})
        d.parameters.push_back(search_spaces::counting(name, 12));
    d.rows = [](attune::description const&, std::span<attune::coordinate const> at) {
        program_rows out{{}, 4};
        for (attune::coordinate const c : at)
            out.values.push_back(c.index);
        return out;
    };
    return d;
}
double bowl(std::span<double const> values)
{
    double const best[] = {3, 8, 5, 10};
    double sum = 1;
    for (std::size_t i = 0; i < 4; ++i)
        sum += std::pow((values[i] - best[i]) / 4, 2);
    return sum;
}
double bowl(point const& p)
{
    std::vector<double> values;
    for (attune::coordinate const c : p)
        values.push_back(c.index);
    return bowl(values);
}

/// Knows the bowl.
struct oracle {
    void learn(std::span<program_rows const>, std::span<double const>) {}
    [[nodiscard]] std::vector<double> predict(std::span<program_rows const> asked) const
    {
        std::vector<double> out;
        for (program_rows const& p : asked)
            out.push_back(1 / bowl(p.row(0)));
        return out;
    }
};

/// A program of one task: how its two decisions and its size make its time. The decisions that are
/// best, as features see them, are the same for all sizes.
double time_of(double size, double tile, double unroll)
{
    return size * (1 + std::abs(tile - 5) / 2 + std::abs(unroll - 2));
}
program_rows rows_of(double size, double tile, double unroll)
{
    return {{std::log2(size), tile, unroll, tile * unroll}, 4};
}
/// As searches see it: nothing is expected of it.
program_rows seen_rows_of(double size, double tile, double unroll)
{
    program_rows out = rows_of(size, tile, unroll);
    out.values.push_back(0);
    ++out.width;
    return out;
}
/// Random programs of `tasks` sizes.
attune::cost_samples others(std::size_t tasks, attune::random_engine& engine)
{
    attune::cost_samples out;
    for (std::size_t t = 0; t < tasks; ++t)
        for (int i = 0; i < 60; ++i) {
            double const size = std::exp2(static_cast<double>(t));
            auto const tile = static_cast<double>(attune::uniform_below(engine, 40));
            auto const unroll = static_cast<double>(attune::uniform_below(engine, 10));
            out.add("size " + std::to_string(t), seen_rows_of(size, tile, unroll),
                    time_of(size, tile, unroll));
        }
    return out;
}
attune::chain_of_trees unseen_task()
{
    attune::description d;
    d.parameters = {search_spaces::counting("TILE", 40), search_spaces::counting("UNROLL", 10)};
    d.rows = [](attune::description const&, std::span<attune::coordinate const> at) {
        return rows_of(48, at[0].index, at[1].index);
    };
    return attune::chain_of_trees(std::move(d));
}
/// The best time of the first `count` points over the best of all.
template <class Search>
double best_of_first(Search& search, std::size_t count)
{
    double best = 1e300;
    for (point const& p : search.ask(count))
        best = std::min(best, time_of(48, p[0].index, p[1].index));
    return time_of(48, 5, 2) / best;
}

} // namespace

TEST_CASE_TEMPLATE_APPLY(searcher_laws, std::tuple<small_evolution, evolutionary_search>);

TEST_CASE("a factor of a tile moves from one level to another, and every such tile is reached")
{
    attune::parameter_description const tile = search_spaces::tile("tile", 24, 3);
    auto const levels = [&](std::uint32_t v) {
        return std::vector<std::int64_t>(tile.integers.begin() + 3 * v,
                                         tile.integers.begin() + 3 * v + 3);
    };
    attune::random_engine engine(1);
    for (std::uint32_t v = 0; v < tile.value_count(); ++v) {
        // Tiles that differ in two levels, the one a divisor of what it was.
        std::set<std::uint32_t> expected;
        for (std::uint32_t w = 0; w < tile.value_count(); ++w) {
            int changed = 0;
            int divided = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                std::int64_t const before = levels(v)[k];
                std::int64_t const after = levels(w)[k];
                if (before != after) ++changed;
                if (after < before && before % after == 0) ++divided;
            }
            if (changed == 2 && divided == 1) expected.insert(w);
        }
        std::set<std::uint32_t> reached;
        for (int i = 0; i < 2000; ++i)
            if (auto const to = attune::detail::with_moved_factor(tile, {v, 0}, engine))
                reached.insert(to->index);
        CHECK(reached == expected);
    }
}

TEST_CASE("mutators are chosen by their weights, and change one parameter of their kind")
{
    attune::description d = four();
    d.parameters[1].name = "UNROLL";
    d.parameters[2].name = "C_THREADS";
    CHECK(attune::default_mutation_kind(d, 0) == attune::mutation_kind::tile);
    CHECK(attune::default_mutation_kind(d, 1) == attune::mutation_kind::unroll);
    CHECK(attune::default_mutation_kind(d, 2) == attune::mutation_kind::parallel);
    attune::description const designs = search_spaces::conditional().describe();
    CHECK(attune::default_mutation_kind(designs, 0) == attune::mutation_kind::none);
    evolutionary_options options;
    options.kind = [](attune::description const& space, std::uint32_t p) {
        return p == 3 ? attune::mutation_kind::compute_location
                      : attune::default_mutation_kind(space, p);
    };
    attune::chain_of_trees const space(d);
    attune::detail::mutators const change(attune::detail::moves(space), options);
    attune::random_engine engine(2);
    point const from{{1, 0}, {1, 0}, {1, 0}, {1, 0}};
    double changes[4] = {};
    double all = 0;
    for (int i = 0; i < 40000; ++i)
        if (auto const to = change.change(from, engine)) {
            int differences = 0;
            for (std::size_t k = 0; k < 4; ++k)
                if ((*to)[k] != from[k]) {
                    ++differences;
                    changes[k] += 1;
                }
            CHECK(differences == 1);
            all += 1;
        }
    double const shares[] = {.9, .03, .02, .05};
    for (std::size_t k = 0; k < 4; ++k) // five standard deviations of a share
        CHECK(std::abs(changes[k] / all - shares[k]) < 5 * std::sqrt(shares[k] / all));
}

TEST_CASE("mutations alone lead from one schedule of a product to each size and place of its tiles")
{
    attune::processor_shape const shape{.cores = 4};
    attune::chain_of_trees const space(
        attune::derived_space(support::matmul(512, 512, 512), shape).describe());
    attune::description const& d = space.describe();
    point start;
    for (attune::parameter_description const& p : d.parameters)
        start.push_back(*attune::coordinate_of(p, p.name == "DEPTH" ? "128" : *p.default_text));
    REQUIRE(space.contains(start));
    // One parent, which was measured, and one child.
    evolutionary_options const options{.population = 1,
                                       .measured_ratio = 1,
                                       .generations = 1,
                                       .mutation_probability = 1,
                                       .retries = 1000,
                                       .batch = 1,
                                       .random_batch = 0};
    std::set<std::string> changed;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        evolutionary_search search(space, seed, options);
        search.tell(start, attune::measurement::exact(1));
        point const child = searcher_law::asked_of(search);
        std::vector<std::string> here;
        for (std::uint32_t p = 0; p < start.size(); ++p)
            if (child[p] != start[p] && space.is_active(p, child))
                here.push_back(d.parameters[p].name);
        CHECK(here.size() == 1);
        changed.insert(here.begin(), here.end());
    }
    for (char const* name :
         {"DEPTH", "DEPTH_LOOP", "ROW_TILES", "COLUMN_TILES", "THREADS", "UNROLL"})
        CHECK(changed.contains(name));
}

TEST_CASE("generations find better scores than the random configurations that they begin with")
{
    attune::chain_of_trees const space(four());
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        auto const best_score = [&](std::size_t generations) {
            evolutionary_options options = small(20);
            options.population = 200;
            options.generations = generations;
            options.model = [] { return oracle(); };
            evolutionary_search search(space, seed, options);
            point const known{{0, 0}, {0, 0}, {0, 0}, {0, 0}};
            search.tell(known, attune::measurement::exact(bowl(known)));
            std::vector<point> const batch = search.ask(20);
            REQUIRE(batch.size() == 20);
            // All but the random share, which is last, stand by their scores.
            CHECK(std::is_sorted(batch.begin(), batch.end() - 1,
                                 [](auto const& a, auto const& b) { return bowl(a) < bowl(b); }));
            return 1 / bowl(batch.front());
        };
        double const random = best_score(0);
        double const evolved = best_score(8);
        CHECK(evolved > random);
        CHECK(evolved > .8);
    }
}

TEST_CASE("the best measured ones are among the parents")
{
    // Without random members and without mutations, only what was measured is met: then the batch
    // is random.
    attune::chain_of_trees const space(four());
    evolutionary_options options = small(4);
    options.population = 10;
    options.measured_ratio = 1;
    options.generations = 1;
    options.random_batch = 0;
    options.model = [] { return oracle(); };
    options.mutation_probability = 1;
    evolutionary_search search(space, 4, options);
    for (std::uint32_t i = 0; i < 10; ++i) {
        point const p{{3, 0}, {8, 0}, {5, 0}, {i, 0}};
        search.tell(p, attune::measurement::exact(bowl(p)));
    }
    // Each differs from a measured one in one parameter.
    for (point const& p : search.ask(4)) {
        int const differences =
            (p[0].index != 3 ? 1 : 0) + (p[1].index != 8 ? 1 : 0) + (p[2].index != 5 ? 1 : 0);
        CHECK(differences <= 1);
    }
}

TEST_CASE_TEMPLATE("programs of other tasks tell what to try first in a task never seen", Search,
                   evolutionary_search, attune::two_level_search)
{
    attune::random_engine engine(3);
    attune::cost_samples const known = others(6, engine);
    double with = 1;
    double without = 1;
    double wrong = 1;
    constexpr int seeds = 6;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Search informed(unseen_task(), seed);
        informed.learn_from(known);
        with *= best_of_first(informed, 8);
        Search ignorant(unseen_task(), seed);
        without *= best_of_first(ignorant, 8);
        // The same programs with each other's times.
        std::vector<std::size_t> order(known.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        attune::shuffle(std::span(order), engine);
        attune::cost_samples shuffled;
        for (std::size_t i = 0; i < known.size(); ++i)
            shuffled.add("one", known.programs()[i], 1 / known.scores()[order[i]]);
        Search misled(unseen_task(), seed);
        misled.learn_from(shuffled);
        wrong *= best_of_first(misled, 8);
    }
    auto const mean = [](double product) { return std::pow(product, 1.0 / seeds); };
    CHECK(mean(with) > .95);
    CHECK(mean(without) < .8);
    CHECK(mean(wrong) < mean(with) - .1);
}

TEST_CASE_TEMPLATE("programs that differ in what no feature sees are both proposed", Search,
                   evolutionary_search, attune::two_level_search)
{
    // Rows that were measured have score 1, others 0.
    struct familiar {
        std::vector<program_rows> seen;
        void learn(std::span<program_rows const> all, std::span<double const>)
        {
            seen.assign(all.begin(), all.end());
        }
        [[nodiscard]] std::vector<double> predict(std::span<program_rows const> asked) const
        {
            std::vector<double> out;
            for (program_rows const& p : asked)
                out.push_back(std::find(seen.begin(), seen.end(), p) != seen.end() ? 1 : 0);
            return out;
        }
    };
    attune::processor_shape const shape{.l3_bytes = 1 << 20, .cores = 1};
    attune::chain_of_trees const space(
        attune::derived_space(support::softmax(1 << 13, 1024), shape).describe());
    attune::description const& d = space.describe();
    std::uint32_t const stores = d.find_parameter("STORES");
    REQUIRE(stores != attune::no_index);
    point streamed;
    for (attune::parameter_description const& p : d.parameters)
        streamed.push_back(*attune::coordinate_of(p, *p.default_text));
    REQUIRE(attune::text_of(d.parameters[stores], streamed[stores]) == "streamed");
    point cached = streamed;
    cached[stores] = *attune::coordinate_of(d.parameters[stores], "cached");
    REQUIRE(d.rows(d, streamed) == d.rows(d, cached));
    auto options = [] {
        if constexpr (std::is_same_v<Search, evolutionary_search>)
            return evolutionary_options{};
        else
            return attune::two_level_options{};
    }();
    options.batch = 4;
    options.random_batch = 0;
    options.model = [] { return familiar(); };
    for (auto const& [known, other] : {std::pair(streamed, cached), std::pair(cached, streamed)}) {
        Search search(space, 1, options);
        search.tell(known, attune::measurement::exact(1));
        CHECK(search.ask(1) == std::vector<point>{other});
    }
}

TEST_CASE("evolution ends where no program is new, and two configurations of one are not asked")
{
    attune::description d = four();
    d.structure = [](attune::description const&, std::span<attune::coordinate const> at) {
        if (at[0].index == 11) throw attune::error("no such program", "here", "take another");
        return std::uint64_t{at[0].index};
    };
    evolutionary_search search(attune::chain_of_trees(d), 1, small(5));
    std::set<std::uint32_t> asked;
    std::size_t count = 0;
    for (std::vector<point> now = search.ask(3); !now.empty(); now = search.ask(3))
        for (point const& p : now) {
            REQUIRE(++count <= 11);
            asked.insert(p[0].index);
            search.tell(p, attune::measurement::exact(bowl(p)));
        }
    CHECK(count == 11);
    CHECK(asked.size() == 11);
    CHECK(search.ask(1).empty());
}

TEST_CASE("random members are drawn until enough of them make programs")
{
    // One of 12 configurations makes one; a count of all that the model is asked about.
    attune::description d = four();
    d.rows = [rows = d.rows](attune::description const& in,
                             std::span<attune::coordinate const> at) {
        if (at[0].index != 3) throw attune::error("no such program", "here", "take another");
        return rows(in, at);
    };
    struct counting_oracle : oracle {
        std::shared_ptr<std::size_t> asked;
        [[nodiscard]] std::vector<double> predict(std::span<program_rows const> all) const
        {
            *asked += all.size();
            return oracle::predict(all);
        }
    };
    auto const asked_with = [&](std::size_t least) {
        auto const asked = std::make_shared<std::size_t>(0);
        evolutionary_options options = small(4);
        options.generations = 0;
        options.min_unmeasured = least;
        options.model = [asked] { return counting_oracle{{}, asked}; };
        evolutionary_search search(attune::chain_of_trees(d), 2, options);
        point const known{{3, 0}, {8, 0}, {1, 0}, {1, 0}};
        search.tell(known, attune::measurement::exact(bowl(known)));
        (void)search.ask(1);
        return *asked;
    };
    CHECK(asked_with(0) < 20); // 59 draws
    CHECK(asked_with(50) > 50);
    CHECK(asked_with(50) < 70);
}

TEST_CASE("a model of other tasks ranks the programs of a task never seen")
{
    attune::random_engine engine(5);
    attune::cost_samples const known = others(6, engine);
    attune::boosted_trees model(attune::boosting_options::for_other_tasks());
    model.learn(known.programs(), known.places());
    std::vector<program_rows> programs;
    std::vector<double> times;
    for (int tile = 0; tile < 40; ++tile)
        for (int unroll = 0; unroll < 10; ++unroll) {
            programs.push_back(seen_rows_of(48, tile, unroll));
            times.push_back(time_of(48, tile, unroll));
        }
    std::vector<double> const scores = model.predict(programs);
    double right = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
        for (std::size_t j = 0; j < times.size(); ++j) {
            if (!(times[i] < times[j])) continue;
            pairs += 1;
            right += scores[i] > scores[j] ? 1 : 0;
        }
    CHECK(right / pairs > .85);
}

TEST_CASE_TEMPLATE(
    "programs with rows of another width, and all in a space without rows, are ignored", Search,
    evolutionary_search, attune::two_level_search)
{
    attune::cost_samples narrow;
    narrow.add("other", {{1, 2, 3}, 3}, 1.0);
    attune::description without = unseen_task().describe();
    without.rows = {};
    for (attune::chain_of_trees const& space : {unseen_task(), attune::chain_of_trees(without)}) {
        Search informed(space, 1);
        informed.learn_from(narrow);
        Search ignorant(space, 1);
        CHECK(informed.ask(8) == ignorant.ask(8));
    }
}

TEST_CASE("any_searcher says whether programs of other tasks were taken")
{
    attune::any_searcher levels = evolutionary_search(unseen_task(), 1);
    CHECK(levels.learn_from(attune::cost_samples{}));
    struct deaf {
        std::vector<point> ask(std::size_t) { return {}; }
        void tell(point const&, attune::outcome const&) {}
    };
    attune::any_searcher other = deaf();
    CHECK(!other.learn_from(attune::cost_samples{}));
}
