// attune/tune/dispatch/tuning_slice.hpp - the thread of background tunings, and the order and limits of their slices.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/together.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs jobs one after the other on a separate thread, which starts with the first job. Ctrl-C and
/// other signals reach the program, not the jobs. The child of a fork begins with no job.
class background_worker {
public:
    background_worker();
    /// Asks the running job to end (stop_is_requested()), waits for its end, and drops other jobs.
    ~background_worker();
    background_worker(background_worker const&) = delete;
    background_worker& operator=(background_worker const&) = delete;

    /// Adds a job. One thread at a time.
    /// Errors   std::system_error: the system starts no thread; the job is dropped
    void add(std::function<void()> job);
    /// Waits until no job runs or waits, or until the program ends. @pre  not called by a job
    void wait() const;

private:
    struct state;
    /// Returns the state of this process.
    [[nodiscard]] std::shared_ptr<state> now() const;

    mutable fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    mutable std::shared_ptr<state> state_;
};

/// The facts of a tuning that decide when it continues.
struct turn_task {
    /// Number of calls: seconds that the program saves for each second that one call saves. 0: the
    /// tuning does not continue.
    double weight = 1;
    /// Seconds of the best after each evaluation, the default first, never rising; may be empty.
    std::span<double const> best{};
    double least_s = 0; ///< lower bound of the seconds of a call; 0: unknown
    /// Share of the best time that the search's model expects to save; empty: no model yet.
    std::optional<double> expected_gain{};
    double spent_s = 0; ///< wall seconds of its evaluations
    bool is_over = false;
};

/// Returns the index of the tuning that continues next, the first of equals; empty: none can gain.
/// A policy keeps no state: the same tasks give the same answer.
using turn_policy = std::function<std::optional<std::size_t>(std::span<turn_task const>)>;

/// The unit of the budget that the tunings share.
enum class budget_unit : unsigned char { evaluations, seconds };

/// Returns the value of one more evaluation, in seconds of the program.
///
///   weight * room * ((gain + .2) / n + .3 * ln(best after 3/4 n / best) / (n / 4))
///
/// `room` is best - least, but at least a tenth of the best, because the roofline is measured too.
/// `gain` is the expected_gain, and .2 is the gain that the model may miss. The second term is the
/// gain per evaluation of the latest quarter of the n evaluations. Without a model, `gain` is .5 in
/// the first 16 evaluations and then 0. `gain` is divided by n because a model of noisy times
/// expects some gain for ever.
/// @pre  `best` is not empty
[[nodiscard]] double worth_of_next(turn_task const& of) noexcept;

/// Chooses the heaviest tuning that has not begun, else the one with the fewest evaluations below
/// `minimum`. Else chooses the largest worth_of_next(); by seconds, the largest one per second.
[[nodiscard]] turn_policy most_gain(budget_unit by = budget_unit::evaluations,
                                    std::size_t minimum = 8);

/// The policies below are for comparisons with most_gain().

/// Chooses the tuning with the fewest evaluations.
[[nodiscard]] turn_policy round_robin();
/// Gives each tuning the same part of the budget. The unused rest of a part is lost.
/// @param part  evaluations or seconds of one tuning
[[nodiscard]] turn_policy equal_split(double part, budget_unit by = budget_unit::evaluations);
/// The task scheduler of MetaSchedule: each tuning once, then the tuning with the largest
/// weight * (alpha * (gain of the last `window` evaluations) / window + (1 - alpha) * best / n).
[[nodiscard]] turn_policy gradient(double alpha = 0.2, std::size_t window = 3);

/// One session of a tuning that has several sessions.
struct tuning_slice {
    std::uint64_t evaluations = 0; ///< of this session and the earlier ones
    double seconds = 0;            ///< of this session
    double seconds_before = 0;     ///< seconds of the earlier sessions
    /// Outcomes of the earlier sessions, as run_session() takes them. A store may have more.
    std::vector<known_outcome> known{};
    bench_factory make_bench{}; ///< empty: make_bench of the options
    /// Lessons for all sessions of a tuning: the first session reads them if this is empty. Null:
    /// this session reads its own lessons.
    std::optional<lesson_list>* lessons = nullptr;
    /// Number of tunings that share `evaluations` and `seconds`, in any order: see
    /// stepped_session::allow(). The limits of `tuned` then do not count, and the session does not
    /// wait for another tuning of its problem. 0: the limits are for this tuning alone.
    std::size_t sharers = 0;
    search_limits left{}; ///< for sharers: the rest of the shared budget at the session's beginning
};

/// Returns the limits of the slice, divided equally among its sharers.
[[nodiscard]] search_limits part_of(tuning_slice const& slice) noexcept;

/// The facts of a tuning that decide its next slice.
struct sliced_tuning {
    std::uint64_t evaluations = 0; ///< evaluations that its slices allowed; 0: no slice yet
    double spent_s = 0;            ///< seconds of its slices
    std::uint64_t calls = 0;       ///< calls of the program
    std::vector<double> best{};    ///< see best_after()
};

/// Returns the seconds of the best after each outcome. @param outcomes  the default's is the first
[[nodiscard]] std::vector<double> best_after(std::span<known_outcome const> outcomes);

/// Returns the index of the most called tuning without a slice. If all have had a slice, returns
/// the tuning with the largest worth_of_next(). The first of equals.
/// @pre  there is a tuning
[[nodiscard]] std::size_t next_in_turn(std::span<sliced_tuning const> all);

/// Returns the index of the tuning that each other one precedes by next_in_turn(): the first to end
/// where there is no room for all. The first of equals.
/// @pre  there is a tuning
[[nodiscard]] std::size_t last_in_turn(std::span<sliced_tuning const> all);

/// Returns the next slice of a tuning: first a quarter of its limits, then as much again as it has
/// had. First slices are shorter if `left` is too little for all tunings that wait for one.
/// @param whole    limits of one tuning
/// @param left     rest of the budget of all tunings together
/// @param waiting  tunings without a slice, including this one if it has had none
[[nodiscard]] tuning_slice next_slice(sliced_tuning const& of, search_limits const& whole,
                                      search_limits const& left, std::size_t waiting);
/// Returns true if a tuning has used its limits, and needs no other slice.
[[nodiscard]] bool has_all(sliced_tuning const& of, search_limits const& whole) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/tuning_slice.ipp>
#endif
