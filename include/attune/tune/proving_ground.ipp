// attune/tune/proving_ground.ipp - first runs and their verdicts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clocks.hpp>
#include <attune/measure/compare.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/perturb.hpp>
#include <attune/measure/process_state.hpp>
#include <attune/measure/signal_guard.hpp>
#include <attune/tune/proving_ground.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Above this, first runs work on the caller's own pages (copied on write) without guard pages.
inline constexpr std::size_t most_guarded_bytes = std::size_t{1} << 30;

/// A run in a forked child, seen from inside: what it leaves behind there.
class leftovers {
public:
    void begin()
    {
        state_.emplace();
        data_bytes_ = read_memory_use().data;
    }
    /// @param again  repeats the run; called only when there is a suspicion
    [[nodiscard]] std::string objection(std::span<std::string const> tolerated,
                                        std::function<void()> const& again) const
    {
        if (!state_) return {};
        std::vector<std::string> const changes = state_->changes();
        if (std::string found = first_change(changes, tolerated); !found.empty()) return found;
        std::size_t const after = read_memory_use().data;
        if (after < data_bytes_ + least_leak_bytes) return {};
        again();
        std::size_t const later = read_memory_use().data;
        if (later < after + least_leak_bytes) return {};
        return "leaked " + std::to_string((later - after) >> 20) + " MiB";
    }

private:
    std::optional<process_state> state_{};
    std::size_t data_bytes_ = 0;
};

} // namespace detail

proving_ground::proving_ground(tuning_problem const& problem,
                               isolation wanted,
                               snapshot const& original)
    : problem_(problem)
    , original_(original)
    , wanted_(wanted)
    , buffers_(problem.frame.buffers)
{
    for (buffer const& b : problem.frame.buffers)
        own_.push_back(b.data);
    addresses_ = own_;
    if (can_guard(problem.frame.buffers, detail::most_guarded_bytes)) {
        guarded_.emplace(problem.frame.buffers);
        buffers_ = guarded_->buffers();
        addresses_ = guarded_->addresses();
    }
    protection_ = choose_isolation(wanted, observe_process());
}

void proving_ground::fill(bool with_perturbed)
{
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (buffers_[i].writable && buffers_[i].bytes > 0)
            std::memcpy(buffers_[i].data, original_.saved(i).data(), buffers_[i].bytes);
    if (with_perturbed) perturb(buffers_);
    if (guarded_) guarded_->mend();
    holds_perturbed_ = with_perturbed;
}

void proving_ground::call(callable const& code) const
{
    problem_.frame.call(code.address, addresses_);
}

void proving_ground::call_trusted(callable const& code) const
{
    if (problem_.kernel.reference)
        problem_.frame.with_arguments(addresses_, problem_.kernel.reference);
    else
        call(code);
}

/// The same in this process, and what it threw; empty: nothing.
std::string proving_ground::thrown_by_trusted(callable const& code) const
{
    try {
        call_trusted(code);
        return {};
    } catch (...) {
        return (problem_.kernel.reference ? "the kernel's reference threw: "
                                          : "the default threw in this process: ") +
               text_of_exception();
    }
}

std::string proving_ground::refusal(std::span<std::byte* const> data) const
{
    std::string said;
    if (problem_.kernel.check)
        problem_.frame.with_arguments(data,
                                      [&](void const* a) { said = problem_.kernel.check(a); });
    return said;
}

std::string proving_ground::objection() const
{
    if (problem_.kernel.check) return refusal(own_);
    return expected_ ? detail::objection_to(problem_.frame.buffers, *expected_) : "";
}

probation_result proving_ground::run_in_fork(std::function<void()> const& run,
                                             double limit_s,
                                             snapshot const* expected)
{
    // The child has copies of all that these refer to.
    detail::leftovers left;
    probation_options how;
    how.limit_s = limit_s;
    how.without = without_;
    how.missed = [this] { without_.clear(); };
    how.also_check = [&] {
        if (std::string said = refusal(addresses_); !said.empty()) return said;
        if (guarded_)
            if (std::string said = guarded_->damage(); !said.empty()) return said;
        return expected == nullptr ? std::string() : left.objection(tolerated_, [&] {
            fill(holds_perturbed_);
            run();
        });
    };
    if (guarded_) how.explain_address = [this](std::uintptr_t a) { return guarded_->explain(a); };
    return probation(
        [&] {
            left.begin();
            run();
        },
        buffers_,
        problem_.kernel.check ? nullptr : expected,
        how);
}

probation_result proving_ground::run_in_process(std::function<void()> const& run,
                                                double limit_s,
                                                snapshot const* expected) const
{
    process_state const before{false};
    system_clocks const clocks;
    double const begin_s = clocks.wall_s();
    std::optional<failure> failed;
    try {
        if (protection_.how == isolation::none) {
            call_unguarded(run);
        } else {
            signal_guard guard{limit_s};
            guard.call(run);
        }
    } catch (stopped const& s) {
        failed = s.why;
    }
    double const elapsed_s = clocks.wall_s() - begin_s;
    std::string const changed = first_change(before.changes(), tolerated_);
    before.restore();
    if (failed) return *failed;
    std::string said;
    if (expected != nullptr) said = changed;
    if (said.empty() && expected != nullptr && !problem_.kernel.check)
        said = detail::objection_to(buffers_, *expected);
    if (said.empty()) said = refusal(addresses_);
    if (said.empty() && guarded_) said = guarded_->damage();
    if (!said.empty()) return failure{failure_stage::verify, said};
    return elapsed_s;
}

probation_result
proving_ground::run_once(std::function<void()> const& run, double limit_s, snapshot const* expected)
{
    if (protection_.how == isolation::fork && wanted_ == isolation::automatic && has_gomp_team())
        protection_ = choose_isolation(wanted_, {0, true});
    if (protection_.how == isolation::fork) {
        try {
            return run_in_fork(run, limit_s, expected);
        } catch (error const&) {
            if (wanted_ != isolation::automatic) throw;
            protection_ = {isolation::guard, "guard: no child process could be started"};
        }
    }
    probation_result const end = run_in_process(run, limit_s, expected);
    fill(holds_perturbed_);
    return end;
}

probation_result
proving_ground::establish(callable const& code, double limit_s, double second_run_up_to_s)
{
    auto const variant_run = [&] { call(code); };
    fill(false);
    leave_memory_out();
    probation_result end = run_once(variant_run, limit_s, nullptr);
    if (std::holds_alternative<failure>(end)) return end;

    {
        process_state const before{false};
        std::string const thrown = thrown_by_trusted(code);
        expected_.emplace(buffers_);
        tolerated_ = before.changes();
        before.restore();
        if (!thrown.empty()) return failure{failure_stage::verify, thrown};
    }
    leave_memory_out();
    fill(false);
    // Compared with itself only where that says something.
    if (problem_.kernel.reference) {
        end = run_once(variant_run, limit_s, &*expected_);
        if (std::holds_alternative<failure>(end)) return end;
    }
    double const took_s = std::get<double>(end);
    if (guarded_ && took_s <= second_run_up_to_s) {
        double const second_limit_s = std::max(0.25, 10 * took_s);
        if (!learn_from_perturbed(code, std::min(limit_s, second_limit_s)))
            begin_with_ = contents::original;
    }
    if (begin_with_ != contents::both && begin_with_ != contents::perturbed)
        expected_of_perturbed_.reset();
    fill(begin_with_ == contents::perturbed);
    leave_memory_out();
    return end;
}

/// A trial needs the copies and what they are compared with, but not the caller's arrays, nor what
/// else the program holds. A fork copies the tables of all other memory while no thread of the
/// program can map or fault anything in, and each of them then copies every page it writes.
void proving_ground::leave_memory_out()
{
    if (protection_.how != isolation::fork) return;
    std::vector<address_range> kept;
    auto const keep = [&](std::span<std::byte const> bytes) {
        auto const first = reinterpret_cast<std::uintptr_t>(bytes.data());
        kept.push_back({first, first + bytes.size()});
    };
    if (guarded_) kept = guarded_->ranges();
    for (buffer const& b : buffers_)
        keep({b.data, b.bytes});
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        keep(original_.saved(i));
        if (expected_) keep(expected_->saved(i));
        if (expected_of_perturbed_) keep(expected_of_perturbed_->saved(i));
    }
    without_ = memory_to_leave_out(kept);
}

/// False when the default does not work on perturbed contents.
bool proving_ground::learn_from_perturbed(callable const& code, double limit_s)
{
    auto const trusted_run = [&] { call_trusted(code); };
    snapshot const original_contents{buffers_};
    fill(true);
    snapshot const perturbed{buffers_};
    if (std::holds_alternative<failure>(run_once(trusted_run, limit_s, nullptr))) return false;
    process_state const before{false};
    std::string const thrown = thrown_by_trusted(code);
    before.restore();
    if (!thrown.empty()) return false;
    expected_of_perturbed_.emplace(buffers_);
    run_contents const first{original_contents, *expected_};
    run_contents const second{perturbed, *expected_of_perturbed_};
    if (overwrites_all(buffers_, first, second))
        begin_with_ = contents::perturbed;
    else if (hides_idleness(buffers_, first, second))
        begin_with_ = contents::both;
    return true;
}

probation_result proving_ground::first_run(callable const& code, double limit_s)
{
    auto const run = [&] { call(code); };
    if (begin_with_ == contents::perturbed) return run_once(run, limit_s, &*expected_of_perturbed_);
    probation_result const end = run_once(run, limit_s, &*expected_);
    if (begin_with_ == contents::original || std::holds_alternative<failure>(end)) return end;
    fill(true);
    probation_result const second = run_once(run, limit_s, &*expected_of_perturbed_);
    fill(false);
    return std::holds_alternative<failure>(second) ? second : end;
}

} // namespace attune::inline ATTUNE_ABI
