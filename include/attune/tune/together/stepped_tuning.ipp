// attune/tune/together/stepped_tuning.ipp - begins, goes on, and installs what won.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/together/stepped_tuning.hpp>

#include <exception>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE stepped_tuning::stepped_tuning(dispatch_parts& parts, keyed_call call,
                                             search_limits const& whole, std::size_t sharers,
                                             std::function<double(double)> weight)
    : parts_(parts)
    , call_(std::move(call))
    , weight_(std::move(weight))
    , slice_{.evaluations = whole.evaluations, .seconds = whole.seconds, .sharers = sharers}
    , of_(parts.served_for(call_.inputs))
{
}

ATTUNE_INLINE stepped_tuning::~stepped_tuning() = default;

ATTUNE_INLINE turn_task stepped_tuning::so_far() const
{
    return {.weight = weight_(now_.best.empty() ? 0 : now_.best.front()),
            .best = now_.best,
            .least_s = now_.least_s,
            .expected_gain = now_.expected_gain,
            .spent_s = now_.elapsed_s,
            .is_over = is_over_};
}

ATTUNE_INLINE std::uint64_t stepped_tuning::made() const
{
    return now_.best.size() > known_ ? now_.best.size() - known_ : 0;
}

/// As a call of the kernel: it does not end for a tuning that fails.
template <class Work>
void stepped_tuning::guarded(Work const& work)
{
    std::string why;
    bool is_default = false;
    try {
        work_in_progress const at_work;
        return work();
    } catch (default_fails const& e) {
        is_default = fallback_of(parts_.subject.kernel) == nullptr || parts_.subject.find_device;
        why = e.what();
    } catch (std::exception const& e) {
        why = e.what();
    }
    is_over_ = true;
    choice_.reset();
    bool const serves = !is_default && parts_.degrade(*of_, nullptr, why) != nullptr;
    if (serves)
        report_ = of_->outcome;
    else
        parts_.report.set(report_.emplace(
            untuned_report(parts_.subject.kernel.name, decision::call_failed, why)));
}

/// No variant takes this call. Others with these inputs may be tuned.
ATTUNE_INLINE void stepped_tuning::serve_plain()
{
    is_over_ = true;
    tuning_report& said = report_.emplace();
    try {
        parts_.serve_plain(parts_.shapes.meet(call_.shape).shape, &said);
    } catch (error const& e) {
        said = untuned_report(parts_.subject.kernel.name, decision::call_failed, e.what());
    }
}

ATTUNE_INLINE void stepped_tuning::look()
{
    if (stepped_session* const session = choice_ ? choice_->session() : nullptr)
        now_ = session->state();
}

ATTUNE_INLINE void stepped_tuning::begin(search_limits const& left)
{
    has_begun_ = true;
    dispatched_kernel const& subject = parts_.subject;
    if (!subject.is_taken(call_.frame)) return serve_plain();
    parts_.complete(call_);
    bool const is_known = of_->winner != nullptr && !of_->is_partly_tuned;
    is_over_ = is_known || call_.frame.has_only_empty_arrays();
    if (is_over_) return;
    if (of_->winner == nullptr) {
        of_->is_given_up = false;
        parts_.look_again(*of_);
    }
    parts_.prepare(*of_);
    slice_.left = left;
    choice_.emplace(parts_.choice, of_->problem, call_.frame, call_.shape, false,
                    when_unknown::tune, &slice_);
    is_elsewhere_ = choice_->is_elsewhere();
    if (is_elsewhere_) {
        is_over_ = true;
        choice_.reset();
        return;
    }
    look();
    known_ = choice_->known_before();
    is_over_ = choice_->session() == nullptr;
    if (is_over_) finish(0);
}

/// What the caller has launched since the last step uses the arrays, and the device.
ATTUNE_INLINE void stepped_tuning::wait_for_caller() const
{
    if (auto const device = parts_.subject.target()) device->wait_for_caller(nullptr);
}

ATTUNE_INLINE void stepped_tuning::step(search_limits const& left)
{
    guarded([&] {
        if (!has_begun_) return begin(left);
        wait_for_caller();
        stepped_session& session = *choice_->session();
        session.allow(left.evaluations, left.seconds);
        is_over_ = !session.step();
        look();
    });
}

ATTUNE_INLINE void stepped_tuning::rest()
{
    if (stepped_session* const session = choice_ ? choice_->session() : nullptr) session->rest();
}

ATTUNE_INLINE void stepped_tuning::finish(double left_s)
{
    if (!choice_) return;
    guarded([&] {
        wait_for_caller();
        if (stepped_session* const session = choice_->session()) session->allow(0, left_s);
        known_variant found = choice_->finish();
        choice_.reset();
        install(std::move(found));
    });
}

ATTUNE_INLINE void stepped_tuning::take_of_other()
{
    if (!is_elsewhere_) return;
    guarded([&] {
        choice_.emplace(parts_.choice, of_->problem, call_.frame, call_.shape, false,
                        when_unknown::take_what_is_there, nullptr);
        known_variant found = choice_->finish();
        choice_.reset();
        if (!found.is_missing) return install(std::move(found));
        report_ = untuned_report(parts_.subject.kernel.name, decision::served_default,
                                 "another one tunes the same, and has no result yet");
    });
}

ATTUNE_INLINE void stepped_tuning::leave(std::string const& why)
{
    has_left_ = true;
    if (report_ && is_over_ && !choice_ && !is_elsewhere_) return;
    choice_.reset();
    is_over_ = true;
    is_elsewhere_ = false;
    report_ = untuned_report(parts_.subject.kernel.name, decision::served_default, why);
}

ATTUNE_INLINE void stepped_tuning::install(known_variant found)
{
    is_over_ = true;
    if (parts_.install(*of_, call_, std::move(found))) report_ = of_->outcome;
}

} // namespace attune::inline ATTUNE_ABI::detail
