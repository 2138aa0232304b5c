// tests/tune/compile_ahead.cpp - variants that are compiled while another is measured.
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/replay.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/one_processor.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_grid.hpp"

using namespace attune_test;
using attune::point;

TEST_CASE("the next one is being compiled before the present one is done with")
{
    if (!has_workers()) return;
    grid g;
    std::latch second{2};
    g.on_compile = [&](attune::compile_request const&) {
        second.count_down();
        return attune::callable{};
    };
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 1};
    auto const now = supply.next();
    REQUIRE(now);
    second.wait(); // where a measurement would be: without another thread this never ends
    supply.settle();
    CHECK(g.ended == 2);
    supply.tell(now->at, bowl(now->at));
    CHECK(supply.next()->at == g.space.at(1));
}

TEST_CASE("what the compiler throws on a worker comes out when the turn of that variant has come")
{
    grid g;
    g.on_compile = [](attune::compile_request const& v) -> attune::compile_result {
        if (v.macros[1].value == "1") throw std::runtime_error("no compiler at all");
        return attune::callable{};
    };
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 2};
    CHECK(supply.next()->at == g.space.at(0));
    CHECK_THROWS_WITH_AS((void)supply.next(), "no compiler at all", std::runtime_error);
    CHECK(supply.next()->at == g.space.at(2));
}

TEST_CASE("the calling thread keeps to one core while others compile, and has all again after that")
{
    if (!has_workers()) return;
    std::vector<int> const before = attune::detail::allowed_processors();
    grid g;
    {
        attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 1};
        CHECK(attune::detail::allowed_processors() == before);
        (void)supply.next(1); // the last: there is nothing to compile ahead
        CHECK(attune::detail::allowed_processors() == before);
        (void)supply.next(9);
        CHECK(attune::detail::allowed_processors().size() == 1);
        supply.settle();
        CHECK(attune::detail::allowed_processors() == before);
        (void)supply.next(9);
        CHECK(attune::detail::allowed_processors().size() == 1);
    }
    CHECK(attune::detail::allowed_processors() == before);
}

TEST_CASE("while other threads of the program work, nothing is compiled beside them")
{
    if (!has_workers()) return;
    std::vector<int> const before = attune::detail::allowed_processors();
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 1};
    (void)supply.next();
    std::thread([] { // a kernel with a thread of its own
        attune::system_clocks const clocks;
        while (clocks.thread_cpu_s() < 0.05)
            ;
    })
        .join();
    CHECK(supply.next()->at == g.space.at(1));
    CHECK(attune::detail::allowed_processors() == before);
    CHECK(g.begun == 2); // the third waits for its turn
    CHECK(supply.waiting() == 1);
    CHECK(supply.next()->at == g.space.at(2));
}

TEST_CASE("without a word about it, one is compiled ahead unless there are threads to disturb")
{
    grid g;
    std::size_t const usual_way = attune::detail::allowed_cores() > 1 ? 1 : 0;
    CHECK(attune::detail::automatic_ahead(g.problem) == usual_way);
    {
        one_processor const confined;
        CHECK(attune::detail::automatic_ahead(g.problem) == 0);
    }
    attune::kernel_source flagged = accumulate_source();
    flagged.flags = {"-O2", "-fopenmp"};
    for (attune::kernel_source const& source :
         {attune::source_text("#pragma omp parallel for\n", "parallel.kernel.cpp"),
          attune::source_text("#include <omp.h>\n", "parallel.kernel.cpp"),
          attune::source_text("std::thread t;", "parallel.kernel.cpp"), flagged}) {
        auto const parallel = accumulate_kernel(attune::space(grid_x, grid_y), source);
        attune::tuning_problem const problem{parallel.describe(), g.space, g.space.at(0),
                                             g.compiler, g.frame};
        CHECK(attune::detail::automatic_ahead(problem) == 0);
    }
    g.compiler.identity = [] { return std::string{"clang 19.1.7 -O3 -fopenmp"}; };
    CHECK(attune::detail::automatic_ahead(g.problem) == 0);
}

TEST_CASE("as many are compiled ahead as the options say, else for each that is measured at once")
{
    grid g;
    attune::tuning_options options;
    options.measuring.protect = attune::isolation::none; // nothing is forked
    auto const ahead = [&](std::size_t at_once) {
        return attune::detail::variants_ahead_of(g.problem, options, at_once);
    };
    CHECK(ahead(3).count == 3 * attune::detail::automatic_ahead(g.problem));
    options.compile_ahead = 5;
    CHECK(ahead(3).count == 5);
    CHECK(ahead(3).notice.empty());
    options.measuring.protect = attune::isolation::fork;
    bool const is_usual = attune::detail::foreign_allocator().empty();
    CHECK(ahead(3).count == (is_usual ? 5 : 0));
    CHECK(ahead(3).notice.empty() == is_usual);
    g.kernel.bound_energy(1);
    CHECK(ahead(3).count == 0); // a compiler's energy would count
    CHECK(ahead(3).notice.empty());
}

TEST_CASE("interrupted anywhere, a search that is asked ahead goes on as if it had not been")
{
    attune::search_factory const make = attune::search_with<attune::bayesian_searcher>();
    grid g;
    std::vector<point> whole;
    {
        attune::event_log none;
        attune::detail::variant_pipeline supply{
            g.problem, attune::detail::logged_search{make, g.space, 5, none}, 2};
        for (int i = 0; i < 16; ++i) {
            whole.push_back(supply.next()->at);
            supply.tell(whole.back(), bowl(whole.back()));
        }
    }
    for (std::size_t const stop : {0U, 1U, 7U, 14U}) {
        for (bool const before_it_was_told : {false, true}) {
            support::scratch_directory const directory;
            {
                attune::event_log log{directory.file("log"), "key", 5};
                attune::detail::variant_pipeline supply{
                    g.problem, attune::detail::logged_search{make, g.space, 5, log}, 2};
                for (std::size_t i = 0; i <= stop; ++i) {
                    point const p = supply.next()->at;
                    if (i < stop || !before_it_was_told) supply.tell(p, bowl(p));
                }
            }
            attune::event_log log{directory.file("log"), "key", 5};
            attune::detail::logged_search search{make, g.space, 5, log};
            std::size_t const known = search.past().size();
            REQUIRE(search.notice().empty());
            REQUIRE(known == stop + (before_it_was_told ? 0U : 1U));
            attune::detail::variant_pipeline supply{g.problem, std::move(search), 2};
            for (std::size_t i = known; i < whole.size(); ++i) {
                point const p = supply.next()->at;
                REQUIRE(p == whole[i]);
                supply.tell(p, bowl(p));
            }
        }
    }
}

TEST_CASE("a session that compiles ahead finds the same, shares equal code and can be replayed")
{
    std::vector<int> const before = attune::detail::allowed_processors();
    support::scratch_directory const directory;
    auto const all = ways<fast, usual, same_as_usual, wrong, refused, crashing>();
    for (std::uint32_t const ahead : {0U, 2U, 8U}) {
        CAPTURE(ahead);
        accumulate_data data;
        scripted_compiler compiler = accumulate_compiler();
        attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
        auto const kernel = accumulate_kernel(all, accumulate_source("1"));
        attune::chain_of_trees const space = attune::build(all);
        auto const frame = data.frame();
        attune::tuning_problem const problem{kernel.describe(), space, space.at(0), any, frame};
        attune::tuning_options options = quick_options();
        options.compile_ahead = ahead;
        options.event_log = directory.file("log" + std::to_string(ahead));
        attune::detail::session_result const r = attune::detail::run_session(problem, options);
        CHECK(r.report.evaluations == 6);
        CHECK(attune::total(r.report.failures) == 3);
        CHECK(r.report.same_code == 1); // two that wait at the same time
        CHECK(r.report.configuration == "WAY=1");
        CHECK(compiler.compiled().size() == 6);
        CHECK(data.called_times(0, 3.0));
        CHECK(attune::detail::allowed_processors() == before);
        auto const again = attune::replay(options.event_log, space, options.search.strategy);
        CHECK(again.evaluations.size() == 6);
        CHECK(again.chosen == r.at);
    }
}
