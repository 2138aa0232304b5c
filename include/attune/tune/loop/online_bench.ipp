// attune/tune/loop/online_bench.ipp - times candidates in calls of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/loop/online_bench.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A candidate whose first run takes this many times as long as the serving code's is timed on the
/// copy. There, more than half of this factor is slow.
inline constexpr double slow_on_copy = 3;
/// Every round costs calls of the program: an online final has fewer rounds than other finals.
inline constexpr std::uint32_t most_online_rounds = 40;

/// Thrown if the candidate threw in a call of the program.
struct candidate_threw {
    void const* entry;
};

ATTUNE_INLINE online_bench::online_bench(std::unique_ptr<bench> on_copy, online_slot& slot,
                                         callable serving, double precision,
                                         std::function<double()> patience_s)
    : copy_(std::move(on_copy))
    , slot_(slot)
    , serving_(std::move(serving))
    , precision_(precision)
    , patience_s_(std::move(patience_s))
{
}

ATTUNE_INLINE first_run_result online_bench::establish(callable const& trusted, double limit_s)
{
    first_run_result out = copy_->establish(trusted, limit_s);
    if (auto const* const took_s = std::get_if<double>(&out)) {
        serving_first_s_ = *took_s;
        if (serving_.address != trusted.address) {
            first_run_result const serving = copy_->first_run(serving_, limit_s);
            if (auto const* const s = std::get_if<double>(&serving)) serving_first_s_ = *s;
        }
    }
    return out;
}

ATTUNE_INLINE first_run_result online_bench::first_run(callable const& tried, double limit_s)
{
    first_run_result out = copy_->first_run(tried, limit_s);
    if (auto const* const took_s = std::get_if<double>(&out); took_s && serving_first_s_ > 0)
        slower_[tried.address] = *took_s / serving_first_s_;
    return out;
}

ATTUNE_INLINE shape_verdict online_bench::verify(callable const& trusted, callable const& tried,
                                                 double limit_s)
{
    return copy_->verify(trusted, tried, limit_s);
}

/// Waits for two calls of the program.
ATTUNE_INLINE timed_pair online_bench::pair(callable const& tried)
{
    double& slower = slower_.try_emplace(tried.address, 1.0).first->second;
    slot_.ask(tried.address, slower);
    std::uint64_t calls = slot_.calls();
    double since_s = steady_seconds();
    for (int looks = 0; !slot_.has_ended(); ++looks) {
        if (looks < 200)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(looks < 1'000 ? 20 : 200));
        if (std::uint64_t const now = slot_.calls(); now != calls) {
            calls = now;
            since_s = steady_seconds();
        }
        bool const must_stop = stop_is_requested() || program_is_ending();
        if (!must_stop && (looks % 64 != 0 || steady_seconds() - since_s < patience_s_())) continue;
        if (!slot_.withdraw()) continue; // a call runs the candidate, and will end
        pause_at_end();
        if (must_stop) throw cut_short{};
        throw calls_ended{};
    }
    timed_pair const out = slot_.latest();
    if (std::isinf(out.candidate_s)) throw candidate_threw{tried.address};
    if (serving_s_ == 0) serving_s_ = std::max(out.serving_s, shortest_time_s);
    slower = std::max(slower, out.candidate_s / std::max(out.serving_s, shortest_time_s));
    return out;
}

/// A sample_taker. Each of its times is the ratio of a pair, multiplied by the time of the first
/// serving call.
class online_bench::taker {
public:
    taker(online_bench& of, std::span<callable const> tried)
        : of_(of)
        , tried_(tried)
        , warm_up_s_(tried.size())
    {
    }
    [[nodiscard]] double wall_s() const noexcept { return spent_s_; }
    void warm_up(std::size_t i)
    {
        // Before the warm-up the expected loss is a guess, and afterwards a measurement.
        double& slower = of_.slower_[tried_[i].address];
        slower = std::max(1.0, 2 * slower);
        warm_up_s_[i] = one(i);
        slower = std::max(1.0, warm_up_s_[i] / of_.serving_s_);
    }
    [[nodiscard]] double warm_up_s(std::size_t i) const noexcept { return warm_up_s_[i]; }
    void calibrate() const noexcept {}
    static void describe(timing_record& record)
    {
        record.threads = 1;
        record.clock = "wall";
    }
    [[nodiscard]] time_sample take(std::size_t i, std::uint32_t /*runs*/)
    {
        return {one(i), false};
    }
    [[nodiscard]] static std::uint32_t runs_for(double /*run_s*/) noexcept { return 1; }
    [[nodiscard]] static double far_rate() noexcept { return 1; }

private:
    [[nodiscard]] double one(std::size_t i)
    {
        timed_pair const both = of_.pair(tried_[i]);
        spent_s_ += both.candidate_s;
        double const ratio = both.candidate_s / std::max(both.serving_s, shortest_time_s);
        return std::max(ratio * of_.serving_s_, shortest_time_s);
    }

    online_bench& of_;
    std::span<callable const> tried_;
    std::vector<double> warm_up_s_;
    double spent_s_ = 0;
};

ATTUNE_INLINE bool online_bench::is_slow_on_copy(callable const& tried, double limit_s)
{
    double& slower = slower_.try_emplace(tried.address, 1.0).first->second;
    if (slower < slow_on_copy) return false;
    auto const time_on_copy = [&](callable const& code, double stop_above_s) {
        timing_record unread;
        outcome const out = copy_->time(code, stop_above_s, limit_s, unread);
        auto const* const m = std::get_if<measurement>(&out);
        return m != nullptr ? m->value : 0;
    };
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    if (serving_copy_s_ == 0) serving_copy_s_ = time_on_copy(serving_, no_limit);
    if (serving_copy_s_ == 0) return false;
    slower = time_on_copy(tried, slow_on_copy / 2 * serving_copy_s_) / serving_copy_s_;
    return slower > slow_on_copy / 2;
}

ATTUNE_INLINE outcome online_bench::time(callable const& tried, double stop_above_s, double limit_s,
                                         timing_record& record)
{
    if (serving_s_ > 0 && is_slow_on_copy(tried, limit_s)) {
        record = {.times = {slower_[tried.address] * serving_s_}, .clock = "wall"};
        return measurement::exact(record.times.front());
    }
    taker calls(*this, std::span(&tried, 1));
    adaptive_timer_options how;
    how.precision = precision_;
    how.max_samples = most_samples_of_a_variant;
    how.max_s = std::numeric_limits<double>::infinity();
    how.stop_above = stop_above_s;
    how.record = &record;
    try {
        return time_adaptively(calls, how);
    } catch (candidate_threw const&) {
        return failure{failure_stage::crash, "it threw an exception in a call of the program"};
    }
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
online_bench::compare(std::span<callable const> tried, double /*limit_s*/)
{
    taker calls(*this, tried);
    time_in_turns_options how =
        final_options(tried.size(), std::numeric_limits<double>::infinity());
    how.max_rounds = most_online_rounds;
    try {
        return time_in_turns_with(calls, tried.size(), how);
    } catch (candidate_threw const& thrown) {
        auto const at = std::find_if(tried.begin(), tried.end(), [&](callable const& code) {
            return code.address == thrown.entry;
        });
        return static_cast<std::size_t>(at - tried.begin());
    }
}

ATTUNE_INLINE std::string online_bench::protection() const
{
    return copy_->protection() + "; timed in calls of the program";
}

} // namespace attune::inline ATTUNE_ABI::detail
