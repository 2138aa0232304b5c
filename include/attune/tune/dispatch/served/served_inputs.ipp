// attune/tune/dispatch/served/served_inputs.ipp - finds inputs by a hash, and drops the inputs that were unused for longest.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <mutex>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Seconds since 1970.
[[nodiscard]] inline double wall_seconds() noexcept
{
    using namespace std::chrono;
    return duration<double>(system_clock::now().time_since_epoch()).count();
}

/// The first moment at which this process, or the one that it was forked from, asked for it. The
/// calls of all objects of a process then add up.
[[nodiscard]] inline double begin_of_process_s() noexcept
{
    static double const begin = wall_seconds();
    return begin;
}

ATTUNE_INLINE kept_calls::kept_calls(dispatched_kernel const& subject, any_store const& store)
    : subject_(subject)
    , store_(store)
    , is_on_(store.count && subject.forced.empty() &&
             subject.options.on_miss != miss_policy::lookup_only)
    , process_(::getpid())
    , from_s_(begin_of_process_s())
{
}

ATTUNE_INLINE std::uint32_t kept_calls::number_of(stored_problem const& problem)
{
    constexpr std::size_t most_problems = 1'024;
    std::string id = id_of(problem);
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    auto const known = numbers_.find(id);
    if (known != numbers_.end()) return known->second;
    if (problems_.size() >= most_problems) return 0;
    problems_.push_back(problem);
    auto const number = static_cast<std::uint32_t>(problems_.size());
    numbers_.emplace(std::move(id), number);
    return number;
}

ATTUNE_INLINE void kept_calls::write(shape_register& shapes) noexcept
try {
    constexpr std::size_t most_lines = 16;
    if (!is_on_ || process_ != ::getpid() || is_in_signal_handler() || lock_.is_mine()) return;
    std::vector<stored_problem> problems;
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        problems = problems_;
    }
    std::vector<counted_problem> counted;
    if (problems.size() == 1 && subject_.kernel.inputs.empty())
        counted.push_back({1, shapes.coverage(subject_.layout)});
    else if (!problems.empty())
        counted = shapes.coverages(subject_.layout, most_lines);
    std::vector<problem_calls> all;
    double const to_s = std::max(from_s_, wall_seconds());
    for (counted_problem& one : counted)
        if (one.problem != 0 && one.coverage.calls > 0)
            all.push_back(
                {std::move(problems[one.problem - 1]), {std::move(one.coverage), from_s_, to_s}});
    if (!all.empty()) store_.count(all);
} catch (...) { // no memory: nothing is kept
}

/// Equal numbers have equal hashes: 0 and -0, and all NaNs.
ATTUNE_INLINE std::size_t
inputs_register::hash::operator()(std::vector<number> const& inputs) const noexcept
{
    std::uint64_t out = inputs.size();
    auto const add = [&out](std::uint64_t word) {
        out = (out ^ word) * 0x9e3779b97f4a7c15u;
        out ^= out >> 32;
    };
    for (number const& n : inputs) {
        add(static_cast<std::uint64_t>(n.integer) + (n.is_real ? 1u : 0u));
        add(n.real != n.real ? 1u : std::bit_cast<std::uint64_t>(n.real + 0.0));
    }
    return static_cast<std::size_t>(out);
}

/// Returns true if only a tuning, or a part of one, could make this state again.
[[nodiscard]] inline bool is_worth_keeping(served_inputs const& of)
{
    return of.winner.load() != nullptr || of.is_partly_tuned || of.tuned_apart_in == ::getpid();
}

ATTUNE_INLINE std::shared_ptr<served_inputs>
inputs_register::found(std::vector<number> const& inputs)
{
    auto const at = place_.find(inputs);
    if (at == place_.end()) return nullptr;
    if (!at->second->is_kept) line_.splice(line_.begin(), line_, at->second);
    return at->second->of;
}

/// Drops the last inputs of the line if no thread uses them. Looks at the last two, while a call
/// adds one: the line then stays short, and no call scans it.
/// @pre  lock_ is held  @return  inputs to destroy after the lock; may be null
ATTUNE_INLINE std::shared_ptr<served_inputs> inputs_register::drop_one()
{
    for (int looked_at = 0; looked_at < 2 && line_.size() > most_; ++looked_at) {
        auto const last = std::prev(line_.end());
        // Check the use count first: a thread may set a winner before it releases the inputs.
        bool const is_used = last->of.use_count() > 1;
        std::atomic_thread_fence(std::memory_order_acquire);
        last->is_kept = is_worth_keeping(*last->of);
        if (last->is_kept) {
            kept_.splice(kept_.end(), line_, last);
        } else if (is_used) {
            line_.splice(line_.begin(), line_, last);
        } else {
            std::shared_ptr<served_inputs> out = std::move(last->of);
            place_.erase(out->problem.inputs);
            line_.erase(last);
            return out;
        }
    }
    return nullptr;
}

ATTUNE_INLINE std::shared_ptr<served_inputs> inputs_register::at(std::vector<number> const& inputs)
{
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (std::shared_ptr<served_inputs> known = found(inputs)) return known;
    }
    auto made = std::make_shared<served_inputs>(inputs); // has a mutex: not under a brief lock
    std::shared_ptr<served_inputs> dropped;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (std::shared_ptr<served_inputs> known = found(inputs)) return known;
    line_.push_front({made});
    place_.emplace(inputs, line_.begin());
    dropped = drop_one();
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail
