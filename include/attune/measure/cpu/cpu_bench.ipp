// attune/measure/cpu/cpu_bench.ipp - first runs in a child, timing in the process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// A shorter warm-up run never counts: after a fork, cold caches and page tables take too large a
/// share of the first run.
inline constexpr double shortest_counted_warm_up_s = 1e-3;

ATTUNE_INLINE variant_timing::variant_timing(std::span<buffer const> buffers,
                                             bench_options const& options)
    : buffers_(buffers)
    , options_(options)
    , caches_(buffers)
{
}

ATTUNE_INLINE std::function<void()> variant_timing::ready(std::function<void()> const& prepare)
{
    if (options_.cache == cache_state::warm) return prepare;
    return [this, &prepare] {
        prepare();
        caches_.evict();
    };
}

ATTUNE_INLINE measurement variant_timing::time(std::function<void()> const& prepare,
                                               std::function<void()> const& call,
                                               double stop_above_s,
                                               std::function<double()> const& background_cpu_s,
                                               timing_record* record)
{
    adaptive_timer_options how;
    how.precision = options_.precision;
    how.stop_above = stop_above_s;
    how.max_samples = most_samples_of_a_variant;
    how.background_cpu_s = background_cpu_s;
    how.record = record;
    how.idle = idle_;
    if (counts_warm_ups_) how.warm_up_counts_from_s = shortest_counted_warm_up_s;
    how.max_s = std::min(how.max_s, options_.timing_limit_s);
    if (options_.cache == cache_state::warm)
        how.is_repeatable = [&] {
            prepare();
            return is_repeatable(buffers_, call);
        };
    return adaptive_timer{how}.time(ready(prepare), call);
}

ATTUNE_INLINE round_times variant_timing::compare(std::function<void()> const& prepare,
                                                  std::span<std::function<void()> const> calls,
                                                  double limit_s, std::size_t passengers)
{
    time_in_turns_options how = final_options(calls.size(), limit_s);
    how.idle = idle_;
    how.passengers = passengers;
    if (!options_.drops_slower) {
        how.clear_by = std::numeric_limits<double>::infinity();
        how.precision = 0;
    }
    if (options_.cache == cache_state::warm)
        how.is_repeatable = [&](std::size_t i) {
            prepare();
            return is_repeatable(buffers_, calls[i]);
        };
    return time_in_turns(ready(prepare), calls, how);
}

ATTUNE_INLINE std::vector<time_sample> variant_timing::sample(std::function<void()> const& prepare,
                                                              std::function<void()> const& call,
                                                              timing_record const& how,
                                                              std::size_t count)
{
    constexpr auto by_cpu = clock_choice::thread_cpu;
    system_clocks clocks;
    clock_choice const clock = how.clock == name_of(by_cpu) ? by_cpu : clock_choice::wall;
    std::function<void()> const made_ready = ready(prepare);
    if (idle_) prepare();
    sampler<system_clocks> taker(clocks, clock, idle_);
    std::vector<time_sample> out;
    while (out.size() < count)
        out.push_back(taker.take(made_ready, call, std::max(how.runs, 1U)));
    return out;
}

ATTUNE_INLINE call_energy variant_timing::energy(std::function<void()> const& prepare,
                                                 std::function<void()> const& call,
                                                 std::function<void()> const& between)
{
    if (options_.cache == cache_state::warm) {
        prepare();
        if (is_repeatable(buffers_, call)) {
            prepare();
            auto const calls = [&](std::uint64_t count) {
                for (; count > 0; --count) {
                    cut_here();
                    call();
                }
            };
            return options_.energy->measure(calls, {}, options_.timing_limit_s, between);
        }
    }
    std::function<void()> const made_ready = ready(prepare);
    auto const calls = [&](std::uint64_t count) {
        for (; count > 0; --count) {
            cut_here();
            made_ready();
            call();
        }
    };
    auto const beside = [&](std::uint64_t count) {
        for (; count > 0; --count)
            made_ready();
    };
    return options_.energy->measure(calls, beside, options_.timing_limit_s, between);
}

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
    if (turn_ != nullptr && call_.refusal) // the user's check may take long
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

/// Counts the runs since the last prepare(). run() does not count, because it is timed.
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
    guard_.reset(); // the variant did not set these handlers
    std::string changed = first_change(before_.changes(), first_runs_.tolerated());
    if (!changed.empty() && runs_of_.size() > 1) changed = change_made_alone();
    if (!changed.empty()) throw stopped{{failure_stage::verify, changed}};
}

/// Repeats the runs of each variant alone, in rounds: one run of each, then one more, two more,
/// four more, ... A variant that changes the process in its first run is found in the first round.
/// @return  the change that the variant of latest() made; empty if no variant made one alone
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

ATTUNE_INLINE cpu_bench::cpu_bench(trial_call call, bench_options const& options)
    : call_(std::move(call))
    , options_(options)
    , original_(call_.buffers)
    , timing_(call_.buffers, options)
    , first_runs_(call_, options.protect, original_, options.trial)
    , turns_(options.timing_limit_s)
    , energy_turns_(options.timing_limit_s)
{
    energy_turns_.use_machine();
    timing_.count_warm_ups(); // a first run comes before time()
}

ATTUNE_INLINE cpu_bench::~cpu_bench() { original_.restore(); }

ATTUNE_INLINE first_run_result cpu_bench::establish(callable const& trusted, double limit_s)
{
    return first_runs_.establish(trusted, limit_s, options_.timing_limit_s);
}

ATTUNE_INLINE first_run_result cpu_bench::first_run(callable const& tried, double limit_s)
{
    return first_runs_.first_run(tried, limit_s);
}

ATTUNE_INLINE guarded_timed_runs cpu_bench::watch(double limit_s, timing_turns::turn* turn) const
{
    return {call_, first_runs_, original_, limit_s, turn};
}

ATTUNE_INLINE outcome cpu_bench::time(callable const& tried, double stop_above_s, double limit_s,
                                      timing_record& record)
{
    timing_turns::turn mine{turns_};
    guarded_timed_runs runs = watch(limit_s, &mine);
    timing_.take_off(runs.idle());
    try {
        measurement const m = timing_.time([&] { runs.prepare(); }, [&] { runs.run(tried); },
                                           stop_above_s, background_cpu_s_, &record);
        runs.finish();
        return m;
    } catch (stopped const& s) {
        return s.why;
    }
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
cpu_bench::compare(std::span<callable const> tried, double limit_s)
{
    timing_turns::turn mine{turns_};
    guarded_timed_runs runs = watch(first_run_limit_s(limit_s, options_.first_run_ratio), &mine);
    std::vector<std::function<void()>> calls;
    for (callable const& code : tried)
        calls.emplace_back([&] { runs.run(code); });
    timing_.take_off(runs.idle());
    bool const has_passenger = !tried.empty() && tried.back().address == call_.passenger;
    try {
        round_times times =
            timing_.compare([&] { runs.prepare(); }, calls, limit_s, has_passenger ? 1 : 0);
        runs.finish();
        return times;
    } catch (stopped const&) {
        auto const failed = std::find_if(tried.begin(), tried.end(), [&](callable const& code) {
            return code.address == runs.latest();
        });
        return static_cast<std::size_t>(failed - tried.begin());
    }
}

ATTUNE_INLINE std::vector<time_sample> cpu_bench::sample(callable const& known,
                                                         timing_record const& how,
                                                         std::size_t count, double limit_s)
{
    timing_turns::turn const mine{turns_};
    std::vector<time_sample> out;
    try {
        unchecked(limit_s, [&](auto const& wrapped) {
            timing_.take_off(call_.idle != nullptr ? wrapped(call_.idle) : std::function<void()>{});
            out = timing_.sample([&] { original_.restore(); }, wrapped(known.address), how, count);
        });
    } catch (stopped const&) {
        out.clear();
    }
    timing_.take_off({});
    return out;
}

ATTUNE_INLINE std::variant<call_energy, failure> cpu_bench::energy(callable const& tried,
                                                                   double limit_s)
{
    if (!options_.energy) return failure{failure_stage::bound, why_no_energy()};
    timing_turns::turn mine{energy_turns_};
    for (int tries = 0; tries < 2; ++tries) {
        call_energy out;
        try {
            unchecked(limit_s, [&](auto const& wrapped) {
                out = timing_.energy([&] { original_.restore(); }, wrapped(tried.address),
                                     [&] { mine.prepare(); });
            });
        } catch (stopped const& s) {
            return s.why;
        }
        if (!std::isnan(out.joules)) return out;
    }
    throw error("an energy counter of this machine cannot be read any more",
                options_.energy->text(),
                "tune again where it can be read, or without kernel.bound_energy()");
}

ATTUNE_INLINE std::vector<std::string> cpu_bench::notices() const
{
    std::vector<std::string> out = turns_.notices();
    for (std::string& said : energy_turns_.notices())
        out.push_back(std::move(said));
    return out;
}

ATTUNE_INLINE void cpu_bench::unchecked(
    double limit_s,
    std::function<void(std::function<std::function<void()>(void*)> const&)> const& body) const
{
    process_state const before{false};
    std::optional<signal_guard> guard;
    if (first_runs_.protection().how != isolation::none) guard.emplace(limit_s);
    std::vector<std::byte*> addresses;
    for (buffer const& b : call_.buffers)
        addresses.push_back(b.data);
    auto const wrapped = [&](void* entry) -> std::function<void()> {
        return [&, bare = std::function<void()>([&, entry] { call_.call(entry, addresses); })] {
            if (guard)
                guard->call(bare);
            else
                call_unguarded(bare);
        };
    };
    auto const restore = [&] {
        guard.reset();
        before.restore();
        original_.restore();
    };
    try {
        body(wrapped);
    } catch (...) {
        restore();
        throw;
    }
    restore();
}

} // namespace attune::inline ATTUNE_ABI::detail
