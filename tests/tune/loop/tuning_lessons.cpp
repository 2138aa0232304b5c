// tests/tune/loop/tuning_lessons.cpp - tunings of a program whose part that keeps lessons is missing.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/offer.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/replay.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::detail::exchange_offer;
using attune::detail::tuning_lessons;

namespace {

/// While one exists, no part of the program keeps lessons.
class without_lessons {
public:
    without_lessons() = default;
    ~without_lessons() { exchange_offer(known_); }
    without_lessons(without_lessons const&) = delete;
    without_lessons& operator=(without_lessons const&) = delete;

private:
    tuning_lessons const* known_ = exchange_offer<tuning_lessons>(nullptr);
};

} // namespace

TEST_CASE("without attune::lessons no file is used, and one notice says what is missing")
{
    without_lessons const missing;
    support::scratch_directory const folder;
    for (bool const is_asked : {false, true}) {
        attune::tuning_options options = quick_options();
        options.search.samples = folder.file("programs"); // of a kernel that is none
        if (is_asked) options.search.techniques = folder.file("gains");
        std::vector<std::string> told;
        options.progress = [&](attune::progress const& now) {
            if (now.event == attune::progress_event::notice) told.push_back(now.text);
        };
        attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                           attune::memory_store{}, options};
        accumulate_data data;
        call(data.x, data.y, 3.0);
        CHECK(data.called_times(1, 3.0));
        attune::tuning_report const report = call.report();
        CHECK(report.how == attune::decision::tuned);
        for (std::vector<std::string> const& all : {told, report.notices})
            CHECK(std::count_if(all.begin(), all.end(), [&](std::string const& said) {
                      return said.starts_with(folder.file("gains") + ": ") &&
                             has(said,
                                 "include <attune/tune/lessons.hpp> and link attune::lessons");
                  }) == (is_asked ? 1 : 0));
        CHECK(!std::filesystem::exists(folder.file("gains")));
    }
}

TEST_CASE("a log of a tuning that learnt from others is repeated where attune::lessons is linked")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("log");
    auto const by = attune::search::recommended();
    static constexpr auto way = attune::integer<"WAY">(0, 99);
    attune::chain_of_trees const space = attune::build(attune::space(way));
    {
        attune::search::technique_history past;
        past.add({.label = "other", .structure = {}, .uses = {{"genetic", 10, 5}}});
        attune::event_log log{path, "key", 5};
        attune::detail::logged_search search{
            by,
            space,
            5,
            log,
            {.lessons = {std::make_shared<attune::detail::techniques_lesson>(past)}}};
        attune::point const p = search.ask(1).front();
        search.tell(p, attune::measurement::exact(1));
    }
    CHECK(attune::replay(path, space, by).evaluations.size() == 1);
    without_lessons const missing;
    CHECK_THROWS_WITH_AS((void)attune::replay(path, space, by),
                         doctest::Contains("link attune::lessons"), attune::error);
    attune::event_log log{path, "key", 5};
    attune::detail::logged_search const again{by, space, 5, log};
    CHECK(again.past().size() == 1);
    CHECK(has(again.notice(), "link attune::lessons"));
}
