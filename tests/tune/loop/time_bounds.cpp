// tests/tune/loop/time_bounds.cpp - tunings of a program whose part that knows bounds is missing.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/time_bounds.hpp>

#include <attune/attune.hpp>
#include <attune/core/offer.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;

TEST_CASE(
    "without attune::roofline stated work counts nowhere, and one notice says what is missing")
{
    attune::detail::time_bounds const* const known =
        attune::detail::exchange_offer<attune::detail::time_bounds>(nullptr);
    for (bool const is_stated : {false, true}) {
        auto kernel = accumulate_kernel(ways<usual, fast>());
        if (is_stated) kernel.work(100, 800);
        attune::tuning_options options = quick_options();
        options.search.prune = true;
        attune::tuned call{kernel, accumulate_compiler(), attune::memory_store{}, options};
        accumulate_data data;
        call(data.x, data.y, 3.0);
        CHECK(data.called_times(1, 3.0));
        attune::tuning_report const report = call.report();
        CHECK(report.how == attune::decision::tuned);
        CHECK(!report.roofline);
        CHECK(report.pruned == 0);
        CHECK(std::any_of(report.notices.begin(), report.notices.end(), [](auto const& said) {
                  return has(said, "link attune::roofline");
              }) == is_stated);
    }
    attune::detail::exchange_offer(known);
}

TEST_CASE("without attune::roofline a log of a search that was narrowed says what is missing")
{
    static constexpr auto x = attune::integer<"X">(0, 9);
    attune::chain_of_trees const space = attune::build(attune::space(x));
    auto const make = attune::search_with<attune::random_searcher>();
    auto const problem = [&] {
        std::vector<attune::event> const events{
            {.kind = attune::event_kind::narrowed, .text = "0\n5 5"}};
        attune::any_searcher search = attune::detail::search_for(make, space, 5, events);
        return attune::detail::repeat_calls(search, space, events).problem;
    };
    CHECK(problem().empty());
    auto const* const known = attune::detail::exchange_offer<attune::detail::time_bounds>(nullptr);
    CHECK(has(problem(), "link attune::roofline"));
    attune::detail::exchange_offer(known);
}
