// attune/measure/cpu/cpu_bench.ipp - first runs in a child, timing in the process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/cpu/guarded_timed_runs.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
