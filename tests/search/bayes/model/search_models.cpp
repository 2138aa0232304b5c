// tests/search/bayes/model/search_models.cpp : mirrors include/attune/search/bayes/model/search_models.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/search_models.hpp>

#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "../../../support/search_spaces.hpp"

namespace {

struct fixture {
    explicit fixture(attune::bayesian_options chosen = {})
        : options(chosen)
        , unseen(search_spaces::grid(12))
        , prior(unseen.space().describe())
        , models(unseen, prior, options, parts)
    {
    }
    void tell(std::uint64_t i, bool works)
    {
        attune::point const p = unseen.space().at(i);
        unseen.mark(p);
        models.rows().close(p);
        if (works)
            history.tell(p, attune::measurement::exact(1.0 + static_cast<double>(i % 12)));
        else
            history.tell(p, attune::failure{attune::failure_stage::crash, "no"});
    }
    attune::bayesian_options options;
    attune::unseen_points unseen;
    attune::detail::user_prior prior;
    attune::detail::search_parts_of<attune::product_surrogate, attune::gaussian_feasibility,
                                    attune::expected_improvement_rule, attune::spread_design>
        parts{{}, {}};
    attune::detail::search_models models;
    attune::search_history history;
    attune::random_engine engine{1};
};

} // namespace

TEST_CASE("labels are learnt from the first failure on")
{
    fixture f;
    for (std::uint64_t i = 0; i < 6; ++i)
        f.tell(i * 13, true);
    f.models.update(f.history, f.engine);
    CHECK(f.models.view(6, -1).label_mean.empty());
    CHECK(f.models.view(6, -1).mean.size() == 144);
    f.tell(100, false);
    f.models.update(f.history, f.engine);
    attune::scored_candidates const seen = f.models.view(7, -1);
    REQUIRE(seen.label_mean.size() == 144);
    CHECK(attune::detail::chance_of(seen, 100) < 0.2);
    CHECK(attune::detail::chance_of(seen, 13) > 0.8);
}

TEST_CASE("while nothing has worked only the labels have an opinion")
{
    fixture f;
    f.tell(0, false);
    f.models.update(f.history, f.engine);
    attune::scored_candidates const seen = f.models.view(1, 0);
    CHECK(seen.mean.empty());
    CHECK(attune::detail::chance_of(seen, 143) > attune::detail::chance_of(seen, 1));
    f.models.push(f.unseen.space().at(std::uint64_t{5}), 0);
    f.models.pop_all(); // nothing to push, nothing to pop
}

TEST_CASE("a failure lowers the hopes for its neighbourhood")
{
    fixture with;
    fixture without;
    for (fixture* const f : {&with, &without})
        for (std::uint64_t i = 0; i < 8; ++i)
            f->tell(i * 17, true);
    with.tell(96, false); // in the best column, where nothing else is known
    with.models.update(with.history, with.engine);
    without.models.update(without.history, without.engine);
    CHECK(with.models.view(9, -1).mean[96] > without.models.view(8, -1).mean[96]);
    CHECK(with.models.view(9, -1).variance[96] < without.models.view(8, -1).variance[96]);
}

TEST_CASE("failures are hidden from the model of the objective where that is chosen")
{
    for (bool const sees : {false, true}) {
        attune::bayesian_options options;
        options.surrogate_sees_failures = sees;
        fixture f(options);
        for (std::uint64_t i = 0; i < 6; ++i)
            f.tell(i * 13, true);
        f.models.update(f.history, f.engine);
        std::span<double const> const all = f.models.view(6, -1).mean;
        std::vector<double> const before(all.begin(), all.end());
        f.tell(100, false);
        f.models.update(f.history, f.engine);
        std::span<double const> const now = f.models.view(7, -1).mean;
        CHECK(std::equal(now.begin(), now.end(), before.begin()) == !sees);
        CHECK(f.models.view(7, -1).label_mean.size() == 144); // the other model sees them
    }
}

TEST_CASE("a large space is sampled anew at a refit, keeping what was promising")
{
    fixture f({.max_pool = 50, .fresh = 40, .around = 2, .walks = 5});
    for (std::uint64_t i = 0; i < 6; ++i)
        f.tell(i * 17, true);
    f.models.update(f.history, f.engine);
    std::size_t const first = f.models.rows().size();
    CHECK(first > 40);
    CHECK(first < 144);
    attune::point const promising =
        f.models.rows().at(attune::detail::best_rows(f.models.view(6, -1), 1).front().row);
    for (std::uint64_t i = 0; i < 6; ++i)
        f.tell(3 + i * 17, true);
    f.models.update(f.history, f.engine);
    if (!f.unseen.has_seen(promising)) CHECK(f.models.rows().row_of(promising));
    std::size_t const before = f.models.rows().size();
    f.models.offer({f.unseen.space().at(std::uint64_t{1})});
    CHECK(f.models.rows().size() <= before + 1);
    CHECK(f.models.view(12, -1).mean.size() == f.models.rows().size());
}

TEST_CASE("a long run falls back to a sample of a space that was taken whole")
{
    fixture f({.fresh = 60, .memory_limit = 20});
    for (std::uint64_t i = 0; i < 10; ++i)
        f.tell(i * 13, true);
    f.models.update(f.history, f.engine);
    CHECK(f.models.rows().takes_whole_space());
    for (std::uint64_t i = 0; i < 30; ++i)
        f.tell(2 + i * 4, true);
    f.models.update(f.history, f.engine);
    CHECK(!f.models.rows().takes_whole_space());
    CHECK(f.models.view(40, -1).mean.size() == f.models.rows().size());
}
