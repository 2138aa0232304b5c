// attune/tune/trial.ipp - first run in a child, timing in the process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/signal_guard.hpp>
#include <attune/tune/trial.hpp>

#include <algorithm>
#include <limits>
#include <string_view>

namespace attune {

namespace detail {

/// A first run shorter than this is never called too long: forking and page faults dominate it.
inline constexpr double shortest_limit_s = 0.25;

/// What the entry behind every kernel asserts: that the kernel is there, with the declared types.
inline constexpr std::string_view entry_sentence = "attune: kernel '";

[[noreturn]] inline void refuse_default(tuning_problem const& problem, failure const& why)
{
    if (std::size_t const at = why.reason.find(entry_sentence); at != std::string::npos)
        throw error(
            why.reason.substr(at + std::string_view{"attune: "}.size()),
            problem.kernel.source.path,
            "give the function in the file and attune::kernel<...> the same name and types");
    bool const compiles = why.stage != failure_stage::compile && why.stage != failure_stage::load;
    bool const outside = why.reason.find("past the end of") != std::string::npos ||
                         why.reason.find("before the start of") != std::string::npos;
    std::string where =
        problem.kernel.source.path + ", " + text_of(problem.space.describe(), problem.default_at);
    where += "\n         " + why.reason;
    std::string next = "make the kernel work with its default values first";
    if (outside)
        next = "pass longer spans, or correct the sizes that the kernel computes";
    else if (why.reason.find("only to be read") != std::string::npos)
        next = "give the kernel a std::span of elements that are not const";
    else if (why.stage == failure_stage::verify)
        next = "compare the kernel's default with the reference or check you gave it";
    else if (!compiles && !why.log.empty())
        next = "the compiler said:\n" + why.log;
    else if (why.stage == failure_stage::timeout)
        next = "tune on a smaller problem, or raise tuning_options::default_limit_s";
    throw error("the default configuration of kernel '" + problem.kernel.name + "' " +
                    std::string(describe(why.stage)),
                where,
                next);
}

} // namespace detail

trial_runner::trial_runner(tuning_problem const& problem, tuning_options const& options)
    : problem_(problem)
    , options_(options)
    , original_(problem.frame.buffers)
    , timing_(problem.frame.buffers, options)
    , ground_(problem, options.protect, original_)
    , quickest_s_(std::numeric_limits<double>::infinity())
{
}

trial_runner::~trial_runner() { original_.restore(); }

probation_result trial_runner::first_run(callable const& code, double limit_s)
{
    probation_result const end = ground_.first_run(code, limit_s);
    if (auto const* first_run_s = std::get_if<double>(&end))
        quickest_s_ = std::min(quickest_s_, *first_run_s);
    return end;
}

watched_runs trial_runner::watch(double limit_s) const
{
    return {problem_, ground_, original_, limit_s};
}

outcome trial_runner::time(callable const& code, double stop_above_s, double limit_s)
{
    watched_runs runs = watch(limit_s);
    try {
        measurement const m = timing_.time(
            [&] { runs.prepare(); }, [&] { runs.run(code); }, stop_above_s, background_cpu_s_);
        runs.finish();
        return m;
    } catch (stopped const& s) {
        return s.why;
    }
}

trial trial_runner::establish_reference(compile_result compiled,
                                        std::optional<measurement> const& known)
{
    if (auto const* why = std::get_if<failure>(&compiled)) detail::refuse_default(problem_, *why);
    callable code = std::get<callable>(std::move(compiled));
    double const share_s = detail::share_of_one_timing * options_.limits.seconds;
    probation_result const end = ground_.establish(code, options_.default_limit_s, share_s);
    if (auto const* why = std::get_if<failure>(&end)) detail::refuse_default(problem_, *why);
    quickest_s_ = std::get<double>(end);
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    outcome const result = known ? *known : time(code, no_limit, options_.default_limit_s);
    if (auto const* why = std::get_if<failure>(&result)) detail::refuse_default(problem_, *why);
    if (!code.object_key.empty()) by_code_.emplace(code.object_key, result);
    return {result, std::move(code), std::get<double>(end)};
}

trial trial_runner::run(compile_result compiled, double stop_above_s)
{
    if (auto const* why = std::get_if<failure>(&compiled)) return {*why};
    callable code = std::get<callable>(std::move(compiled));
    if (auto const known = by_code_.find(code.object_key); known != by_code_.end()) {
        ++same_code_;
        return {known->second, std::move(code)};
    }
    double const limit_s = std::max(detail::shortest_limit_s, options_.patience * quickest_s_);
    probation_result const end = first_run(code, limit_s);
    auto const* const first_run_s = std::get_if<double>(&end);
    outcome const result = first_run_s != nullptr
                               ? time(code, stop_above_s, std::max(limit_s, 10 * *first_run_s))
                               : std::get<failure>(end);
    if (!code.object_key.empty()) by_code_.emplace(code.object_key, result);
    return {result, std::move(code), first_run_s != nullptr ? *first_run_s : 0.0};
}

std::variant<round_times, std::size_t> trial_runner::compare(std::span<callable const> variants,
                                                             double limit_s)
{
    watched_runs runs = watch(std::max(detail::shortest_limit_s, options_.patience * limit_s));
    std::size_t at_hand = 0;
    std::vector<std::function<void()>> calls;
    for (std::size_t i = 0; i < variants.size(); ++i)
        calls.emplace_back([&, i] {
            at_hand = i;
            runs.run(variants[i]);
        });
    try {
        round_times times = timing_.compare([&] { runs.prepare(); }, calls, limit_s);
        runs.finish();
        return times;
    } catch (stopped const&) {
        return at_hand;
    }
}

} // namespace attune
