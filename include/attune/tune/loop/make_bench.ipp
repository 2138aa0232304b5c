// attune/tune/loop/make_bench.ipp - selects the bench of a device or processor, and runs the jobs of several.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/kernel/user_functions.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/compile_queue.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/progress.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE bench_pool::bench_pool(std::unique_ptr<bench> own, std::vector<int> const& others)
    : own_(std::move(own))
    , processors_(allowed_processors())
{
    for (int const ordinal : others)
        others_.push_back({.ordinal = ordinal});
}

ATTUNE_INLINE bench_pool::~bench_pool() = default;

/// Runs `act(i)` on one thread per member, and `meanwhile` on the calling thread. An exception of
/// `act` becomes the member's trouble.
/// Errors   exceptions of `meanwhile`, after all threads have ended
ATTUNE_INLINE void bench_pool::beside(std::span<member* const> members,
                                      std::function<void(std::size_t)> const& act,
                                      std::function<void()> const& meanwhile)
{
    if (members.empty()) return meanwhile();
    std::vector<double> spent_s(members.size());
    std::vector<std::jthread>
        threads; // declared last, so that they end before the variables above are destroyed
    {
        only_faults_unblocked const quiet; // the calling thread handles signals
        for (std::size_t i = 0; i < members.size(); ++i)
            threads.emplace_back([&, i] {
                // A worker process inherits this affinity; the calling thread may be pinned.
                static_cast<void>(run_only_on(processors_));
                try {
                    act(i);
                } catch (error const& thrown) {
                    members[i]->trouble = sentence_of(thrown);
                } catch (std::exception const& thrown) {
                    members[i]->trouble = thrown.what();
                } catch (...) {
                    members[i]->trouble = "an exception of no known type";
                }
                spent_s[i] = system_clocks{}.thread_cpu_s();
            });
    }
    meanwhile();
    threads.clear();
    cpu_s_ = std::accumulate(spent_s.begin(), spent_s.end(), cpu_s_);
}

ATTUNE_INLINE void bench_pool::exclude(member& m)
{
    m.place.reset();
    notices_.push_back("device " + std::to_string(m.ordinal) +
                       " is left out: " + std::exchange(m.trouble, {}));
}

ATTUNE_INLINE void bench_pool::set_up(callable const& trusted, double limit_s,
                                      measurement const& own_time)
{
    std::vector<member*> all;
    for (member& m : others_)
        all.push_back(&m);
    std::vector<double> times(all.size());
    auto const start = [&](std::size_t i) {
        auto const refused = [&](failure const& why) {
            throw error("the default configuration, which works on the first device, " +
                            std::string(describe(why.stage)) + ": " + why.reason,
                        "", "");
        };
        member& m = *all[i];
        m.place = own_->on_device(m.ordinal);
        if (m.place == nullptr) throw error("no bench can be made for this device", "", "");
        auto const end = m.place->establish(trusted, limit_s);
        if (auto const* const why = std::get_if<failure>(&end)) refused(*why);
        timing_record taken;
        outcome const result =
            m.place->time(trusted, std::numeric_limits<double>::infinity(), limit_s, taken);
        if (auto const* const why = std::get_if<failure>(&result)) refused(*why);
        times[i] = std::get<measurement>(result).value;
    };
    beside(all, start, [] {});
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i]->trouble.empty()) {
            exclude(*all[i]);
            continue;
        }
        double const ratio = times[i] / own_time.value;
        if (std::abs(ratio - 1) > alike)
            notices_.push_back("on device " + std::to_string(all[i]->ordinal) +
                               " the default takes " + detail::formatted("%.2f", ratio) +
                               " times as long as on the first: the devices are not alike, and "
                               "attune compares their times without a correction");
    }
}

ATTUNE_INLINE void bench_pool::work(std::span<job const> jobs)
{
    std::vector<job const*> open;
    for (job const& j : jobs)
        open.push_back(&j);
    while (!open.empty()) {
        std::vector<member*> able;
        for (member& m : others_)
            if (m.place != nullptr && able.size() + 1 < open.size()) able.push_back(&m);
        beside(
            able, [&](std::size_t i) { (*open[i + 1])(*able[i]->place); },
            [&] { (*open.front())(*own_); });
        ++own_jobs_;
        std::vector<job const*> again;
        for (std::size_t i = 0; i < able.size(); ++i) {
            if (able[i]->trouble.empty()) {
                ++able[i]->jobs;
                continue;
            }
            again.push_back(open[i + 1]);
            exclude(*able[i]);
        }
        again.insert(again.end(), open.begin() + static_cast<std::ptrdiff_t>(able.size() + 1),
                     open.end());
        open = std::move(again);
    }
}

ATTUNE_INLINE std::vector<std::string> bench_pool::notices() const
{
    std::vector<std::string> out = own_->notices();
    out.insert(out.end(), notices_.begin(), notices_.end());
    return out;
}

ATTUNE_INLINE std::string bench_pool::protection() const
{
    std::string text = own_->protection();
    if (others_.empty()) return text;
    text += "; measured: " + std::to_string(own_jobs_) + " on the first device";
    for (member const& m : others_)
        text += ", " + std::to_string(m.jobs) + " on device " + std::to_string(m.ordinal);
    return text;
}

ATTUNE_INLINE trial_call trial_call_of(tuning_problem const& problem)
{
    call_frame const& frame = problem.frame;
    kernel_description const& kernel = problem.kernel;
    trial_call out;
    out.buffers = frame.buffers;
    out.call = frame.call;
    out.idle = frame.idle;
    if (has_reference(kernel, frame))
        out.reference = [&frame, &kernel](trial_call::addresses data) {
            frame.with_arguments(data, kernel.reference);
        };
    if (kernel.check)
        out.refusal = [&frame, &kernel](trial_call::addresses data) {
            std::string said;
            frame.with_arguments(data, [&](void const* all) { said = kernel.check(all); });
            return said;
        };
    if (kernel.error && problem.error_seen)
        out.refusal = [&frame, &kernel, seen = problem.error_seen](trial_call::addresses data) {
            std::string said;
            frame.with_arguments(data, [&](void const* all) {
                try {
                    double const error = kernel.error(all);
                    seen->get().latest = error;
                    said = refusal_of_error(error, kernel.most_error);
                } catch (...) {
                    said = refusal_of_exception();
                }
            });
            return said;
        };
    if (kernel.error && problem.error_seen)
        out.after_default = [seen = problem.error_seen] {
            seen->get().of_default = seen->get().latest;
        };
    if (kernel.baseline) out.passenger = baseline_code(kernel).address;
    return out;
}

ATTUNE_INLINE bench_options bench_options_of(tuning_options const& options)
{
    constexpr double share_of_one_timing = 0.05;
    bench_options out;
    out.cache = options.measuring.cache;
    out.precision = options.measuring.precision;
    out.timing_limit_s = share_of_one_timing * options.limits.seconds;
    out.first_run_ratio = options.limits.first_run_ratio;
    out.protect = options.measuring.protect;
    out.trial = options.measuring.trial;
    return out;
}

/// Errors   attune::error: the objective of the kernel cannot be measured
inline void require_objective(tuning_problem const& problem, tuning_options const& options,
                              bool is_offered)
{
    auto const refuse = [&](char const* why, char const* next) {
        throw error("kernel '" + problem.kernel.name + "' has an objective of its own: " + why,
                    "kernel.objective()", next);
    };
    if (problem.predict) refuse("a prediction does not have its values", "tune it");
    if (problem.device != nullptr)
        refuse("it is measured on this processor only",
               "tune it with a compiler for this processor, or by its time");
    if (options.measuring.make_bench)
        refuse("the bench of tuning_measuring::make_bench measures times",
               "leave that empty, or tune the kernel by its time");
    if (!is_offered)
        refuse("this program does not measure objectives",
               "include <attune/tune/objective.hpp> and link attune::objectives");
}

ATTUNE_INLINE std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                tuning_options const& options)
{
    auto const* const objectives = offer_of_program<objective_benches>();
    bool const has_objective = problem.kernel.objective.has_value() && !problem.only_verifies;
    if (has_objective) require_objective(problem, options, objectives != nullptr);
    if (options.measuring.make_bench) return options.measuring.make_bench(problem, options);
    if (problem.device != nullptr) return problem.device->make_bench(problem, options);
    if (!options.device.others.empty() && !problem.predict)
        throw error("the code of kernel '" + problem.kernel.name +
                        "' is for this processor: no device can measure it",
                    "tuning_options::device.others",
                    "leave that empty, or tune with a compiler for a device");
    if (!problem.frame.is_complete())
        throw error("the number of elements behind the pointers of an array is not declared",
                    "kernel '" + problem.kernel.name + "'", "declare kernel.extent<i>(elements)");
    bench_options how = bench_options_of(options);
    auto const* const energy = offer_of_program<energy_maker>();
    if (reads_energy(problem.kernel) && energy != nullptr)
        how.energy = energy->make(options.measuring.powercap);
    if (has_objective) return objectives->make(problem, how);
    return std::make_unique<cpu_bench>(trial_call_of(problem), how);
}

} // namespace attune::inline ATTUNE_ABI::detail
