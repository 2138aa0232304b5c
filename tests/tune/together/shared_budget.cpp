// tests/tune/together/shared_budget.cpp - one budget for several scripted tasks.
// SPDX-License-Identifier: MIT
#include <attune/tune/together/shared_budget.hpp>

#include <attune/core/random.hpp>
#include <attune/tune/loop/run_state.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace attune::detail;
using attune::search_limits;

namespace {

double now_s = 0; ///< the clock of all tasks

struct scripted_task final : budget_task {
    explicit scripted_task(std::vector<double> times, double calls = 1, double step_s = 1)
        : outcomes(std::move(times))
        , weight(calls)
        , each_s(step_s)
    {
    }
    std::vector<double> outcomes;
    double weight;
    double each_s;
    double least = 0;
    double final_is = 0;
    double rest_is = 0;
    bool is_stopped_at_rest = false;
    std::size_t throws_at = ~std::size_t{0};
    std::vector<double> best{};
    double spent = 0;
    bool is_at_work = false;
    bool is_over = false;
    double finished_with = -1;

    [[nodiscard]] turn_task so_far() const override
    {
        return {
            .weight = weight, .best = best, .least_s = least, .spent_s = spent, .is_over = is_over};
    }
    [[nodiscard]] std::uint64_t made() const override { return best.size(); }
    [[nodiscard]] double longest_s() const override { return best.empty() ? 0 : each_s; }
    [[nodiscard]] double final_s() const override { return best.empty() ? 0 : final_is; }
    void step(search_limits const& left) override
    {
        CHECK(left.evaluations > 0);
        CHECK(left.seconds > 0);
        CHECK(finished_with == -1);
        if (best.size() == throws_at) throw std::runtime_error("no");
        is_at_work = true;
        is_over = best.size() == outcomes.size();
        if (is_over) return;
        double const next = outcomes[best.size()];
        best.push_back(best.empty() ? next : std::min(next, best.back()));
        now_s += each_s;
        spent += each_s;
    }
    void rest() override
    {
        CHECK(is_at_work);
        is_at_work = false;
        now_s += rest_is;
        if (is_stopped_at_rest) std::raise(SIGINT);
    }
    void finish(double left_s) override
    {
        CHECK(!is_at_work);
        CHECK(finished_with == -1);
        finished_with = left_s;
        now_s += std::min(final_is, left_s);
    }
};

/// Times that fall now and then, to a half and more.
std::vector<double> times(std::uint64_t seed, std::size_t count)
{
    attune::random_engine engine(seed);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(1.0 + static_cast<double>(attune::uniform_below(engine, 1000)) / 100);
    return out;
}

struct tasks_of {
    std::vector<std::unique_ptr<scripted_task>> all;
    std::vector<budget_task*> pointers;
    scripted_task& add(std::vector<double> with, double weight = 1, double each_s = 1)
    {
        all.push_back(std::make_unique<scripted_task>(std::move(with), weight, each_s));
        pointers.push_back(all.back().get());
        return *all.back();
    }
    spent_budget spend(search_limits const& whole, turn_policy const& by)
    {
        shared_budget budget(whole, pointers, by, [] { return now_s; });
        while (budget.step()) {
        }
        return budget.spent();
    }
};

} // namespace

TEST_CASE("laws: the budget is never exceeded, all have their minimum, and all of it is spent")
{
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (std::uint64_t const budget : {0U, 1U, 3U, 12U, 40U, 200U}) {
            for (turn_policy const& by :
                 {most_gain(budget_unit::evaluations, 4), round_robin(),
                  equal_split(static_cast<double>(budget) / 5), gradient()}) {
                tasks_of tasks;
                for (std::size_t i = 0; i < 5; ++i)
                    tasks.add(times(10 * seed + i, 30), i == 4 ? 0.0 : static_cast<double>(i + 1));
                spent_budget const spent = tasks.spend({.evaluations = budget}, by);
                std::uint64_t sum = 0;
                for (auto const& one : tasks.all) {
                    sum += one->best.size();
                    CHECK((one->finished_with >= 0) == !one->best.empty());
                    CHECK(!one->is_at_work);
                }
                CHECK(sum == spent.evaluations);
                CHECK(spent.evaluations <= budget);
                CHECK(tasks.all[4]->best.empty());
            }
            tasks_of tasks;
            for (std::size_t i = 0; i < 5; ++i)
                tasks.add(times(10 * seed + i, 30), 1.0 + static_cast<double>(i));
            spent_budget const spent =
                tasks.spend({.evaluations = budget}, most_gain(budget_unit::evaluations, 4));
            CHECK(spent.evaluations == std::min<std::uint64_t>(budget, 150));
            for (std::size_t i = 0; i < 5; ++i)
                CHECK(tasks.all[i]->best.size() >= std::min<std::size_t>(4, budget / 5));
        }
}

TEST_CASE("seconds: steps and finals fit, and what is dear is asked less often")
{
    now_s = 0;
    tasks_of tasks;
    scripted_task& cheap = tasks.add(times(1, 1000), 1, 0.1);
    scripted_task& dear = tasks.add(times(2, 1000), 1, 2);
    cheap.final_is = dear.final_is = 3;
    spent_budget const spent = tasks.spend({.seconds = 60}, most_gain(budget_unit::seconds, 4));
    CHECK(spent.seconds <= 60);
    CHECK(spent.seconds > 55);
    CHECK(cheap.best.size() > 3 * dear.best.size());
    CHECK(dear.best.size() >= 4);
    CHECK(cheap.finished_with >= 3);
    CHECK(dear.finished_with >= 3);
}

TEST_CASE("one task has all of it, and a task that is over leaves it to others")
{
    tasks_of one;
    scripted_task& only = one.add(times(3, 100));
    CHECK(one.spend({.evaluations = 50}, most_gain()).evaluations == 50);
    CHECK(only.best.size() == 50);

    tasks_of two;
    scripted_task& few = two.add(times(4, 6), 1e6);
    scripted_task& many = two.add(times(5, 100));
    CHECK(two.spend({.evaluations = 50}, most_gain()).evaluations == 50);
    CHECK(few.best.size() == 6);
    CHECK(many.best.size() == 44);

    tasks_of both;
    both.add(times(4, 6));
    both.add(times(5, 6));
    CHECK(both.spend({}, most_gain()).evaluations == 12); // no limit: until nothing is left
}

TEST_CASE("a task at its roofline leaves most of the budget to another")
{
    tasks_of tasks;
    scripted_task& there = tasks.add(std::vector<double>(100, 1.0));
    there.least = 1.0;
    scripted_task& open = tasks.add(std::vector<double>(100, 1.0));
    static_cast<void>(tasks.spend({.evaluations = 50}, most_gain()));
    CHECK(there.best.size() >= 8);
    CHECK(2 * there.best.size() < open.best.size());
}

TEST_CASE("weights decide between equal tasks, to within one evaluation")
{
    tasks_of tasks;
    scripted_task& heavy = tasks.add(std::vector<double>(200, 1.0), 3);
    scripted_task& light = tasks.add(std::vector<double>(200, 1.0), 1);
    static_cast<void>(tasks.spend({.evaluations = 100}, most_gain()));
    // Of tasks that gain nothing n is as the weight.
    CHECK(heavy.best.size() == 75);
    CHECK(light.best.size() == 25);
}

TEST_CASE("what a task throws reaches the caller")
{
    tasks_of tasks;
    tasks.add(times(6, 100));
    tasks.add(times(7, 100)).throws_at = 5;
    CHECK_THROWS_AS(tasks.spend({.evaluations = 50}, round_robin()), std::runtime_error);
}

TEST_CASE("steps with rests between them spend what steps without rests spend, and no time passes")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (search_limits const& whole :
             {search_limits{.evaluations = 0}, search_limits{.evaluations = 23},
              search_limits{.evaluations = 200}, search_limits{.seconds = 37}}) {
            auto const fill = [seed](tasks_of& tasks) {
                for (std::size_t i = 0; i < 3; ++i)
                    tasks.add(times(10 * seed + i, 30), 1.0 + static_cast<double>(i)).final_is = 2;
            };
            tasks_of at_once;
            fill(at_once);
            now_s = 0;
            spent_budget const wanted = at_once.spend(whole, most_gain());
            tasks_of tasks;
            fill(tasks);
            now_s = 0;
            shared_budget by_step(whole, tasks.pointers, most_gain(), [] { return now_s; });
            std::size_t made = 0;
            bool is_more = true;
            while (is_more) {
                is_more = by_step.step();
                by_step.rest();
                now_s += 5; // the program's own
                std::size_t now_made = 0;
                for (auto const& one : tasks.all) {
                    CHECK(!one->is_at_work);
                    now_made += one->best.size();
                }
                CHECK(now_made <= made + 1);
                made = now_made;
            }
            CHECK(by_step.spent().evaluations == wanted.evaluations);
            CHECK(by_step.spent().seconds == doctest::Approx(wanted.seconds));
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(tasks.all[i]->best == at_once.all[i]->best);
                CHECK(std::min(tasks.all[i]->finished_with, 1e9) ==
                      doctest::Approx(std::min(at_once.all[i]->finished_with, 1e9)));
            }
            CHECK(!by_step.step());
            CHECK(by_step.spent().evaluations == wanted.evaluations);
        }
}

TEST_CASE("without further evaluations each task that has begun has its final, one in a step")
{
    tasks_of tasks;
    for (std::size_t i = 0; i < 4; ++i)
        tasks.add(times(i, 30), 4.0 - static_cast<double>(i));
    shared_budget all({.evaluations = 100}, tasks.pointers, most_gain(), [] { return now_s; });
    for (int i = 0; i < 3; ++i)
        CHECK(all.step()); // of the heaviest three, the first ones
    all.end_evaluations();
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(tasks.all[i]->finished_with == -1);
        CHECK(all.step() == (i < 2));
        CHECK(tasks.all[i]->finished_with >= 0);
    }
    CHECK(!all.step());
    CHECK(all.spent().evaluations == 3);
    CHECK(tasks.all[3]->best.empty());
}

TEST_CASE("what a rest takes is part of the budget, as often as a task rests")
{
    tasks_of tasks;
    tasks.add(times(1, 30)).rest_is = 2;
    shared_budget all({.seconds = 9.5}, tasks.pointers, round_robin(), [] { return now_s; });
    std::uint64_t steps = 0;
    for (bool is_more = true; is_more; ++steps) {
        is_more = all.step();
        all.rest();
        all.rest(); // there is nothing to rest
        now_s += 100;
    }
    CHECK(tasks.all[0]->best.size() == 3); // 3 s each; no fourth one and its rest fit
    CHECK(all.spent().seconds == doctest::Approx(9));
    CHECK(steps == 4);
}

TEST_CASE("a Ctrl-C while a task comes to rest ends the evaluations, also where it is cleared then")
{
    tasks_of tasks;
    scripted_task& only = tasks.add(times(1, 30));
    only.is_stopped_at_rest = true;
    auto* const former = std::signal(SIGINT, [](int) {});
    shared_budget all({.evaluations = 20}, tasks.pointers, round_robin(), [] { return now_s; });
    {
        interrupt_guard const guard;
        CHECK(all.step());
        CHECK(!all.spent().interrupted);
        all.rest();
    }
    std::signal(SIGINT, former);
    CHECK(all.spent().interrupted);
    CHECK(!all.step());
    CHECK(only.best.size() == 1);
    CHECK(only.finished_with >= 0);
}
