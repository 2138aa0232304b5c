// tests/tune/together.cpp - many kernels on one budget.
// SPDX-License-Identifier: MIT
#include <attune/tune/together.hpp>

#include <attune/remember/store.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "../support/accumulate.hpp"
#include "../support/ignored_interrupts.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_kernel.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::share;
using attune::tune_together;

TEST_CASE("the budget goes where the whole gains, and is not exceeded")
{
    scripted_kernel heavy{"heavy", falling(8e-3, 0.95, 1e-3)};
    scripted_kernel light{"light", falling(8e-3, 0.95, 1e-3)};
    scripted_kernel still{"still", flat(1e-4)};
    auto const r = tune_together({.evaluations = 60}, heavy.share_of().calls(10),
                                 light.share_of().calls(1), still.share_of().calls(1));
    REQUIRE(r.shares.size() == 3);
    CHECK(r.evaluations == 60);
    std::uint64_t sum = 0;
    for (attune::share_report const& one : r.shares) {
        CHECK(one.evaluations >= 4);
        CHECK(one.evaluations == one.report.evaluations);
        sum += one.evaluations;
    }
    CHECK(sum == 60);
    CHECK(r.shares[0].evaluations > r.shares[1].evaluations);
    CHECK(r.shares[1].evaluations > r.shares[2].evaluations);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(r.shares[2].report.how == decision::kept_default);
    CHECK(r.shares[0].calls == 10);
    CHECK(r.default_s == doctest::Approx(11 * 8e-3 + 1e-4));
    CHECK(r.best_s == doctest::Approx(10 * r.shares[0].report.best.value +
                                      r.shares[1].report.best.value + 1e-4));
    CHECK(r.speedup() == doctest::Approx(r.default_s / r.best_s));
    CHECK(!r.interrupted);
    std::string const said = r.summary();
    CHECK(said.starts_with("heavy: "));
    CHECK(has(said, "\nlight: "));
    CHECK(has(said, "\ntogether: "));
    CHECK(has(said, "60 evaluations"));
    // Winners are installed.
    CHECK(heavy.is_tuned());
    CHECK(heavy.call.report().configuration == r.shares[0].report.configuration);
}

TEST_CASE("the data is what no call, and then one call of the winner, makes of it")
{
    accumulate_data data;
    accumulate_data others;
    attune::tuned one{accumulate_kernel(ways<usual, wrong, crashing, throwing, fast>()),
                      accumulate_compiler(), attune::memory_store{}, quick_options()};
    attune::tuned other{accumulate_kernel(ways<usual, refused, fast, same_as_usual>()),
                        accumulate_compiler("scripted 2"), attune::memory_store{}, quick_options()};
    auto const r = tune_together({.evaluations = 9}, share(one, data.x, data.y, 3.0).calls(2),
                                 share(other, others.x, others.y, 3.0));
    CHECK(data.called_times(0, 3.0));
    CHECK(others.called_times(0, 3.0));
    CHECK(r.evaluations == 9);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(r.shares[0].report.configuration == "WAY=1");
    CHECK(r.shares[1].report.configuration == "WAY=1");
    CHECK(attune::total(r.shares[0].report.failures) == 3);
    one(data.x, data.y, 3.0);
    other(others.x, others.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(others.called_times(1, 3.0));
    CHECK(one.report().how == decision::tuned);
}

TEST_CASE("winners are in the store: as large a budget tunes nothing, a larger one goes on")
{
    support::scratch_directory const folder;
    auto const spend = [&](std::uint64_t budget) {
        scripted_kernel first{"first", falling(8e-3, 0.9, 1e-3),
                              attune::store{folder.file("first")}};
        scripted_kernel second{"second", falling(8e-3, 0.9, 1e-3),
                               attune::store{folder.file("second")}};
        auto const out =
            tune_together({.evaluations = budget}, first.share_of().calls(5), second.share_of());
        CHECK(first.is_tuned());
        CHECK(second.is_tuned());
        return out;
    };
    auto const once = spend(20);
    CHECK(once.evaluations == 20);
    CHECK(once.shares[0].report.how == decision::tuned);
    for (std::uint64_t const no_larger : {20U, 12U}) {
        auto const again = spend(no_larger);
        CHECK(again.evaluations == 0);
        CHECK(again.shares[0].report.how == decision::remembered);
        CHECK(again.shares[1].report.how == decision::remembered);
        CHECK(again.shares[0].report.configuration == once.shares[0].report.configuration);
    }
    auto const more = spend(40); // what was measured counts, and costs nothing
    CHECK(more.evaluations == 40);
    CHECK(more.shares[0].report.evaluations + more.shares[1].report.evaluations == 60);
    CHECK(more.best_s < once.best_s);
}

TEST_CASE("calls with the same inputs are tuned once, and weigh together")
{
    scripted_kernel twice{"twice", falling(8e-3, 0.95, 1e-3)};
    scripted_kernel once{"once", falling(8e-3, 0.95, 1e-3)};
    auto const r =
        tune_together({.evaluations = 60}, twice.share_of().calls(5), once.share_of().calls(1),
                      twice.share_of().calls(5), once.share_of(5).calls(1));
    CHECK(r.evaluations == 60);
    REQUIRE(r.shares.size() == 4);
    CHECK(r.shares[0].evaluations > r.shares[1].evaluations);
    CHECK(r.shares[2].evaluations == 0);
    CHECK(r.shares[2].report.configuration == r.shares[0].report.configuration);
    CHECK(r.shares[3].evaluations >= 4); // other inputs
    CHECK(r.default_s == doctest::Approx(12 * 8e-3));
    CHECK(once.is_tuned(5));
}

TEST_CASE("two objects of one problem on one store: one is tuned, the other takes its result")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("s.attune");
    scripted_kernel<attune::store> one{"same", falling(8e-3, 0.95, 1e-3), attune::store{path}};
    scripted_kernel<attune::store> two{"same", falling(8e-3, 0.95, 1e-3), attune::store{path}};
    auto const r = tune_together({.evaluations = 20, .seconds = 9}, one.share_of(), two.share_of());
    CHECK(r.evaluations == 20);
    CHECK(r.shares[0].evaluations == 20);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(r.shares[1].evaluations == 0);
    CHECK(r.shares[1].report.how == decision::remembered);
    CHECK(r.shares[1].report.configuration == r.shares[0].report.configuration);
    CHECK(two.is_tuned());
}

TEST_CASE("a problem that another process tunes is left to it, and none waits")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("s.attune");
    scripted_kernel<attune::store> same{"same", flat(1e-3), attune::store{path}};
    scripted_kernel<attune::store> other{"other", falling(8e-3, 0.95, 1e-3), attune::store{path}};
    attune::together_report r;
    std::function<void()> meanwhile = [&] {
        r = tune_together({.evaluations = 20, .seconds = 9}, same.share_of(), other.share_of());
    };
    scripted_kernel<attune::store> holder{
        "same", flat(1e-3), attune::store{path}, [&](attune::tuning_options& o) {
            o.progress = [&](attune::progress const& p) {
                if (p.event != attune::progress_event::evaluated) return;
                if (auto const once = std::exchange(meanwhile, nullptr)) once();
            };
        }};
    static_cast<void>(tune_together({.evaluations = 5}, holder.share_of()));
    CHECK(r.evaluations == 20);
    CHECK(r.shares.at(0).evaluations == 0);
    CHECK(r.shares.at(0).report.how == decision::served_default);
    CHECK(has(r.shares.at(0).report.reason, "another process or object tunes the same"));
    CHECK(r.shares.at(1).evaluations == 20);
    CHECK(!same.is_tuned());
    auto const later = tune_together({.evaluations = 5}, same.share_of()); // that one is done
    CHECK(later.evaluations == 0);
    CHECK(later.shares[0].report.how == decision::remembered);
}

TEST_CASE("where the budget has fewer evaluations than there are shares, the lightest have none")
{
    scripted_kernel a{"a", flat(1e-3)};
    scripted_kernel b{"b", flat(1e-3)};
    scripted_kernel c{"c", flat(1e-3)};
    auto const r = tune_together({.evaluations = 2}, a.share_of().calls(2), b.share_of().calls(1),
                                 c.share_of().calls(3));
    CHECK(r.evaluations == 2);
    CHECK(r.shares[0].evaluations == 1);
    CHECK(r.shares[1].evaluations == 0);
    CHECK(r.shares[1].report.how == decision::served_default);
    CHECK(has(r.shares[1].report.reason, "did not reach it"));
    CHECK(r.shares[2].evaluations == 1);
    CHECK(!b.is_tuned());
    auto const none = tune_together({.evaluations = 0}, b.share_of());
    CHECK(none.evaluations == 0);
    CHECK(none.speedup() == 1);
}

TEST_CASE("what weighs nothing is left alone")
{
    scripted_kernel a{"a", falling(8e-3, 0.95, 1e-3)};
    scripted_kernel b{"b", falling(8e-3, 0.95, 1e-3)};
    auto const r = tune_together({.evaluations = 30}, a.share_of().calls(0), b.share_of());
    CHECK(r.shares[0].evaluations == 0);
    CHECK(has(r.shares[0].report.reason, "weight"));
    CHECK(a.compiler.compiled().empty());
    CHECK(r.shares[1].evaluations == 30);
}

TEST_CASE("parts of the time are weights by the seconds of the default")
{
    scripted_kernel slow{"slow", falling(8e-3, 0.95, 1e-3)};
    scripted_kernel quick{"quick", falling(8e-5, 0.95, 1e-5)};
    auto const r = tune_together({.evaluations = 40}, slow.share_of().of_time(0.2),
                                 quick.share_of().of_time(0.8));
    CHECK(r.shares[1].evaluations > r.shares[0].evaluations);
    CHECK(r.shares[0].calls == doctest::Approx(0.2 / 8e-3));
    CHECK(r.default_s == doctest::Approx(1.0));
    CHECK_THROWS_AS(static_cast<void>(tune_together(
                        {.evaluations = 40}, slow.share_of().of_time(0.2), quick.share_of())),
                    attune::error);
}

TEST_CASE("a kernel whose default fails has the reason in its report, and the others go on")
{
    table broken = falling(8e-3, 0.95, 1e-3);
    broken[0] = -1;
    scripted_kernel bad{"bad", broken};
    scripted_kernel good{"good", falling(8e-3, 0.95, 1e-3)};
    auto const r = tune_together({.evaluations = 20}, bad.share_of().calls(9), good.share_of());
    CHECK(r.shares[0].report.how == decision::call_failed);
    CHECK(has(r.shares[0].report.reason, "no such step"));
    CHECK(r.shares[0].calls == 0);
    CHECK(r.shares[1].report.how == decision::tuned);
    CHECK(r.shares[1].evaluations == 20);
    CHECK(r.default_s == doctest::Approx(8e-3));
}

TEST_CASE("a call that no variant takes is served as one of the program, and not tuned")
{
    accumulate_data data;
    auto const with_fallback = [](bool has_one) {
        auto kernel = accumulate_kernel(ways<usual, fast>());
        kernel.precondition(
            [](std::span<double const>, std::span<double const>, double) { return false; });
        if (has_one)
            kernel.fallback([](std::span<double const> x, std::span<double> y, double f) {
                accumulate<fast>(x, y, f);
            });
        return kernel;
    };
    for (bool const has_one : {true, false}) {
        attune::tuned one{with_fallback(has_one), accumulate_compiler(), attune::memory_store{},
                          quick_options()};
        scripted_kernel other{"other", falling(8e-3, 0.95, 1e-3)};
        auto const r =
            tune_together({.evaluations = 10}, share(one, data.x, data.y, 3.0), other.share_of());
        CHECK(r.shares[0].report.how ==
              (has_one ? decision::served_fallback : decision::call_failed));
        CHECK(has(r.shares[0].report.reason, "precondition"));
        CHECK(r.shares[0].evaluations == 0);
        CHECK(r.shares[1].evaluations == 10);
    }
}

TEST_CASE("a sink that throws ends its own tuning")
{
    scripted_kernel bad{"bad", falling(8e-3, 0.95, 1e-3), {}, [](attune::tuning_options& o) {
                            o.progress = [](attune::progress const& p) {
                                if (p.evaluation == 3) throw attune::error("enough", "here", "go");
                            };
                        }};
    scripted_kernel good{"good", falling(8e-3, 0.95, 1e-3)};
    auto const r = tune_together({.evaluations = 20}, bad.share_of(), good.share_of());
    CHECK(r.shares[0].report.how == decision::served_default);
    CHECK(has(r.shares[0].report.reason, "enough"));
    CHECK(r.shares[1].report.how == decision::tuned);
    CHECK(r.evaluations <= 20);
}

TEST_CASE("Ctrl-C ends all tunings, and what was found serves")
{
    ignored_interrupts const interrupts;
    scripted_kernel first{"first", falling(8e-3, 0.5, 1e-3), {}, [](attune::tuning_options& o) {
                              o.progress = raising_at(3);
                          }};
    scripted_kernel second{"second", falling(8e-3, 0.5, 1e-3)};
    auto const r = tune_together({.evaluations = 60}, first.share_of(), second.share_of());
    CHECK(r.interrupted);
    CHECK(r.evaluations < 60);
    CHECK(r.shares[0].report.interrupted);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(has(r.summary(), "interrupted"));
    CHECK(interrupts.is_in_place());
}

TEST_CASE("rules of a kernel's own end its tuning, and leave the rest to the others")
{
    scripted_kernel patient{
        "patient", flat(1e-3), {}, [](attune::tuning_options& o) { o.limits.patience = 5; }};
    scripted_kernel other{"other", falling(8e-3, 0.95, 1e-3)};
    auto const r =
        tune_together({.evaluations = 40}, patient.share_of().calls(1e6), other.share_of());
    CHECK(r.shares[0].evaluations == 6);
    CHECK(r.shares[1].evaluations == 34);
}

TEST_CASE("a budget in seconds is kept")
{
    scripted_kernel a{"a", flat(1e-3)};
    scripted_kernel b{"b", flat(1e-3)};
    auto const r = tune_together({.seconds = 20}, a.share_of(), b.share_of());
    CHECK(r.evaluations == 2 * ways_of_table); // all there is
    CHECK(r.elapsed_s < 20);
}

TEST_CASE("wrong weights are errors, before anything is tuned")
{
    scripted_kernel a{"a", flat(1e-3)};
    for (double const wrong :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_AS(
            static_cast<void>(tune_together({.evaluations = 9}, a.share_of().calls(wrong))),
            attune::error);
    CHECK_THROWS_AS(static_cast<void>(tune_together({.evaluations = 9}, {})), attune::error);
    CHECK(a.compiler.compiled().empty());
}

TEST_CASE("a kernel with an objective of its own is an error, because times are added")
{
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<usual, fast>());
    kernel.objective("sum", attune::goal::lowest,
                     [](attune::measured_call, auto, std::span<double> y, double) { return y[0]; });
    attune::tuned call{kernel, accumulate_compiler(), quick_options()};
    accumulate_data data{8};
    CHECK_THROWS_WITH_AS(
        static_cast<void>(tune_together({.evaluations = 9},
                                        share(call, std::span<double const>{data.x}, data.y, 3.0))),
        doctest::Contains("has an objective of its own, and tune_together adds times"),
        attune::error);
}

TEST_CASE("from within a tuning of one of the kernels it is an error")
{
    std::string said;
    std::function<void()> again = [] {};
    scripted_kernel a{"a", flat(1e-3), {}, [&](attune::tuning_options& o) {
                          o.progress = [&](attune::progress const& p) {
                              if (p.event == attune::progress_event::evaluated) again();
                          };
                      }};
    again = [&] {
        said =
            error_of([&] { static_cast<void>(tune_together({.evaluations = 9}, a.share_of())); });
    };
    static_cast<void>(tune_together({.evaluations = 2}, a.share_of()));
    CHECK(has(said, "is being tuned"));
}
