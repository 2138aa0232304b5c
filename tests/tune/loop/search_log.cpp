// tests/tune/loop/search_log.cpp - searches that are cut short anywhere, and go on from their log.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <sys/resource.h>
#include <variant>
#include <vector>

#include "../../support/child_status.hpp"
#include "../../support/recorded_progress.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/scripted_slots.hpp"
#include "../../support/texts.hpp"

using attune::evaluation;
using attune::point;
using attune_test::has;
using attune_test::never;
using attune_test::recorded_progress;
using attune_test::scripted_act;
using attune_test::scripted_slots;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 10)).with_default(10);
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 10)).with_default(10);
constexpr auto plane = attune::space(x, y).where(x + y >= 5);
/// Number of (x, y) with 0 <= x, y <= 10 and x + y >= 5: 121 without the 15 below.
constexpr std::uint64_t all_points = 106;

attune::chain_of_trees const& space()
{
    static attune::chain_of_trees const built = attune::build(plane, {});
    return built;
}

/// Lowest at (7, 3), where it is 2. What lies at y = 8 fails; further quantities have no short
/// decimal text, and one of them is infinite or NaN in places.
evaluation bowl(point const& at)
{
    double const dx = static_cast<double>(at[0].index) - 7;
    double const dy = static_cast<double>(at[1].index) - 3;
    if (at[1].index == 8) return attune::failure{attune::failure_stage::verify, "wrong", "a log"};
    return evaluation{attune::measurement{2 + dx * dx + 3 * dy * dy + dx / 7, 0.1, 1e9, 3},
                      {{"third", at[0].index / 3.0},
                       {"odd", at[1].index == 2   ? never
                               : at[1].index == 4 ? std::nan("")
                                                  : -dy}}};
}

struct cut {};

/// minimize() that is cut short in its evaluation `cut_in`, from 0, of this process.
struct search_by_one {
    std::string log;
    attune::search_factory search = attune::default_search();
    std::uint64_t seed = 7;
    std::vector<attune::quantity_bound> bounds{};
    recorded_progress heard{};
    std::vector<point> evaluated{};

    attune::detail::found_minimum run(attune::search_limits const& limits,
                                      std::size_t cut_in = all_points)
    {
        attune::minimize_options options{.seed = seed,
                                         .search = search,
                                         .progress = heard.sink(),
                                         .bounds = bounds,
                                         .event_log = log};
        auto const objective = [&](point const& at) {
            if (evaluated.size() == cut_in) throw cut{};
            evaluated.push_back(at);
            return bowl(at);
        };
        return attune::detail::minimize_points(space(), objective, limits, options);
    }
    std::string notices() const { return heard.texts(attune::progress_event::notice); }
};

std::vector<attune::search_factory> searches()
{
    return {attune::default_search(), attune::search_with<attune::random_searcher>(),
            attune::search_with<attune::genetic>(),
            attune::search_with<attune::exhaustive_searcher>()};
}

/// What a log has as told, in order.
std::vector<point> told_in(std::string const& path)
{
    std::vector<point> out;
    attune::logged_session const session = attune::read_event_log(path).back();
    for (attune::event const& e : session.events)
        if (e.kind == attune::event_kind::told) out.push_back(e.points.front());
    return out;
}

bool is_same(attune::detail::found_minimum const& a, attune::detail::found_minimum const& b)
{
    auto const are_same = [](attune::quantity const& one, attune::quantity const& other) {
        return one.name == other.name &&
               (one.value == other.value || (std::isnan(one.value) && std::isnan(other.value)));
    };
    return a.best == b.best && a.value == b.value &&
           std::ranges::equal(a.quantities, b.quantities, are_same) &&
           a.evaluations == b.evaluations && a.failures == b.failures && a.ended == b.ended;
}

} // namespace

TEST_CASE("a search that is cut short anywhere ends as one that is not, call by call")
{
    support::scratch_directory const folder;
    for (auto const& search : searches())
        for (bool const is_bounded : {false, true}) {
            std::string const whole_log = folder.file("whole");
            std::string const log = folder.file("log");
            std::remove(whole_log.c_str());
            std::vector<attune::quantity_bound> bounds;
            if (is_bounded) bounds.push_back(attune::at_most("odd", 0.5));
            search_by_one none{"", search, 7, bounds};
            auto const expected = none.run({.evaluations = 40});
            search_by_one whole{whole_log, search, 7, bounds};
            CHECK(is_same(whole.run({.evaluations = 40}), expected));
            CHECK(whole.evaluated == none.evaluated); // a log changes nothing
            std::string const text = support::read_file(whole_log);
            for (std::size_t const cut_in : {0U, 1U, 17U, 39U}) {
                CAPTURE(cut_in);
                std::remove(log.c_str());
                search_by_one first{log, search, 7, bounds};
                CHECK_THROWS_AS((void)first.run({.evaluations = 40}, cut_in), cut);
                search_by_one second{log, search, 7, bounds};
                CHECK(is_same(second.run({.evaluations = 40}), expected));
                std::vector<point> both = first.evaluated;
                both.insert(both.end(), second.evaluated.begin(), second.evaluated.end());
                CHECK(both == none.evaluated);
                CHECK(support::read_file(log) == text);
                CHECK(second.heard.count(attune::progress_event::evaluated) == 40);
                CHECK(has(second.notices(), "continued an earlier search: " +
                                                std::to_string(cut_in)) == (cut_in > 0));
            }
        }
}

TEST_CASE("kill -9 costs nothing that was told")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    int const killed = attune_test::child_status([&] {
        int evaluations = 0;
        (void)attune::detail::minimize_points(
            space(),
            [&](point const& at) {
                if (++evaluations == 21) std::raise(SIGKILL);
                return bowl(at);
            },
            {.evaluations = 40},
            {.seed = 7, .progress = attune::silent_progress(), .event_log = log});
        return 0;
    });
    REQUIRE(WIFSIGNALED(killed));
    CHECK(told_in(log).size() == 20);
    search_by_one none{""};
    (void)none.run({.evaluations = 40});
    search_by_one rest{log};
    (void)rest.run({.evaluations = 40});
    CHECK(rest.evaluated.size() == 20);
    CHECK(told_in(log) == none.evaluated);
}

TEST_CASE("of many slots that are cut short, what was told counts and is not evaluated again")
{
    support::scratch_directory const folder;
    for (std::size_t const count : {2UL, 5UL, 16UL})
        for (auto const& search : searches())
            for (std::size_t const cut_after : {1U, 23U, 59U}) {
                CAPTURE(count);
                CAPTURE(cut_after);
                std::string const log = folder.file("log");
                std::remove(log.c_str());
                attune::minimize_options options{.seed = 7,
                                                 .search = search,
                                                 .progress =
                                                     [&](attune::progress const& p) {
                                                         if (p.evaluation == cut_after) throw cut{};
                                                     },
                                                 .event_log = log};
                auto const slots = [&] {
                    return scripted_slots(
                        std::vector<double>(count, 0.0), bowl, [](std::size_t s, std::size_t n) {
                            attune::random_engine engine(1000 * s + n);
                            return scripted_act{.seconds =
                                                    std::pow(attune::uniform_unit(engine), -0.7)};
                        });
                };
                scripted_slots first = slots();
                CHECK_THROWS_AS((void)attune::detail::minimize_on_slots(
                                    space(), first, {.evaluations = 60}, options, never),
                                cut);
                std::vector<point> const told = told_in(log);
                REQUIRE(told.size() == cut_after);
                options.progress = attune::silent_progress();
                scripted_slots second = slots();
                auto const end = attune::detail::minimize_on_slots(
                    space(), second, {.evaluations = 60}, options, never);
                CHECK(end.found.evaluations == 60);
                CHECK(end.found.ended == "budget");
                CHECK(second.submissions.size() == 60 - cut_after);
                std::vector<point> all = told;
                for (auto const& one : second.submissions) {
                    CHECK(std::ranges::find(all, one.at) == all.end());
                    all.push_back(one.at);
                }
                // What was being evaluated comes first, in the order in which it was proposed.
                std::vector<point> open;
                for (auto const& one : first.submissions)
                    if (std::ranges::find(told, one.at) == told.end()) open.push_back(one.at);
                for (std::size_t i = 0; i < std::min(open.size(), second.submissions.size()); ++i)
                    CHECK(second.submissions[i].at == open[i]);
                double lowest = never;
                for (point const& at : all) {
                    evaluation const seen = bowl(at);
                    if (auto const* const m = std::get_if<attune::measurement>(&seen.result))
                        lowest = std::min(lowest, m->value);
                }
                CHECK(end.found.value == lowest);
            }
}

TEST_CASE("a search that has ended goes on where its limits are higher, else it is known")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    search_by_one none{""};
    auto const expected = none.run({.evaluations = 50});
    search_by_one less{log};
    auto const found = less.run({.evaluations = 20});
    search_by_one same{log};
    CHECK(is_same(same.run({.evaluations = 20}), found));
    CHECK(same.evaluated.empty());
    search_by_one more{log};
    CHECK(is_same(more.run({.evaluations = 50}), expected));
    CHECK(more.evaluated.size() == 30);
    search_by_one target{log};
    CHECK(target.run({.target = 100}).ended == "stop rule");
    CHECK(target.evaluated.empty());
    search_by_one all{log};
    CHECK(all.run({}).ended == "space");
    search_by_one again{log};
    auto const whole = again.run({});
    CHECK(again.evaluated.empty());
    CHECK(whole.ended == "space");
    CHECK(whole.evaluations == all_points);
}

TEST_CASE("another searcher is told the outcomes of the one before, and proposes none of them")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    search_by_one one{log, attune::search_with<attune::random_searcher>()};
    (void)one.run({.evaluations = 20});
    for (int i = 0; i < 2; ++i) { // also when that one is interrupted in its turn
        search_by_one other{log, attune::search_with<attune::exhaustive_searcher>()};
        auto const found = other.run({.evaluations = i == 0 ? 50U : all_points});
        CHECK(has(other.notices(), "the search in the event log cannot be repeated") == (i == 0));
        CHECK(has(other.notices(), "the search proposes other configurations") == (i == 0));
        CHECK(other.evaluated.size() == (i == 0 ? 30 : all_points - 50));
        for (point const& at : other.evaluated)
            CHECK(std::ranges::find(one.evaluated, at) == one.evaluated.end());
        one.evaluated.insert(one.evaluated.end(), other.evaluated.begin(), other.evaluated.end());
        CHECK(found.evaluations == one.evaluated.size());
    }
    CHECK(one.evaluated.size() == all_points);
}

TEST_CASE("another searcher begins with all outcomes or not at all, wherever it is cut")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    search_by_one one{log, attune::search_with<attune::random_searcher>()};
    (void)one.run({.evaluations = 20});
    std::string const before = support::read_file(log);
    auto const other = attune::search_with<attune::exhaustive_searcher>();
    search_by_one whole{log, other};
    CHECK_THROWS_AS((void)whole.run({.evaluations = 50}, 0), cut);
    std::string const text = support::read_file(log);
    REQUIRE(text.size() > before.size());
    auto const knows_all = [&] {
        search_by_one next{log, other};
        CHECK(next.run({.evaluations = 50}).evaluations == 50);
        CHECK(next.evaluated.size() == 30);
        for (point const& at : next.evaluated)
            CHECK(std::ranges::find(one.evaluated, at) == one.evaluated.end());
        search_by_one last{log, other};
        CHECK(last.run({.evaluations = 50}).evaluations == 50);
        CHECK(last.evaluated.empty());
    };
    for (std::size_t cut_at = before.size(); cut_at <= text.size(); cut_at += 97) {
        CAPTURE(cut_at - before.size());
        support::write_file(log, text.substr(0, cut_at)); // kill -9 in the middle of a write
        knows_all();
    }
    for (std::size_t const more : {std::size_t{20}, (text.size() - before.size()) / 2}) {
        CAPTURE(more);
        support::write_file(log, before);
        // A limit on file sizes cuts a write short as a full disk does.
        int const status = attune_test::child_status([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            ::rlimit const limit{before.size() + more, before.size() + more};
            if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
            search_by_one full{log, other};
            return full.run({.evaluations = 50}).evaluations == 50 && full.evaluated.size() == 30 &&
                           has(full.notices(), "events are not logged")
                       ? 0
                       : 3;
        });
        CHECK(status == 0);
        CHECK(support::read_file(log) == before);
        knows_all();
    }
}

TEST_CASE("where repeating takes all seconds, that is said, and each call gets one further")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    search_by_one none{""};
    (void)none.run({.evaluations = 4});
    std::vector<point> evaluated;
    for (int times = 0; times < 4; ++times) {
        search_by_one one{log};
        CHECK(one.run({.evaluations = 3, .seconds = 0}).ended == "budget");
        CHECK(has(one.notices(), "all of limits.seconds") == (times == 1 || times == 2));
        CHECK(one.evaluated.size() == (times < 3 ? 1 : 0)); // evaluations have their limit
        evaluated.insert(evaluated.end(), one.evaluated.begin(), one.evaluated.end());
    }
    none.evaluated.pop_back();
    CHECK(evaluated == none.evaluated);
}

TEST_CASE("Ctrl-C while a log is repeated ends the search, not the program")
{
    support::scratch_directory const folder;
    std::string const log = folder.file("log");
    search_by_one one{log};
    (void)one.run({.evaluations = 10});
    int const status = attune_test::child_status([&] {
        std::signal(SIGINT, SIG_DFL);
        auto const plain = attune::default_search();
        search_by_one other{log, [&](attune::chain_of_trees const& in, std::uint64_t seed) {
                                std::raise(SIGINT);
                                return plain(in, seed);
                            }};
        auto const found = other.run({.evaluations = 40});
        return found.interrupted && found.evaluations == 10 && other.evaluated.empty() ? 0 : 3;
    });
    CHECK(status == 0);
}

TEST_CASE("another seed, name, bound, input or space is another search")
{
    support::scratch_directory const folder;
    constexpr auto n = attune::input<"N", int>();
    constexpr auto sized = attune::space(x, y).where(x + y >= n);
    constexpr auto wider = attune::space(x, y).where(x + y >= 4);
    struct variant {
        char const* what;
        std::size_t evaluated; ///< in the second call
    };
    for (auto const& [what, evaluated] :
         {variant{"same", 0}, variant{"seed", 10}, variant{"name", 10}, variant{"bound", 10},
          variant{"input", 10}, variant{"space", 10}}) {
        CAPTURE(what);
        std::string const is = what;
        std::size_t calls = 0;
        auto const objective = [&](auto const& c) {
            ++calls;
            return evaluation{static_cast<double>(c[x]), {{"q", 1}}};
        };
        for (bool const is_second : {false, true}) {
            calls = 0;
            attune::minimize_options options{.seed = is_second && is == "seed" ? 8U : 7U,
                                             .inputs = {n(is_second && is == "input" ? 6 : 5)},
                                             .progress = attune::silent_progress(),
                                             .name = is_second && is == "name" ? "other" : "one",
                                             .event_log = folder.file(what)};
            if (is_second && is == "bound") options.bounds = {attune::at_most("q", 2)};
            if (is == "space") options.inputs.clear();
            if (is != "space")
                (void)attune::minimize(sized, objective, {.evaluations = 10}, options);
            else if (is_second)
                (void)attune::minimize(wider, objective, {.evaluations = 10}, options);
            else
                (void)attune::minimize(plane, objective, {.evaluations = 10}, options);
            CHECK(calls == (is_second ? evaluated : 10));
        }
    }
}

TEST_CASE("a log that cannot be written, or is another process's, is told of and holds nothing")
{
    support::scratch_directory const folder;
    search_by_one nowhere{"/proc/none/log"};
    CHECK(nowhere.run({.evaluations = 5}).evaluations == 5);
    CHECK(has(nowhere.notices(), "events are not logged"));
    attune::event_log const held(folder.file("log"), "key", 1);
    search_by_one locked{folder.file("log")};
    CHECK(locked.run({.evaluations = 5}).evaluations == 5);
    CHECK(has(locked.notices(), "events are not logged"));
    {
        std::string const path = folder.file("known");
        search_by_one first{path};
        (void)first.run({.evaluations = 5});
        std::string const text = support::read_file(path);
        attune::event_log const other(path, "key of another", 1);
        support::write_file(path, text); // the lock stays
        search_by_one second{path};
        CHECK(second.run({.evaluations = 8}).evaluations == 8);
        CHECK(second.evaluated.size() == 3); // what was told is known
        CHECK(has(second.notices(), "events are not logged"));
        CHECK(support::read_file(path) == text);
    }
    support::write_file(folder.file("text"), "not an event log\n");
    search_by_one text{folder.file("text")};
    CHECK(text.run({.evaluations = 5}).evaluations == 5);
    CHECK(has(text.notices(), "the file is no event log"));
    CHECK(support::read_file(folder.file("text")) == "not an event log\n");
}
