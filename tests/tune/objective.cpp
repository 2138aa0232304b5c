// tests/tune/objective.cpp - kernels tuned by an objective of their own, against brute force.
// SPDX-License-Identifier: MIT
#include <attune/tune/objective.hpp>

#include <attune/attune.hpp>
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/outcome.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/ignored_interrupts.hpp"
#include "../support/notices.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_compiler.hpp"
#include "../support/scripted_grid.hpp"
#include "../support/scripted_others.hpp"
#include "../support/texts.hpp"

using attune::goal;
using attune_test::has;

namespace {

using signature = void(std::span<double>, int);
inline constexpr int way_count = 10;
inline constexpr auto way_of = attune::ordinal<"WAY">(attune::range(0, way_count - 1));
inline constexpr auto size_of = attune::input<"N", int>();

/// Of a configuration, and no time: the lowest is at WAY=3.
constexpr double steps_at(int way) { return 1 + (way - 3) * (way - 3); }

/// And joules, the lowest at WAY=6.
constexpr double joules_at(int way) { return 2 + (way - 6) * (way - 6); }

inline int latest_way = 0;

/// The joules of the way that runs.
class scripted_energy : public attune::detail::energy_source {
public:
    [[nodiscard]] std::string why_none() const override { return {}; }
    [[nodiscard]] std::string text() const override { return "scripted"; }
    [[nodiscard]] attune::call_energy measure(std::function<void(std::uint64_t)> const& calls,
                                              std::function<void(std::uint64_t)> const& /*beside*/,
                                              double /*limit_s*/,
                                              std::function<void()> const& between) const override
    {
        between();
        calls(1);
        return {joules_at(latest_way), 0.02, 1};
    }
};

/// Writes its steps. The best way runs for far longer than the others.
template <int Way>
void walk(std::span<double> x, int n)
{
    attune_test::idle(Way == 3 ? 200'000 : 5'000);
    latest_way = Way;
    x[0] = steps_at(Way);
    x[1] = n;
}

template <int... Way>
void* entry_of(int way, std::integer_sequence<int, Way...>)
{
    std::array<void (*)(std::span<double>, int), way_count> const all{&walk<Way>...};
    return reinterpret_cast<void*>(all[static_cast<std::size_t>(way)]);
}

attune_test::scripted_compiler walks()
{
    return attune_test::scripted_compiler{
        [](attune::compile_request const& v) -> attune_test::scripted_compiler::answer {
            return entry_of(std::stoi(v.macros.front().value),
                            std::make_integer_sequence<int, way_count>{});
        }};
}

/// A kernel whose results differ by design, without an objective.
attune::kernel<signature> walk_kernel()
{
    attune::kernel<signature> out{
        "walk", attune::source_text("constexpr int way = ATTUNE_TUNABLE(WAY, 0);\n", "walk.cpp"),
        attune::space(way_of)};
    out.bind<1>(size_of).check([](std::span<double> x, int n) { return x[1] == n; });
    return out;
}

attune::kernel<signature> by_steps()
{
    attune::kernel<signature> out = walk_kernel();
    out.objective("steps", goal::lowest,
                  [](attune::measured_call, std::span<double> x, int) { return x[0]; });
    return out;
}

/// 100 points at the best.
attune::kernel<signature> by_points()
{
    attune::kernel<signature> out = walk_kernel();
    out.objective("points", goal::highest,
                  [](attune::measured_call, std::span<double> x, int) { return 100 / x[0]; });
    return out;
}

struct best_way {
    int way = 0;
    double value = 0;
};

/// By brute force.
template <class Value>
best_way best_by(goal direction, Value value)
{
    best_way out{0, value(0)};
    for (int way = 1; way < way_count; ++way)
        if (direction == goal::lowest ? value(way) < out.value : value(way) > out.value)
            out = {way, value(way)};
    return out;
}

attune::tuning_options quick(std::uint64_t evaluations = 60,
                             attune::progress_sink sink = attune::silent_progress())
{
    attune::tuning_options out = attune_test::quick_options(std::move(sink));
    out.limits.evaluations = evaluations;
    return out;
}

/// A call of a `tuned`, and its arrays.
template <class Store = attune::memory_store>
struct tuned_walk {
    std::vector<double> x = std::vector<double>(16, 0.0);
    attune::tuned<signature, attune_test::scripted_compiler, Store> call;

    tuned_walk(attune::kernel<signature> const& k, Store store, attune::tuning_options options)
        : call(k, walks(), std::move(store), std::move(options))
    {
    }
    /// @return  the steps of the variant that served
    double operator()(int n = 7)
    {
        call(x, n);
        return x[0];
    }
};

std::string summary_begin(attune::tuning_report const& report)
{
    std::string const all = report.summary();
    return all.substr(0, all.find(" (warm"));
}

template <class F>
std::string error_of(F const& f)
{
    try {
        f();
    } catch (std::exception const& e) {
        return e.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("the best value wins, however long its variant runs")
{
    best_way const is = best_by(goal::lowest, steps_at);
    tuned_walk walk{by_steps(), attune::memory_store{}, quick()};
    CHECK(walk() == steps_at(is.way));
    attune::tuning_report const r = walk.call.report();
    CHECK(r.how == attune::decision::tuned);
    CHECK(r.configuration == "WAY=" + std::to_string(is.way));
    CHECK(r.best.value == is.value);
    CHECK(r.best.low == is.value);
    CHECK(r.best.high == is.value);
    CHECK(r.default_time.value == steps_at(0));
    CHECK(r.speedup == doctest::Approx(steps_at(0) / is.value));
    CHECK(r.objective == attune::problem_objective{false, "steps", false});
    CHECK(r.evaluations == way_count);
    CHECK(attune::total(r.failures) == 0);
    CHECK(summary_begin(r) == "10.00x better than the default: 1 steps, was 10 steps");
    CHECK(!r.roofline);
}

TEST_CASE("a value whose higher ones are better is shown and kept as it is")
{
    best_way const is = best_by(goal::highest, [](int way) { return 100 / steps_at(way); });
    attune_test::recorded_progress heard;
    support::scratch_directory const folder;
    std::string const path = folder.file("walk.attune");
    tuned_walk walk{by_points(), attune::store{path}, quick(60, heard.sink())};
    CHECK(walk() == steps_at(is.way));
    attune::tuning_report const r = walk.call.report();
    CHECK(r.best.value == doctest::Approx(is.value));
    CHECK(r.default_time.value == doctest::Approx(10));
    CHECK(r.speedup == doctest::Approx(is.value / 10));
    CHECK(summary_begin(r) == "10.00x better than the default: 100 points, was 10 points");

    attune::progress const& last = heard.events().back();
    CHECK(last.objective == attune::problem_objective{false, "points", true});
    CHECK(last.best_value == doctest::Approx(100));
    CHECK(last.default_value == doctest::Approx(10));
    std::string lines;
    attune::progress_sink const line =
        attune::line_progress([&](std::string const& one) { lines += one + '\n'; });
    for (attune::progress const& one : heard.events())
        line(one);
    CHECK(has(lines, "best 100 points (10.00x better than the default)"));

    // The store has the values, and what they mean.
    attune::store kept{path};
    std::vector<attune::record> const records =
        attune::memory_store::from_text(kept.text(), path).records();
    REQUIRE(records.size() == 1);
    CHECK(records.front().best_s == doctest::Approx(100));
    CHECK(records.front().default_s == doctest::Approx(10));
    CHECK(attune::detail::objective_of(records.front().key) == last.objective);
    attune::detail::problem_history const past =
        kept.recall(attune::detail::problem_of(records.front()));
    REQUIRE(past.rows.size() == way_count);
    for (attune::detail::tried_row const& row : past.rows)
        CHECK(std::get<attune::measurement>(row.result).value ==
              doctest::Approx(100 / steps_at(std::stoi(row.values.front()))));

    // Another process takes it from there.
    tuned_walk again{by_points(), attune::store{path}, quick()};
    CHECK(again() == steps_at(is.way));
    CHECK(again.call.report().how == attune::decision::remembered);
    CHECK(again.call.report().speedup == doctest::Approx(10));
    CHECK(has(again.call.report().summary(), "(100 points per call when it was tuned)"));
}

TEST_CASE("a tuning goes on from the values in the store")
{
    for (bool const is_higher : {false, true}) {
        support::scratch_directory const folder;
        std::string const path = folder.file("walk.attune");
        auto const kernel = is_higher ? by_points() : by_steps();
        tuned_walk first{kernel, attune::store{path}, quick(3)};
        CHECK(first() == steps_at(2)); // of 0, 1 and 2
        tuned_walk rest{kernel, attune::store{path}, quick(60)};
        CHECK(rest() == steps_at(3));
        attune::tuning_report const r = rest.call.report();
        CHECK(r.evaluations == way_count);
        CHECK(attune_test::noticed(r, "continued an earlier tuning: 3 evaluations were known") ==
              1);
        CHECK(r.speedup == doctest::Approx(10));
    }
}

TEST_CASE("results of another objective are not used")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("walk.attune");
    tuned_walk steps{by_steps(), attune::store{path}, quick()};
    CHECK(steps() == steps_at(3));
    attune::tuning_options lookup = quick();
    lookup.on_miss = attune::miss_policy::lookup_only;
    auto const how_for = [&](attune::kernel<signature> const& k, int n) {
        tuned_walk other{k, attune::store{path}, lookup};
        return other.call.explain(other.x, n).how;
    };
    CHECK(how_for(by_steps(), 7) == attune::choice_match::exact);
    CHECK(how_for(by_steps(), 70) == attune::choice_match::near_size);
    for (int const n : {7, 70}) {
        CHECK(how_for(by_points(), n) == attune::choice_match::by_default);
        CHECK(how_for(walk_kernel(), n) == attune::choice_match::by_default);
    }
    attune::kernel<signature> other_unit = walk_kernel();
    other_unit.objective("strides", goal::lowest,
                         [](attune::measured_call, std::span<double> x, int) { return x[0]; });
    CHECK(how_for(other_unit, 7) == attune::choice_match::by_default);
}

TEST_CASE("the winner serves other shapes, though it runs longer than the default")
{
    tuned_walk walk{by_steps(), attune::memory_store{}, quick()};
    CHECK(walk() == steps_at(3));
    walk.x.resize(400);
    (void)walk();
    walk.call.wait();
    double const served = walk();
    INFO(walk.call.report().serving);
    CHECK(served == steps_at(3));
    CHECK(walk.call.report().shapes.slower == 0);
}

TEST_CASE("a variant without a value above 0 fails, and the reason is kept")
{
    attune::kernel<signature> k = walk_kernel();
    k.objective("", goal::lowest, [](attune::measured_call, std::span<double> x, int) {
        if (x[0] == steps_at(3)) throw std::runtime_error("no steps were counted");
        if (x[0] == steps_at(2)) return std::numeric_limits<double>::quiet_NaN();
        return x[0] == steps_at(5) ? 0 : x[0];
    });
    tuned_walk walk{k, attune::memory_store{}, quick()};
    CHECK(walk() == steps_at(0)); // 1 to 5 fail: steps_at() is symmetric
    attune::tuning_report const r = walk.call.report();
    CHECK(attune_test::failures_at(r, attune::failure_stage::bound) == 5);
    REQUIRE(!r.first_failures.empty());
    CHECK(has(r.first_failures.front().reason, "its objective is "));
}

TEST_CASE("seconds reach the objective, and the interval of the time becomes that of the value")
{
    attune::kernel<signature> k = walk_kernel();
    k.objective("calls/s", goal::highest,
                [](attune::measured_call run, std::span<double>, int) { return 1 / run.seconds; });
    tuned_walk walk{k, attune::memory_store{}, quick(4)};
    (void)walk();
    attune::tuning_report const r = walk.call.report();
    CHECK(r.best.value > 0);
    CHECK(r.best.value < 1e7); // 5,000 steps of work take more than 0.1 us
    CHECK(r.best.low <= r.best.value);
    CHECK(r.best.value <= r.best.high);
}

TEST_CASE("joules reach the objective, and are measured in each round of the final")
{
    static constexpr attune::detail::energy_maker scripted{[](std::string const&) {
        return std::shared_ptr<attune::detail::energy_source const>(
            std::make_shared<scripted_energy>());
    }};
    attune::kernel<signature> k = walk_kernel();
    std::size_t calls = 0;
    k.objective("J", goal::lowest, [&](attune::metered_call run, std::span<double>, int) {
        ++calls;
        return run.seconds > 0 ? run.joules : 0;
    });
    best_way const is = best_by(goal::lowest, joules_at);
    attune::tuning_options options = quick();
    options.compile_ahead = 4;
    auto const* const before = attune::detail::exchange_offer(&scripted);
    tuned_walk walk{k, attune::memory_store{}, options};
    CHECK(walk() == steps_at(is.way));
    attune::detail::exchange_offer(before);
    attune::tuning_report const r = walk.call.report();
    CHECK(r.best.value == is.value);
    CHECK(r.speedup == doctest::Approx(joules_at(0) / is.value));
    CHECK(summary_begin(r) == "19.00x better than the default: 2 J, was 38 J");
    CHECK(calls > 5U * way_count);
}

TEST_CASE("an objective that needs joules says why there are none")
{
    attune::kernel<signature> k = walk_kernel();
    k.objective("J", goal::lowest,
                [](attune::metered_call run, std::span<double>, int) { return run.joules; });
    tuned_walk walk{k, attune::memory_store{}, quick()};
    CHECK(has(error_of([&] { (void)walk.call.tune(walk.x, 7); }) + walk.call.report().reason,
              "the objective of kernel 'walk' needs joules: this program measures no energy"));
}

TEST_CASE("after Ctrl-C at the default, the report has the value of its first run")
{
    attune::kernel<signature> k = walk_kernel();
    int calls = 0;
    k.objective("steps", goal::lowest, [&](attune::measured_call, std::span<double> x, int) {
        if (++calls == 1) std::raise(SIGINT);
        return x[0];
    });
    attune_test::ignored_interrupts const quiet;
    tuned_walk walk{k, attune::memory_store{}, quick()};
    CHECK(walk() == steps_at(0));
    attune::tuning_report const r = walk.call.report();
    CHECK(r.interrupted);
    CHECK(calls == 1);
    CHECK(r.default_time.value == steps_at(0));
}

TEST_CASE("the user's own code is compared by the objective")
{
    attune::kernel<signature> k = by_points();
    k.baseline([](std::span<double> x, int n) {
        x[0] = 2;
        x[1] = n;
    });
    tuned_walk walk{k, attune::memory_store{}, quick()};
    CHECK(walk() == steps_at(3));
    attune::tuning_report const r = walk.call.report();
    REQUIRE(r.baseline);
    CHECK(r.baseline->time.value == doctest::Approx(50));
    CHECK(r.baseline->speedup == doctest::Approx(2));
    CHECK(summary_begin(r) == "2.00x better than your own, 10.00x than the default: 100 points, "
                              "was 50 points and 10 points");
}

TEST_CASE("in the background too, and online like in the background")
{
    for (auto const policy :
         {attune::miss_policy::tune_in_background, attune::miss_policy::online}) {
        attune::tuning_options options = quick();
        options.on_miss = policy;
        tuned_walk walk{by_steps(), attune::memory_store{}, options};
        CHECK(walk() == steps_at(0));
        walk.call.wait();
        CHECK(walk() == steps_at(3));
        CHECK(walk.call.report().best.value == 1);
    }
}

TEST_CASE("a target is a value of the objective")
{
    attune::tuning_options options = quick();
    options.limits.target = 30;
    tuned_walk walk{by_points(), attune::memory_store{}, options};
    CHECK(walk() == steps_at(2)); // the first with 30 points or more
    CHECK(attune_test::noticed(walk.call.report(), "the target 30 points is reached") == 1);
}

TEST_CASE("what does not measure an objective refuses it with a sentence")
{
    auto const reason_of = [](attune::tuning_options const& options) {
        tuned_walk walk{by_steps(), attune::memory_store{}, options};
        return error_of([&] { (void)walk.call.tune(walk.x, 7); }) + walk.call.report().reason;
    };
    attune::tuning_options scripted = quick();
    scripted.measuring.make_bench = [](auto const&, auto const&) {
        return std::unique_ptr<attune::bench>{};
    };
    CHECK(has(reason_of(scripted), "kernel 'walk' has an objective of its own: the bench of "
                                   "tuning_measuring::make_bench measures times"));
    using attune::detail::objective_benches;
    objective_benches const* const made =
        attune::detail::exchange_offer<objective_benches>(nullptr);
    std::string const unlinked = reason_of(quick());
    attune::detail::exchange_offer(made);
    CHECK(has(unlinked, "include <attune/tune/objective.hpp> and link attune::objectives"));

    attune_test::grid g;
    g.kernel.objective(
        "steps", goal::lowest,
        [](attune::measured_call, auto, std::span<double> y, double) { return y[0]; });
    attune::tuning_options const options = quick();
    auto const refusal = [&] {
        return error_of([&] { (void)attune::detail::make_bench(g.problem, options); });
    };
    CHECK(refusal() == "no error");
    g.problem.predict = true;
    CHECK(has(refusal(), "a prediction does not have its values"));
    g.problem.predict = false;
    attune_test::scripted_others others{0};
    attune::detail::session_memory memory;
    memory.elsewhere = &others;
    CHECK(has(
        error_of([&] { (void)attune::detail::run_session(g.problem, options, std::move(memory)); }),
        "has an objective of its own: other processes measure times"));

    attune::tuning_options pruned = quick();
    pruned.search.prune = true;
    tuned_walk walk{by_steps(), attune::memory_store{}, pruned};
    CHECK(walk() == steps_at(3));
    CHECK(attune_test::noticed(walk.call.report(), "search.prune and limits.roofline_share do "
                                                   "nothing") == 1);
}
