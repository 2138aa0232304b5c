// attune/tune/dispatch/tuning_slice.hpp - tunings beside the program: a thread, the order of turns, limits of slices.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/together.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/session_memory.hpp>
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
    /// Asks the running job to end (stop_is_requested()), waits for it, and drops the others.
    ~background_worker();
    background_worker(background_worker const&) = delete;
    background_worker& operator=(background_worker const&) = delete;

    /// Adds a job. One thread at a time.
    /// Errors   std::system_error: no thread could be started; the job is dropped
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

/// The facts of a tuning that decide its turn.
struct turn_task {
    /// Seconds that the program saves for each second that one call saves: the number of calls. 0:
    /// no gain, and no turn.
    double weight = 1;
    /// Seconds of the best after each evaluation, the default's first, never rising; may be empty.
    std::span<double const> best{};
    double least_s = 0; ///< least seconds of a call, as far as is known; 0: unknown
    /// Share of the best that the search's model expects to gain; empty: no model yet.
    std::optional<double> expected_gain{};
    double spent_s = 0; ///< wall seconds of its evaluations
    bool is_over = false;
};

/// Returns the index of the next tuning; empty: none can gain. The first of equals. A policy keeps
/// no state: the same tasks give the same answer.
using turn_policy = std::function<std::optional<std::size_t>(std::span<turn_task const>)>;

/// The limit of the tunings, as far as a policy needs it.
enum class budget_unit : unsigned char { evaluations, seconds };

/// Value of one more evaluation, in seconds of the program.
///
///   weight * room * ((gain + .2) / n + .3 * ln(best after 3/4 n / best) / (n / 4))
///
/// `room` is best - least, or a tenth of the best if a roofline, which is measured too, leaves
/// less. `gain` is the final gain that the model of the search expects, and .2 the gain that it may
/// miss. The second term is the gain per evaluation of the latest quarter of the n evaluations. In
/// the first 16 evaluations a missing model counts as one that expects a half. The gain is divided
/// by n because with noisy times a model never stops to expect some.
/// @pre  `best` is not empty
[[nodiscard]] double worth_of_next(turn_task const& of) noexcept;

/// First all tunings up to `minimum` evaluations, beginning with the heaviest that has not begun;
/// then the one whose next evaluation is worth most. By seconds: worth most per second.
[[nodiscard]] turn_policy most_gain(budget_unit by = budget_unit::evaluations,
                                    std::size_t minimum = 8);

/// The policies below are for comparisons with most_gain().

/// Tunings one after the other.
[[nodiscard]] turn_policy round_robin();
/// The same part of the budget for each; a rest is not shared.
/// @param part  evaluations or seconds of one tuning
[[nodiscard]] turn_policy equal_split(double part, budget_unit by = budget_unit::evaluations);
/// The task scheduler of MetaSchedule: each once; then the largest weight * (alpha * (gain of the
/// last `window` evaluations) / window + (1 - alpha) * best / n).
[[nodiscard]] turn_policy gradient(double alpha = 0.2, std::size_t window = 3);

/// A session of a tuning that has several.
struct tuning_slice {
    std::uint64_t evaluations = 0; ///< of this session and the earlier ones
    double seconds = 0;            ///< of this session
    double seconds_before = 0;     ///< seconds of the earlier sessions
    /// Outcomes of the earlier sessions, as run_session() takes them. A store may have more.
    std::vector<known_outcome> known{};
    bench_factory make_bench{}; ///< empty: that of the options
    /// Kept for all sessions of a tuning: the first session that finds none here reads them. Null:
    /// this session reads its own.
    std::optional<lesson_list>* lessons = nullptr;
    /// Number of tunings that share `evaluations` and `seconds`, in any order: see
    /// stepped_session::allow(). The limits of `tuned` do not count then, and none waits for
    /// another tuning of its problem. 0: the limits are for this tuning alone.
    std::size_t sharers = 0;
    search_limits left{}; ///< for sharers: what the others left at its beginning
};

/// Returns the least part that a tuning is asked for.
[[nodiscard]] search_limits part_of(tuning_slice const& slice) noexcept;

/// The facts of a tuning that decide its turn.
struct sliced_tuning {
    std::uint64_t evaluations = 0; ///< allowed by the slices so far; 0: no slice yet
    double spent_s = 0;            ///< by the slices so far
    std::uint64_t calls = 0;       ///< made by the program
    std::vector<double> best{};    ///< see best_after()
};

/// Returns the seconds of the best after each outcome. @param outcomes  with the default's first
[[nodiscard]] std::vector<double> best_after(std::span<known_outcome const> outcomes);

/// Returns the index of the next tuning: the most called one without a slice. If all have had one,
/// the one whose next evaluation is worth most by its calls: worth_of_next(). The first of equals.
/// @pre  there is a tuning
[[nodiscard]] std::size_t next_in_turn(std::span<sliced_tuning const> all);

/// Returns the next slice of a tuning: a quarter of its limits, then as much again as it has had.
/// If `left` of all tunings together is too little for the first slices of those that wait, the
/// first slices are shorter.
/// @param whole    limits of one tuning
/// @param left     the rest of all tunings together
/// @param waiting  tunings without a slice, including this one if it had none
[[nodiscard]] tuning_slice next_slice(sliced_tuning const& of, search_limits const& whole,
                                      search_limits const& left, std::size_t waiting);
/// Returns true if a tuning that has had so much needs no other slice.
[[nodiscard]] bool has_all(sliced_tuning const& of, search_limits const& whole) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/tuning_slice.ipp>
#endif
