// tests/search/bayes/model/learner.cpp : mirrors include/attune/search/bayes/model/learner.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/learner.hpp>

#include <attune/search/bayes/model/surrogates.hpp>

#include <doctest/doctest.h>

#include "../../../support/search_spaces.hpp"

namespace {

struct fixture {
    explicit fixture(attune::detail::learner_options options = {})
        : unseen(search_spaces::grid(9))
        , features(unseen.space())
        , prior(unseen.space().describe())
        , rows(unseen, features, prior, 100)
        , learner(features, options,
                  attune::detail::make_model<attune::product_surrogate>(features))
    {
        learner.model().assign(rows.enumerate());
    }
    void tell(std::uint64_t i)
    {
        attune::point const p = unseen.space().at(i);
        if (i % 4 == 3)
            history.tell(p, attune::failure{attune::failure_stage::crash, "no"});
        else
            history.tell(p, attune::measurement::exact(static_cast<double>(i * 37 % 11)));
    }
    void update(bool refit)
    {
        learner.update(
            history, rows,
            [](attune::observation const& o) {
                return attune::detail::learnt_value{o.worked ? o.value - 4 : 3.0, 0};
            },
            refit, engine);
    }
    attune::unseen_points unseen;
    attune::feature_map features;
    attune::detail::user_prior prior;
    attune::detail::candidate_rows rows;
    attune::search_history history;
    attune::detail::learner learner;
    attune::random_engine engine{1};
};

} // namespace

TEST_CASE("reading one by one gives what reading all at once gives")
{
    fixture step;
    fixture once;
    for (std::uint64_t i = 0; i < 12; ++i) {
        step.tell(i * 5);
        once.tell(i * 5);
    }
    step.update(true);
    once.update(true);
    for (std::uint64_t i = 12; i < 16; ++i) {
        step.tell(i * 5);
        step.update(false);
        once.tell(i * 5);
    }
    once.learner.forget_all();
    once.update(false);
    CHECK(step.learner.size() == 16);
    CHECK(once.learner.size() == 16);
    CHECK((step.learner.model().mean() - once.learner.model().mean()).abs().maxCoeff() < 1e-3);
}

TEST_CASE("failures are left out where they are not kept")
{
    fixture f({.keeps_failures = false});
    for (std::uint64_t i = 0; i < 8; ++i)
        f.tell(i);
    f.update(true);
    CHECK(f.learner.size() == 6);
    f.tell(11); // fails
    f.update(false);
    CHECK(f.learner.size() == 6);
}

TEST_CASE("more than the limit is not kept")
{
    fixture f({.limit = 30});
    for (std::uint64_t i = 0; i < 50; ++i)
        f.tell(i);
    f.update(true);
    CHECK(f.learner.size() == 20);
    f.tell(60);
    f.update(false);
    CHECK(f.learner.size() == 21); // until the next refit
}

TEST_CASE("a pushed point counts until it is popped, and an emptied model knows nothing")
{
    fixture f;
    for (std::uint64_t i = 0; i < 8; ++i)
        f.tell(i * 9);
    f.update(true);
    Eigen::ArrayXd const before = f.learner.model().mean();
    f.learner.push(f.unseen.space().at(std::uint64_t{40}), f.rows, -9);
    CHECK((f.learner.model().mean() - before).abs().maxCoeff() > 0.5);
    f.learner.model().pop();
    CHECK((f.learner.model().mean() == before).all());
    f.learner.empty(f.engine);
    CHECK((f.learner.model().mean() == 0).all());
    f.update(false);
    CHECK((f.learner.model().mean() - before).abs().maxCoeff() < 1e-3);
}
