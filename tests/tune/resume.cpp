// tests/tune/resume.cpp - a tuning that was cut short goes on from what the store was told.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>
#include <attune/tune/loop/session_memory.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../support/ignored_interrupts.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// What is left of a store whose process was killed after the last evaluation.
attune::memory_store without_winner(attune::memory_store const& store)
{
    std::string text = store.text();
    std::size_t const won = text.find("\",\"won\":");
    REQUIRE(won != text.npos);
    text.erase(text.rfind('\n', won) + 1);
    return attune::memory_store::from_text(text);
}

/// Signals this process when so many evaluations are done.
auto signal_at(std::uint32_t evaluation, int signal)
{
    return [=](attune::tuning_options& o) {
        o.progress = [=](attune::progress const& p) {
            if (p.event == attune::progress_event::evaluated && p.evaluation == evaluation)
                ::raise(signal);
        };
    };
}

} // namespace

TEST_CASE("a killed tuning goes on without an option, and nothing is measured twice")
{
    attune::memory_store all;
    memory_installation first{all, ways<usual, fast, wrong, crawling>()};
    CHECK(first.obtain() == fast_code);
    attune::memory_store store = without_winner(all);

    memory_installation later{store, ways<usual, fast, wrong, crawling>()};
    CHECK(later.obtain() == fast_code);
    attune::tuning_report const report = later.known.report();
    CHECK(report.how == decision::tuned);
    CHECK(report.evaluations == 4);
    CHECK(attune::total(report.failures) == 1);
    CHECK(notices_but_noise(report) ==
          std::vector<std::string>{"continued an interrupted tuning: 4 evaluations were known"});
    // The default, for its output, and the best, to be installed.
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
    CHECK(store.records().size() == 1);

    memory_installation third{store, ways<usual, fast, wrong, crawling>()};
    CHECK(third.obtain() == fast_code);
    CHECK(third.how() == decision::remembered);
}

TEST_CASE("kill -9 in the middle: the next process measures what is left")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        attune::store store{path};
        installation<attune::store> one{store,
                                        ways<usual, fast, crawling, same_as_usual>(),
                                        accumulate_source(),
                                        accumulate_compiler(),
                                        signal_at(2, SIGKILL)};
        static_cast<void>(one.obtain());
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    attune::store store{path};
    installation<attune::store> later{store, ways<usual, fast, crawling, same_as_usual>()};
    CHECK(later.obtain() == fast_code);
    CHECK(later.known.report().evaluations == 4);
    CHECK(notices_but_noise(later.known.report()) ==
          std::vector<std::string>{"continued an interrupted tuning: 2 evaluations were known"});
    CHECK(later.compiler.compiled() ==
          std::vector<std::string>{"WAY=0", "WAY=10", "WAY=9", "WAY=1"});
    CHECK(store.notices().empty());
}

TEST_CASE("a tuning that Ctrl-C ended goes on, and serves where nothing may be spent")
{
    ignored_interrupts const interrupts;
    attune::memory_store store;
    memory_installation first{store,
                              ways<usual, fast, crawling>(),
                              accumulate_source(),
                              accumulate_compiler(),
                              signal_at(2, SIGINT)};
    CHECK(first.obtain() == fast_code);
    CHECK(first.known.report().interrupted);
    {
        memory_installation only_looks{store,
                                       ways<usual, fast, crawling>(),
                                       accumulate_source(),
                                       accumulate_compiler(),
                                       [](auto& o) { o.limits.evaluations = 0; }};
        CHECK(only_looks.obtain() == fast_code);
        CHECK(only_looks.how() == decision::remembered);
    }
    memory_installation later{store, ways<usual, fast, crawling>()};
    CHECK(later.obtain() == fast_code);
    CHECK(later.how() == decision::tuned);
    CHECK(later.known.report().evaluations == 3);
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=10", "WAY=1"});
    memory_installation third{store, ways<usual, fast, crawling>()};
    CHECK(third.obtain() == fast_code);
    CHECK(third.how() == decision::remembered);
}

TEST_CASE("an added value keeps what was measured; what failed gets another chance")
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast, wrong>()};
    CHECK(first.obtain() == fast_code);
    memory_installation later{store, ways<usual, fast, wrong, crawling>()};
    CHECK(later.obtain() == fast_code);
    CHECK(later.known.report().evaluations == 4);
    CHECK(notices_but_noise(later.known.report()) ==
          std::vector<std::string>{"continued an earlier tuning: 2 evaluations were known"});
    CHECK(later.compiler.compiled() ==
          std::vector<std::string>{"WAY=0", "WAY=2", "WAY=10", "WAY=1"});
}

TEST_CASE("the policy always measures again, but goes on where it was itself cut short")
{
    auto const again = [](attune::tuning_options& o) { o.on_miss = attune::miss_policy::always; };
    attune::memory_store store = tuned_store();
    memory_installation second{
        store, ways<usual, fast>(), accumulate_source(), accumulate_compiler(), again};
    CHECK(second.obtain() == fast_code);
    CHECK(second.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
    CHECK(notices_but_noise(second.known.report()).empty());

    std::string text = store.text();
    std::size_t const won = text.rfind("\",\"won\":");
    text.erase(text.rfind('\n', won) + 1);
    auto cut = attune::memory_store::from_text(text);
    memory_installation third{
        cut, ways<usual, fast>(), accumulate_source(), accumulate_compiler(), again};
    CHECK(third.obtain() == fast_code);
    CHECK(notices_but_noise(third.known.report()) ==
          std::vector<std::string>{"continued an interrupted tuning: 2 evaluations were known"});
}

TEST_CASE("without a time of the default nothing is continued")
{
    attune::memory_store all;
    memory_installation first{all, ways<usual, fast>()};
    CHECK(first.obtain() == fast_code);
    attune::memory_store store = without_winner(all);
    // Another default: its problem is the same, its times are not known.
    memory_installation later{store, ways<usual, fast, crawling>(), accumulate_source("10")};
    CHECK(later.obtain() == fast_code);
    CHECK(later.known.report().evaluations == 3);
    CHECK(notices_but_noise(later.known.report()).empty());
}
