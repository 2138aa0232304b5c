// tests/tune/effort.cpp - what a store knows serves where it was tuned as hard as is asked now.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/remembered_choice.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/installation.hpp"
#include "../support/notices.hpp"

using namespace attune_test;
using attune::decision;

namespace {

auto evaluations(std::uint64_t count)
{
    return [count](attune::tuning_options& o) { o.limits = {.evaluations = count, .seconds = 30}; };
}

/// In a space of four; the exhaustive search goes from the left to the right.
memory_installation over_four(attune::memory_store& store, std::uint64_t count)
{
    return {store,
            ways<usual, crawling, fast, same_as_usual>(),
            accumulate_source(),
            accumulate_compiler(),
            evaluations(count)};
}

} // namespace

TEST_CASE("a harder tuning is run where the store knows an easier one, from where that ended")
{
    attune::memory_store store;
    {
        memory_installation one = over_four(store, 2);
        CHECK(one.obtain() != fast_code);
        CHECK(one.known.report().evaluations == 2);
    }
    REQUIRE(store.records().size() == 1);
    CHECK(store.records()[0].asked == attune::tuning_effort{2, 30.0});
    CHECK(store.records()[0].ended == "budget");
    {
        memory_installation as_hard = over_four(store, 2);
        CHECK(as_hard.obtain() != fast_code);
        CHECK(as_hard.how() == decision::remembered);
    }
    {
        memory_installation harder = over_four(store, 3);
        CHECK(harder.obtain() == fast_code);
        CHECK(harder.how() == decision::tuned);
        CHECK(harder.known.report().evaluations == 3);
        CHECK(harder.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
        CHECK(notices_but_noise(harder.known.report()) ==
              std::vector<std::string>{"continued an earlier tuning: 2 evaluations were known"});
    }
    for (std::uint64_t const count : {1U, 3U}) {
        memory_installation later = over_four(store, count);
        CHECK(later.obtain() == fast_code);
        CHECK(later.how() == decision::remembered);
    }
    memory_installation nothing_to_spend = over_four(store, 0);
    CHECK(nothing_to_spend.obtain() == fast_code);
    CHECK(nothing_to_spend.how() == decision::remembered);
}

TEST_CASE("where every configuration was tried, no limit asks for more")
{
    attune::memory_store store;
    memory_installation all = over_four(store, 60);
    CHECK(all.obtain() == fast_code);
    CHECK(store.records()[0].ended == "space");
    memory_installation more = over_four(store, 1'000'000);
    CHECK(more.obtain() == fast_code);
    CHECK(more.how() == decision::remembered);
}

TEST_CASE("a tuning that a rule ended is as hard as it was allowed to be")
{
    auto const until_target = [](attune::tuning_options& o) {
        o.limits = {.evaluations = 4, .seconds = 30, .target = 1.0};
    };
    attune::memory_store store;
    for (int run = 0; run < 2; ++run) {
        memory_installation one{store,
                                ways<usual, crawling, fast, same_as_usual>(),
                                accumulate_source(),
                                accumulate_compiler(),
                                until_target};
        CHECK(one.obtain() != fast_code);
        CHECK((one.how() == decision::remembered) == (run == 1));
    }
    CHECK(store.records().size() == 1);
    CHECK(store.records()[0].ended == "stop rule");
}

TEST_CASE("a record that does not say what was asked serves as before")
{
    attune::memory_store known = tuned_store();
    attune::record old = known.records()[0];
    old.asked = {};
    old.ended.clear();
    old.evaluations = 1;
    for (bool const interrupted : {false, true}) {
        old.interrupted = interrupted;
        attune::memory_store store;
        store.add(old);
        memory_installation later{store, ways<usual, fast>()};
        CHECK(later.obtain() == fast_code);
        CHECK(later.how() == decision::remembered);
    }
}
