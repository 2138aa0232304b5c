// tests/tune/related.cpp - a tuning begins with what the store knows of other versions and inputs.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/event_log.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/tune/replay.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune_test;
using attune::decision;

namespace {

auto const many =
    ways<usual, crawling, same_as_usual, wrong, refused, unloadable, fast, throwing>();

/// The default and one more.
auto two_evaluations(bool use_related, std::string const& log = {})
{
    return [=](attune::tuning_options& o) {
        o.limits.evaluations = 2;
        o.search.strategy = attune::default_search();
        o.search.use_related = use_related;
        o.event_log = log;
    };
}

} // namespace

TEST_CASE("what would serve untuned is tried first: the winner of the nearest problem")
{
    attune::memory_store store;
    memory_installation far{store, many, accumulate_source(), accumulate_compiler("far")};
    CHECK(far.obtain() == fast_code);
    memory_installation near{store, ways<usual, same_as_usual>()};
    (void)near.obtain();
    memory_installation later{store, many, next_version(), accumulate_compiler(),
                              two_evaluations(true)};
    (void)later.obtain();
    CHECK(later.known.report().evaluations == 2);
    CHECK(later.known.report().configuration == near.known.report().configuration);
}

TEST_CASE("without use_related a new version begins as if nothing were known")
{
    attune::memory_store store = tuned_store(many);
    attune::memory_store empty;
    memory_installation later{store, many, next_version(), accumulate_compiler(),
                              two_evaluations(false)};
    memory_installation alone{empty, many, next_version(), accumulate_compiler(),
                              two_evaluations(true)};
    (void)later.obtain();
    (void)alone.obtain();
    std::vector<std::string> compiled = later.compiler.compiled();
    REQUIRE(compiled.at(0) == "WAY=10"); // whether its code is that of the former default
    compiled.erase(compiled.begin());
    CHECK(compiled == alone.compiler.compiled());
}

TEST_CASE("what was best in another version and is wrong in this one is not served")
{
    attune::memory_store store = tuned_store(many);
    scripted_compiler const changed{[](attune::compile_request const& v) {
                                        for (attune::macro_definition const& m : v.macros)
                                            if (m.name == "WAY" && m.value == "1")
                                                return code_of<wrong>();
                                        return accumulate_script(v);
                                    },
                                    "scripted 1"};
    memory_installation later{store, many, next_version(), changed, two_evaluations(true)};
    (void)later.obtain();
    CHECK(later.how() == decision::kept_default);
    CHECK(attune::total(later.known.report().failures) == 1);
    CHECK(later.data.called_times(0, 3.0));
}

TEST_CASE("a log repeats a tuning that knew of others, without the store")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("log");
    attune::memory_store store = tuned_store(many);
    memory_installation later{store, many, next_version(), accumulate_compiler(),
                              two_evaluations(true, path)};
    CHECK(later.obtain() == fast_code);
    attune::logged_session const logged = attune::read_event_log(path).back();
    REQUIRE_FALSE(logged.events.empty());
    CHECK(logged.events.front().kind == attune::event_kind::informed);
    attune::chain_of_trees const space = attune::build(many);
    attune::replayed_session const again = attune::replay(path, space);
    CHECK(again.evaluations.size() == 2);
    CHECK(again.chosen == again.evaluations.back().first);
}
