// attune/tune/over/trial_worker.ipp - the path of a session, for one configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/over/trial_worker.hpp>

#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline tuning_problem with_errors(tuning_problem problem)
{
    if (problem.kernel.error)
        problem.error_seen = std::make_shared<shared_with_child<errors_seen>>();
    return problem;
}

struct trial_worker::parts {
    parts(tuning_problem const& problem, tuning_options const& options)
        : of(with_errors(problem))
        , runner(of, options)
    {
    }

    [[nodiscard]] compile_result compile(point const& at, std::vector<double>* features)
    {
        return compile_for_trial(of.kernel, of.space.describe(), of.compiler, of.device, at,
                                 features);
    }

    work_in_progress at_work{};
    environment_snapshot environment{};
    tuning_problem of;
    trial_runner runner;
    measurement default_time{};
};

ATTUNE_INLINE trial_worker::trial_worker(tuning_problem const& problem,
                                         tuning_options const& options)
{
    watch_program_end();
    parts_ = std::make_unique<parts>(problem, options);
    trial const first =
        parts_->runner.establish_reference(parts_->compile(problem.default_at, nullptr));
    parts_->default_time = std::get<measurement>(first.result);
}
ATTUNE_INLINE trial_worker::~trial_worker() = default;

ATTUNE_INLINE measurement const& trial_worker::default_time() const noexcept
{
    return parts_->default_time;
}

ATTUNE_INLINE tried_variant trial_worker::evaluate(point const& at, double stop_above_s)
{
    tried_variant out{.at = at};
    compile_result code = parts_->compile(at, &out.features);
    out.made.is_cut = true;
    until_cut([&] { out.made = parts_->runner.run(std::move(code), stop_above_s); });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
