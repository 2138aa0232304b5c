// attune/tune/dispatch/served/kept_calls.ipp - names problems, and writes their calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/kept_calls.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <unistd.h>
#include <utility>

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

} // namespace attune::inline ATTUNE_ABI::detail
