// attune/tune/objective.ipp - values of objectives from times and results of variants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/objective.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bench_options without_drops(bench_options how)
{
    how.drops_slower = false;
    return how;
}

ATTUNE_INLINE objective_bench::objective_bench(tuning_problem const& problem,
                                               bench_options const& how)
    : problem_(problem)
    , objective_(*problem.kernel.objective)
    , times_(trial_call_of(problem), without_drops(how))
{
    if (!objective_.needs_joules) return;
    if (std::string const why = times_.why_no_energy(); !why.empty())
        throw error("the objective of kernel '" + problem.kernel.name + "' needs joules: " + why,
                    "kernel.objective()",
                    "tune where energy can be measured, or take an attune::measured_call");
}

ATTUNE_INLINE std::variant<std::vector<double>, failure>
objective_bench::turned_values(callable const& of, std::span<metered_call const> runs,
                               double limit_s) const
{
    std::vector<double> out;
    std::string why;
    guarded_timed_runs once = times_.watch(limit_s); // its destructor restores the arrays
    try {
        once.prepare();
        once.run(of);
        once.finish();
    } catch (stopped const& s) {
        return s.why;
    }
    problem_.frame.with_arguments(problem_.frame.addresses(), [&](void const* arguments) {
        try {
            for (metered_call const& run : runs) {
                double const value = objective_.value(run, arguments);
                if (!(value > 0 && value <= std::numeric_limits<double>::max())) {
                    why = "its objective is " + formatted("%.6g", value) +
                          ", and has to be a finite number above 0";
                    return;
                }
                out.push_back(objective_.of.turned(value));
            }
        } catch (...) {
            why = "the kernel's objective threw: " + text_of_exception();
        }
    });
    if (!why.empty()) return failure{failure_stage::bound, std::move(why)};
    return out;
}

ATTUNE_INLINE std::variant<call_energy, failure> objective_bench::known_energy(callable const& of,
                                                                               double limit_s)
{
    if (!objective_.needs_joules) return call_energy{.joules = 0, .half_width = 0};
    auto const got = times_.energy(of, limit_s);
    auto const* const e = std::get_if<call_energy>(&got);
    if (e == nullptr || is_known(*e)) return got;
    return failure{failure_stage::bound,
                   "its energy is not known (the counters did not rise enough)"};
}

ATTUNE_INLINE first_run_result objective_bench::establish(callable const& trusted, double limit_s)
{
    first_run_result const end = times_.establish(trusted, limit_s);
    auto const* const run_s = std::get_if<double>(&end);
    if (run_s == nullptr) return end;
    auto const energy = known_energy(trusted, limit_s);
    if (auto const* const why = std::get_if<failure>(&energy)) return *why;
    metered_call const run{*run_s, std::get<call_energy>(energy).joules};
    auto const made = turned_values(trusted, std::span(&run, 1), limit_s);
    if (auto const* const why = std::get_if<failure>(&made)) return *why;
    default_ = trusted.address;
    value_of_first_run_ = std::get<0>(made).front();
    return end;
}

ATTUNE_INLINE outcome objective_bench::time(callable const& tried, double, double limit_s,
                                            timing_record& record)
{
    constexpr double to_the_end = std::numeric_limits<double>::infinity();
    try {
        outcome const timed = times_.time(tried, to_the_end, limit_s, record);
        record.times.clear();
        record.disturbed.clear();
        auto const* const m = std::get_if<measurement>(&timed);
        if (m == nullptr) return timed;
        auto const energy = known_energy(tried, limit_s);
        if (auto const* const why = std::get_if<failure>(&energy)) return *why;
        auto const& [joules, half_width, calls] = std::get<call_energy>(energy);
        std::array<metered_call, 5> const runs{{{m->value, joules},
                                                {m->low, joules},
                                                {m->high, joules},
                                                {m->value, joules * (1 - half_width)},
                                                {m->value, joules * (1 + half_width)}}};
        auto const made = turned_values(tried, runs, limit_s);
        if (auto const* const why = std::get_if<failure>(&made)) return *why;
        std::vector<double> const& values = std::get<0>(made);
        auto const [low, high] = std::minmax_element(values.begin(), values.end());
        return measurement{values.front(), *low, *high, m->samples};
    } catch (cut_short const&) {
        if (tried.address != default_) throw;
        record = {};
        return measurement::exact(value_of_first_run_);
    }
}

ATTUNE_INLINE std::optional<std::size_t>
objective_bench::add_joules(std::span<callable const> tried,
                            std::span<std::vector<metered_call>> runs, double limit_s)
{
    double const until_s = steady_seconds() + limit_s;
    double longest_s = 0;
    std::size_t rounds = runs.front().size();
    for (std::vector<metered_call> const& one : runs)
        rounds = std::min(rounds, one.size());
    for (std::size_t round = 0; round < rounds; ++round) {
        double const begun_s = steady_seconds();
        if (round > 0 && begun_s + longest_s > until_s) rounds = round;
        for (std::size_t k = 0; k < runs.size() && round < rounds; ++k) {
            std::size_t const i = round % 2 == 0 ? k : runs.size() - 1 - k;
            auto const energy = known_energy(tried[i], limit_s);
            if (energy.index() == 1) return i;
            runs[i][round].joules = std::get<call_energy>(energy).joules;
        }
        longest_s = std::max(longest_s, steady_seconds() - begun_s);
    }
    for (std::vector<metered_call>& one : runs)
        one.resize(rounds);
    return {};
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
objective_bench::compare(std::span<callable const> tried, double limit_s)
{
    double const times_s = objective_.needs_joules ? limit_s / 4 : limit_s;
    auto const compared = times_.compare(tried, times_s);
    auto const* const times = std::get_if<round_times>(&compared);
    if (times == nullptr) return compared;
    std::vector<std::vector<metered_call>> runs(times->size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (double const s : times->seconds(i))
            runs[i].push_back({.seconds = s});
    if (objective_.needs_joules)
        if (auto const failed = add_joules(tried, runs, limit_s - times_s)) return *failed;
    round_times out(times->size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto const made = turned_values(tried[i], runs[i], limit_s);
        if (made.index() == 1) return i;
        for (double const value : std::get<0>(made))
            out.add(i, value);
    }
    return out;
}

ATTUNE_INLINE void measure_objectives() noexcept
{
    keep_this_library_loaded();
    static constexpr objective_benches measured{
        [](tuning_problem const& problem, bench_options const& how) -> std::unique_ptr<bench> {
            return std::make_unique<objective_bench>(problem, how);
        }};
    exchange_offer(&measured);
}

} // namespace attune::inline ATTUNE_ABI::detail
