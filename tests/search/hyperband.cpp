// tests/search/hyperband.cpp : mirrors include/attune/search/hyperband.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/hyperband.hpp>

#include <attune/core/error.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../support/search_spaces.hpp"

using attune::fidelity_trial;
using attune::halving_rung;
using attune::hyperband;
using attune::hyperband_brackets;
using attune::hyperband_options;
using attune::outcome;
using attune::point;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

attune::chain_of_trees plane() { return search_spaces::grid(100); }

/// Lowest at (30, 70); a small budget adds an error that depends on the configuration.
double noisy(point const& p, double budget)
{
    double const dx = p[0].index - 30.0;
    double const dy = p[1].index - 70.0;
    double const wave = std::sin(static_cast<double>(p[0].index * 7 + p[1].index * 13));
    return dx * dx + dy * dy + 3000 * wave / budget;
}

outcome measured(fidelity_trial const& t)
{
    return attune::measurement::exact(noisy(t.where, t.budget));
}

/// All trials, each told before the next one is asked.
std::vector<fidelity_trial>
run(hyperband& search, std::function<outcome(fidelity_trial const&)> const& cost = measured)
{
    std::vector<fidelity_trial> out;
    for (auto next = search.ask(); !next.empty(); next = search.ask()) {
        REQUIRE(next.size() == 1);
        out.push_back(next.front());
        search.tell(next.front(), cost(next.front()));
        REQUIRE(out.size() < 100'000);
    }
    CHECK(search.is_finished());
    return out;
}

/// How many trials each rung of each bracket had, and with which budget.
std::vector<std::vector<halving_rung>> table_of(std::vector<fidelity_trial> const& all)
{
    std::vector<std::vector<halving_rung>> out;
    for (fidelity_trial const& t : all) {
        if (t.bracket >= out.size()) out.resize(t.bracket + 1);
        auto& rungs = out[t.bracket];
        if (t.rung >= rungs.size()) rungs.resize(t.rung + 1);
        ++rungs[t.rung].count;
        rungs[t.rung].budget = t.budget;
    }
    return out;
}

std::vector<std::vector<halving_rung>> const table_1 = {
    {{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}},
    {{34, 3}, {11, 9}, {3, 27}, {1, 81}},
    {{15, 9}, {5, 27}, {1, 81}},
    {{8, 27}, {2, 81}},
    {{5, 81}}};

/// Algorithm 1 over configurations that are given, naively: returns, in order, who ran with what.
std::vector<std::pair<point, double>> naive_hyperband(double most, double eta,
                                                      std::function<point()> const& draw)
{
    std::vector<std::pair<point, double>> out;
    auto const s_max = static_cast<int>(std::floor(std::log(most) / std::log(eta) + 1e-9));
    double const total = (s_max + 1) * most;
    for (int s = s_max; s >= 0; --s) {
        auto const n =
            static_cast<std::size_t>(std::ceil(total / most * std::pow(eta, s) / (s + 1) - 1e-9));
        double const r = most * std::pow(eta, -s);
        std::vector<point> alive;
        for (std::size_t k = 0; k < n; ++k)
            alive.push_back(draw());
        for (int i = 0; i <= s; ++i) {
            auto const n_i = std::floor(static_cast<double>(n) * std::pow(eta, -i) + 1e-9);
            double const r_i = std::round(r * std::pow(eta, i));
            std::multimap<double, point> ordered; // equal keys keep the order of insertion
            for (point const& p : alive) {
                out.emplace_back(p, r_i);
                ordered.emplace(noisy(p, r_i), p);
            }
            alive.clear();
            auto const kept = static_cast<std::size_t>(std::floor(n_i / eta + 1e-9));
            for (auto it = ordered.begin(); it != ordered.end() && alive.size() < kept; ++it)
                alive.push_back(it->second);
        }
    }
    return out;
}

/// Gives points of a list.
struct scripted_searcher {
    std::shared_ptr<std::vector<point>> script;
    std::shared_ptr<std::size_t> used;

    std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out;
        while (out.size() < k && *used < script->size())
            out.push_back((*script)[(*used)++]);
        return out;
    }
    void tell(point const&, outcome const&) {}
};

} // namespace

TEST_CASE("the brackets for R = 81 and eta = 3 are those of the paper's table")
{
    CHECK(hyperband_brackets() == table_1);
    hyperband search(plane(), 1);
    CHECK(table_of(run(search)) == table_1);
    CHECK(search.spent() == 405 + 363 + 351 + 378 + 405);
}

TEST_CASE("brackets of other budgets and rates")
{
    // R = 16, eta = 2: n = ceil(5 / (s + 1) * 2^s).
    CHECK(hyperband_brackets({.least_budget = 0.5, .most_budget = 8, .eta = 2}) ==
          std::vector<std::vector<halving_rung>>{{{16, 0.5}, {8, 1}, {4, 2}, {2, 4}, {1, 8}},
                                                 {{10, 1}, {5, 2}, {2, 4}, {1, 8}},
                                                 {{7, 2}, {3, 4}, {1, 8}},
                                                 {{5, 4}, {2, 8}},
                                                 {{5, 8}}});
    // 1000 is 10^3, although log(1000) / log(10) is less than 3 in doubles.
    CHECK(hyperband_brackets({.most_budget = 1000, .eta = 10}).size() == 4);
    CHECK(hyperband_brackets({.most_budget = 999, .eta = 10}).size() == 3);
    CHECK(hyperband_brackets({.least_budget = 5, .most_budget = 5}) ==
          std::vector<std::vector<halving_rung>>{{{1, 5}}});
    auto const halving = hyperband_brackets({.brackets = 1});
    REQUIRE(halving.size() == 1);
    CHECK(halving.front() == table_1.front());
    for (double const eta : {1.5, 2.5, 4.0}) {
        for (auto const& rungs : hyperband_brackets({.most_budget = 100, .eta = eta})) {
            CHECK(rungs.back().budget == doctest::Approx(100));
            for (std::size_t i = 1; i < rungs.size(); ++i) {
                CHECK(rungs[i].count >= 1);
                CHECK(rungs[i].count <= rungs[i - 1].count);
                CHECK(rungs[i].budget == doctest::Approx(rungs[i - 1].budget * eta));
            }
        }
    }
}

TEST_CASE("budgets that make no sense are refused")
{
    for (hyperband_options const& wrong :
         {hyperband_options{.least_budget = 0}, hyperband_options{.least_budget = -1},
          hyperband_options{.least_budget = 82}, hyperband_options{.least_budget = std::nan("")},
          hyperband_options{.most_budget = infinity}, hyperband_options{.eta = 1},
          hyperband_options{.eta = std::nan("")}, hyperband_options{.least_budget = 1e-9}})
        CHECK_THROWS_AS(hyperband(plane(), 1, wrong), attune::error);
}

TEST_CASE("trials are those of Algorithm 1, written a second time")
{
    std::mt19937_64 random(5);
    auto const script = std::make_shared<std::vector<point>>();
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
    while (script->size() < 400) {
        auto const x = static_cast<std::uint32_t>(random() % 100);
        auto const y = static_cast<std::uint32_t>(random() % 100);
        if (taken.insert({x, y}).second) script->push_back({{x, 0}, {y, 0}});
    }
    for (auto const& [most, eta] : {std::pair(81.0, 3.0), {64.0, 2.0}, {64.0, 4.0}, {27.0, 3.0}}) {
        auto const used = std::make_shared<std::size_t>(0);
        auto const scripted = [&](attune::chain_of_trees const&,
                                  std::uint64_t) -> attune::any_searcher {
            return scripted_searcher{script, used};
        };
        hyperband search(plane(), 1, {.most_budget = most, .eta = eta}, scripted);
        std::vector<std::pair<point, double>> got;
        for (fidelity_trial const& t : run(search))
            got.emplace_back(t.where, t.budget);
        std::size_t naive_used = 0;
        CHECK(got == naive_hyperband(most, eta, [&] { return (*script)[naive_used++]; }));
        CHECK(*used == naive_used);
    }
}

TEST_CASE("the same seed and the same outcomes give the same trials")
{
    hyperband a(plane(), 3);
    hyperband b(plane(), 3);
    hyperband c(plane(), 4);
    auto const trials = run(a);
    CHECK(trials == run(b));
    CHECK(trials != run(c));
    for (fidelity_trial const& t : trials)
        CHECK(plane().contains(t.where));
}

TEST_CASE("several are asked at once, told in any order, and each rung waits for all its outcomes")
{
    std::mt19937_64 random(9);
    hyperband search(plane(), 3);
    std::vector<fidelity_trial> waiting;
    std::vector<fidelity_trial> all;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<double, point>>> told;
    while (!search.is_finished()) {
        for (fidelity_trial& t : search.ask(1 + random() % 9)) {
            if (t.rung > 0) {
                // Its whole former rung is told, and it was among the best of that.
                auto before = told[{t.bracket, t.rung - 1}];
                REQUIRE(before.size() == table_1[t.bracket][t.rung - 1].count);
                std::sort(before.begin(), before.end(),
                          [](auto const& a, auto const& b) { return a.first < b.first; });
                double const worst = before[table_1[t.bracket][t.rung].count - 1].first;
                CHECK(noisy(t.where, table_1[t.bracket][t.rung - 1].budget) <= worst);
            }
            all.push_back(t);
            waiting.push_back(std::move(t));
        }
        REQUIRE(!waiting.empty()); // else it would hang
        std::shuffle(waiting.begin(), waiting.end(), random);
        for (std::size_t n = random() % (waiting.size() + 1); n > 0; --n) {
            fidelity_trial const t = waiting.back();
            waiting.pop_back();
            search.tell(t, measured(t));
            told[{t.bracket, t.rung}].emplace_back(noisy(t.where, t.budget), t.where);
        }
    }
    CHECK(table_of(all) == table_1);
    // More than one bracket at a time: so many are not enough for the first one alone.
    hyperband eager(plane(), 3);
    CHECK(eager.ask(100).size() == 100);
    CHECK(eager.ask(1000).size() == 81 + 34 + 15 + 8 + 5 - 100);
    CHECK(eager.ask(1).empty());
    CHECK(!eager.is_finished());
}

TEST_CASE("no configuration is drawn twice in a bracket, and a small space is taken whole")
{
    attune::chain_of_trees const space = search_spaces::constrained(); // 36 points
    hyperband search(space, 1);
    auto const all = run(search, [](fidelity_trial const& t) {
        return attune::outcome_of(1 + t.where[0].index + t.where[1].index);
    });
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::unordered_set<point, attune::point_hash>>
        seen;
    for (fidelity_trial const& t : all) {
        CHECK(space.contains(t.where));
        CHECK(seen[{t.bracket, t.rung}].insert(t.where).second);
    }
    auto want = table_1;
    want[0] = {{36, 1}, {12, 3}, {4, 9}, {1, 27}, {1, 81}};
    CHECK(table_of(all) == want);
    CHECK(search.best()->value == 1);

    hyperband alone(search_spaces::single(), 1);
    for (auto const& rungs : table_of(run(alone, [](auto const&) { return outcome{}; })))
        for (halving_rung const& r : rungs)
            CHECK(r.count == 1);
}

TEST_CASE("failures are worst and do not go on; equal values go on in the order asked")
{
    hyperband_options const options{.most_budget = 9, .brackets = 1};
    int calls = 0;
    std::vector<point> worked;
    hyperband search(plane(), 2, options);
    auto const all = run(search, [&](fidelity_trial const& t) -> outcome {
        if (t.rung > 0) return attune::measurement::exact(5);
        int const call = calls++;
        if (call == 3 || call == 7) worked.push_back(t.where);
        if (call == 3) return attune::measurement::exact(1e9);
        if (call == 7) return attune::measurement::exact(1e9);
        if (call % 2 == 0) return attune::failure{attune::failure_stage::crash, "no"};
        return attune::measurement::exact(call == 1 ? std::nan("") : -infinity);
    });
    REQUIRE(all.size() == 9 + 2 + 1); // 3 would go on, 2 worked
    CHECK(all[9].where == worked[0]);
    CHECK(all[10].where == worked[1]);
    CHECK(all[11].where == worked[0]);
    REQUIRE(search.best());
    CHECK(search.best()->where == worked[0]);
    CHECK(search.best()->budget == 9);

    hyperband vain(plane(), 2);
    std::size_t begun = 0;
    for (fidelity_trial const& t : run(vain, [](auto const&) -> outcome {
             return attune::failure{attune::failure_stage::compile, "never"};
         }))
        begun += t.rung == 0 ? 1U : 1000U;
    CHECK(begun == 81 + 34 + 15 + 8 + 5);
    CHECK(!vain.best());
}

TEST_CASE("the best is the best of the largest budget")
{
    hyperband search(plane(), 6, {.most_budget = 9});
    // Small budgets look better than they are.
    run(search, [](fidelity_trial const& t) {
        CHECK(t.budget <= 9);
        return attune::measurement::exact(noisy(t.where, 1e9) + 1000 * t.budget);
    });
    REQUIRE(search.best());
    CHECK(search.best()->budget == 9);
    CHECK(search.best()->value == noisy(search.best()->where, 1e9) + 9000);

    hyperband cut(plane(), 6, {.most_budget = 9, .total_budget = 9});
    auto const all = run(cut);
    CHECK(all.size() == 9); // those of the first rung
    CHECK(cut.best()->budget == 1);
    double least = infinity;
    for (fidelity_trial const& t : all)
        least = std::min(least, noisy(t.where, 1));
    CHECK(cut.best()->value == least);
}

TEST_CASE("the sum of the budgets stays within the total")
{
    for (double const total : {0.0, 0.5, 80.5, 100.0, 1000.0, 1902.0, 5000.0}) {
        hyperband search(plane(), 2, {.rounds = 2, .total_budget = total});
        double sum = 0;
        for (fidelity_trial const& t : run(search))
            sum += t.budget;
        CHECK(sum == search.spent());
        CHECK(sum <= total);
        CHECK(sum == doctest::Approx(std::min(total, 2.0 * 1902)).epsilon(0.05 + (total < 100)));
        CHECK(search.ask().empty());
    }
    CHECK([] {
        hyperband search(plane(), 2, {.rounds = 3});
        run(search);
        return search.spent();
    }() == 3 * 1902);
}

TEST_CASE("configurations that come first are the first of the first bracket")
{
    attune::chain_of_trees const space = plane();
    point const mine{{3, 0}, {4, 0}};
    point const other{{5, 0}, {6, 0}};
    point const outside{{500, 0}, {6, 0}};
    hyperband search(space, 2, {.first = {mine, outside, other, mine}});
    auto const all = run(search);
    CHECK(all[0].where == mine);
    CHECK(all[1].where == other);
    CHECK(all[2].where != mine);
    CHECK(table_of(all) == table_1);
}

TEST_CASE("an outcome that is not waited for is an error")
{
    hyperband search(plane(), 2, {.most_budget = 3});
    auto const first = search.ask(3);
    REQUIRE(first.size() == 3);
    auto other = first.front();
    other.where[0].index = 101;
    CHECK_THROWS_AS(search.tell(other, measured(first[0])), attune::error);
    other = first.front();
    other.rung = 1;
    CHECK_THROWS_AS(search.tell(other, measured(first[0])), attune::error);
    other = first.front();
    other.bracket = 1;
    CHECK_THROWS_AS(search.tell(other, measured(first[0])), attune::error);
    search.tell(first[0], measured(first[0]));
    CHECK_THROWS_AS(search.tell(first[0], measured(first[0])), attune::error);
    search.tell(first[2], measured(first[2]));
    search.tell(first[1], measured(first[1]));
    CHECK_THROWS_AS(search.tell(first[1], measured(first[1])), attune::error);
    CHECK(search.ask().front().rung == 1);
}

namespace {

/// Random draws; writes down what it is told.
struct listening_searcher {
    std::shared_ptr<std::vector<std::pair<point, double>>> heard;
    attune::random_searcher inner;

    std::vector<point> ask(std::size_t k) { return inner.ask(k); }
    void tell(point const& p, outcome const& o)
    {
        auto const* const m = std::get_if<attune::measurement>(&o);
        heard->emplace_back(p, m != nullptr ? m->value : infinity);
        inner.tell(p, o);
    }
};

} // namespace

TEST_CASE("each budget has a searcher, which hears the outcomes at this budget and no others")
{
    std::vector<std::shared_ptr<std::vector<std::pair<point, double>>>> heard;
    std::set<std::uint64_t> seeds;
    auto const listening = [&](attune::chain_of_trees const& of,
                               std::uint64_t seed) -> attune::any_searcher {
        heard.push_back(std::make_shared<std::vector<std::pair<point, double>>>());
        seeds.insert(seed);
        return listening_searcher{heard.back(), attune::random_searcher(of, seed)};
    };
    hyperband search(plane(), 7, {}, listening);
    auto const all = run(search, [](fidelity_trial const& t) -> outcome {
        if (t.where[0].index % 10 == 0) return attune::failure{attune::failure_stage::crash, "no"};
        return measured(t);
    });
    REQUIRE(heard.size() == 5);
    CHECK(seeds.size() == 5);
    double const budgets[] = {1, 3, 9, 27, 81};
    for (std::size_t level = 0; level < 5; ++level) {
        std::vector<std::pair<point, double>> want;
        for (fidelity_trial const& t : all)
            if (t.budget == budgets[level])
                want.emplace_back(t.where,
                                  t.where[0].index % 10 == 0 ? infinity : noisy(t.where, t.budget));
        CHECK(*heard[level] == want);
    }
}
