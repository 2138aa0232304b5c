// tests/tune/resume.cpp - a tuning that was cut short goes on from what the store was told.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/loop/session.hpp>

#include <csignal>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../support/ignored_interrupts.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// What is left of a store whose process was killed after the last evaluation of its last tuning.
attune::memory_store without_winner(attune::memory_store const& store)
{
    std::string text = store.text();
    std::size_t const won = text.rfind("\",\"won\":");
    REQUIRE(won != text.npos);
    text.erase(text.rfind('\n', won) + 1);
    return attune::memory_store::from_text(text);
}

auto signal_at(std::uint32_t evaluation, int signal)
{
    return [=](attune::tuning_options& o) { o.progress = raising_at(evaluation, signal); };
}

} // namespace

TEST_CASE("a store is told what the search's model expected, and which parameters were inactive")
{
    struct prophet {
        explicit prophet(attune::chain_of_trees of)
            : space(std::move(of))
        {
        }
        std::vector<attune::point> ask(std::size_t k)
        {
            std::vector<attune::point> out;
            for (; out.size() < k && next < *space.size(); ++next)
                if (attune::point p = space.at(static_cast<std::uint64_t>(next)); !told.contains(p))
                    out.push_back(std::move(p));
            return out;
        }
        void tell(attune::point const& p, attune::outcome const&) { told.insert(p); }
        [[nodiscard]] std::optional<double> prediction_of(attune::point const& p) const
        {
            if (told.contains(p)) return {};
            return 1e-3 * (1 + p[0].index);
        }
        attune::chain_of_trees space;
        std::unordered_set<attune::point, attune::point_hash> told{};
        std::uint64_t next = 0;
    };
    attune::memory_store store;
    static constexpr auto ways_of = attune::categorical<"WAY">(0, 1, 2); // usual, fast, wrong
    static constexpr auto depth = attune::categorical<"DEPTH">(1, 2);
    memory_installation first{
        store, attune::space(ways_of, depth.active_if(ways_of == 0)),
        attune::source_text("constexpr int way = ATTUNE_TUNABLE(WAY, 0);\n"
                            "constexpr int depth = ATTUNE_TUNABLE(DEPTH, 1);\n",
                            "accumulate.kernel.cpp"),
        accumulate_compiler(), [](auto& o) { o.search.strategy = attune::search_with<prophet>(); }};
    CHECK(first.obtain() == fast_code);
    auto content = attune::detail::store_content::of_text(store.text(), "store");
    auto const listed = content.problems();
    REQUIRE(listed.size() == 1);
    auto const past = content.history(listed.front());
    REQUIRE(past.rows.size() == 4);
    std::map<std::string, double> const expected{{"0", 1e-3}, {"1", 2e-3}, {"2", 3e-3}};
    for (std::size_t r = 0; r < past.rows.size(); ++r) {
        attune::detail::tried_row const& row = past.rows[r];
        // The default is tried before the search is asked for anything.
        CHECK(row.predicted_s == (r == 0 ? 0 : expected.at(row.values[0])));
        std::size_t const inactive =
            row.values[0] == "0" ? 0 : 1; // DEPTH is of the usual way alone
        CHECK(row.inactive == std::vector<std::uint32_t>(inactive, 1));
    }
}

TEST_CASE("kill -9 in the middle: the next process measures what is left")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        attune::store store{path};
        installation<attune::store> one{store, ways<usual, fast, crawling, same_as_usual>(),
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
    CHECK(notices_but_noise(later.known.report()) == continuing("an interrupted", 2));
    CHECK(later.compiler.compiled() ==
          std::vector<std::string>{"WAY=0", "WAY=10", "WAY=9", "WAY=1"});
    CHECK(store.notices().empty());
}

TEST_CASE("a tuning that Ctrl-C ended goes on, and serves where nothing may be spent")
{
    ignored_interrupts const interrupts;
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast, crawling>(), signal_at(2, SIGINT)};
    CHECK(first.obtain() == fast_code);
    CHECK(first.known.report().interrupted);
    {
        memory_installation only_looks{store, ways<usual, fast, crawling>(),
                                       [](auto& o) { o.limits.evaluations = 0; }};
        CHECK(only_looks.call() == obtained{fast_code, decision::remembered});
    }
    memory_installation later{store, ways<usual, fast, crawling>()};
    CHECK(later.call() == obtained{fast_code, decision::tuned});
    CHECK(later.known.report().evaluations == 3);
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=10", "WAY=1"});
    CHECK(memory_installation{store, ways<usual, fast, crawling>()}.call() ==
          obtained{fast_code, decision::remembered});
}

TEST_CASE("an added value keeps what was measured; what failed gets another chance")
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast, wrong>()};
    CHECK(first.obtain() == fast_code);
    memory_installation later{store, ways<usual, fast, wrong, crawling>()};
    CHECK(later.obtain() == fast_code);
    CHECK(later.known.report().evaluations == 4);
    CHECK(notices_but_noise(later.known.report()) == continuing("an earlier", 2));
    CHECK(later.compiler.compiled() ==
          std::vector<std::string>{"WAY=0", "WAY=2", "WAY=10", "WAY=1"});
}

TEST_CASE("of a configuration the last ended tuning counts: what failed there is tried again")
{
    auto const anew = policy(attune::miss_policy::always);
    auto const without_fast = [] {
        return scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
                                     if (v.macros.front().value == "1")
                                         return attune::failure{attune::failure_stage::compile,
                                                                "the disk is full"};
                                     return accumulate_script(v);
                                 },
                                 "scripted 1"};
    };
    for (bool const fails_last : {true, false}) {
        CAPTURE(fails_last);
        attune::memory_store store;
        for (bool const fails : {!fails_last, fails_last}) {
            memory_installation one{store, ways<usual, fast>(), accumulate_source(),
                                    fails ? without_fast() : accumulate_compiler(), anew};
            CHECK((one.obtain() == fast_code) == !fails);
            CHECK(one.known.report().evaluations == 2);
        }
        memory_installation later{store, ways<usual, fast, crawling>()};
        CHECK(later.obtain() == fast_code);
        CHECK(later.known.report().evaluations == 3);
        CHECK(notices_but_noise(later.known.report()) ==
              continuing("an earlier", fails_last ? 1 : 2));
        // What is known is compiled once more where it wins.
        CHECK(later.compiler.compiled() ==
              (fails_last ? std::vector<std::string>{"WAY=0", "WAY=1", "WAY=10"}
                          : std::vector<std::string>{"WAY=0", "WAY=10", "WAY=1"}));
    }
}

TEST_CASE("the policy always measures again, but goes on where it was itself cut short")
{
    auto const again = policy(attune::miss_policy::always);
    attune::memory_store store = tuned_store();
    memory_installation second{store, ways<usual, fast>(), again};
    CHECK(second.call() == obtained{fast_code, decision::tuned});
    CHECK(store.records().size() == 2);
    CHECK(second.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
    CHECK(notices_but_noise(second.known.report()).empty());
    attune::memory_store cut = without_winner(store);
    memory_installation third{cut, ways<usual, fast>(), again};
    CHECK(third.obtain() == fast_code);
    CHECK(notices_but_noise(third.known.report()) == continuing("an interrupted", 2));
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
