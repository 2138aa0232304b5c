// attune/tune/loop/time_bounds.ipp - bounds of the optional part, or none.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/time_bounds.hpp>

#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE work work_at(tuning_problem const& problem, point const& at)
{
    work out;
    problem.frame.with_arguments(problem.frame.addresses(), [&](void const* arguments) {
        out = problem.kernel.work(problem.space.describe(), at, arguments, nullptr);
    });
    bool const counts = std::isfinite(out.flops) && std::isfinite(out.bytes) && out.flops >= 0 &&
                        out.bytes >= 0 && out.flops + out.bytes > 0;
    if (!counts)
        throw error("the work that the kernel states is negative, zero or not finite",
                    "kernel '" + problem.kernel.name + "', " + formatted("%.6g", out.flops) +
                        " flops and " + formatted("%.6g", out.bytes) + " bytes",
                    "correct kernel.work(...)");
    return out;
}

/// Returns null if the program has no bounds of times, or if the objective is no time.
[[nodiscard]] inline time_bounds const* bounds_for(tuning_problem const& problem)
{
    return problem.kernel.objective ? nullptr : offer_of_program<time_bounds>();
}

ATTUNE_INLINE std::unique_ptr<kernel_roof>
roof_of(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say)
{
    if (problem.kernel.work != nullptr && problem.device == nullptr)
        static_cast<void>(work_at(problem, problem.default_at));
    if (auto const* const known = bounds_for(problem))
        return known->roof(problem, options, std::move(say));
    return std::make_unique<kernel_roof>();
}

ATTUNE_INLINE std::unique_ptr<candidate_verdicts>
verdicts_of(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say,
            std::function<double(unsigned threads)> bytes_per_s)
{
    if (auto const* const known = bounds_for(problem))
        return known->verdicts(problem, options, std::move(say), std::move(bytes_per_s));
    return std::make_unique<candidate_verdicts>();
}

ATTUNE_INLINE std::string missing_bounds(tuning_problem const& problem,
                                         tuning_options const& options)
{
    if (problem.kernel.objective)
        return options.search.prune || options.limits.roofline_share > 0
                   ? "search.prune and limits.roofline_share do nothing: kernel '" +
                         problem.kernel.name + "' has an objective that is no time"
                   : "";
    if (offer_of_program<time_bounds>() != nullptr) return {};
    bool const is_asked =
        problem.kernel.work != nullptr && problem.device == nullptr && !problem.predict;
    if (!is_asked) return {};
    return "the work of kernel '" + problem.kernel.name + "' is compared with no roofline" +
           (options.search.prune ? ", and nothing is pruned" : "") +
           ": include <attune/tune/roofline.hpp> and link attune::roofline";
}

} // namespace attune::inline ATTUNE_ABI::detail
