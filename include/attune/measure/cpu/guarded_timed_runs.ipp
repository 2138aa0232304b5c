// attune/measure/cpu/guarded_timed_runs.ipp - guarded calls and checks between them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/guarded_timed_runs.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE guarded_timed_runs::guarded_timed_runs(trial_call const& call,
                                                     cpu_first_runs const& first_runs,
                                                     snapshot const& original, double limit_s,
                                                     timing_turns::turn* turn)
    : call_(call)
    , first_runs_(first_runs)
    , original_(original)
    , limit_s_(limit_s)
    , turn_(turn)
    , call_latest_([this] { call_.call(latest_, addresses_); })
    , call_idle_([this] { call_.call(idle_entry_, addresses_); })
{
    for (buffer const& b : call.buffers)
        addresses_.push_back(b.data);
    if (first_runs.protection().how != isolation::none) guard_.emplace(limit_s);
}

ATTUNE_INLINE guarded_timed_runs::~guarded_timed_runs()
{
    guard_.reset();
    before_.restore();
    original_.restore();
}

ATTUNE_INLINE void guarded_timed_runs::look_at_result() const
{
    std::string said;
    auto const look = [&] { said = first_runs_.objection(); };
    if (turn_ != nullptr && call_.refusal) // the user's check may take its time
        turn_->apart(look);
    else
        look();
    if (!said.empty())
        throw stopped{{failure_stage::verify,
                       "right at first, then wrong: " + said.substr(0, said.find('\n'))}};
}

ATTUNE_INLINE void guarded_timed_runs::prepare()
{
    cut_here();
    bool const is_visible = since_prepared_ == 1;
    if (since_prepared_ > 0 && std::has_single_bit(count_latest()) && is_visible) look_at_result();
    since_prepared_ = 0;
    if (turn_ != nullptr) turn_->prepare();
    original_.restore();
}

/// Counts the runs since the last prepare(). Not done in run(), which is timed.
/// @return  number of visible runs of the last variant
ATTUNE_INLINE std::uint64_t guarded_timed_runs::count_latest()
{
    auto const is_it = [&](run_counts const& one) { return one.entry == latest_; };
    auto found = std::find_if(runs_of_.begin(), runs_of_.end(), is_it);
    if (found == runs_of_.end()) found = runs_of_.insert(found, run_counts{latest_});
    found->all += since_prepared_;
    if (since_prepared_ == 1) ++found->visible;
    return found->visible;
}

ATTUNE_INLINE void guarded_timed_runs::run(callable const& code)
{
    latest_ = code.address;
    ++since_prepared_;
    if (guard_)
        guard_->call(call_latest_);
    else
        call_unguarded(call_latest_);
}

ATTUNE_INLINE std::function<void()> guarded_timed_runs::idle()
{
    if (call_.idle == nullptr) return {};
    return [this] {
        idle_entry_ = call_.idle;
        ++idle_runs_;
        if (guard_)
            guard_->call(call_idle_);
        else
            call_unguarded(call_idle_);
    };
}

ATTUNE_INLINE void guarded_timed_runs::finish()
{
    if (since_prepared_ > 0) count_latest();
    if (since_prepared_ == 1) look_at_result();
    since_prepared_ = 0;
    guard_.reset(); // its handlers are not the variant's
    std::string changed = first_change(before_.changes(), first_runs_.tolerated());
    if (!changed.empty() && runs_of_.size() > 1) changed = change_made_alone();
    if (!changed.empty()) throw stopped{{failure_stage::verify, changed}};
}

/// Runs each variant alone: one run of each, then each up to two runs, four, ... up to as many as
/// before. So a variant that changes the process in its first run is found after one run of each.
/// @return  the change that the variant of latest() made; empty when no variant made one alone
ATTUNE_INLINE std::string guarded_timed_runs::change_made_alone()
{
    before_.restore();
    std::uint64_t most = 0;
    for (run_counts const& one : runs_of_)
        most = std::max(most, one.all);
    for (std::uint64_t done = 0, until = 1; done < most; done = until, until *= 2)
        for (run_counts const& one : runs_of_) {
            latest_ = one.entry;
            process_state const alone{false};
            if (first_runs_.protection().how != isolation::none) guard_.emplace(limit_s_);
            for (std::uint64_t i = done; i < std::min(until, one.all); ++i) {
                original_.restore();
                if (guard_)
                    guard_->call(call_latest_);
                else
                    call_unguarded(call_latest_);
            }
            guard_.reset();
            std::string changed = first_change(alone.changes(), first_runs_.tolerated());
            alone.restore();
            if (!changed.empty()) return changed;
        }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
