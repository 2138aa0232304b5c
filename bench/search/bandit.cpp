// bench/search/bandit.cpp - what an AUC bandit costs beside the searches that it asks.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.bandit [--events 20000] [--rounds 11] [--benchmark_...]
// Prints   processor nanoseconds of so many events, each one ask() and one tell(): of a bandit over
//          four searches that count upwards, with a window of 500 and 5,000, and of the same
//          searches alone, asked in turn and told all outcomes. Every third outcome is a new best.
//          set_a: the same for the techniques of set A, on 2,000 events, whose choices differ with
//          the asking
//          last the limit, 5 us an event for four that count, over the same searches alone, and
//          whether the longer window costs more
#include <attune/core/random.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../support/key_value_reporter.hpp"
#include "synthetic_objective.hpp"

namespace {

namespace search = attune::search;

using points = std::vector<attune::point>;

/// Proposes every fourth point of a list, and learns nothing.
struct counter {
    std::shared_ptr<points const> from;
    std::size_t at;
    std::vector<attune::point> ask(std::size_t)
    {
        if (at >= from->size()) return {};
        return {(*from)[std::exchange(at, at + 4)]};
    }
    void tell(attune::point const&, attune::outcome const&) {}
};

[[nodiscard]] std::vector<search::technique> counters(std::shared_ptr<points const> const& from)
{
    std::vector<search::technique> out;
    for (std::size_t first = 0; first < 4; ++first)
        out.push_back({"count" + std::to_string(first),
                       [=](attune::chain_of_trees const&, std::uint64_t) -> attune::any_searcher {
                           return counter{from, first};
                       }});
    return out;
}

/// Every third one is a new best.
[[nodiscard]] attune::outcome outcome_of(std::size_t event)
{
    double const value = event % 3 == 0 ? -static_cast<double>(event) : 1;
    return attune::measurement::exact(value);
}

/// The searches that a bandit would ask, one after the other.
void run_alone(attune::chain_of_trees const& space, std::vector<search::technique> const& among,
               std::size_t events)
{
    std::vector<attune::any_searcher> all;
    for (search::technique const& t : among)
        all.push_back(t.make(space, all.size()));
    for (std::size_t i = 0; i < events; ++i) {
        std::vector<attune::point> const asked = all[i % all.size()].ask(1);
        if (asked.empty()) continue;
        for (attune::any_searcher& told : all)
            told.tell(asked.front(), outcome_of(i));
    }
}

void run_bandit(attune::chain_of_trees const& space, std::vector<search::technique> const& among,
                std::size_t events, std::size_t window)
{
    search::auc_bandit bandit(space, 0, among, {.window = window});
    for (std::size_t i = 0; i < events; ++i) {
        std::vector<attune::point> const asked = bandit.ask(1);
        if (asked.empty()) return;
        bandit.tell(asked.front(), outcome_of(i));
    }
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::size_t events = 20000;
        bench::read_flags(argc, argv, {{"--events", &events, 1}}, 11, "--rounds");
        attune::chain_of_trees const space = bench::grid_space(6, 16);
        attune::random_engine engine(0);
        auto const drawn = std::make_shared<points>();
        // A bandit that asks one search alone comes to the end of its quarter of them.
        for (std::size_t i = 0; i < 4 * events; ++i)
            drawn->push_back(space.sample(engine));
        std::vector<search::technique> const four = counters(drawn);
        std::vector<search::technique> const set_a = search::technique_set_a();
        std::size_t const few = std::min<std::size_t>(events, 2000);
        bench::add("alone", [&](auto&) { run_alone(space, four, events); });
        bench::add("bandit/500", [&](auto&) { run_bandit(space, four, events, 500); });
        bench::add("bandit/5000", [&](auto&) { run_bandit(space, four, events, 5000); });
        bench::add("set_a_alone", [&](auto&) { run_alone(space, set_a, few); });
        bench::add("set_a/500", [&](auto&) { run_bandit(space, set_a, few, 500); });
        auto const seconds = bench::run();
        if (seconds.empty()) return 0;
        double const each = 1e6 / static_cast<double>(events);
        double const short_us = (seconds.at("bandit/500") - seconds.at("alone")) * each;
        double const long_us = (seconds.at("bandit/5000") - seconds.at("alone")) * each;
        std::printf("total limit_us=5 bandit_us_per_event=%.3f within=%s long_over_short=%.2f\n",
                    std::max(short_us, long_us), std::max(short_us, long_us) <= 5 ? "yes" : "no",
                    long_us / short_us);
        return 0;
    });
}
