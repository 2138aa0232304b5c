// attune/measure/device/device_bench.ipp - the bench in this process, its objects, and the check of results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/device_runs.hpp>
#include <attune/measure/device/device_session.hpp>
#include <attune/measure/device/device_trials.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of modules that stay loaded: the contestants of a final, and some more.
inline constexpr std::size_t most_loaded_variants = 8;

/// The default, with the parameters to establish it again.
struct known_default {
    device_variant code;
    std::vector<std::vector<std::byte>> expected;
    double limit_s = 0;
    double took_s = 0;
};

/// All objects of a bench that use the device's context.
struct bench_on_device {
    std::shared_ptr<device_session> where;
    device_bench_options options;
    device_clock clock;
    device_trials trials;
    packed_arguments arguments;
    cuda::clock_reader frequency;
    queue_filler filler;
    std::shared_ptr<device_history> history = std::make_shared<device_history>();
    std::optional<l2_flush> flush{};
    std::optional<known_default> established{};
    std::vector<std::pair<device_variant, std::shared_ptr<loaded_variant>>>
        loaded{}; ///< most recently used last

    bench_on_device(std::shared_ptr<device_session> in, device_call const& call,
                    device_bench_options const& how)
        : where(std::move(in))
        , options(how)
        , clock(where)
        , trials(where, call, how, clock)
        , arguments(call.arguments, addresses(call))
        , frequency(where->driver(), where->ordinal())
        , filler(where, clock)
    {
        if (how.cache == cache_state::cold) flush.emplace(where);
    }

    [[nodiscard]] std::vector<cuda::device_pointer> addresses(device_call const& call)
    {
        std::vector<cuda::device_pointer> out;
        for (std::size_t i = 0; i < call.buffers.size(); ++i)
            out.push_back(trials.copies().address(i));
        return out;
    }

    /// Errors   `stopped`
    [[nodiscard]] std::shared_ptr<loaded_variant> load(device_variant const& what)
    {
        auto const known = std::find_if(loaded.begin(), loaded.end(), [&](auto const& one) {
            return one.first.launch == what.launch && one.first.code.entry == what.code.entry &&
                   one.first.code.image == what.code.image;
        });
        if (known != loaded.end()) {
            std::rotate(known, known + 1, loaded.end());
            return loaded.back().second;
        }
        auto made = std::make_shared<loaded_variant>(where, what);
        if (loaded.size() == most_loaded_variants) loaded.erase(loaded.begin());
        loaded.emplace_back(what, made);
        return made;
    }

    /// A function that enqueues one run.
    [[nodiscard]] std::function<void()> run_of(std::shared_ptr<loaded_variant> code)
    {
        return [this, code = std::move(code)] { code->launch(clock.stream(), arguments.all()); };
    }

    /// Errors   `stopped`
    double establish(known_default const& how)
    {
        return trials.establish(run_of(load(how.code)), how.expected, how.limit_s);
    }

    /// Restores all memory that a variant may have overwritten.
    /// Errors   `stopped`: the default no longer works
    void mend()
    {
        if (!trials.is_spoilt() || !established) return;
        loaded.clear(); // the module's variables may be overwritten too
        static_cast<void>(establish(*established));
    }

    void prepare()
    {
        trials.restore();
        if (flush) flush->enqueue(clock);
    }

    [[nodiscard]] device_runs runs_of(std::vector<std::shared_ptr<loaded_variant>> contestants,
                                      double limit_s)
    {
        device_run_options how;
        how.limit_s = limit_s;
        how.as_graph = options.as_graph;
        how.follows_itself = !flush && trials.overwrites();
        how.fill = [this] { filler.enqueue(clock); };
        how.history = history;
        if (frequency.why_none().empty())
            how.reading = [this] { return frequency.read().value_or(cuda::clock_reading{}); };
        return {where, clock, [this] { prepare(); }, std::move(contestants), arguments, how};
    }
};

[[nodiscard]] inline std::vector<std::byte*>
addresses_of(std::vector<std::vector<std::byte>>& copies)
{
    std::vector<std::byte*> out;
    for (std::vector<std::byte>& copy : copies)
        out.push_back(copy.data());
    return out;
}

ATTUNE_INLINE std::vector<std::vector<std::byte>>
host_copies(std::shared_ptr<cuda::driver const> const& driver, device_call const& call)
{
    cuda::primary_context const context{driver, call.ordinal};
    cuda::context_scope const inside{context};
    std::vector<std::vector<std::byte>> out;
    for (device_buffer const& one : call.buffers) {
        buffer const& b = one.where;
        std::vector<std::byte>& copy = out.emplace_back();
        if (b.bytes == 0) continue;
        if (one.place == memory_place::host) {
            copy.assign(b.data, b.data + b.bytes);
            continue;
        }
        std::string const argument = "argument " + std::to_string(b.argument);
        cuda::require_no_capture(*driver, "copying " + argument + " from the device");
        copy.resize(b.bytes);
        auto const at = static_cast<cuda::device_pointer>(reinterpret_cast<std::uintptr_t>(b.data));
        cuda::require_success(*driver, driver->copy_to_host(copy.data(), at, b.bytes),
                              "copying " + argument + " from the device");
    }
    return out;
}

struct host_check::state {
    std::shared_ptr<cuda::driver const> driver;
    device_call on_device;
    trial_call call;
    std::mutex turn{};                                            ///< one user function at a time
    std::optional<std::vector<std::vector<std::byte>>> results{}; ///< results of the reference

    [[nodiscard]] std::vector<std::vector<std::byte>> results_of_reference() const
    {
        std::vector<std::vector<std::byte>> out;
        if (!call.reference) return out;
        out = host_copies(driver, on_device);
        out.resize(call.buffers.size());
        try {
            call.reference(addresses_of(out));
        } catch (...) {
            throw stopped{
                {failure_stage::verify, "the kernel's reference threw: " + text_of_exception()}};
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!call.buffers[i].writable) out[i].clear();
        return out;
    }
};

ATTUNE_INLINE host_check::host_check(std::shared_ptr<cuda::driver const> driver,
                                     device_call on_device, trial_call call)
    : state_(new state{std::move(driver), std::move(on_device), std::move(call)})
{
}

ATTUNE_INLINE host_check::~host_check() = default;

ATTUNE_INLINE std::vector<std::vector<std::byte>> const& host_check::expected()
{
    std::lock_guard const one(state_->turn);
    if (!state_->results) state_->results.emplace(state_->results_of_reference());
    return *state_->results;
}

ATTUNE_INLINE bool host_check::has_refusal() const noexcept
{
    return static_cast<bool>(state_->call.refusal);
}

ATTUNE_INLINE std::size_t host_check::arrays() const noexcept
{
    return state_->call.buffers.size();
}

ATTUNE_INLINE std::string host_check::refusal(std::vector<std::vector<std::byte>> results)
{
    std::lock_guard const one(state_->turn);
    return state_->call.refusal ? state_->call.refusal(addresses_of(results)) : std::string();
}

class local_bench final : public device_bench {
public:
    local_bench(std::shared_ptr<cuda::driver const> driver, device_call const& call,
                device_bench_options const& options, std::string protection)
        : device_bench(bus_of_device(*driver, call.ordinal))
        , session_(std::make_shared<device_session>(std::move(driver), call.ordinal))
        , protection_(std::move(protection))
    {
        cuda::context_scope const here{session_->context()};
        on_device_ = std::make_unique<bench_on_device>(session_, call, options);
    }

    using device_bench::compare;
    using device_bench::establish;
    using device_bench::first_run;
    using device_bench::time;

    [[nodiscard]] first_run_result establish(device_variant const& trusted,
                                             std::span<std::vector<std::byte> const> expected,
                                             double limit_s) override
    {
        on_device_->established.reset();
        return in_context<first_run_result>(limit_s, [&](bench_on_device& b) {
            known_default made{trusted, {expected.begin(), expected.end()}, limit_s};
            made.took_s = b.establish(made);
            return b.established.emplace(std::move(made)).took_s;
        });
    }

    [[nodiscard]] first_run_result first_run(device_variant const& tried, double limit_s) override
    {
        return in_context<first_run_result>(limit_s, [&](bench_on_device& b) {
            return b.trials.first_run(b.run_of(b.load(tried)), limit_s);
        });
    }

    [[nodiscard]] std::vector<std::byte> contents(std::size_t i) override
    {
        require_usable(0);
        cuda::context_scope const here{session_->context()};
        try {
            return on_device_->trials.copies().contents(i);
        } catch (stopped const& s) {
            throw error("a result cannot be read: " + s.why.reason, session_->name(),
                        "see whether the device still works (nvidia-smi, clinfo)");
        }
    }

    [[nodiscard]] outcome time(device_variant const& tried, double stop_above_s, double limit_s,
                               timing_record* taken) override
    {
        return in_context<outcome>(limit_s, [&](bench_on_device& b) -> outcome {
            std::shared_ptr<loaded_variant> const code = b.load(tried);
            device_runs runs = b.runs_of({code}, limit_s);
            adaptive_timer_options how;
            how.precision = b.options.precision;
            how.max_samples = most_samples_of_a_variant;
            how.max_s = b.options.timing_limit_s;
            how.stop_above = stop_above_s;
            how.record = taken;
            if (!b.flush)
                how.is_repeatable = [&] { return b.trials.is_repeatable(b.run_of(code), limit_s); };
            measurement const m = time_adaptively(runs, how);
            // Checks the results of several runs in a row too.
            if (std::string const said = b.trials.objection(); !said.empty())
                return failure{failure_stage::verify, "right at first, then wrong: " + said};
            return m;
        });
    }

    [[nodiscard]] std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) override
    {
        bench_on_device& b = *on_device_;
        double const run_limit_s =
            hang_limit_s(limit_s, b.established ? b.established->took_s : 0.0);
        require_usable(run_limit_s);
        cuda::context_scope const here{session_->context()};
        std::size_t asked = 0; // index of the running variant while `is_asking`
        bool is_asking = true; // loading or testing, not timing
        std::vector<std::shared_ptr<loaded_variant>> field; // all stay loaded
        std::optional<device_runs> runs;
        try {
            for (; asked < tried.size(); ++asked)
                field.push_back(b.load(tried[asked]));
            runs.emplace(b.runs_of(field, run_limit_s));
            is_asking = false;
            time_in_turns_options how = final_options(tried.size(), limit_s);
            if (!b.flush)
                how.is_repeatable = [&](std::size_t i) {
                    asked = i;
                    is_asking = true;
                    bool const said = b.trials.is_repeatable(b.run_of(field[i]), run_limit_s);
                    is_asking = false;
                    return said;
                };
            return time_in_turns_with(*runs, tried.size(), how);
        } catch (stopped const&) {
            return is_asking ? asked : runs->latest();
        }
    }

    [[nodiscard]] bool is_spoilt() const noexcept override
    {
        return on_device_->trials.is_spoilt();
    }

    [[nodiscard]] std::string protection() const override { return protection_; }

private:
    /// Errors   attune::error: an earlier variant has made the device unusable
    void require_usable(double limit_s)
    {
        session_->require_alive();
        cuda::context_scope const here{session_->context()};
        if (session_->is_blocked() && !recovers(limit_s))
            throw error(
                "a variant that overran its time limit still runs, and nothing in this process "
                "can stop it",
                session_->name(),
                "let variants run in a worker process, which is replaced after such errors");
        try {
            on_device_->mend();
        } catch (stopped const& s) {
            throw error("a variant wrote outside its arrays, and the default configuration, which "
                        "worked before, fails since: " +
                            s.why.reason,
                        session_->name(),
                        "let variants run in a worker process, which is replaced after such "
                        "errors");
        }
    }

    [[nodiscard]] bool recovers(double limit_s)
    {
        try {
            return on_device_->clock.recovers(limit_s);
        } catch (stopped const&) {
            session_->set_blocked(false);
            session_->require_alive();
            return false;
        }
    }

    template <class Result, class Function>
    [[nodiscard]] Result in_context(double limit_s, Function const& f)
    {
        require_usable(limit_s);
        cuda::context_scope const here{session_->context()};
        try {
            return f(*on_device_);
        } catch (stopped const& s) {
            return s.why;
        }
    }

    std::shared_ptr<device_session> session_;
    std::unique_ptr<bench_on_device> on_device_{};
    std::string protection_;
};

ATTUNE_INLINE std::unique_ptr<device_bench>
make_local_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                 device_bench_options const& options, std::string protection)
{
    return std::make_unique<local_bench>(std::move(driver), call, options, std::move(protection));
}

/// Applies the user's check to the results of a run.
ATTUNE_INLINE first_run_result device_bench::checked_by_host(first_run_result end)
{
    if (!host_check_ || !host_check_->has_refusal() || std::holds_alternative<failure>(end))
        return end;
    std::vector<std::vector<std::byte>> results;
    try {
        for (std::size_t i = 0; i < host_check_->arrays(); ++i)
            results.push_back(contents(i));
    } catch (stopped const& unread) {
        return unread.why;
    }
    std::string const said = host_check_->refusal(std::move(results));
    if (!said.empty()) return failure{failure_stage::verify, said};
    return end;
}

ATTUNE_INLINE first_run_result device_bench::establish(callable const& trusted, double limit_s)
{
    std::vector<std::vector<std::byte>> const none;
    try {
        return checked_by_host(establish(device_variant_of(trusted),
                                         host_check_ ? host_check_->expected() : none, limit_s));
    } catch (stopped const& no_reference) {
        return no_reference.why;
    }
}

ATTUNE_INLINE first_run_result device_bench::first_run(callable const& tried, double limit_s)
{
    return checked_by_host(first_run(device_variant_of(tried), limit_s));
}

ATTUNE_INLINE outcome device_bench::time(callable const& tried, double stop_above_s, double limit_s,
                                         timing_record& record)
{
    timing_turns::turn const mine{turns_};
    return time(device_variant_of(tried), stop_above_s, limit_s, &record);
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
device_bench::compare(std::span<callable const> tried, double limit_s)
{
    std::vector<device_variant> all;
    for (callable const& one : tried)
        all.push_back(device_variant_of(one));
    timing_turns::turn const mine{turns_};
    return compare(std::span<device_variant const>(all), limit_s);
}

} // namespace attune::inline ATTUNE_ABI::detail
