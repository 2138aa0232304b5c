// attune/tune/over/tuning_elsewhere.ipp - tries configurations for another process, and installs what that found.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/over/tuning_elsewhere.hpp>

#include <exception>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

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

/// Compiled, and right for the data of this process.
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
        found.report.notices.push_back("the default serves here: what was found " + why);
        parts_.report.tell(found.report.notices.back());
    } else { // the other process has said why
        of_->outcome = found.report;
        parts_.report.set(found.report);
    }
    static_cast<void>(parts_.settle(*of_, parts_.shapes.meet(call_.shape).shape));
    return std::move(found.report);
}

} // namespace attune::inline ATTUNE_ABI::detail
