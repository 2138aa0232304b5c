// attune/tune/sizes/tuned_sizes.ipp - chooses the inputs of a call by its sizes, and finds sizes that are worth a tuning.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/tune/sizes/tuned_sizes.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool may_have_several(dispatched_kernel const& subject)
{
    kernel_description const& kernel = subject.kernel;
    return subject.options.sizes != size_policy::first && kernel.inputs.empty() &&
           !kernel.any_shape && !kernel.objective && !subject.find_device &&
           subject.forced.empty() && subject.options.on_miss != miss_policy::always;
}

[[nodiscard]] inline bool may_tune_several(tuning_options const& options)
{
    bool const is_apart = options.on_miss == miss_policy::tune_in_background ||
                          options.on_miss == miss_policy::online;
    return options.on_miss != miss_policy::lookup_only &&
           (options.sizes == size_policy::several || is_apart);
}

ATTUNE_INLINE tuned_sizes::tuned_sizes(dispatched_kernel const& subject, shape_register& shapes,
                                       variant_choice& choice)
    : subject_(subject)
    , shapes_(shapes)
    , choice_(choice)
    , is_on_(may_have_several(subject))
    , tunes_(is_on_ && may_tune_several(subject.options))
{
}

ATTUNE_INLINE std::shared_ptr<served_inputs>
tuned_sizes::serving(std::shared_ptr<served_inputs> first, std::span<std::int64_t const> key) const
{
    if (!has_first_.load(std::memory_order_acquire)) return first;
    std::shared_ptr<choices const> now;
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        now = choices_;
    }
    if (now == nullptr) return first;
    std::shared_ptr<served_inputs> const& of = now->of[now->tree.at(sizes_of(key))];
    return of != nullptr ? of : first;
}

ATTUNE_INLINE installed_variant const*
tuned_sizes::covering(served_inputs const& but, std::span<std::int64_t const> key) const
{
    if (!has_first_) return nullptr;
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    for (entry const& one : all_)
        if (one.of != &but && one.of->verifier && !one.of->winner_is_default)
            if (installed_variant const* const by = one.of->verifier->covering(key)) return by;
    return nullptr;
}

ATTUNE_INLINE std::vector<double> tuned_sizes::sizes_of(std::span<std::int64_t const> key) const
{
    std::vector<double> out;
    for (std::size_t const word : words_)
        out.push_back(static_cast<double>(key[word]));
    return out;
}

/// Returns a size as an integer, at most 2^63 - 1. A double has rounded sizes above 2^53.
[[nodiscard]] inline std::int64_t whole(double size)
{
    constexpr double beyond = 9223372036854775808.0;
    return size < beyond ? static_cast<std::int64_t>(size)
                         : std::numeric_limits<std::int64_t>::max();
}

/// The names are "argument 2" or "length of argument 0"; for a view also "length 2 of argument 0"
/// and "number 2 of argument 0". See is_tuned_size().
ATTUNE_INLINE named_texts tuned_sizes::names_of(std::span<double const> sizes) const
{
    named_texts out;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        shape_word const& word = subject_.layout[words_[i]];
        auto const before =
            std::count(subject_.layout.begin(),
                       subject_.layout.begin() + static_cast<std::ptrdiff_t>(words_[i]), word);
        bool const is_length = word.part == shape_part::elements;
        std::string name = "argument " + std::to_string(word.argument);
        if (is_length || before > 0)
            name = (is_length ? "length " : "number ") +
                   (before > 0 ? std::to_string(before + 1) + ' ' : std::string()) + "of " + name;
        out.emplace_back(std::move(name), std::to_string(whole(sizes[i])));
    }
    return out;
}

/// Returns the sizes in the inputs of a problem; empty: the inputs are not these sizes.
ATTUNE_INLINE std::optional<std::vector<double>>
tuned_sizes::sizes_in(named_texts const& inputs) const
{
    std::vector<double> out;
    for (auto const& [name, value] : names_of(std::vector<double>(words_.size()))) {
        std::string const* const text = value_of(inputs, name);
        std::optional<double> const size = text != nullptr ? number_of(*text) : std::nullopt;
        if (!size) return {};
        out.push_back(*size);
    }
    return out.size() == inputs.size() ? std::optional(std::move(out)) : std::nullopt;
}

ATTUNE_INLINE void tuned_sizes::find_words(std::span<std::int64_t const> key)
{
    std::vector<std::size_t> words(key.size());
    words.resize(shape_properties(subject_.layout, {}).sizes(key, words));
    std::erase_if(words, [&](std::size_t at) {
        std::size_t const argument = subject_.layout[at].argument;
        return argument < subject_.kernel.ignored.size() && subject_.kernel.ignored[argument];
    });
    words_ = std::move(words);
}

/// Returns true if all outcomes are of the default.
[[nodiscard]] inline bool has_only(std::span<known_outcome const> all, point const& default_at)
{
    return std::all_of(all.begin(), all.end(),
                       [&](known_outcome const& one) { return one.at == default_at; });
}

/// Takes the further sizes of the store.  @pre  looking_ is held
ATTUNE_INLINE void tuned_sizes::load(served_inputs const& first)
{
    named_texts const own = choice_.key_of(first.problem).inputs; // figures of the machine
    for (tuned_result& one : choice_.tuned_at_others(first.problem)) {
        named_texts its = one.inputs;
        for (auto const& figure : own)
            std::erase(its, figure);
        std::optional<std::vector<double>> sizes = sizes_in(its);
        if (!sizes || its.size() + own.size() != one.inputs.size() ||
            has_only(one.outcomes, *first.problem.default_at))
            continue;
        auto made = std::make_shared<served_inputs>(first.problem.inputs);
        made->is_further_size = made->is_near_known = true;
        made->problem.sizes = names_of(*sizes);
        all_.push_back(
            {made.get(), made, {std::move(*sizes), std::move(one.best), std::move(one.outcomes)}});
    }
}

/// Takes the sizes of the first winner, and the store's further ones.  @pre  looking_ is held
ATTUNE_INLINE void tuned_sizes::begin(served_inputs& first, tuned_result const& found,
                                      std::span<std::int64_t const> key)
{
    std::vector<std::int64_t> const tuned_for =
        stored_shape(subject_.layout, words_in(found.shape));
    std::span<std::int64_t const> const its = tuned_for.empty() ? key : std::span(tuned_for);
    find_words(its);
    if (words_.empty()) return;
    has_first_.store(true, std::memory_order_release);
    all_.push_back({&first, nullptr, {sizes_of(its), found.best, found.outcomes}});
    load(first);
    grow();
}

ATTUNE_INLINE void tuned_sizes::read(served_inputs& first, std::span<std::int64_t const> key)
{
    if (!is_on_ || has_first_) return;
    std::optional<tuned_result> const found = choice_.tuned_here(first.problem);
    if (!found) return;
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    begin(first, *found, key);
}

ATTUNE_INLINE bool tuned_sizes::take(served_inputs& of, std::span<std::int64_t const> key)
{
    if (!is_on_ || of.winner.load() == nullptr) return true;
    std::optional<tuned_result> found = choice_.tuned_here(of.problem);
    if (!found) return true; // the store did not keep the record: one size serves
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    if (!has_first_) {
        if (!of.is_further_size) begin(of, *found, key);
        return true;
    }
    auto at = std::find_if(all_.begin(), all_.end(), [&](entry const& e) { return e.of == &of; });
    if (at == all_.end()) {
        if (open_.get() != &of) return true;
        if (has_only(found->outcomes, *of.problem.default_at)) return false;
        all_.push_back({&of, std::exchange(open_, nullptr), {.sizes = open_sizes_}});
        at = std::prev(all_.end());
    }
    at->result.best = std::move(found->best);
    at->result.outcomes = std::move(found->outcomes);
    grow();
    return true;
}

ATTUNE_INLINE void tuned_sizes::cancel(served_inputs const& of)
{
    constexpr double pause_s = 1;
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    if (open_.get() != &of) return;
    open_ = nullptr;
    next_look_s_ = steady_seconds() + pause_s;
}

ATTUNE_INLINE void tuned_sizes::drop(served_inputs const& of)
{
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    if (open_.get() == &of) {
        refused_.push_back(open_sizes_);
        open_ = nullptr;
    }
    auto const at =
        std::find_if(all_.begin(), all_.end(), [&](entry const& e) { return e.of == &of; });
    if (at != all_.end()) {
        refused_.push_back(at->result.sizes);
        all_.erase(at);
    }
    grow();
}

/// @pre  looking_ is held
ATTUNE_INLINE void tuned_sizes::grow()
{
    std::vector<sized_result> results;
    for (entry const& one : all_)
        results.push_back(one.result);
    std::shared_ptr<choices> made;
    if (all_.size() > 1) {
        made = std::make_shared<choices>(choices{size_tree(results)});
        for (entry const& one : all_)
            made->of.push_back(one.owned);
    }
    bool const was_one_size = choices_ == nullptr; // only this function writes choices_
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        choices_ = made;
    }
    demand_.reset();
    is_wanted_ = false;
    if (was_one_size && made == nullptr) return; // no shape gets other inputs
    shapes_.look_again([&](std::span<std::int64_t const> key) {
        std::size_t const at = made != nullptr ? made->tree.at(sizes_of(key)) : 0;
        return all_[at].of->winner.load();
    });
}

ATTUNE_INLINE void tuned_sizes::describe(tuning_report& to) const
{
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    if (all_.size() < 2) return;
    std::vector<sized_result> results;
    for (entry const& one : all_)
        results.push_back(one.result);
    double regret = 0;
    std::size_t measured = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        size_report& line = to.sizes.emplace_back();
        for (auto const& [name, value] : names_of(results[i].sizes))
            line.sizes += (line.sizes.empty() ? "" : ", ") + name + ": " + value;
        line.configuration = text_of(all_.front().of->problem.space->describe(), results[i].best);
        line.best_s = seconds_at(results[i], results[i].best).value_or(0);
        std::optional<left_out_size> const without = left_out(results, i);
        if (!without) continue;
        line.left_out_s = without->served_s;
        regret += without->served_s / without->best_s - 1;
        ++measured;
    }
    if (measured > 0) to.size_regret = regret / static_cast<double>(measured);
}

ATTUNE_INLINE void tuned_sizes::spend(std::uint64_t evaluations, double seconds)
{
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    spent_evaluations_ += evaluations;
    spent_s_ += seconds;
}

ATTUNE_INLINE search_limits tuned_sizes::left() const noexcept
{
    return what_is_left(subject_.options.limits, spent_evaluations_, spent_s_);
}

/// Least seconds between two looks.
inline constexpr double between_looks_s = 0.01;

/// @pre  looking_ is held
ATTUNE_INLINE bool tuned_sizes::may_tune() const
{
    bool const is_at_work = open_ != nullptr && open_->tuned_apart_in == ::getpid();
    if (!tunes_ || !has_first_ || is_at_work || all_.size() + refused_.size() >= most_sizes)
        return false;
    // A tuning with less may evaluate only the default and the nearest winner.
    constexpr std::uint64_t least_evaluations = 8;
    constexpr double least_share = 0.125;
    search_limits const& whole = subject_.options.limits;
    search_limits const rest = left();
    return wants_tuning(rest) &&
           rest.evaluations >= std::min(least_evaluations, whole.evaluations) &&
           rest.seconds >= least_share * whole.seconds;
}

/// @pre  looking_ is held
ATTUNE_INLINE void tuned_sizes::look_now(double now_s)
{
    constexpr double most_share = 0.01;
    constexpr double worth = 0.02; // least gain, as a share of the time of calls
    constexpr double least_called_s = 0.1;
    std::vector<shape_register::shape_time> const times = shapes_.times();
    std::vector<sized_calls> calls;
    for (shape_register::shape_time const& one : times)
        calls.push_back({sizes_of(one.shape->key), one.seconds});
    std::vector<std::vector<double>> tuned = refused_;
    for (entry const& one : all_)
        tuned.push_back(one.result.sizes);
    demand_.emplace(calls, std::move(tuned));
    double const called_s = demand_->seconds();
    is_wanted_ = called_s >= std::max(least_called_s, spent_s_) &&
                 demand_->best_gain_s() >= worth * called_s;
    if (is_wanted_) shapes_.rest(*times[demand_->best().value()].shape);
    double const took_s = steady_seconds() - now_s;
    next_look_s_ = now_s + std::max(between_looks_s, took_s / most_share);
}

ATTUNE_INLINE void tuned_sizes::look() noexcept
{
    if (!tunes_ || !has_first_.load(std::memory_order_acquire)) return;
    own_float_environment const numbers;
    double const now_s = steady_seconds();
    if (now_s < next_look_s_ || is_in_signal_handler()) return;
    next_look_s_ = now_s + between_looks_s;
    try {
        std::unique_lock<fork_safe_mutex> const here(looking_, std::try_to_lock);
        if (here.owns_lock() && may_tune()) look_now(now_s);
    } catch (...) { // no memory: a later call looks again
    }
}

ATTUNE_INLINE bool tuned_sizes::is_due(std::span<std::int64_t const> key)
{
    constexpr double about_the_best = 0.7;
    look();
    if (!is_wanted_ || !wants_tuning(choice_.total_left())) return false;
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    return may_tune() && demand_ && is_wanted_ &&
           demand_->gain(sizes_of(key)) >= about_the_best * demand_->best_gain_s();
}

ATTUNE_INLINE std::shared_ptr<served_inputs> tuned_sizes::open(std::span<std::int64_t const> key)
{
    std::scoped_lock<fork_safe_mutex> const here(looking_);
    open_sizes_ = sizes_of(key);
    open_ = std::make_shared<served_inputs>(std::vector<number>());
    open_->is_further_size = open_->is_near_known = true;
    open_->problem.sizes = names_of(open_sizes_);
    // The tuning measures the winner that serves these sizes so far: no slower one can win.
    std::vector<sized_result> results;
    for (entry const& one : all_)
        results.push_back(one.result);
    open_->problem.rival = results[size_tree(results).at(open_sizes_)].best;
    is_wanted_ = false;
    return open_;
}

} // namespace attune::inline ATTUNE_ABI::detail
