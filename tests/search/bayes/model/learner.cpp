// tests/search/bayes/model/learner.cpp : mirrors include/attune/search/bayes/model/learner.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/learner.hpp>

#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/history.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <vector>

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

namespace {

/// `count` points of a line; the value falls towards the middle of the history; every tenth fails.
attune::search_history line(std::size_t count)
{
    attune::search_history h;
    for (std::uint32_t i = 0; i < count; ++i) {
        attune::point const p{{i % 100, 0}, {i / 100, 0}};
        double const away = std::abs(static_cast<double>(i) - static_cast<double>(count) / 2);
        if (i % 10 == 7)
            h.tell(p, attune::failure{attune::failure_stage::crash, "no"});
        else
            h.tell(p, attune::measurement::exact(1 + away));
    }
    return h;
}

attune::chain_of_trees const& plane()
{
    static attune::chain_of_trees const space = search_spaces::grid(100);
    return space;
}

std::vector<std::size_t> kept(std::size_t count, bool only_working)
{
    return attune::detail::representative_memory(line(count), plane().describe(), 60, only_working);
}

} // namespace

TEST_CASE("up to the limit everything is remembered")
{
    CHECK(kept(60, false).size() == 60);
    CHECK(kept(66, true).size() == 60); // 6 of 66 failed
}

TEST_CASE("beyond the limit a third each stays: the best, the latest and distant ones")
{
    for (bool const only_working : {false, true}) {
        std::vector<std::size_t> const got = kept(1000, only_working);
        CHECK(got.size() == 60);
        CHECK(std::is_sorted(got.begin(), got.end()));
        CHECK(std::set<std::size_t>(got.begin(), got.end()).size() == got.size());
        CHECK(std::find(got.begin(), got.end(), 500U) != got.end());
        auto const after = [&](std::size_t first) {
            return std::count_if(got.begin(), got.end(), [&](std::size_t i) { return i >= first; });
        };
        CHECK(after(only_working ? 978 : 980) == 20);
        CHECK(after(530) - after(978) >= 5); // far from the best, not recent
        for (std::size_t const i : got)
            CHECK((!only_working || i % 10 != 7));
    }
}
