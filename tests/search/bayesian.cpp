// tests/search/bayesian.cpp : mirrors include/attune/search/bayesian.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayesian.hpp>

#include <attune/search/automatic.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include "../laws/searcher.hpp"
#include "../support/past_sessions.hpp"
#include "../support/search_spaces.hpp"

namespace {

/// One that knows of two other sessions, one of which failed often.
class warm_searcher : public attune::bayesian_searcher {
public:
    explicit warm_searcher(attune::chain_of_trees const& space, std::uint64_t seed = 0)
        : bayesian_searcher(space, seed, knowing(space))
    {
    }

private:
    static attune::bayesian_options knowing(attune::chain_of_trees const& space)
    {
        attune::bayesian_options out;
        auto const number = [](attune::point const& p) { return 1.0 + p.front().index; };
        out.past.push_back(past_sessions::of(space, 12, 1, [&](attune::point const& p) {
            return std::optional<double>(number(p));
        }));
        out.past.push_back(past_sessions::of(space, 12, 2, [&](attune::point const& p) {
            return p.back().index > 0 ? std::nullopt : std::optional<double>(9 - number(p));
        }));
        return out;
    }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::bayesian_searcher, warm_searcher);

namespace {

/// Lowest value after `budget` evaluations of `f`, one at a time; failures count.
template <class S, class F>
double best_after(S s, int budget, F const& f)
{
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < budget; ++i) {
        std::vector<attune::point> const asked = s.ask(1);
        if (asked.empty()) break;
        attune::outcome const seen = f(asked.front());
        if (attune::succeeded(seen)) best = std::min(best, std::get<0>(seen).value);
        s.tell(asked.front(), seen);
    }
    return best;
}

attune::outcome valley(attune::point const& p)
{
    double const x = p[0].index / 10.0 - 3.1;
    double const y = p[1].index / 10.0 - 1.7;
    return attune::measurement::exact(1 + x * x + 2 * y * y + 0.3 * std::sin(3 * x));
}

} // namespace

TEST_CASE("bayesian_searcher comes closer to the bottom of a valley than random search")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    double lowest = std::numeric_limits<double>::infinity();
    for (std::uint64_t i = 0; i < 3600; ++i)
        lowest = std::min(lowest, std::get<0>(valley(space.at(i))).value);
    double model = 0;
    double chance = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        model += best_after(attune::bayesian_searcher(space, seed), 30, valley) - lowest;
        chance += best_after(attune::random_searcher(space, seed), 30, valley) - lowest;
    }
    CHECK(model < 0.1 * chance);
    CHECK(model / 8 < 0.01);
}

TEST_CASE("bayesian_searcher goes beyond its sample of a large space")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    attune::bayesian_options const options{.max_pool = 100, .fresh = 200};
    double model = 0;
    double chance = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        model += best_after(attune::bayesian_searcher(space, seed, options), 30, valley);
        chance += best_after(attune::random_searcher(space, seed), 30, valley);
    }
    CHECK(model < chance);
}

TEST_CASE("bayesian_searcher handles real parameters and negative objectives")
{
    auto const bowl = [](attune::point const& p) -> attune::outcome {
        double const u = p[0].real - 0.3;
        double const v = p[1].real - 1.1;
        return attune::measurement::exact(u * u + v * v - (p[2].index == 1 ? 1.0 : 0.0));
    };
    double model = 0;
    double chance = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        model += best_after(attune::bayesian_searcher(search_spaces::mixed(), seed), 40, bowl);
        chance += best_after(attune::random_searcher(search_spaces::mixed(), seed), 40, bowl);
    }
    CHECK(model / 6 < -0.99);
    CHECK(model < chance);
}

TEST_CASE("bayesian_searcher learns to avoid points that fail")
{
    attune::chain_of_trees const space = search_spaces::grid(30);
    int failures = 0;
    auto const half = [&](attune::point const& p) -> attune::outcome {
        if (p[0].index >= 15) {
            ++failures;
            return attune::failure{attune::failure_stage::launch, "too many resources"};
        }
        // The valley continues towards the failing half, so the objective alone would lead there.
        return attune::measurement::exact(100.0 - p[0].index + 0.1 * p[1].index);
    };
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        double const best = best_after(attune::bayesian_searcher(space, seed), 50, half);
        CHECK(best < 87.0); // 86 at x = 14, y = 0
    }
    CHECK(failures / 5 < 25); // 25 by chance, 40 of 50 when only the objective decides
}

TEST_CASE("a user's belief draws the search towards it")
{
    attune::description d;
    d.parameters = {search_spaces::counting("x", 40), search_spaces::counting("y", 40)};
    d.parameters[0].prior.centre = 31;
    d.parameters[0].prior.deviation = 2;
    attune::chain_of_trees const believed(d);
    attune::bayesian_searcher s(believed, 1);
    int close = 0;
    for (attune::point const& p : s.ask(10))
        close += std::abs(int(p[0].index) - 31) <= 4 ? 1 : 0;
    CHECK(close >= 5); // 2.25 by chance
}

TEST_CASE("what is known beforehand replaces the random start")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    attune::bayesian_searcher s(space, 1);
    attune::random_engine engine(3);
    for (int i = 0; i < 40; ++i) {
        attune::point const p = space.sample(engine);
        s.tell(p, valley(p));
    }
    attune::outcome const first = valley(s.ask(1).front());
    CHECK(std::get<0>(first).value < 1.5); // 1 to 20 over the space
}

TEST_CASE("points outside the space and measurements that are no numbers do no harm")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::bayesian_searcher s(space, 1);
    s.tell({}, attune::measurement::exact(1));
    s.tell({{99, 0}, {0, 0}, {0, 0}}, attune::measurement::exact(1));
    s.tell({{2, 0}, {4, 0}, {0, 0}}, attune::measurement::exact(1)); // breaks the constraint
    auto const odd = [](attune::point const& p) -> attune::outcome {
        if (p[1].index == 2) return attune::measurement::exact(std::nan(""));
        if (p[1].index == 3)
            return attune::measurement::exact(std::numeric_limits<double>::infinity());
        return attune::measurement::exact(p[1].index == 1 ? 0.0 : 5.0);
    };
    CHECK(searcher_law::drive(s, 2, odd).size() == 36);
}

TEST_CASE("one constant objective does not stop the search")
{
    attune::bayesian_searcher s(search_spaces::constrained(), 1);
    auto const flat = [](attune::point const&) -> attune::outcome {
        return attune::measurement::exact(2.0);
    };
    CHECK(searcher_law::drive(s, 3, flat).size() == 36);
}

TEST_CASE("the points of one batch keep away from each other")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    int spread = 0; // sum of the distances of all pairs, over five batches of four
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        attune::bayesian_searcher s(space, seed);
        attune::random_engine engine(seed);
        for (int i = 0; i < 15; ++i) {
            attune::point const p = space.sample(engine);
            s.tell(p, valley(p));
        }
        std::vector<attune::point> const batch = s.ask(4);
        REQUIRE(batch.size() == 4);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j)
                spread += std::max(std::abs(int(batch[i][0].index) - int(batch[j][0].index)),
                                   std::abs(int(batch[i][1].index) - int(batch[j][1].index)));
    }
    CHECK(spread > 90); // 33 without the lie about pending points
}

TEST_CASE("with many points pending, each is asked for once, until there is none")
{
    attune::chain_of_trees const space = search_spaces::grid(20);
    attune::bayesian_searcher s(space, 1);
    std::unordered_set<attune::point, attune::point_hash> asked;
    std::deque<attune::point> pending;
    auto const ask_one = [&] {
        std::vector<attune::point> const got = s.ask(1);
        if (got.empty()) return false;
        REQUIRE(got.size() == 1);
        CHECK(asked.insert(got.front()).second);
        pending.push_back(got.front());
        return true;
    };
    for (int i = 0; i < 10; ++i) {
        REQUIRE(ask_one());
        s.tell(pending.front(), valley(pending.front()));
        pending.pop_front();
    }
    for (int i = 0; i < 150; ++i)
        REQUIRE(ask_one());
    // What somebody else evaluated is not asked for.
    for (attune::point const& p : space.neighbours(*asked.begin()))
        if (asked.insert(p).second) s.tell(p, valley(p));
    while (!pending.empty()) {
        s.tell(pending.front(), valley(pending.front()));
        pending.pop_front();
        ask_one();
    }
    CHECK(asked.size() == 400);
    CHECK(s.ask(1).empty());
}

TEST_CASE("few points pending change no question")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    attune::bayesian_options never;
    never.many_pending = std::numeric_limits<std::size_t>::max();
    attune::bayesian_searcher usual(space, 3);
    attune::bayesian_searcher other(space, 3, never);
    std::deque<attune::point> pending;
    for (int i = 0; i < 120; ++i) {
        std::vector<attune::point> const mine = usual.ask(1);
        REQUIRE(mine == other.ask(1));
        pending.push_back(mine.front());
        if (pending.size() < 40) continue;
        usual.tell(pending.front(), valley(pending.front()));
        other.tell(pending.front(), valley(pending.front()));
        pending.pop_front();
    }
}

namespace {

/// 10,000 points. The time is how far a number is from 7.3, and the number, which is known once a
/// point is built, is an uneven function of all four indices.
attune::chain_of_trees hidden_space(bool declared)
{
    attune::description d;
    for (char const* const name : {"a", "b", "c", "d"})
        d.parameters.push_back(search_spaces::counting(name, 10));
    if (declared) d.code_metrics = {"h"};
    return attune::chain_of_trees(d);
}
double hidden_number(attune::point const& p)
{
    double const c = p[2].index - 4.0;
    return 0.7 * p[0].index * p[1].index / 9 + c * c / 4 + 0.9 * p[3].index +
           2 * ((p[0].index + p[3].index) % 3);
}

/// Best after each of `budget` evaluations.
std::vector<double> hidden_run(bool declared, std::uint64_t seed, std::size_t budget)
{
    attune::bayesian_searcher s(hidden_space(declared), seed);
    std::vector<double> out;
    double best = std::numeric_limits<double>::infinity();
    while (out.size() < budget) {
        attune::point const p = s.ask(1).front();
        double const h = hidden_number(p);
        s.tell_metrics(p, std::vector{h});
        best = std::min(best, 1 + std::abs(h - 7.3));
        s.tell(p, attune::measurement::exact(1 + std::abs(h - 7.3)));
        out.push_back(best);
    }
    return out;
}

} // namespace

TEST_CASE("a number that the time follows from saves evaluations when it is told")
{
    constexpr std::size_t budget = 40;
    constexpr std::uint64_t seeds = 24;
    std::vector<double> saved; // mean excess over evaluations 15 to 40
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        std::vector<double> const without = hidden_run(false, seed, budget);
        std::vector<double> const with = hidden_run(true, seed, budget);
        double sum = 0;
        for (std::size_t i = 15; i < budget; ++i)
            sum += (without[i] - with[i]) / (budget - 15);
        saved.push_back(sum);
    }
    double mean = 0;
    for (double const s : saved)
        mean += s / seeds;
    double squares = 0;
    for (double const s : saved)
        squares += (s - mean) * (s - mean);
    double const error = std::sqrt(squares / (seeds - 1) / seeds);
    INFO("saved " << mean << " +- " << error);
    CHECK(mean > 2.07 * error); // one-sided, 23 degrees of freedom: 2.5 %
}

TEST_CASE(
    "metrics that are told where nothing is declared, or of points elsewhere, changes nothing")
{
    attune::chain_of_trees const plain = hidden_space(false);
    attune::chain_of_trees const declared = hidden_space(true);
    for (attune::chain_of_trees const& space : {plain, declared}) {
        attune::bayesian_searcher quiet(space, 3);
        attune::bayesian_searcher shown(space, 3);
        for (int i = 0; i < 20; ++i) {
            std::vector<attune::point> const asked = quiet.ask(1);
            REQUIRE(shown.ask(1) == asked);
            double const number = hidden_number(asked.front());
            shown.tell_metrics(asked.front(), std::vector{number, number}); // one too many, or two
            shown.tell_metrics({{10, 0}, {9, 0}, {9, 0}, {9, 0}}, std::vector{number});
            attune::outcome const seen =
                attune::measurement::exact(1 + std::abs(hidden_number(asked.front()) - 7.3));
            quiet.tell(asked.front(), seen);
            shown.tell(asked.front(), seen);
        }
    }
}

TEST_CASE("numbers are learnt in a space that is only sampled, and where points fail")
{
    attune::bayesian_options const options{.max_pool = 500, .fresh = 300};
    attune::bayesian_searcher s(hidden_space(true), 1, options);
    attune::bayesian_searcher again(hidden_space(true), 1, options);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 40; ++i) {
        std::vector<attune::point> const asked = s.ask(2);
        REQUIRE(again.ask(2) == asked); // the same calls, the same points
        for (attune::point const& p : asked) {
            double const h = hidden_number(p);
            attune::outcome seen = attune::measurement::exact(1 + std::abs(h - 7.3));
            if (h > 12) seen = attune::failure{attune::failure_stage::launch, "too large"};
            if (attune::succeeded(seen)) best = std::min(best, 1 + std::abs(h - 7.3));
            for (attune::bayesian_searcher* const each : {&s, &again}) {
                each->tell_metrics(p, std::vector{h});
                each->tell(p, seen);
            }
        }
    }
    CHECK(best < 1.1);
}

namespace {

/// The value of valley(), told by another session at `from` of a space of another side.
std::optional<double> valley_at(attune::point const& p, double step)
{
    double const x = p[0].index * step / 10.0 - 3.1;
    double const y = p[1].index * step / 10.0 - 1.7;
    return 1 + x * x + 2 * y * y + 0.3 * std::sin(3 * x);
}

/// A grid of 60 x 60, of which the session tried every fourth line.
attune::chain_of_trees every_fourth()
{
    std::vector<std::int64_t> lines;
    for (std::int64_t i = 0; i < 60; i += 4)
        lines.push_back(i);
    return search_spaces::space_of(
        {search_spaces::ordinal("x", lines), search_spaces::ordinal("y", lines)});
}

double after(std::vector<attune::past_session> const& past, int budget)
{
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        attune::bayesian_options options;
        options.past = past;
        sum += best_after(attune::bayesian_searcher(search_spaces::grid(60), seed, options), budget,
                          valley);
    }
    return sum / 6;
}

} // namespace

TEST_CASE("what another session found is where a search begins, also from a space of other values")
{
    std::vector<attune::past_session> const past{past_sessions::of(
        every_fourth(), 60, 1, [](attune::point const& p) { return valley_at(p, 4); })};
    CHECK(after(past, 1) < 1.6); // 1 to 20 over the space
    CHECK(after(past, 1) < after({}, 5));
    CHECK(after(past, 10) < after({}, 10));
}

TEST_CASE("a session that was wrong costs a search little")
{
    auto const reversed = [](attune::point const& p) -> std::optional<double> {
        return 30 / *valley_at(p, 1);
    };
    attune::random_engine engine(3);
    auto const noise = [&](attune::point const&) -> std::optional<double> {
        return 1 + attune::uniform_unit(engine);
    };
    attune::chain_of_trees const space = search_spaces::grid(60);
    double const cold = after({}, 40);
    CHECK(after({past_sessions::of(space, 60, 1, reversed)}, 40) < cold + 0.03);
    // A few evaluations, not the first ten.
    CHECK(after({past_sessions::of(space, 60, 1, reversed)}, 10) < after({}, 6));
    // All alike, or one alone.
    auto const constant = [](attune::point const&) -> std::optional<double> { return 2.0; };
    CHECK(after({past_sessions::of(space, 60, 1, constant)}, 10) < after({}, 8));
    CHECK(after({past_sessions::of(space, 1, 1, constant)}, 10) < after({}, 8));
    CHECK(after({past_sessions::of(space, 60, 1, noise)}, 40) < cold + 0.03);
    // The objective here may even be negative where the session's was not.
    attune::bayesian_options options;
    options.past = {past_sessions::of(space, 60, 1, reversed)};
    double const least =
        best_after(attune::bayesian_searcher(space, 1, options), 40, [](attune::point const& p) {
            return attune::measurement::exact(*valley_at(p, 1) - 10);
        });
    CHECK(least < -8.9);
}

TEST_CASE("sessions in which nothing worked change nothing")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::bayesian_options options;
    options.past = {past_sessions::of(
        space, 12, 1, [](attune::point const&) { return std::optional<double>(); })};
    attune::bayesian_searcher cold(space, 4);
    attune::bayesian_searcher warm(space, 4, options);
    auto const count = [](attune::point const& p) {
        return attune::measurement::exact(1.0 + p[0].index + p[1].index);
    };
    for (int i = 0; i < 15; ++i) {
        std::vector<attune::point> const a = cold.ask(1);
        REQUIRE(a == warm.ask(1));
        cold.tell(a.front(), count(a.front()));
        warm.tell(a.front(), count(a.front()));
    }
}

TEST_CASE("a search that knows no other session asks what the search without them asks")
{
    attune::chain_of_trees const space = search_spaces::grid(20);
    attune::basic_bayesian_searcher<> cold(space, 4);
    attune::bayesian_searcher none(space, 4);
    for (int i = 0; i < 40; ++i) {
        std::vector<attune::point> const a = cold.ask(1);
        REQUIRE(a == none.ask(1));
        attune::outcome seen = valley(a.front());
        if (a.front()[1].index % 5 == 4)
            seen = attune::failure{attune::failure_stage::launch, "too large"};
        cold.tell(a.front(), seen);
        none.tell(a.front(), seen);
    }
}

TEST_CASE("a search is informed before its first question, by whatever name it goes")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    std::vector<attune::past_session> const past{past_sessions::of(
        every_fourth(), 60, 1, [](attune::point const& p) { return valley_at(p, 4); })};
    attune::bayesian_options knowing;
    knowing.past = past;
    attune::bayesian_searcher made(space, 3, knowing);
    attune::bayesian_searcher told(space, 3);
    attune::any_searcher any = attune::search::automatic(space, 3);
    told.inform(past);
    any.inform(past);
    for (int i = 0; i < 12; ++i) {
        std::vector<attune::point> const next = made.ask(1);
        CHECK(next == told.ask(1));
        CHECK(next == any.ask(1));
        made.tell(next.front(), valley(next.front()));
        told.tell(next.front(), valley(next.front()));
        any.tell(next.front(), valley(next.front()));
        told.inform(past); // too late
    }
}

TEST_CASE("beside the default's outcome the configurations of other sessions are tried first")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    std::vector<attune::past_session> past;
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        past.push_back(past_sessions::of(every_fourth(), 60, seed,
                                         [](attune::point const& p) { return valley_at(p, 4); }));
    attune::bayesian_searcher one(space, 3);
    attune::bayesian_searcher other(space, 4);
    for (attune::bayesian_searcher* const each : {&one, &other}) {
        each->inform(past);
        each->tell(space.at(0), valley(space.at(0)));
    }
    for (std::size_t i = 0; i < attune::warm_start_options{}.starts; ++i) {
        std::vector<attune::point> const next = one.ask(1);
        CHECK(next == other.ask(1)); // of the sessions, whatever the seed
        one.tell(next.front(), valley(next.front()));
        other.tell(next.front(), valley(next.front()));
    }
}
