// attune/tune/dispatch/tuning_slice.ipp - runs jobs on a thread, and chooses the next tuning and its slice.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Sets the name by which has_other_threads() finds out what this thread does.
inline void name_this_thread(char const* name) { ::pthread_setname_np(::pthread_self(), name); }

struct background_worker::state {
    std::mutex lock{}; ///< guards the members below
    std::condition_variable changed{};
    struct job {
        std::function<void()> work;
        float_environment hosts; ///< floating-point environment of the thread that added the job
    };
    std::deque<job> line{};
    bool is_at_work = false;
    bool is_over = false;
    std::thread thread{};
    std::atomic<pid_t> process{0}; ///< the process of the thread; 0: no thread yet
    std::atomic<bool> stop{false};

    [[nodiscard]] bool is_here() const noexcept { return process == ::getpid(); }

    void run()
    {
        stopped_by const told(stop);
        name_this_thread(own_thread_name);
        std::unique_lock here(lock);
        while (true) {
            changed.wait(here, [this] { return is_over || !line.empty(); });
            if (is_over) return;
            job next = std::move(line.front());
            line.pop_front();
            is_at_work = true;
            here.unlock();
            // This name marks a thread whose job may change the state that all threads share.
            name_this_thread("attune tune");
            try {
                next.hosts.set();
                own_float_environment const numbers;
                next.work();
            } catch (...) { // a function of the program threw, and no caller can catch it
            }
            next.work = nullptr; // frees the job's data without the lock
            name_this_thread(own_thread_name);
            here.lock();
            is_at_work = false;
            changed.notify_all();
        }
    }
};

ATTUNE_INLINE background_worker::background_worker()
    : state_(std::make_shared<state>())
{
}

ATTUNE_INLINE std::shared_ptr<background_worker::state> background_worker::now() const
{
    std::shared_ptr<state> of_parent;
    std::shared_ptr<state> out;
    {
        auto fresh = std::make_shared<state>();
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (state_->process != 0 && !state_->is_here())
            of_parent = std::exchange(state_, std::move(fresh));
        out = state_;
    }
    // Its thread runs in the parent process and may have held the lock: never destroy this state.
    if (of_parent) keep_forever(std::move(of_parent));
    return out;
}

ATTUNE_INLINE background_worker::~background_worker()
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    if (s.process == 0) return;
    {
        std::scoped_lock const here(s.lock);
        s.is_over = true;
        s.stop = true;
        s.line.clear();
        s.changed.notify_all();
    }
    s.thread.join();
}

ATTUNE_INLINE void background_worker::add(std::function<void()> job)
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    std::scoped_lock const here(s.lock);
    if (s.process == 0) {
        watch_program_end();
        only_faults_unblocked const quiet;
        s.thread = std::thread([&s] { s.run(); });
        s.process = ::getpid();
    }
    s.line.push_back({std::move(job), own_float_environment::hosts()});
    s.changed.notify_all();
}

ATTUNE_INLINE void background_worker::wait() const
{
    std::shared_ptr<state> const held = now();
    state& s = *held;
    if (!s.is_here()) return;
    std::unique_lock here(s.lock);
    auto const is_done = [&s] { return !s.is_at_work && s.line.empty(); };
    // While the program ends, the thread is stopped and never finishes its job.
    while (!program_is_ending())
        if (s.changed.wait_for(here, std::chrono::milliseconds(50), is_done)) return;
}

[[nodiscard]] inline bool may_go_on(turn_task const& of) noexcept
{
    return !of.is_over && of.weight > 0;
}

/// Returns the index of the largest value above 0; empty if no task that may continue has one.
template <class Value>
[[nodiscard]] std::optional<std::size_t> largest(std::span<turn_task const> all, Value const& value)
{
    std::optional<std::size_t> out;
    double most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!may_go_on(all[i])) continue;
        double const here = value(all[i]);
        if (!(here > most)) continue;
        most = here;
        out = i;
    }
    return out;
}

/// Returns the heaviest task that has not begun, else the one with the fewest evaluations below
/// `minimum`.
[[nodiscard]] inline std::optional<std::size_t> first_turns(std::span<turn_task const> all,
                                                            std::size_t minimum)
{
    if (auto const fresh =
            largest(all, [](turn_task const& of) { return of.best.empty() ? of.weight : 0.0; }))
        return fresh;
    return largest(all, [minimum](turn_task const& of) {
        return of.best.size() < minimum ? 1 / static_cast<double>(of.best.size()) : 0.0;
    });
}

ATTUNE_INLINE double worth_of_next(turn_task const& of) noexcept
{
    constexpr std::size_t first = 16; // a search may have no model yet
    std::size_t const n = of.best.size();
    double const best = of.best.back();
    std::size_t const before = std::max<std::size_t>(1, 3 * n / 4);
    double const gain = of.expected_gain.value_or(n < first ? 0.5 : 0.0);
    double rate = (gain + 0.2) / static_cast<double>(n);
    if (before < n)
        rate += 0.3 * std::log(of.best[before - 1] / best) / static_cast<double>(n - before);
    return of.weight * std::max(0.1 * best, best - of.least_s) * rate;
}

ATTUNE_INLINE turn_policy most_gain(budget_unit by, std::size_t minimum)
{
    return [by, minimum](std::span<turn_task const> all) {
        if (auto const first = first_turns(all, minimum)) return first;
        return largest(all, [by](turn_task const& of) {
            double const worth = worth_of_next(of);
            if (by == budget_unit::evaluations || !(of.spent_s > 0)) return worth;
            return worth * static_cast<double>(of.best.size()) / of.spent_s;
        });
    };
}

ATTUNE_INLINE turn_policy round_robin()
{
    return [](std::span<turn_task const> all) {
        return largest(
            all, [](turn_task const& of) { return 1 / (1 + static_cast<double>(of.best.size())); });
    };
}

ATTUNE_INLINE turn_policy equal_split(double part, budget_unit by)
{
    return [part, by](std::span<turn_task const> all) {
        return largest(all, [part, by](turn_task const& of) {
            double const had =
                by == budget_unit::seconds ? of.spent_s : static_cast<double>(of.best.size());
            return had < part ? 1.0 : 0.0;
        });
    };
}

ATTUNE_INLINE turn_policy gradient(double alpha, std::size_t window)
{
    return [alpha, window](std::span<turn_task const> all) {
        if (auto const first = first_turns(all, 1)) return first;
        return largest(all, [alpha, window](turn_task const& of) {
            std::size_t const n = of.best.size();
            double const now = of.best.back();
            double const gained = n > window ? of.best[n - 1 - window] - now : 0.0;
            return of.weight * (alpha * gained / static_cast<double>(window) +
                                (1 - alpha) * now / static_cast<double>(n));
        });
    };
}

/// Each session also runs the default and a final, which is too much for fewer evaluations.
inline constexpr std::uint64_t fewest_of_first_slice = 8;
/// If more inputs wait than the budget has first slices of the usual size.
inline constexpr std::uint64_t fewest_of_any_slice = 4;
/// For a tuning without a limit of evaluations.
inline constexpr std::uint64_t usual_first_slice = 15;

ATTUNE_INLINE search_limits part_of(tuning_slice const& slice) noexcept
{
    constexpr std::uint64_t any = search_limits::any_number;
    std::uint64_t const parts = std::max<std::size_t>(slice.sharers, 1);
    return {.evaluations = slice.evaluations == any
                               ? any
                               : std::max<std::uint64_t>(slice.evaluations / parts, 1),
            .seconds = slice.seconds / static_cast<double>(parts)};
}

ATTUNE_INLINE std::vector<double> best_after(std::span<known_outcome const> outcomes)
{
    std::vector<double> out;
    for (known_outcome const& one : outcomes) {
        auto const* const m = std::get_if<measurement>(&one.result);
        if (m == nullptr && out.empty()) continue;
        out.push_back(out.empty()    ? m->value
                      : m == nullptr ? out.back()
                                     : std::min(out.back(), m->value));
    }
    return out;
}

ATTUNE_INLINE std::size_t next_in_turn(std::span<sliced_tuning const> all)
{
    std::vector<turn_task> tasks;
    for (sliced_tuning const& of : all)
        // The model ends with its session: only the gain of the last slice is known.
        tasks.push_back(
            {.weight = 1 + static_cast<double>(of.calls),
             .best = of.evaluations > 0 ? std::span(of.best) : std::span<double const>{},
             .expected_gain = 0.0});
    return most_gain(budget_unit::evaluations, 1)(tasks).value_or(0);
}

ATTUNE_INLINE std::size_t last_in_turn(std::span<sliced_tuning const> all)
{
    std::size_t out = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (next_in_turn(std::vector{all[i], all[out]}) == 1) out = i;
    return out;
}

ATTUNE_INLINE tuning_slice next_slice(sliced_tuning const& of, search_limits const& whole,
                                      search_limits const& left, std::size_t waiting)
{
    constexpr std::uint64_t any = search_limits::any_number;
    std::uint64_t const first = whole.evaluations == any
                                    ? usual_first_slice
                                    : std::max(whole.evaluations / 4, fewest_of_first_slice);
    tuning_slice out{.seconds_before = of.spent_s};
    if (of.evaluations == 0) {
        std::uint64_t const share =
            left.evaluations == any ? first : left.evaluations / std::max<std::size_t>(waiting, 1);
        out.evaluations = std::min(first, std::max(share, fewest_of_any_slice));
    } else {
        out.evaluations = of.evaluations + std::max(of.evaluations, fewest_of_first_slice);
    }
    if (whole.evaluations < out.evaluations + first / 2) out.evaluations = whole.evaluations;
    double const all_s = whole.seconds;
    out.seconds = all_s < search_limits::any_time
                      ? std::min(std::max(all_s / 4, of.spent_s), all_s - of.spent_s)
                      : all_s;
    if (out.evaluations == whole.evaluations && all_s < search_limits::any_time)
        out.seconds = all_s - of.spent_s;
    return out;
}

ATTUNE_INLINE bool has_all(sliced_tuning const& of, search_limits const& whole) noexcept
{
    constexpr double rest = 0.05; // share of the time that is too little for a session
    bool const has_time =
        whole.seconds == search_limits::any_time || of.spent_s < (1 - rest) * whole.seconds;
    return of.evaluations >= whole.evaluations || !has_time;
}

} // namespace attune::inline ATTUNE_ABI::detail
