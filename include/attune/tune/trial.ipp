// attune/tune/trial.ipp - compile, first run in a child, timing in the process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/adaptive_timer.hpp>
#include <attune/measure/duel.hpp>
#include <attune/measure/probation.hpp>
#include <attune/tune/trial.hpp>

#include <algorithm>
#include <limits>
#include <string_view>

namespace attune {

namespace detail {

/// A first run shorter than this is never called too long: forking and page faults dominate it.
inline constexpr double shortest_limit_s = 0.25;
/// Above this, first runs work on the caller's own pages (copied on write) without guard pages.
inline constexpr std::size_t most_guarded_bytes = std::size_t{1} << 30;
/// Of the time budget, what the timing of one variant may take.
inline constexpr double share_of_one_timing = 0.05;

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
    , quickest_s_(std::numeric_limits<double>::infinity())
{
    for (buffer const& b : problem.frame.buffers)
        addresses_.push_back(b.data);
    if (can_guard(problem.frame.buffers, detail::most_guarded_bytes))
        guarded_.emplace(problem.frame.buffers);
}

trial_runner::~trial_runner() { original_.restore(); }

compile_result trial_runner::compile(point const& at)
{
    variant const wanted = make_variant(problem_.kernel, problem_.space.describe(), at);
    compile_result result = problem_.compiler.compile(problem_.kernel.source, wanted);
    if (auto const* code = std::get_if<callable>(&result)) compile_s_ += code->compile_s;
    return result;
}

void trial_runner::call(callable const& code) const
{
    problem_.frame.call(code.address, addresses_);
}

std::optional<failure> trial_runner::try_in_child(callable const& code, double limit_s)
{
    probation_options how;
    how.limit_s = limit_s;
    std::span<buffer const> buffers = problem_.frame.buffers;
    std::span<std::byte* const> data = addresses_;
    if (guarded_) {
        buffers = guarded_->buffers();
        data = guarded_->addresses();
        how.also_check = [this] { return guarded_->damage(); };
        how.explain_address = [this](std::uintptr_t a) { return guarded_->explain(a); };
    }
    probation_result const end = probation([&] { problem_.frame.call(code.address, data); },
                                           buffers,
                                           reference_ ? &*reference_ : nullptr,
                                           how);
    if (auto const* why = std::get_if<failure>(&end)) return *why;
    quickest_s_ = std::min(quickest_s_, std::get<double>(end));
    return {};
}

measurement trial_runner::time(callable const& code, double stop_above_s)
{
    adaptive_timer_options how;
    how.precision = options_.precision;
    how.stop_above = stop_above_s;
    how.max_s = std::min(how.max_s, detail::share_of_one_timing * options_.limits.seconds);
    measurement const m =
        adaptive_timer{how}.time([this] { original_.restore(); }, [&] { call(code); });
    original_.restore();
    return m;
}

trial trial_runner::establish_reference()
{
    compile_result compiled = compile(problem_.default_at);
    if (auto const* why = std::get_if<failure>(&compiled)) detail::refuse_default(problem_, *why);
    callable code = std::get<callable>(std::move(compiled));
    if (auto const why = try_in_child(code, options_.default_limit_s))
        detail::refuse_default(problem_, *why);
    call(code);
    reference_.emplace(problem_.frame.buffers);
    original_.restore();
    outcome const result = time(code, std::numeric_limits<double>::infinity());
    if (!code.object_key.empty()) by_code_.emplace(code.object_key, result);
    return {result, std::move(code)};
}

trial trial_runner::run(point const& at, double stop_above_s)
{
    compile_result compiled = compile(at);
    if (auto const* why = std::get_if<failure>(&compiled)) return {*why};
    callable code = std::get<callable>(std::move(compiled));
    if (auto const known = by_code_.find(code.object_key); known != by_code_.end()) {
        ++same_code_;
        return {known->second, std::move(code)};
    }
    double const limit_s = std::max(detail::shortest_limit_s, options_.patience * quickest_s_);
    outcome result = measurement{};
    if (auto const why = try_in_child(code, limit_s))
        result = *why;
    else
        result = time(code, stop_above_s);
    if (!code.object_key.empty()) by_code_.emplace(code.object_key, result);
    return {result, std::move(code)};
}

measurement
trial_runner::compare(callable const& holder, callable const& challenger, double limit_s)
{
    duel_options how;
    how.max_s = limit_s;
    comparison const c = duel(
        [this] { original_.restore(); }, [&] { call(holder); }, [&] { call(challenger); }, how);
    original_.restore();
    return {c.ratio, c.low, c.b_is_faster() ? c.high : std::max(c.high, 1.0), c.pairs};
}

} // namespace attune
