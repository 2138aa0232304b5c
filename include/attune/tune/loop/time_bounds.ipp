// attune/tune/loop/time_bounds.ipp - the part that knows bounds, set before static objects are made.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/time_bounds.hpp>

#include <atomic>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constinit std::atomic<time_bounds const*> bounds_of_times = nullptr;

ATTUNE_INLINE time_bounds const* exchange_time_bounds(time_bounds const* bounds) noexcept
{
    return bounds_of_times.exchange(bounds);
}

ATTUNE_INLINE time_bounds const* time_bounds_of_program() noexcept
{
    return bounds_of_times.load();
}

ATTUNE_INLINE std::unique_ptr<kernel_roof>
roof_of(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say)
{
    if (auto const* const known = time_bounds_of_program())
        return known->roof(problem, options, std::move(say));
    return std::make_unique<kernel_roof>();
}

ATTUNE_INLINE std::unique_ptr<candidate_verdicts>
verdicts_of(tuning_problem const& problem,
            tuning_options const& options,
            time_bounds::sayer say,
            std::function<double(unsigned threads)> bytes_per_s)
{
    if (auto const* const known = time_bounds_of_program())
        return known->verdicts(problem, options, std::move(say), std::move(bytes_per_s));
    return std::make_unique<candidate_verdicts>();
}

ATTUNE_INLINE std::string missing_bounds(tuning_problem const& problem,
                                         tuning_options const& options)
{
    if (time_bounds_of_program() != nullptr) return {};
    bool const is_asked =
        problem.kernel.work != nullptr && problem.device == nullptr && !problem.predict;
    if (!is_asked) return {};
    return "the work of kernel '" + problem.kernel.name + "' is compared with no roofline" +
           (options.search.prune ? ", and nothing is pruned" : "") +
           ": include <attune/tune/roofline.hpp> and link attune::roofline";
}

} // namespace attune::inline ATTUNE_ABI::detail
