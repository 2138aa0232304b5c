// attune/tune/watched_runs.ipp - guarding and looking, behind watched_runs.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/watched_runs.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace attune {

watched_runs::watched_runs(tuning_problem const& problem,
                           proving_ground const& ground,
                           snapshot const& original,
                           double limit_s)
    : problem_(problem)
    , ground_(ground)
    , original_(original)
    , call_latest_([this] { problem_.frame.call(latest_, addresses_); })
{
    for (buffer const& b : problem.frame.buffers)
        addresses_.push_back(b.data);
    if (ground.protection().how != isolation::none) guard_.emplace(limit_s);
}

watched_runs::~watched_runs()
{
    guard_.reset();
    before_.restore();
    original_.restore();
}

void watched_runs::look_at_result() const
{
    if (std::string const said = ground_.objection(); !said.empty())
        throw stopped{{failure_stage::verify,
                       "right at first, then wrong: " + said.substr(0, said.find('\n'))}};
}

void watched_runs::prepare()
{
    if (since_prepared_ == 1 && std::has_single_bit(count_latest())) look_at_result();
    since_prepared_ = 0;
    original_.restore();
}

/// How often results of the latest variant could have been looked at. Not in run(): that is timed.
std::uint64_t watched_runs::count_latest()
{
    auto const is_it = [&](auto const& one) { return one.first == latest_; };
    auto found = std::find_if(runs_of_.begin(), runs_of_.end(), is_it);
    if (found == runs_of_.end()) found = runs_of_.insert(found, {latest_, 0});
    return ++found->second;
}

void watched_runs::run(callable const& code)
{
    latest_ = code.address;
    ++since_prepared_;
    if (guard_)
        guard_->call(call_latest_);
    else
        call_latest_();
}

void watched_runs::finish()
{
    if (since_prepared_ == 1) look_at_result();
    since_prepared_ = 0;
    guard_.reset(); // its handlers are not the variant's
    std::string const changed = first_change(before_.changes(), ground_.tolerated());
    if (!changed.empty()) throw stopped{{failure_stage::verify, changed}};
}

} // namespace attune
