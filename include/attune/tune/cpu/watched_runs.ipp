// attune/tune/cpu/watched_runs.ipp - guarding and looking, behind watched_runs.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/cpu/watched_runs.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE watched_runs::watched_runs(tuning_problem const& problem,
                                         proving_ground const& ground,
                                         snapshot const& original,
                                         double limit_s)
    : problem_(problem)
    , ground_(ground)
    , original_(original)
    , limit_s_(limit_s)
    , call_latest_([this] { problem_.frame.call(latest_, addresses_); })
    , call_idle_([this] { problem_.frame.call(idle_entry_, addresses_); })
{
    for (buffer const& b : problem.frame.buffers)
        addresses_.push_back(b.data);
    if (ground.protection().how != isolation::none) guard_.emplace(limit_s);
}

ATTUNE_INLINE watched_runs::~watched_runs()
{
    guard_.reset();
    before_.restore();
    original_.restore();
}

ATTUNE_INLINE void watched_runs::look_at_result() const
{
    if (std::string const said = ground_.objection(); !said.empty())
        throw stopped{{failure_stage::verify,
                       "right at first, then wrong: " + said.substr(0, said.find('\n'))}};
}

ATTUNE_INLINE void watched_runs::prepare()
{
    detail::cut_here();
    bool const is_visible = since_prepared_ == 1;
    if (since_prepared_ > 0 && std::has_single_bit(count_latest()) && is_visible) look_at_result();
    since_prepared_ = 0;
    original_.restore();
}

/// Counts what ran since the last preparation. Not in run(): that is timed.
/// @return  visible runs of the latest variant
ATTUNE_INLINE std::uint64_t watched_runs::count_latest()
{
    auto const is_it = [&](run_counts const& one) { return one.entry == latest_; };
    auto found = std::find_if(runs_of_.begin(), runs_of_.end(), is_it);
    if (found == runs_of_.end()) found = runs_of_.insert(found, run_counts{latest_});
    found->all += since_prepared_;
    if (since_prepared_ == 1) ++found->visible;
    return found->visible;
}

ATTUNE_INLINE void watched_runs::run(callable const& code)
{
    latest_ = code.address;
    ++since_prepared_;
    if (guard_)
        guard_->call(call_latest_);
    else
        call_unguarded(call_latest_);
}

ATTUNE_INLINE std::function<void()> watched_runs::idle()
{
    if (problem_.frame.idle == nullptr) return {};
    return [this] {
        idle_entry_ = problem_.frame.idle;
        ++idle_runs_;
        if (guard_)
            guard_->call(call_idle_);
        else
            call_unguarded(call_idle_);
    };
}

ATTUNE_INLINE void watched_runs::finish()
{
    if (since_prepared_ > 0) count_latest();
    if (since_prepared_ == 1) look_at_result();
    since_prepared_ = 0;
    guard_.reset(); // its handlers are not the variant's
    std::string changed = first_change(before_.changes(), ground_.tolerated());
    if (!changed.empty() && runs_of_.size() > 1) changed = change_made_alone();
    if (!changed.empty()) throw stopped{{failure_stage::verify, changed}};
}

/// One run of each, then up to two, four ... of each: who does it at once is found soon. What it
/// was, and latest_ did it; empty when nobody does it.
ATTUNE_INLINE std::string watched_runs::change_made_alone()
{
    before_.restore();
    std::uint64_t most = 0;
    for (run_counts const& one : runs_of_)
        most = std::max(most, one.all);
    for (std::uint64_t done = 0, until = 1; done < most; done = until, until *= 2)
        for (run_counts const& one : runs_of_) {
            latest_ = one.entry;
            process_state const alone{false};
            if (ground_.protection().how != isolation::none) guard_.emplace(limit_s_);
            for (std::uint64_t i = done; i < std::min(until, one.all); ++i) {
                original_.restore();
                if (guard_)
                    guard_->call(call_latest_);
                else
                    call_unguarded(call_latest_);
            }
            guard_.reset();
            std::string changed = first_change(alone.changes(), ground_.tolerated());
            alone.restore();
            if (!changed.empty()) return changed;
        }
    return {};
}

} // namespace attune::inline ATTUNE_ABI
