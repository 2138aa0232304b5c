// tests/search/published/kernel_tuner_bo.cpp : Kernel Tuner's search of other_tools.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/published/other_tools.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/factory_searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace {

using attune::published::kernel_tuner_bo;
using attune::published::kernel_tuner_options;
using acquisition = kernel_tuner_options::acquisition;

attune::search_factory usual() { return kernel_tuner_bo(); }
attune::search_factory uniform_start()
{
    return kernel_tuner_bo({.choose = acquisition::multi,
                            .kernel = kernel_tuner_options::covariance::matern52,
                            .initial_samples = 5,
                            .latin_hypercube = false});
}

/// 120 steps on the valley, of whose values every unit is `unit`; what `fails` does not work.
template <class Fails>
std::vector<attune::point> path(kernel_tuner_options const& o, double unit, Fails const& fails,
                                std::uint64_t seed = 1)
{
    attune::any_searcher s = kernel_tuner_bo(o)(searcher_trials::valley_space(), seed);
    std::vector<attune::point> out;
    for (int i = 0; i < 120; ++i)
        for (attune::point const& p : s.ask(1)) {
            out.push_back(p);
            if (fails(p))
                s.tell(p, searcher_law::fail(p));
            else
                s.tell(p, attune::measurement::exact(searcher_trials::valley(p) * unit));
        }
    return out;
}
bool never(attune::point const&) { return false; }

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, factory_searcher<usual>, factory_searcher<uniform_start>);

TEST_CASE("Kernel Tuner's search finds the valley of a constrained space sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<factory_searcher<usual>>(60, 6);
}

TEST_CASE("the start is a Latin hypercube where the space has no constraints")
{
    attune::any_searcher s = kernel_tuner_bo()(search_spaces::grid(20), 1);
    std::set<std::uint32_t> columns;
    std::set<std::uint32_t> rows;
    for (attune::point const& p : s.ask(20)) {
        columns.insert(p[0].index);
        rows.insert(p[1].index);
    }
    CHECK(columns.size() == 20);
    CHECK(rows.size() == 20);
}

TEST_CASE("every choice of the options has an effect")
{
    kernel_tuner_options const plain;
    std::vector<attune::point> const reference = path(plain, 1, never);
    auto const changed = [&](auto const& change) {
        kernel_tuner_options o;
        change(o);
        return path(o, 1, never) != reference;
    };
    for (acquisition const a :
         {acquisition::expected_improvement, acquisition::probability_of_improvement,
          acquisition::lower_confidence_bound, acquisition::multi})
        CHECK(changed([a](kernel_tuner_options& o) { o.choose = a; }));
    CHECK(changed(
        [](kernel_tuner_options& o) { o.kernel = kernel_tuner_options::covariance::matern52; }));
    CHECK(changed([](kernel_tuner_options& o) { o.initial_samples = 10; }));
    CHECK(changed([](kernel_tuner_options& o) { o.latin_hypercube = false; }));
    CHECK(changed([](kernel_tuner_options& o) { o.skip_threshold = 1; }));
    CHECK(changed([](kernel_tuner_options& o) { o.required_improvement = 10; }));
    CHECK(changed([](kernel_tuner_options& o) { o.exploration = 3; }));
    CHECK(changed([](kernel_tuner_options& o) { o.exploration_in_values = false; }));
}

TEST_CASE("how fast values are forgotten decides which acquisition is dropped")
{
    // Not in every search: only where the members' old and new values are in different orders.
    bool differs = false;
    for (std::uint64_t seed = 1; seed <= 8 && !differs; ++seed) {
        kernel_tuner_options short_memory{.skip_threshold = 2, .discount = 0.01};
        kernel_tuner_options long_memory{.skip_threshold = 2, .discount = 1};
        differs = path(short_memory, 1, never, seed) != path(long_memory, 1, never, seed);
    }
    CHECK(differs);
}

TEST_CASE("contextual variance does not depend on the unit of values, lambda in values does")
{
    // Everything but lambda is standardised or a ratio: a power of two changes no bit.
    kernel_tuner_options relative;
    relative.exploration_in_values = false;
    CHECK(path(relative, 0x1p-10, never) == path(relative, 1, never));
    CHECK(path({}, 0x1p-10, never) != path({}, 1, never));
}

TEST_CASE("a failure tells the model nothing about its neighbours")
{
    // Every second column fails. The model is not told, so that failures' neighbours stay
    // promising.
    auto const half = [](attune::point const& p) { return p[2].index % 2 == 1; };
    std::vector<attune::point> const asked = path({}, 1, half);
    std::size_t failed = 0;
    for (attune::point const& p : asked)
        failed += half(p) ? 1U : 0U;
    CHECK(failed > asked.size() / 4); // a model of failures would have learnt that column
}
