// tests/tune/retune.cpp - tuning again what the store knows.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "../support/ignored_interrupts.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// Tunes again. @param change  further options
template <class Pack>
memory_installation retuning(attune::memory_store& store, Pack const& space,
                             options_change const& change = {})
{
    return {store, space, [&](attune::tuning_options& o) {
                o.on_miss = attune::miss_policy::always;
                if (change) change(o);
            }};
}

} // namespace

TEST_CASE("what the store knows takes part, although the search would not come to it")
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, crawling, fast>()};
    CHECK(first.obtain() == fast_code);
    memory_installation again =
        retuning(store, ways<usual, crawling, fast>(), [](attune::tuning_options& o) {
            o.limits = {.evaluations = 2}; // the default, and what is next
        });
    CHECK(again.call() == obtained{fast_code, decision::tuned});
    CHECK(again.known.report().evaluations == 2);
    REQUIRE(store.records().size() == 2);
    CHECK(store.records()[1].configuration == store.records()[0].configuration);
}

TEST_CASE("a remembered configuration that does not work any more loses to one that does")
{
    attune::memory_store known;
    memory_installation first{known, ways<usual, fast, wrong>()};
    (void)first.obtain();
    for (std::string const way : {"77", "2"}) { // not in the space; wrong
        attune::record strange = known.records()[0];
        strange.configuration = {{"WAY", way}};
        attune::memory_store store;
        store.add(strange);
        memory_installation again = retuning(store, ways<usual, fast, wrong>());
        CHECK(again.call() == obtained{fast_code, decision::tuned});
        CHECK(store.records().back().configuration[0].second == "1");
    }
}

TEST_CASE("an interrupted tuning does not stand in the store in place of a finished one")
{
    ignored_interrupts const interrupts;
    attune::memory_store store = tuned_store();
    memory_installation again = retuning(store, ways<usual, fast>(), [](attune::tuning_options& o) {
        o.progress = [](attune::progress const& p) {
            if (p.evaluation == 1 && p.improved) ::raise(SIGINT);
        };
    });
    (void)again.obtain();
    attune::tuning_report const report = again.known.report();
    CHECK(report.interrupted);
    CHECK(report.configuration == "WAY=0"); // nothing else had been tried
    CHECK(notices_but_noise(report) ==
          std::vector<std::string>{
              "the tuning was interrupted: the store keeps the result of a finished tuning"});
    CHECK(store.records().size() == 1);
    CHECK(memory_installation{store, ways<usual, fast>()}.call() ==
          obtained{fast_code, decision::remembered});
}

TEST_CASE(
    "which record survives: that of a quiet machine, unless the disturbed tuning had to beat it")
{
    std::map<void const*, double> const seconds{{std::get<void*>(code_of<usual>()), 8e-3},
                                                {std::get<void*>(code_of<crawling>()), 4e-3},
                                                {fast_code, 1e-3}};
    attune::memory_store store;
    /// @param slowness_after  of the machine, from the first evaluation on
    auto const tune = [&](double slowness_after, bool again, bool is_known = true) {
        time_script times{seconds};
        // Of another key's tuning nothing is known before; its record is there when it ends.
        attune::memory_store before;
        memory_installation one{is_known ? store : before, ways<usual, crawling, fast>(),
                                [&](attune::tuning_options& o) {
                                    o.on_miss = again ? attune::miss_policy::always
                                                      : attune::miss_policy::tune_if_missing;
                                    o.progress = [&](attune::progress const& p) {
                                        if (p.event != attune::progress_event::evaluated) return;
                                        times.slowness = p.evaluation % 2 == 1 ? slowness_after : 1;
                                        if (!is_known && before.records().empty())
                                            for (attune::record const& r : store.records())
                                                before.add(r);
                                    };
                                },
                                &times};
        CHECK(one.obtain() == fast_code);
        if (!is_known) store = before;
        return one.known.report();
    };
    attune::tuning_report const disturbed = tune(2, false);
    CHECK(disturbed.how == decision::tuned);
    CHECK(disturbed.noise.is_disturbed);
    CHECK(disturbed.noise.slowdown == doctest::Approx(2));
    REQUIRE(store.records().size() == 1);
    CHECK(store.records()[0].disturbed);

    // It serves later runs, which say so.
    attune::tuning_report const served = tune(1, false);
    CHECK(served.how == decision::remembered);
    CHECK(served.noise.is_disturbed);

    // A quiet one takes its place.
    CHECK(!tune(1, true).noise.is_disturbed);
    REQUIRE(store.records().size() == 2);
    CHECK(!store.records()[1].disturbed);

    // A disturbed one that began when nothing was known does not take the place of that.
    attune::tuning_report const late = tune(2, true, false);
    CHECK(late.noise.is_disturbed);
    CHECK(store.records().size() == 2);
    CHECK(notices_but_noise(late) ==
          std::vector<std::string>{
              "the tuning was disturbed: the store keeps the result of a finished tuning"});

    // One in which that took part does: it was measured beside it.
    CHECK(tune(2, true).noise.is_disturbed);
    REQUIRE(store.records().size() == 3);
    CHECK(store.records()[2].disturbed);
}
