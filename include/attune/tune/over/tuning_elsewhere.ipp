// attune/tune/over/tuning_elsewhere.ipp - tries configurations for another process, and installs its result.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/over/tuning_elsewhere.hpp>

#include <exception>
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

ATTUNE_INLINE tuning_elsewhere::tuning_elsewhere(dispatch_parts& parts, keyed_call call)
    : parts_(parts)
    , turn_(parts, true)
    , call_(std::move(call))
{
    dispatched_kernel const& subject = parts_.subject;
    if (!turn_.is_on())
        throw error("kernel '" + subject.kernel.name + "' is being tuned",
                    "tune_over(communicator, tuned, arguments...)",
                    "call it when the tuning is over");
    if (!subject.is_taken(call_.frame))
        throw error("no variant of kernel '" + subject.kernel.name + "' takes the call",
                    "kernel.precondition(f) returned false",
                    "call it as usual: the function in the program serves");
    parts_.complete(call_);
    of_ = parts_.served_for(call_.inputs);
    parts_.prepare(*of_);
    device_ = subject.target();
    problem_.emplace(tuning_problem{subject.kernel, *of_->problem.space, *of_->problem.default_at,
                                    subject.compiler, call_.frame, device_.get()});
}
ATTUNE_INLINE tuning_elsewhere::~tuning_elsewhere() = default;

ATTUNE_INLINE record_key tuning_elsewhere::key() const
{
    return parts_.choice.key_of(of_->problem);
}
ATTUNE_INLINE description const& tuning_elsewhere::space() const
{
    return of_->problem.space->describe();
}

ATTUNE_INLINE trial_worker& tuning_elsewhere::worker()
{
    if (worker_ == nullptr)
        worker_ = std::make_unique<trial_worker>(*problem_, parts_.subject.options);
    return *worker_;
}

ATTUNE_INLINE std::string tuning_elsewhere::why_no_part()
{
    if (is_empty()) return "all arrays of its call are empty";
    if (worker().default_time().value < shortest_tuned_call_s)
        return "a call of the default takes less than a microsecond there";
    return {};
}

ATTUNE_INLINE bool tuning_elsewhere::has_configuration(point const& at) const
{
    return of_->problem.space->contains(at);
}

/// Compiles the configuration, and checks it with the data of this process.
ATTUNE_INLINE compile_result tuning_elsewhere::code_for(point const& at)
{
    if (std::string why = why_no_part(); !why.empty())
        return failure{failure_stage::verify, std::move(why)};
    trial made = worker().evaluate(at, 0).made; // a first run is enough
    if (made.is_cut) return failure{failure_stage::timeout, "cut short by Ctrl-C"};
    if (auto* const why = std::get_if<failure>(&made.result)) return std::move(*why);
    return std::move(made.code);
}

ATTUNE_INLINE tuning_report tuning_elsewhere::install(found_elsewhere found)
{
    dispatched_kernel const& subject = parts_.subject;
    std::string why;
    if (found.at) {
        try {
            compile_result code = has_configuration(*found.at)
                                      ? code_for(*found.at)
                                      : failure{failure_stage::verify, "it is of another space"};
            if (auto* const made = std::get_if<callable>(&code)) {
                for (point const& at : {*found.at, *of_->problem.default_at})
                    subject.keep(space(), at);
                static_cast<void>(
                    parts_.install(*of_, call_,
                                   parts_.choice.tuned_elsewhere(of_->problem, *found.at,
                                                                 std::move(*made), found.report)));
                return std::move(found.report);
            }
            failure const& failed = std::get<failure>(code);
            why = std::string(describe(failed.stage)) + ": " + failed.reason;
        } catch (std::exception const& e) {
            why = e.what();
        }
        found.report.notices.push_back("the default serves here: the found configuration " + why);
        parts_.report.tell(found.report.notices.back());
    } else { // the other process has the reason
        of_->outcome = found.report;
        parts_.report.set(found.report);
    }
    static_cast<void>(parts_.settle(*of_, parts_.shapes.meet(call_.shape).shape));
    return std::move(found.report);
}

} // namespace attune::inline ATTUNE_ABI::detail
