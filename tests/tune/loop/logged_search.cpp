// tests/tune/loop/logged_search.cpp - a searcher whose every question and answer is written down.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/logged_search.hpp>

#include <attune/attune.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::event_log;
using attune::point;
using namespace attune::detail;
using attune_test::has;
using support::scratch_directory;

namespace {

attune::search_factory const make = attune::search_with<attune::bayesian_searcher>();

attune::chain_of_trees grid()
{
    static constexpr auto x = attune::ordinal<"X">(attune::range(0, 19));
    static constexpr auto y = attune::ordinal<"Y">(attune::range(0, 19));
    return attune::build(attune::space(x, y));
}
attune::outcome bowl(point const& p)
{
    double const x = p[0].index - 13.0;
    double const y = p[1].index - 4.0;
    if (p[0].index == p[1].index) return attune::failure{attune::failure_stage::crash, "diagonal"};
    return attune::measurement::exact(1 + x * x + y * y);
}
/// A search with a model of programs.
struct learning : attune::bayesian_searcher {
    using attune::bayesian_searcher::bayesian_searcher;
    void learn_from(attune::cost_samples const& others) { learnt += others.size(); }
    std::size_t learnt = 0;
};
/// Asks for a point, and tells what it is worth.
point step(logged_search& search)
{
    point const p = search.ask(1).front();
    search.tell(p, bowl(p));
    return p;
}
struct file_of_log {
    event_log file;
};
/// A search that goes on with the log at `path`.
struct search_of_log : file_of_log, logged_search {
    search_of_log(std::string const& path, attune::chain_of_trees const& space,
                  attune::search_factory const& by = make, session_memory const& memory = {},
                  bool is_narrowed = true)
        : file_of_log{event_log{path, "key", 5}}
        , logged_search(by, space, 5, file, memory, 0, is_narrowed)
    {
    }
};
/// What 25 evaluations ask for when nothing comes between them.
/// @param before_told  called with the search and each point
std::vector<point> uninterrupted(attune::chain_of_trees const& space, auto const& before_told)
{
    event_log none;
    logged_search search{make, space, 5, none};
    std::vector<point> out;
    for (int i = 0; i < 25; ++i) {
        out.push_back(search.ask(1).front());
        before_told(search, out.back());
        search.tell(out.back(), bowl(out.back()));
    }
    return out;
}

/// The grid, whose points show a number when they are built: their distance from (13, 4).
attune::chain_of_trees grid_with_metrics()
{
    attune::description d = grid().describe();
    d.code_metrics = {"distance"};
    return attune::chain_of_trees(d);
}
std::vector<double> distance_of(point const& p)
{
    return {std::hypot(p[0].index - 13.0, p[1].index - 4.0)};
}

std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        out.push_back(text.substr(at, text.find('\n', at) + 1 - at));
    return out;
}
std::string text_of_lines(std::vector<std::string> const& lines)
{
    std::string out;
    for (std::string const& line : lines)
        out += line;
    return out;
}
bool is_same(attune::outcome const& a, attune::outcome const& b)
{
    auto const* const one = std::get_if<attune::measurement>(&a);
    auto const* const other = std::get_if<attune::measurement>(&b);
    if (one == nullptr || other == nullptr)
        return one == other &&
               std::get<attune::failure>(a).reason == std::get<attune::failure>(b).reason;
    return one->value == other->value && one->samples == other->samples;
}
/// The lines of a search of grid_with_metrics() that was told the first point and then 20 others:
/// times and metrics before each, excesses with each.
std::vector<std::string> told_with_all(std::string const& path, attune::search_factory const& by)
{
    attune::chain_of_trees const space = grid_with_metrics();
    {
        search_of_log search{path, space, by};
        for (int i = 0; i <= 20; ++i) {
            point const p = i == 0 ? space.at(1) : search.ask(1).front();
            attune::outcome result = bowl(p);
            search.file.add(
                {.kind = attune::event_kind::compiled, .points = {p}, .seconds = 1, .text = "k"});
            search.tell_metrics(p, distance_of(p));
            if (auto const* const m = std::get_if<attune::measurement>(&result)) {
                attune::timing_record const times{.times = {m->value, m->value + 0.5}};
                search.file.add(
                    {.kind = attune::event_kind::sampled, .points = {p}, .timing = times});
                result = estimate_of(times);
                double const excess = p[0].index - 10.0;
                search.tell_excess(p, std::get<attune::measurement>(result).value,
                                   std::vector{excess});
            }
            search.tell(p, result);
        }
    }
    return lines_of(support::read_file(path));
}
/// What a search goes on with.
struct continued {
    std::vector<std::pair<point, attune::outcome>> past{};
    std::vector<attune::event> events{};
    std::vector<point> next{}; ///< asked for after that
};
continued go_on(std::string const& path, attune::search_factory const& by, int further)
{
    attune::chain_of_trees const space = grid_with_metrics();
    continued out;
    search_of_log search{path, space, by};
    out.past = search.past();
    out.events = search.file.past();
    for (int i = 0; i < further; ++i) {
        out.next.push_back(step(search));
    }
    return out;
}
std::vector<attune::search_factory> searches()
{
    return {make, attune::search_with<attune::random_searcher>(),
            attune::search_with<attune::exhaustive_searcher>()};
}

} // namespace

TEST_CASE("an interrupted search that learnt from other programs says where these have changed")
{
    attune::chain_of_trees const space = grid();
    attune::cost_samples one;
    one.add("task", {{1, 2}, 2}, 0.5);
    attune::cost_samples more = one;
    more.add("task", {{3, 4}, 2}, 0.25);
    auto const knowing = [](attune::cost_samples const& of) {
        return session_memory{.lessons = {std::make_shared<samples_lesson>(of)}};
    };
    auto const said = [&](attune::cost_samples const& first, attune::cost_samples const& then,
                          attune::search_factory const& by) {
        scratch_directory const directory;
        {
            search_of_log search{directory.file("log"), space, by, knowing(first)};
            CHECK(search.notice().empty());
            (void)step(search);
        }
        search_of_log const search{directory.file("log"), space, by, knowing(then)};
        CHECK(search.past().size() == 1);
        return search.notice();
    };
    attune::search_factory const learns = attune::search_with<learning>();
    CHECK(said(one, one, learns).empty());
    CHECK(said({}, {}, learns).empty());
    CHECK(has(said(one, more, learns), "has changed"));
    CHECK(has(said(one, {}, learns), "has changed"));
    CHECK(has(said({}, one, learns), "has changed"));
    CHECK(said(one, more, make).empty()); // it learns nothing
}

TEST_CASE("what the model expected stands in the log; a log without it goes on in the same way")
{
    attune::chain_of_trees const space = grid();
    scratch_directory const directory;
    std::vector<point> const whole = uninterrupted(space, [](logged_search&, point const&) {});
    std::vector<double> expected;
    {
        search_of_log search{directory.file("log"), space};
        for (int i = 0; i < 20; ++i) {
            point const p = search.ask(1).front();
            expected.push_back(search.prediction_of(p).value_or(0));
            search.tell(p, bowl(p));
        }
    }
    attune::logged_session session = attune::read_event_log(directory.file("log")).front();
    std::size_t told = 0, predicted = 0;
    for (attune::event& e : session.events) {
        if (e.kind != attune::event_kind::told) continue;
        CHECK(e.seconds == 0);
        CHECK(e.expected == expected.at(told++));
        predicted += e.expected > 0 ? 1 : 0;
        e.expected = 0; // as 0.3 wrote it
    }
    CHECK(told == 20);
    CHECK(predicted >= 5);
    std::string const old = attune::text_of(session);
    CHECK(old.find("expected") == old.npos);
    attune::any_searcher search = make(space, 5);
    CHECK(repeat_calls(search, space, session.events).problem.empty());
    CHECK(search.ask(1).front() == whole[20]);
}

TEST_CASE("what is known without a log: equal seeds go on as if there had been no interruption")
{
    attune::chain_of_trees const space = grid();
    point const first = space.at(1);
    for (std::size_t const ahead : {0U, 1U, 2U}) {
        // As a pipeline asks: the default is told before anything is asked for.
        std::vector<point> asked, told;
        auto const tell_next = [&](logged_search& search) {
            while (asked.size() <= ahead)
                for (point const& p : search.ask(ahead + 1 - asked.size()))
                    asked.push_back(p);
            told.push_back(asked.front());
            asked.erase(asked.begin());
            search.tell(told.back(), bowl(told.back()));
        };
        event_log none;
        logged_search uncut{make, space, 5, none};
        uncut.tell(first, bowl(first));
        for (int i = 0; i < 25; ++i)
            tell_next(uncut);
        std::vector<point> const whole = std::exchange(told, {});
        for (std::size_t const stop : {0U, 1U, 9U, 24U}) {
            std::vector<known_outcome> known{{first, bowl(first), "key"}};
            for (std::size_t i = 0; i < stop; ++i)
                known.push_back({whole[i], bowl(whole[i]), {}});
            logged_search search{make, space, 5, none, {.known = known}, ahead};
            REQUIRE(search.past().size() == known.size());
            asked.clear();
            told.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(stop));
            while (told.size() < whole.size())
                tell_next(search);
            CHECK(told == whole);
            told.clear();
        }
    }
}

TEST_CASE("what is known is told to any search, which never asks for it")
{
    attune::chain_of_trees const space = grid();
    std::vector<known_outcome> known;
    for (std::size_t i = 0; i < 40; ++i)
        known.push_back({space.at(3 * i), bowl(space.at(3 * i)), {}});
    for (attune::search_factory const& any :
         {make, attune::search_with<attune::random_searcher>(), attune::default_search()}) {
        event_log none;
        logged_search search{any, space, 7, none, {.known = known}};
        REQUIRE(search.past().size() == known.size());
        for (int i = 0; i < 40; ++i) {
            point const p = search.ask(1).at(0);
            for (auto const& one : known)
                CHECK(one.at != p);
            search.tell(p, bowl(p));
        }
    }
}

TEST_CASE("a log continues first; what is known is written into a new one")
{
    scratch_directory const directory;
    attune::chain_of_trees const space = grid();
    std::vector<known_outcome> known;
    for (std::size_t const i : {1U, 2U, 3U})
        known.push_back({space.at(i), bowl(space.at(i)), {}});
    {
        search_of_log search{directory.file("log"), space, make, {.known = known}};
        CHECK(search.past().size() == 3);
    }
    event_log log{directory.file("log"), "key", 5};
    known.push_back({space.at(4), bowl(space.at(4)), {}});
    logged_search search{make, space, 5, log, {.known = known}};
    CHECK(search.notice() == "");
    CHECK(search.past().size() == 3);
}

TEST_CASE("code metrics are part of what is continued")
{
    attune::chain_of_trees const space = grid_with_metrics();
    std::vector<point> const whole =
        uninterrupted(space, [](logged_search& search, point const& p) {
            search.tell_metrics(p, distance_of(p));
        });
    for (std::size_t const stop : {3U, 11U, 17U}) {
        scratch_directory const directory;
        {
            search_of_log search{directory.file("log"), space};
            for (std::size_t i = 0; i <= stop; ++i) {
                point const p = search.ask(1).front();
                search.tell_metrics(p, distance_of(p));
                if (i < stop) search.tell(p, bowl(p));
            }
        }
        search_of_log search{directory.file("log"), space};
        REQUIRE(search.notice().empty());
        for (std::size_t i = search.past().size(); i < whole.size(); ++i) {
            point const p = search.ask(1).front();
            REQUIRE(p == whole[i]);
            search.tell_metrics(p, distance_of(p));
            search.tell(p, bowl(p));
        }
        // Each once, although the open one was told again.
        std::size_t metrics = 0;
        std::vector<attune::logged_session> const sessions =
            attune::read_event_log(directory.file("log"));
        for (attune::event const& e : sessions.back().events)
            metrics += e.kind == attune::event_kind::code_metrics ? 1U : 0U;
        CHECK(metrics == whole.size());
    }
}

TEST_CASE("what other sessions found is told where a search begins, and logged")
{
    attune::chain_of_trees const space = grid();
    auto const session = [&](double shift) {
        attune::past_session out{.name = "other", .parameters = {"X", "Y"}};
        for (std::uint64_t i = 0; i < 400; i += 7) {
            point const p = space.at(i);
            double const x = p[0].index - 13.0 - shift;
            double const y = p[1].index - 4.0;
            out.outcomes.push_back(
                {{std::to_string(p[0].index), std::to_string(p[1].index)}, 1 + x * x + y * y});
        }
        return std::vector{out};
    };
    auto const take = [](logged_search& search, std::size_t count, std::vector<point>& to) {
        for (std::size_t i = 0; i < count; ++i)
            to.push_back(step(search));
    };
    event_log none;
    std::vector<point> whole;
    logged_search uncut{make, space, 5, none, {.related = session(0)}};
    take(uncut, 15, whole);
    CHECK(std::abs(static_cast<int>(whole[0][0].index) - 13) <= 2);
    CHECK(std::abs(static_cast<int>(whole[0][1].index) - 4) <= 2);
    for (std::size_t const stop : {0U, 1U, 4U, 14U}) {
        scratch_directory const directory;
        std::vector<point> asked;
        {
            search_of_log search{directory.file("log"), space, make, {.related = session(0)}};
            take(search, stop, asked);
        }
        // Whatever a store knows by then: the search goes on with what it was told.
        search_of_log search{directory.file("log"), space, make, {.related = session(-9)}};
        REQUIRE(search.notice().empty());
        REQUIRE(search.past().size() == stop);
        take(search, whole.size() - stop, asked);
        CHECK(asked == whole);
    }
}

TEST_CASE("an event of other sessions that cannot be read is a damaged log")
{
    attune::any_searcher search = make(grid(), 5);
    std::vector<attune::event> const events{
        {.kind = attune::event_kind::informed, .text = "no session"}};
    CHECK_FALSE(repeat_calls(search, grid(), events).problem.empty());
}

TEST_CASE(
    "what was pruned is not asked again after an interruption, and the search goes on as before")
{
    attune::chain_of_trees const space = grid();
    auto const is_pruned = [](point const& p) { return p[0].index > 15 || p[1].index > 10; };
    auto const answer = [&](logged_search& search, point const& p) {
        if (is_pruned(p))
            search.tell_bound(p, 500);
        else
            search.tell(p, bowl(p));
    };
    std::vector<point> whole;
    {
        event_log none;
        logged_search search{make, space, 5, none};
        for (int i = 0; i < 30; ++i) {
            whole.push_back(search.ask(1).front());
            answer(search, whole.back());
        }
    }
    for (std::size_t const stop : {1U, 12U, 29U}) {
        scratch_directory const directory;
        {
            search_of_log search{directory.file("log"), space};
            for (std::size_t i = 0; i < stop; ++i)
                answer(search, search.ask(1).front());
        }
        search_of_log search{directory.file("log"), space};
        REQUIRE(search.notice().empty());
        std::vector<point> const& pruned = search.past_pruned();
        CHECK(pruned.size() + search.past().size() == stop);
        CHECK(std::all_of(pruned.begin(), pruned.end(), is_pruned));
        for (auto const& [at, result] : search.past())
            CHECK(!is_pruned(at));
        for (std::size_t i = stop; i < whole.size(); ++i) {
            point const p = search.ask(1).front();
            REQUIRE(p == whole[i]);
            answer(search, p);
        }
    }
    CHECK(std::count_if(whole.begin(), whole.end(), is_pruned) > 3);
}

TEST_CASE("a pruned configuration without a least time makes a log that cannot be continued")
{
    attune::chain_of_trees const space = grid();
    for (double const odd : {0.0, -1.0}) {
        attune::any_searcher search = make(space, 5);
        replayed_calls const calls = repeat_calls(
            search, space,
            {{.kind = attune::event_kind::pruned, .points = {space.at(0)}, .seconds = odd}});
        CHECK(has(calls.problem, "has no least time"));
    }
}

TEST_CASE("what techniques gained is logged without strategies, which no search uses")
{
    attune::chain_of_trees const space = grid();
    attune::search::technique_history past;
    attune::search::technique_history plain;
    attune::search::representation one{.label = "other",
                                       .structure = attune::search::structure_of(space.describe()),
                                       .uses = {{"genetic", 10, 5}}};
    one.gains.add(2);
    plain.add(one);
    one.strategies = {{"climb", one.gains}};
    past.add(one);
    scratch_directory const directory;
    auto const by = attune::search::recommended();
    std::vector<point> asked;
    {
        search_of_log search{directory.file("log"),
                             space,
                             by,
                             {.lessons = {std::make_shared<techniques_lesson>(past)}}};
        for (int i = 0; i < 3; ++i)
            asked.push_back(step(search));
    }
    attune::logged_session const logged = attune::read_event_log(directory.file("log")).front();
    REQUIRE(!logged.events.empty());
    CHECK(logged.events[0].kind == attune::event_kind::informed);
    CHECK(logged.events[0].text == "techniques\n" + attune::search::history_text(plain));
    search_of_log const again{directory.file("log"), space, by};
    CHECK(again.notice().empty());
    REQUIRE(again.past().size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
        CHECK(again.past()[i].first == asked[i]);
}

TEST_CASE("interrupted anywhere, a search that was narrowed twice and widened goes on as if not")
{
    attune::chain_of_trees const space = grid();
    auto const part = [](std::size_t rows) {
        kept_settings out{{1}, std::vector<bool>(20, false)};
        std::fill_n(out.kept.begin(), rows, true);
        return out;
    };
    auto const before = [&](logged_search& search, std::size_t i) {
        if (i == 5) CHECK(search.narrow(part(12)));
        if (i == 12) CHECK(search.narrow(part(5)));
        if (i == 20) CHECK(search.narrow({}));
    };
    auto const go_on = [&](logged_search& search, std::size_t from, std::size_t to) {
        std::vector<point> out;
        for (std::size_t i = from; i < to; ++i) {
            before(search, i);
            out.push_back(step(search));
        }
        return out;
    };
    event_log none;
    logged_search alone{make, space, 5, none};
    std::vector<point> const whole = go_on(alone, 0, 26);
    for (std::size_t i = 12; i < 20; ++i)
        CHECK(whole[i][1].index < 5);
    for (std::size_t const stop : {4U, 6U, 12U, 15U, 21U}) {
        scratch_directory const directory;
        {
            search_of_log search{directory.file("log"), space};
            (void)go_on(search, 0, stop);
        }
        search_of_log search{
            directory.file("log"), space, make, {}, false}; // the log says that it is narrowed
        REQUIRE(search.notice().empty());
        CHECK(search.past().size() == stop);
        CHECK(search.past_part() == (stop <= 5 || stop > 20 ? std::optional<kept_settings>{}
                                     : stop <= 12           ? part(12)
                                                            : part(5)));
        if (stop < 5) continue; // this one cannot be narrowed
        std::vector<point> const rest = go_on(search, stop, whole.size());
        CHECK(rest ==
              std::vector<point>(whole.begin() + static_cast<std::ptrdiff_t>(stop), whole.end()));
    }
}

TEST_CASE(
    "a part that cannot be read, or has no configuration, makes a log that cannot be continued")
{
    attune::chain_of_trees const space = grid();
    auto const problem_of = [&](std::string const& text) {
        attune::any_searcher search = narrowing_search{make, space, 5};
        return repeat_calls(search, space, {{.kind = attune::event_kind::narrowed, .text = text}})
            .problem;
    };
    CHECK(problem_of("1\n5 15").empty());
    CHECK(problem_of("").empty());
    CHECK(has(problem_of("1\n5 16"), "cannot be read"));
    CHECK(has(problem_of("5\n5 15"), "cannot be read"));
    CHECK(has(problem_of("1\n0 20"), "cannot be built"));
}

TEST_CASE("a damaged line costs its own outcome and no other, of any search")
{
    scratch_directory const directory;
    for (attune::search_factory const& by : searches()) {
        std::string const path = directory.file("log");
        support::write_file(path, "");
        std::vector<std::string> const lines = told_with_all(path, by);
        auto const whole = go_on(path, by, 0).past;
        REQUIRE(whole.size() == 21);
        std::size_t told = 0; // that are in the lines before
        for (std::size_t wrong = 1; wrong < lines.size(); ++wrong) {
            bool const is_told = lines[wrong].starts_with("{\"told\"");
            if (is_told) ++told;
            bool const is_tried =
                is_told ? told <= 2 || told == 11 || told == 21 : wrong <= 6 || wrong % 23 == 0;
            if (!is_tried) continue;
            CAPTURE(lines[wrong]);
            std::vector<std::string> damaged = lines;
            damaged[wrong] = lines[wrong].substr(0, lines[wrong].size() / 2) + '\n';
            support::write_file(path, text_of_lines(damaged));
            std::vector<std::pair<point, attune::outcome>> expected = whole;
            if (is_told && told > 1) // the first is in its times
                expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(told) - 1);
            for (int times = 0; times < 2; ++times) { // the second time it is not damaged
                auto const later = go_on(path, by, times == 0 ? 0 : 5);
                REQUIRE(later.past.size() == expected.size());
                for (auto const& [at, result] : expected)
                    CHECK(std::any_of(later.past.begin(), later.past.end(), [&](auto const& one) {
                        return one.first == at && is_same(one.second, result);
                    }));
                for (point const& next : later.next)
                    for (auto const& one : expected)
                        CHECK(next != one.first);
            }
        }
        CHECK(told == 21);
    }
}

TEST_CASE("a lost line that no search depends on changes nothing that comes after it")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    std::vector<std::string> const lines = told_with_all(path, make);
    std::vector<point> const whole = go_on(path, make, 3).next;
    for (std::size_t wrong = 1; wrong < lines.size(); wrong += wrong < 12 ? 1 : 7) {
        bool const says_of_code = lines[wrong].starts_with("{\"compiled\"");
        bool const says_times = lines[wrong].starts_with("{\"sampled\"");
        if (!says_of_code && !says_times) continue;
        std::vector<std::string> damaged = lines;
        damaged[wrong][2] = 'x';
        support::write_file(path, text_of_lines(damaged));
        CHECK(go_on(path, make, 3).next == whole);
    }
}

TEST_CASE("what is known beside the outcomes of a damaged log goes on, too")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    std::vector<std::string> const lines = told_with_all(path, make);
    std::vector<attune::event> const before = go_on(path, make, 0).events;
    std::vector<std::string> damaged = lines;
    std::size_t const lost = 14;
    std::size_t told = 0;
    for (std::string& line : damaged)
        if (line.starts_with("{\"told\"") && told++ == lost) line = " garbage \xff\n";
    support::write_file(path, text_of_lines(damaged));
    std::vector<attune::event> const after = go_on(path, make, 0).events;
    point const again = [&] {
        std::size_t i = 0;
        for (attune::event const& e : before)
            if (e.kind == attune::event_kind::told && i++ == lost) return e.points.front();
        return point{};
    }();
    for (attune::event const& e : before) {
        if (e.kind == attune::event_kind::asked || e.points.front() == again) continue;
        auto const same = std::find_if(after.begin(), after.end(), [&](attune::event const& one) {
            return one.kind == e.kind && one.points == e.points && one.numbers == e.numbers &&
                   one.text == e.text && one.seconds == e.seconds && one.by == e.by &&
                   one.timing.has_value() == e.timing.has_value() &&
                   (!one.timing || one.timing->times == e.timing->times) &&
                   one.result.has_value() == e.result.has_value() &&
                   (!one.result || is_same(*one.result, *e.result));
        });
        CHECK(same != after.end());
    }
}

TEST_CASE(
    "what a store knows beside a damaged log counts, too, and the log's outcome where both do")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    attune::chain_of_trees const space = grid_with_metrics();
    std::vector<std::string> damaged = told_with_all(path, make);
    auto const whole = go_on(path, make, 0).past;
    for (std::string& line : damaged)
        if (line.starts_with("{\"told\"")) line[2] = 'x'; // all but the first, which has its times
    support::write_file(path, text_of_lines(damaged));
    std::vector<known_outcome> const known{{whole[0].first, attune::measurement::exact(77), {}},
                                           {whole[5].first, whole[5].second, {}}};
    search_of_log const search{path, space, make, {.known = known}};
    REQUIRE(search.past().size() == 2);
    CHECK(search.past()[0].first == whole[0].first);
    CHECK(is_same(search.past()[0].second, whole[0].second));
    CHECK(search.past()[1].first == whole[5].first);
}

TEST_CASE("where the time of the first outcome is in doubt, nothing is compared with it")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    std::vector<std::string> lines = told_with_all(path, make);
    for (std::string& line : lines)
        if (std::size_t const at = line.find("\"value\":"); at != line.npos) {
            line.insert(at + 8, "1");
            break;
        }
    for (bool const is_damaged : {false, true}) {
        if (is_damaged) lines[lines.size() / 2] = "{}\n";
        support::write_file(path, text_of_lines(lines));
        search_of_log const search{path, grid_with_metrics()};
        CHECK(search.past().empty());
        CHECK(has(search.notice(), "the interrupted tuning cannot be continued: "));
    }
}
