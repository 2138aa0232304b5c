// attune/tune/pipeline/variant_pipeline.ipp - asks the search, compiles ahead, and reports outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::size_t automatic_ahead(tuning_problem const& problem)
{
    if (allowed_cores() < 2) return 0;
    if (problem.device != nullptr && problem.device->is_on_processor()) return 0;
    return may_use_threads(problem.kernel.source, problem.compiler.identity()) ? 0 : 1;
}

ATTUNE_INLINE variants_ahead variants_ahead_of(tuning_problem const& problem,
                                               tuning_options const& options, std::size_t at_once)
{
    if (reads_energy(problem.kernel)) return {}; // a compiler's energy would count
    std::size_t const wanted =
        options.compile_ahead ? *options.compile_ahead : automatic_ahead(problem) * at_once;
    bool const may_fork = problem.device == nullptr &&
                          options.measuring.protect != isolation::none &&
                          options.measuring.protect != isolation::guard;
    if (wanted == 0 || !may_fork) return {wanted};
    std::string const allocator = foreign_allocator();
    if (allocator.empty()) return {wanted};
    return {0, "nothing is compiled ahead: malloc() is that of " + allocator +
                   ", and a compiler on another thread could block malloc() in a forked child"};
}

ATTUNE_INLINE variant_pipeline::variant_pipeline(tuning_problem const& problem, any_searcher search,
                                                 std::size_t ahead, double search_s)
    : problem_(problem)
    , search_(std::move(search))
    , ahead_(ahead)
    , search_s_(search_s)
    , queue_(std::make_unique<compile_queue>(ahead))
{
    note_cpu();
}

ATTUNE_INLINE compile_result variant_pipeline::compile(point const& at)
{
    return compile_here(at, std::numeric_limits<double>::infinity());
}

ATTUNE_INLINE compile_result variant_pipeline::compile_here(point const& at, double left_s)
{
    auto const features = std::make_shared<std::vector<double>>();
    compile_result result = [&] {
        counted_seconds const counted(code_s_);
        return compilation_of(at, features, left_s)();
    }();
    count(result);
    note_cpu();
    tell_metrics(at, *features);
    return result;
}

/// Returns a compilation, which may begin later, on another thread.
/// @param left_s  seconds that it may take, counted from this call
ATTUNE_INLINE std::function<compile_result()>
variant_pipeline::compilation_of(point const& at, std::shared_ptr<std::vector<double>> features,
                                 double left_s)
{
    constexpr double unknown_s = 1; // all code came from the cache so far
    double const enough_s = std::max(2.0, 10 * slowest_s_.value_or(unknown_s));
    return [&problem = problem_, at, to = std::move(features), enough_s,
            end_s = steady_seconds() + left_s] {
        auto const compile = [&] {
            return compile_for_trial(problem.kernel, problem.space.describe(), problem.compiler,
                                     problem.device, at, to.get());
        };
        double const begun_s = steady_seconds();
        double const limit_s = std::max(end_s - begun_s, enough_s);
        if (!std::isfinite(limit_s)) return compile();
        try {
            cuttable const here(limit_s);
            return compile();
        } catch (cut_short const&) {
            if (stop_is_requested()) throw;
            return compile_result{
                failure{failure_stage::compile, "compiling took longer than " +
                                                    formatted("%.2g s", limit_s) +
                                                    ", until limits.seconds was over"}};
        }
    };
}

ATTUNE_INLINE void variant_pipeline::tell_metrics(point const& at,
                                                  std::vector<double> const& features)
{
    if (features.empty()) return;
    counted_seconds const counted(search_s_);
    search_.tell_metrics(at, features);
}

ATTUNE_INLINE void variant_pipeline::count(compile_result const& made)
{
    auto const* const code = std::get_if<callable>(&made);
    if (code != nullptr) compile_s_ += code->compile_s;
    if (code != nullptr && !code->from_cache)
        slowest_s_ = std::max(slowest_s_.value_or(0), code->compile_s);
    ++(code != nullptr && code->from_cache ? from_cache_ : compiled_);
}

ATTUNE_INLINE double variant_pipeline::unrelated_cpu_s() const
{
    return queue_->cpu_s() + (background_cpu_s_ ? background_cpu_s_() : 0);
}

ATTUNE_INLINE void variant_pipeline::note_cpu()
{
    system_clocks const clocks{[this] { return unrelated_cpu_s(); }};
    own_cpu_s_ = clocks.thread_cpu_s();
    program_cpu_s_ = clocks.process_cpu_s();
}

/// @pre  since the noted times, this thread has done little but run and time one variant
ATTUNE_INLINE bool variant_pipeline::is_program_parallel() const
{
    system_clocks const clocks{[this] { return unrelated_cpu_s(); }};
    double const program_s = clocks.process_cpu_s() - program_cpu_s_;
    double const own_s = clocks.thread_cpu_s() - own_cpu_s_;
    return program_s - own_s > 0.1 * own_s + 1e-3;
}

ATTUNE_INLINE void variant_pipeline::ask_for(std::size_t count)
{
    for (; waiting_.size() < count && !again_.empty(); again_.pop_front())
        waiting_.push_back({std::move(again_.front())});
    while (waiting_.size() < count && !is_finished_) {
        std::vector<point> asked = [&] {
            counted_seconds const counted(search_s_);
            return search_.ask(count - waiting_.size());
        }();
        is_finished_ = asked.empty();
        for (point& at : asked)
            if (!is_pruned(at)) waiting_.push_back({std::move(at)});
    }
}

ATTUNE_INLINE bool variant_pipeline::is_pruned(point const& at)
{
    bool const may_prune = least_s_ && pruned_in_a_row_ < most_pruned_in_a_row && may_go_on_();
    std::optional<double> const least_s = may_prune ? least_s_(at) : std::nullopt;
    pruned_in_a_row_ = least_s ? pruned_in_a_row_ + 1 : 0;
    if (!least_s) return false;
    counted_seconds const counted(search_s_);
    // a bound has no noise: just above the best it would outrank measured times
    search_.tell_bound(at, std::max(*least_s, median_told_s()));
    pruned_.push_back(at);
    return true;
}

ATTUNE_INLINE void variant_pipeline::note_time(outcome const& result)
{
    auto const* const m = std::get_if<measurement>(&result);
    if (m == nullptr || !std::isfinite(m->value)) return;
    told_s_.insert(std::lower_bound(told_s_.begin(), told_s_.end(), m->value), m->value);
}

/// Median of the times so far, for an even number the upper of the middle two; 0: no times.
ATTUNE_INLINE double variant_pipeline::median_told_s() const noexcept
{
    return told_s_.empty() ? 0 : told_s_[told_s_.size() / 2];
}

ATTUNE_INLINE void
variant_pipeline::set_pruning(std::function<std::optional<double>(point const&)> least_s,
                              std::function<bool()> may_go_on)
{
    least_s_ = std::move(least_s);
    may_go_on_ = std::move(may_go_on);
}

ATTUNE_INLINE void variant_pipeline::reconsider(std::vector<point> const& others)
{
    for (point const& at : others)
        again_.push_back(at);
    for (point& at : std::exchange(pruned_, {}))
        again_.push_back(std::move(at));
    has_news_ = true;
}

ATTUNE_INLINE std::size_t
variant_pipeline::reconsider_if(std::function<bool(point const&)> const& may_win,
                                std::vector<point>& others)
{
    std::size_t const before = again_.size();
    for (std::vector<point>* from : {&others, &pruned_})
        std::erase_if(*from, [&](point const& at) {
            if (!may_win(at)) return false;
            again_.push_back(at);
            return true;
        });
    has_news_ = has_news_ || again_.size() > before;
    return again_.size() - before;
}

ATTUNE_INLINE std::optional<bool> variant_pipeline::narrow(std::optional<kept_settings> const& part)
{
    {
        counted_seconds const counted(search_s_);
        if (!search_.narrow(part)) return {};
    }
    is_finished_ = false;
    has_news_ = true;
    if (!part || pruned_.empty()) return false;
    again_.push_back(std::move(pruned_.back()));
    pruned_.pop_back();
    return true;
}

ATTUNE_INLINE void variant_pipeline::enqueue_waiting()
{
    for (waiting_variant& w : waiting_) {
        if (w.code) continue;
        w.features = std::make_shared<std::vector<double>>();
        w.code = queue_->add(compilation_of(w.at, w.features, left_s_()));
    }
}

ATTUNE_INLINE std::optional<pipelined_variant> variant_pipeline::next(std::size_t left)
{
    bool const is_parallel = ahead_ > 0 && is_program_parallel();
    if (is_parallel) settle();
    ask_for(ahead_ < left ? ahead_ + 1 : left);
    if (waiting_.empty()) return {};
    waiting_variant now = std::move(waiting_.front());
    waiting_.pop_front();
    if (!waiting_.empty() && !is_parallel) {
        enqueue_waiting();
        queue_->start();
    }
    if (!now.code) {
        compile_result code = compile_here(now.at, left_s_());
        return pipelined_variant{std::move(now.at), std::move(code)};
    }
    compile_result code = [&] {
        counted_seconds const counted(code_s_);
        return queue_->take(now.code);
    }();
    count(code);
    note_cpu();
    tell_metrics(now.at, *now.features);
    return pipelined_variant{std::move(now.at), std::move(code)};
}

ATTUNE_INLINE std::vector<point> variant_pipeline::next_points(std::size_t count)
{
    if (count == 0 || !has_news_) return {};
    is_finished_ = false;
    ask_for(count);
    std::vector<point> out;
    for (; out.size() < count && !waiting_.empty(); waiting_.pop_front())
        out.push_back(std::move(waiting_.front().at));
    has_news_ = !out.empty();
    return out;
}

ATTUNE_INLINE void variant_pipeline::compiled_elsewhere(point const& at, compile_result const& made,
                                                        std::vector<double> const& features)
{
    count(made);
    tell_metrics(at, features);
}

ATTUNE_INLINE void variant_pipeline::tell(point const& at, outcome const& result,
                                          bounded_values const& seen)
{
    std::erase(again_, at);
    std::erase_if(waiting_, [&](waiting_variant const& w) {
        if (w.at != at) return false;
        if (w.code) queue_->drop(w.code);
        return true;
    });
    note_time(result);
    has_news_ = true;
    counted_seconds const counted(search_s_);
    if (std::vector<double> const beyond = excesses(problem_.kernel, seen); !beyond.empty()) {
        auto const* const m = std::get_if<measurement>(&result);
        search_.tell_excess(at, m != nullptr ? m->value : std::nan(""), beyond);
    }
    search_.tell(at, result);
}

ATTUNE_INLINE std::optional<double> variant_pipeline::expected_gain()
{
    counted_seconds const counted(search_s_);
    return search_.expected_gain();
}

ATTUNE_INLINE double variant_pipeline::predicted_s(point const& at)
{
    counted_seconds const counted(search_s_);
    double const value = search_.prediction_of(at).value_or(0);
    return value > 0 && value <= std::numeric_limits<double>::max() ? value : 0;
}

ATTUNE_INLINE void variant_pipeline::settle()
{
    counted_seconds const counted(code_s_);
    queue_->settle();
}

} // namespace attune::inline ATTUNE_ABI::detail
