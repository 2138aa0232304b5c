// tests/tune/pipeline/variant_pipeline.cpp - the next configuration to try, with its code.
// SPDX-License-Identifier: MIT
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/search/random.hpp>
#include <attune/space/kept_settings.hpp>

#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/one_processor.hpp"
#include "../../support/scripted_grid.hpp"

using namespace attune_test;
using attune::point;

namespace {

struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<usual, fast, refused>());
    attune::call_frame frame = data.frame();
    attune::chain_of_trees space = attune::build(ways<usual, fast, refused>());
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};
    attune::detail::variant_pipeline supply{problem, attune::exhaustive_searcher{space}};
};

/// Writes down its calls: "ask 2: 00 01", "tell 00".
struct noted_search {
    attune::any_searcher inner;
    std::vector<std::string>* calls;

    std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out = inner.ask(k);
        std::string line = "ask " + std::to_string(k) + ":";
        for (point const& p : out)
            line += ' ' + shown(p);
        calls->push_back(line);
        return out;
    }
    void tell(point const& p, attune::outcome const& o)
    {
        calls->push_back("tell " + shown(p));
        inner.tell(p, o);
    }
};

/// The calls that a searcher sees in `count` evaluations.
std::vector<std::string> calls_of(grid& g, std::size_t ahead, std::size_t count)
{
    std::vector<std::string> calls;
    attune::detail::variant_pipeline supply{
        g.problem, noted_search{attune::bayesian_searcher{g.space, 3}, &calls}, ahead};
    for (std::size_t i = 0; i < count; ++i) {
        auto const now = supply.next(count - i);
        REQUIRE(now);
        calls.push_back("try " + shown(now->at));
        supply.tell(now->at, bowl(now->at));
    }
    return calls;
}

/// Writes down bounds as well.
struct bounded_search : noted_search {
    void tell_bound(point const& p, double value)
    {
        calls->push_back("bound " + shown(p) + " " + std::to_string(static_cast<int>(value)));
    }
};

} // namespace

TEST_CASE("configurations come in the order of the search, each with what the compiler made of it")
{
    bench b;
    auto const first = b.supply.next();
    REQUIRE(first);
    CHECK(first->at == b.space.at(0));
    CHECK(std::get<attune::callable>(first->code).address == std::get<void*>(code_of<usual>()));
    auto const second = b.supply.next();
    REQUIRE(second);
    CHECK(std::get<attune::callable>(second->code).address == std::get<void*>(code_of<fast>()));
    auto const third = b.supply.next();
    REQUIRE(third);
    CHECK(std::get<attune::failure>(third->code).stage == attune::failure_stage::compile);
    CHECK(!b.supply.next());
    CHECK(b.supply.compile_s() == doctest::Approx(0.002));
}

TEST_CASE("a compilation that goes on when no time is left fails with a sentence")
{
    bench b;
    b.compiler = slow_accumulate_compiler();
    attune::chain_of_trees const space = attune::build(ways<usual, endless>());
    attune::tuning_problem const problem{b.kernel.describe(), space, space.at(0), b.any, b.frame};
    attune::detail::variant_pipeline supply{problem, attune::exhaustive_searcher{space}, 1};
    (void)supply.compile(space.at(0)); // tells how long a compilation takes
    supply.set_time_left([] { return 0.0; });
    auto const quick = supply.next();
    REQUIRE(quick);
    CHECK(std::holds_alternative<attune::callable>(quick->code));
    auto const slow = supply.next();
    REQUIRE(slow);
    auto const* const why = std::get_if<attune::failure>(&slow->code);
    REQUIRE(why != nullptr);
    CHECK(why->stage == attune::failure_stage::compile);
    CHECK(why->reason == "compiling took longer than 2 s, until limits.seconds was over");
}

TEST_CASE("what the compiler had in its cache is counted apart")
{
    bench b;
    b.any.compile = [made = b.any.compile](attune::kernel_source const& k,
                                           attune::compile_request const& v) {
        attune::compile_result result = made(k, v);
        if (auto* const code = std::get_if<attune::callable>(&result))
            code->from_cache = v.macros.at(0).value != "0";
        return result;
    };
    (void)b.supply.compile(b.space.at(0));
    CHECK(b.supply.compiled() == 1);
    (void)b.supply.compile(b.space.at(1));
    CHECK(b.supply.from_cache() == 1);
    (void)b.supply.compile(b.space.at(2));
    CHECK(b.supply.compiled() == 2); // the compiler ran, and failed
}

TEST_CASE("the seconds of compiling and those of the search are counted apart")
{
    struct slow_search {
        attune::any_searcher inner;
        std::vector<point> ask(std::size_t k)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return inner.ask(k);
        }
        void tell(point const& p, attune::outcome const& o) { inner.tell(p, o); }
    };
    bench b;
    attune::detail::variant_pipeline searching{b.problem,
                                               slow_search{attune::exhaustive_searcher{b.space}}};
    searching.tell(b.space.at(0), attune::measurement::exact(1));
    CHECK(searching.code_s() == 0);
    CHECK(searching.next());
    CHECK(searching.search_s() >= 0.002);

    b.any.compile = [made = b.any.compile](attune::kernel_source const& k,
                                           attune::compile_request const& v) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return made(k, v);
    };
    CHECK(b.supply.search_s() == 0);
    (void)b.supply.compile(b.space.at(0));
    CHECK(b.supply.code_s() >= 0.002);
}

TEST_CASE("the seconds in which it is decided what to prune are not those of the search")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}};
    double pruning_s = 0;
    supply.set_pruning([&](point const& p) -> std::optional<double> {
        attune::detail::counted_seconds const counted(pruning_s);
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // it may measure the machine
        if (p[1].index % 2 == 0) return {};
        return 7;
    });
    double all_s = 0;
    {
        attune::detail::counted_seconds const counted(all_s);
        for (int i = 0; i < 5; ++i)
            REQUIRE(supply.next());
    }
    CHECK(supply.search_s() + supply.code_s() + pruning_s <= all_s);
}

TEST_CASE("the searcher is asked at fixed points: once for all, then for one after each evaluation")
{
    grid g;
    std::vector<std::string> calls;
    attune::detail::variant_pipeline supply{
        g.problem, noted_search{attune::exhaustive_searcher{g.space}, &calls}, 2};
    for (std::size_t left = 5; left > 0; --left) {
        auto const now = supply.next(left);
        REQUIRE(now);
        supply.tell(now->at, bowl(now->at));
    }
    CHECK(calls == std::vector<std::string>{"ask 3: 00 01 02", "tell 00", "ask 1: 03", "tell 01",
                                            "ask 1: 04", // the fifth: nothing is asked in vain
                                            "tell 02", "tell 03", "tell 04"});
}

TEST_CASE("the run does not depend on how long compiling takes, nor on the number of cores")
{
    for (std::size_t const ahead : {0U, 1U, 3U}) {
        CAPTURE(ahead);
        grid quick;
        std::vector<std::string> const expected = calls_of(quick, ahead, 20);
        grid uneven;
        uneven.on_compile = [&](attune::compile_request const& v) {
            std::size_t const x = std::stoul(v.macros[0].value);
            std::this_thread::sleep_for(std::chrono::microseconds{x % 3 == 0 ? 3000 : 100});
            return attune::callable{};
        };
        CHECK(calls_of(uneven, ahead, 20) == expected);
        one_processor const confined;
        grid alone;
        CHECK(calls_of(alone, ahead, 20) == expected);
        CHECK(alone.begun == 20);
    }
}

TEST_CASE("no more wait than were asked for, and nothing is compiled that nobody will want")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 3};
    for (std::size_t done = 0; done < 12; ++done) {
        auto const now = supply.next(12 - done);
        REQUIRE(now);
        CHECK(supply.waiting() == std::min<std::size_t>(3, 11 - done));
        CHECK(g.begun <= done + 1 + supply.waiting());
        supply.tell(now->at, bowl(now->at));
    }
    supply.settle();
    CHECK(g.begun == 12);
}

TEST_CASE("what waits when the supply goes is not compiled")
{
    one_processor const confined; // so that nothing has begun
    grid g;
    {
        attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}, 4};
        (void)supply.next();
        (void)supply.next();
        CHECK(supply.waiting() == 4);
    }
    CHECK(g.begun == 2);
}

TEST_CASE("what is told before it was supplied, or while it waits, is not supplied")
{
    for (std::size_t const ahead : {0U, 2U}) {
        grid g;
        attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space},
                                                ahead};
        supply.tell(g.space.at(0), bowl(g.space.at(0)));
        CHECK(supply.next()->at == g.space.at(1));
        supply.tell(g.space.at(2), bowl(g.space.at(2)));
        CHECK(supply.next()->at == g.space.at(3));
    }
}

TEST_CASE("what cannot win is told to the search as a bound, and neither compiled nor supplied")
{
    for (std::size_t const ahead : {0U, 1U, 3U}) {
        grid g;
        std::vector<std::string> calls;
        std::set<std::string> seen;
        {
            attune::detail::variant_pipeline supply{
                g.problem, bounded_search{{attune::exhaustive_searcher{g.space}, &calls}}, ahead};
            supply.set_pruning([](point const& p) -> std::optional<double> {
                if (p[1].index % 2 == 0) return {};
                return 7;
            });
            while (auto const now = supply.next()) {
                seen.insert(shown(now->at));
                supply.tell(now->at, bowl(now->at));
            }
        }
        CHECK(seen.size() == 50);
        CHECK(g.begun == 50);
        CHECK(std::count(calls.begin(), calls.end(), "bound 01 7") == 1);
        CHECK(std::count(calls.begin(), calls.end(), "bound 00 7") == 0);
        CHECK(std::count(calls.begin(), calls.end(), "tell 01") == 0);
    }
}

TEST_CASE("what is pruned looks no better to the search than half of what was measured")
{
    grid g;
    std::vector<std::string> calls;
    attune::detail::variant_pipeline supply{
        g.problem, bounded_search{{attune::exhaustive_searcher{g.space}, &calls}}};
    supply.set_pruning([](point const& p) -> std::optional<double> {
        if (p[1].index != 9) return {}; // the last of each ten
        return p[0].index == 2 ? 700 : 11;
    });
    supply.note_time(attune::measurement::exact(10));
    supply.note_time(attune::failure{attune::failure_stage::crash, "no time"});
    supply.note_time(attune::measurement::exact(std::numeric_limits<double>::infinity()));
    for (int i = 0; i < 27 + 1; ++i) { // times of 10, and then 100, 101, ...
        auto const now = supply.next();
        REQUIRE(now);
        supply.tell(now->at, attune::measurement::exact(100 + i));
    }
    auto const told = [&](std::string const& what) {
        return std::count(calls.begin(), calls.end(), what);
    };
    CHECK(told("bound 09 104") == 1); // of 10, 100, ..., 108
    CHECK(told("bound 19 108") == 1); // of 10, 100, ..., 117
    CHECK(told("bound 29 700") == 1); // its own bound is longer
}

TEST_CASE("a search of which everything is pruned goes on, and ends")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}};
    supply.set_pruning([](point const&) { return std::optional{1.0}; });
    std::vector<std::string> seen;
    while (auto const now = supply.next())
        seen.push_back(shown(now->at));
    CHECK(seen == std::vector<std::string>{"32", "65", "98"}); // each after 32 others
}

TEST_CASE("nothing is pruned, and no further configuration asked for, once the budget is spent")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}};
    int left = 5;
    int judged = 0;
    supply.set_pruning(
        [&](point const&) {
            ++judged;
            return std::optional{1.0};
        },
        [&] { return left-- > 0; });
    CHECK(shown(supply.next()->at) == "05"); // the sixth
    CHECK(judged == 5);
    CHECK(shown(supply.next()->at) == "06");
    CHECK(judged == 5);
}

TEST_CASE("what was pruned by mistake comes next, but for what was told meanwhile")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}};
    bool is_wrong = true;
    supply.set_pruning([&](point const& p) -> std::optional<double> {
        if (!is_wrong || p[1].index >= 3) return {};
        return 1;
    });
    CHECK(shown(supply.next()->at) == "03");
    is_wrong = false;
    supply.reconsider({g.space.at(99)});
    supply.tell(g.space.at(1), bowl(g.space.at(1)));
    std::vector<std::string> seen;
    for (int i = 0; i < 5; ++i)
        seen.push_back(shown(supply.next()->at));
    CHECK(seen == std::vector<std::string>{"99", "00", "02", "04", "05"});
}

TEST_CASE("of what was pruned, those that may win come next, and the others stay pruned")
{
    grid g;
    attune::detail::variant_pipeline supply{g.problem, attune::exhaustive_searcher{g.space}};
    supply.set_pruning([](point const& p) -> std::optional<double> {
        return p[1].index > 7 ? std::optional{1.0} : std::nullopt;
    });
    for (int i = 0; i < 20; ++i)
        (void)supply.next(); // 08 09 18 19 are pruned on the way to 23
    auto const is_eight = [](point const& p) { return p[1].index == 8; };
    std::vector<point> others{g.space.at(98), g.space.at(99)};
    CHECK(supply.reconsider_if(is_eight, others) == 3);
    CHECK(others == std::vector<point>{g.space.at(99)});
    std::string said;
    for (int i = 0; i < 4; ++i)
        said += shown(supply.next()->at) + ' ';
    CHECK(said == "98 08 18 24 ");
    CHECK(supply.reconsider_if(is_eight, others) == 0);                          // once
    CHECK(supply.reconsider_if([](point const&) { return true; }, others) == 3); // 99, 09 and 19
}

TEST_CASE("in a part of the space the latest pruned configuration comes next, then the part alone")
{
    grid g;
    attune::detail::variant_pipeline supply{
        g.problem, attune::detail::narrowing_search{
                       attune::search_with<attune::exhaustive_searcher>(), g.space, 0}};
    supply.set_pruning([](point const& p) -> std::optional<double> {
        if (p[1].index < 8) return {};
        return 7;
    });
    for (int i = 0; i < 9; ++i) { // 0 0 to 0 7, then 1 0: 0 8 and 0 9 are pruned
        auto const now = supply.next();
        REQUIRE(now);
        supply.tell(now->at, attune::measurement::exact(1));
    }
    attune::detail::kept_settings part{{0}, std::vector<bool>(10, false)};
    part.kept[4] = true;
    CHECK(supply.narrow(part) == true);
    CHECK(shown(supply.next()->at) == "09");
    std::set<std::string> seen;
    while (auto const now = supply.next())
        seen.insert(shown(now->at));
    CHECK(seen == std::set<std::string>{"40", "41", "42", "43", "44", "45", "46", "47"});
    CHECK(supply.narrow({}) == false); // the search is asked again
    CHECK(shown(supply.next()->at) == "11");
    part.kept[4] = false;
    CHECK(!supply.narrow(part).has_value()); // nothing is left
    CHECK(shown(supply.next()->at) == "12");
    attune::detail::variant_pipeline plain{g.problem, attune::exhaustive_searcher{g.space}};
    CHECK(!plain.narrow({}).has_value());
}

TEST_CASE("a searcher that had nothing for others is asked again once there is news for it")
{
    grid g;
    std::vector<std::string> calls;
    attune::detail::variant_pipeline supply{
        g.problem, noted_search{attune::exhaustive_searcher{g.space}, &calls}};
    auto const asked = [&] {
        return std::count_if(calls.begin(), calls.end(),
                             [](std::string const& call) { return call.starts_with("ask"); });
    };
    CHECK(supply.next_points(100).size() == 100);
    CHECK(supply.next_points(1).empty());
    auto const before = asked();
    CHECK(supply.next_points(1).empty());
    CHECK(asked() == before);
    supply.tell(g.space.at(0), attune::measurement::exact(1));
    CHECK(supply.next_points(0).empty());
    CHECK(asked() == before);
    CHECK(supply.next_points(1).empty());
    CHECK(asked() == before + 1);
    std::vector<point> others{g.space.at(5)};
    CHECK(supply.reconsider_if([](point const&) { return false; }, others) == 0);
    CHECK(supply.next_points(1).empty());
    CHECK(asked() == before + 1); // none may win: that is no news
    CHECK(supply.reconsider_if([](point const&) { return true; }, others) == 1);
    CHECK(supply.next_points(1) == std::vector<point>{g.space.at(5)});
    supply.reconsider({g.space.at(6)});
    CHECK(supply.next_points(1) == std::vector<point>{g.space.at(6)});
}
