// attune/tune/shape/shape_check.ipp - runs, compares and decides in one forked child.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/guarded.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/shape/shape_check.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <ctime>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The current run, or the run whose results are compared.
enum class check_step : std::uint8_t {
    preparing,
    trusted,
    trusted_on_perturbed,
    trusted_across, ///< on contents perturbed across zero
    tried,
    timing_trusted, ///< the variant was right
    timing_tried,
};

/// The perturbed contents on which trusted code may run. away: numbers moved away from zero;
/// across: also numbers moved across zero.
enum class perturbing : std::uint8_t { none, away, across };

/// The progress of a child, in memory that parent and child share. No verdict depends on its
/// values, because a variant may overwrite them.
struct check_progress {
    static constexpr std::size_t most_places = 32;

    std::atomic<check_step> step{check_step::preparing};
    std::atomic<bool> is_judging{false}; ///< the run has ended, and the child compares its results
    std::atomic<unsigned> executions{0};
    std::atomic<double> begun_s{0};   ///< start of the step, by the steady clock
    std::atomic<double> limit_s{0};   ///< limit of the step
    std::atomic<int> process{0};      ///< the child
    std::atomic<double> cpu_s{0};     ///< CPU seconds of the child at the start of the step
    std::atomic<double> runs_s{0};    ///< seconds inside runs
    std::atomic<double> trusted_s{0}; ///< as in shape_verdict
    std::atomic<double> tried_s{0};
    std::atomic<std::size_t> place_count{0};
    std::array<guarded_place, most_places> places{}; ///< addresses of the copies

    void begin(check_step next, double seconds, bool judging = false) noexcept
    {
        is_judging.store(judging);
        process.store(::getpid());
        cpu_s.store(system_clocks{}.process_cpu_s());
        begun_s.store(system_clocks{}.wall_s());
        limit_s.store(seconds);
        step.store(next);
    }
};

static_assert(std::atomic<double>::is_always_lock_free &&
                  std::atomic<check_step>::is_always_lock_free,
              "processes share this");

/// Returns the CPU seconds of a process; infinity if they cannot be read.
[[nodiscard]] inline double cpu_s_of(int process)
{
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        return HUGE_VAL;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

struct shape_question {
    kernel_description const& kernel;
    call_frame const& frame;
    callable const& trusted;
    callable const& tried;
    shape_check_limits const& limits;
};

/// Returns true if the array must be closer to the reference than rounding usually is.
[[nodiscard]] inline bool has_tight_tolerance(buffer const& b)
{
    auto const is_tight = [](element_type type, tolerance const& within) {
        return !within.any && within.relative < default_tolerance(type).relative;
    };
    auto const* const runs = b.runs.data();
    return b.run_count == 0 ? is_tight(b.type, b.within)
                            : std::any_of(runs, runs + b.run_count, [&](element_run const& run) {
                                  return is_tight(run.type, run.within);
                              });
}

/// The smallest and the largest default tolerance of the array's floating-point numbers. {1, 0}: it
/// has none.
[[nodiscard]] inline std::pair<double, double> usual_tolerances(buffer const& b)
{
    std::pair<double, double> out{1, 0};
    for (std::size_t k = 0; k < part_count(b); ++k) {
        element_type const type = part_of(b, k, {}).type;
        if (!is_real_type(type)) continue;
        out.first = std::min(out.first, default_tolerance(type).relative);
        out.second = std::max(out.second, default_tolerance(type).relative);
    }
    return out;
}

/// Returns the array with each tolerance `times` as large.
[[nodiscard]] inline buffer with_tolerances(buffer b, double times)
{
    auto const widen = [times](tolerance& within) {
        within.absolute *= times;
        within.relative *= times;
    };
    widen(b.within);
    for (element_run& run : b.runs)
        widen(run.within);
    return b;
}

/// The alignment to bytes on which the codes may depend. A vector load past the end of an array
/// faults at some addresses only: copies of arrays whose addresses do not matter end at a forbidden
/// page.
[[nodiscard]] inline std::size_t alignment_of(shape_question const& asked)
{
    if (has_reference(asked.kernel, asked.frame)) return code_facts{}.address_modulus;
    return std::max(asked.trusted.facts.address_modulus, asked.tried.facts.address_modulus);
}

/// Copies of one call's arrays, and runs on them in this process: a forked child, or the program
/// itself with or without a signal guard. A model of trial_place for first_runs.
class shape_trials {
public:
    using code_type = callable;
    using expectation = snapshot;

    /// @param how  fork: this process is the child
    shape_trials(shape_question const& asked, isolation how, check_progress& progress)
        : asked_(asked)
        , how_(how)
        , progress_(progress)
        , begun_s_(clocks_.wall_s())
        , copies_(asked.frame.buffers, guarded_end::last, alignment_of(asked))
        , may_perturb_(are_apart(asked.frame.buffers))
        , may_cross_(how == isolation::fork)
    {
        if (!asked.limits.is_one_of_many) before_.emplace(how == isolation::fork, false);
        std::vector<guarded_place> const places = copies_.places();
        std::size_t const count = std::min(places.size(), progress.places.size());
        std::copy_n(places.begin(), count, progress.places.begin());
        progress.place_count.store(count);
    }

    /// Limits the perturbed contents, because the trusted code crashed on some.
    void allow(perturbing what) noexcept
    {
        may_perturb_ = may_perturb_ && what != perturbing::none;
        may_cross_ = may_cross_ && what == perturbing::across;
    }
    [[nodiscard]] bool can_perturb() const noexcept { return may_perturb_; }

    bool begin(bool is_perturbed, bool across)
    {
        if (across && !may_cross_) return false;
        if (is_perturbed && perturbed_ && is_across_ == across) {
            perturbed_->restore();
            copies_.mend();
        } else {
            if (!is_fresh_) copies_.refill();
            if (is_perturbed) {
                perturb(copies_.buffers(), across);
                perturbed_.emplace(copies_.buffers());
                is_across_ = across;
            }
        }
        is_fresh_ = false;
        is_perturbed_ = is_perturbed;
        return true;
    }

    /// Runs the user's reference, or else the default.
    [[nodiscard]] first_run_result run_trusted(callable const& code, double limit_s)
    {
        progress_.begin(!is_perturbed_ ? check_step::trusted
                        : is_across_   ? check_step::trusted_across
                                       : check_step::trusted_on_perturbed,
                        std::min(limit_s, left_s()));
        first_run_result end = run_and_look([&] { call_trusted(code, copies_); }, nullptr);
        std::vector<std::string> changes = undone_changes();
        tolerated_.insert(tolerated_.end(), changes.begin(), changes.end());
        return end;
    }

    [[nodiscard]] first_run_result run(callable const& code, double limit_s, snapshot const& right)
    {
        progress_.begin(check_step::tried, limit_s);
        auto const call = [&] { asked_.frame.call(code.address, copies_.addresses()); };
        std::size_t const data_before = data_bytes();
        first_run_result end = run_and_look(call, &right);
        std::vector<std::string> const changes = undone_changes();
        if (std::holds_alternative<failure>(end)) return end;
        if (std::string said = first_change(changes, tolerated_); !said.empty())
            return failure{failure_stage::verify, said};
        if (data_bytes() >= data_before + least_leak_bytes) ++grown_runs_;
        return end;
    }
    /// Places the copies like the caller's arrays: times depend on addresses, even if results do
    /// not. The results of the runs so far are lost.
    void place_as_called()
    {
        if (alignment_of(asked_) == code_facts{}.address_modulus) return;
        try {
            copies_ = guarded_copies(asked_.frame.buffers);
        } catch (error const&) { // no memory: the copies stay
            return;
        }
        perturbed_.reset();
        is_fresh_ = true;
    }
    /// Returns the seconds of one more run on the caller's contents, without a comparison. Empty:
    /// it failed, or no time is left.
    [[nodiscard]] std::optional<double> seconds_of(callable const& code, check_step step,
                                                   double limit_s)
    {
        if (limit_s <= 0) return {};
        begin(false, false);
        progress_.begin(step, limit_s);
        progress_.executions.fetch_add(1);
        run_clock const clock;
        bool const failed = survived([&] { asked_.frame.call(code.address, copies_.addresses()); },
                                     limit_s, how_ == isolation::guard)
                                .has_value();
        double const took_s = clock.seconds();
        progress_.runs_s.store(progress_.runs_s.load() + took_s);
        static_cast<void>(undone_changes());
        if (failed) return {};
        return took_s;
    }

    /// Returns the number of runs after which more memory was in use. One such run may be valid.
    [[nodiscard]] unsigned grown_runs() const noexcept { return grown_runs_; }

    static constexpr bool keeps_both_expectations = false;
    [[nodiscard]] snapshot take_expectation(std::optional<snapshot> spare) const
    {
        if (!spare) return snapshot{copies_.buffers()};
        spare->take_again();
        return *std::move(spare);
    }
    /// Returns the caller's memory. Runs do not write to it.
    [[nodiscard]] contents_view original_contents() const
    {
        return contents_view{asked_.frame.buffers};
    }
    [[nodiscard]] snapshot const& perturbed_contents() const { return *perturbed_; }
    [[nodiscard]] snapshot const& contents_after(snapshot const& right) const { return right; }
    [[nodiscard]] contents_view contents_after_perturbed() const
    {
        return contents_view{copies_.buffers()};
    }
    [[nodiscard]] std::span<buffer const> buffers() const noexcept { return copies_.buffers(); }
    /// Makes no third run of the trusted code, because a call waits.
    [[nodiscard]] bool confirms(callable const&, double, snapshot const&, bool) const noexcept
    {
        return true;
    }

    /// Returns true if the trusted code itself moves as far from `right` as the latest run, once
    /// its numbers change by less than the tolerance. Its sums cancel: the difference may be
    /// rounding. False where a reference of the user judges.
    [[nodiscard]] bool may_be_rounding(callable const& trusted, snapshot const& right)
    {
        std::vector<buffer> all = asked_.frame.buffers;
        if (has_reference(asked_.kernel, asked_.frame) || asked_.kernel.check || !are_apart(all) ||
            !copies_.damage().empty())
            return false;
        nudging of;
        std::size_t longest = 0;
        for (buffer& b : all) {
            if (b.first_target != buffer::none || (b.writable && has_tight_tolerance(b)))
                return false;
            of.by = std::max(of.by, usual_tolerances(b).second / 8);
            longest = std::max(longest, b.bytes / element_bytes(b.type));
            b.writable = true; // its copy changes
        }
        if (of.by <= 0) return false;
        // Measured: in other orders, sums of a million floats move up to 7 times as far, and sums
        // of 10,000 equal floats up to 18 times.
        of.most_times = 4 + std::sqrt(static_cast<double>(longest)) / 4;
        guarded_copies const others(all); // at the alignments of the call
        return moves_as_far(trusted, right, others, of) ||
               moves_as_far(trusted, right, others, {of.by, of.most_times, true});
    }

    /// Returns advice if ten times the tolerance would allow the differences of the latest run.
    [[nodiscard]] std::string advice_on(snapshot const& right) const
    {
        constexpr double times = 10;
        std::string out;
        if (asked_.kernel.check || !copies_.damage().empty()) return out;
        for (std::size_t i = 0; i < copies_.buffers().size(); ++i) {
            buffer const& b = copies_.buffers()[i];
            if (!b.writable || !compare(b, right.saved(i))) continue;
            if (compare(with_tolerances(b, times), right.saved(i))) return {};
            if (out.empty())
                out = b.argument == buffer::result
                          ? "kernel.tolerate_result(...)"
                          : "kernel.tolerate<" + std::to_string(b.argument) + ">(...)";
        }
        return out.empty() ? out : "; if that is rounding, " + out + " allows it";
    }

    [[nodiscard]] double left_s() const
    {
        return asked_.limits.check_s - (clocks_.wall_s() - begun_s_);
    }

private:
    /// A change of all numbers before a run of the trusted code: see nudge().
    struct nudging {
        double by = 0;
        double most_times = 0; ///< a difference may be so many times as large as what that moves
        bool up = false;
    };

    /// Returns true if the trusted code moves as far from `right` as the latest run. A result whose
    /// default tolerance is smaller than that of other numbers moves by this share.
    [[nodiscard]] bool moves_as_far(callable const& trusted, snapshot const& right,
                                    guarded_copies const& others, nudging const& with)
    {
        double const limit_s = left_s();
        if (limit_s <= 0) return false;
        others.refill();
        for (std::size_t i = 0; i < others.buffers().size(); ++i) {
            buffer const& b = others.buffers()[i];
            if (is_perturbed_ && copies_.buffers()[i].writable && b.bytes > 0)
                set_content(b, perturbed_->saved(i));
            nudge(b, with.by, with.up);
        }
        progress_.begin(check_step::preparing, limit_s);
        // The result of the variant differs in any case: a crash here shows nothing.
        if (survived([&] { call_trusted(trusted, others); }, limit_s, how_ != isolation::none))
            return false;
        static_cast<void>(undone_changes());
        bool differs = false;
        for (std::size_t i = 0; i < others.buffers().size(); ++i) {
            buffer const& mine = copies_.buffers()[i];
            if (!mine.writable) continue;
            auto const found = compare(mine, right.saved(i));
            if (!found) continue;
            differs = true;
            auto const [usual, largest] = usual_tolerances(mine);
            double const share = largest > 0 ? usual / (8 * with.by) : 1;
            auto const also =
                compare(with_tolerances(others.buffers()[i], 1 / share), right.saved(i));
            if (!also || 2 * also->count < found->count) return false;
            bool const is_as_far = largest > 0
                                       ? found->farthest <= with.most_times * share * also->farthest
                                       : also->element == found->element;
            if (!is_as_far) return false;
        }
        return differs;
    }

    /// Returns the changes of a run to the process, and undoes them.
    [[nodiscard]] std::vector<std::string> undone_changes() const
    {
        if (!before_) return {};
        std::vector<std::string> out = before_->changes();
        if (!out.empty()) before_->restore();
        return out;
    }
    /// Runs the user's reference, or else the default.
    void call_trusted(callable const& code, guarded_copies const& on) const
    {
        if (has_reference(asked_.kernel, asked_.frame))
            asked_.frame.with_arguments(on.addresses(), asked_.kernel.reference);
        else
            asked_.frame.call(code.address, on.addresses());
    }
    [[nodiscard]] std::size_t data_bytes() const
    {
        return how_ == isolation::fork ? read_memory_use().data : 0;
    }

    [[nodiscard]] first_run_result run_and_look(std::function<void()> const& call,
                                                snapshot const* right)
    {
        double const limit_s = progress_.limit_s.load();
        progress_.executions.fetch_add(1);
        run_clock const clock;
        std::optional<failure> failed = survived(call, limit_s, how_ == isolation::guard);
        double const took_s = clock.seconds();
        progress_.runs_s.store(progress_.runs_s.load() + took_s);
        if (failed) return *std::move(failed);
        progress_.begin(progress_.step.load(), asked_.limits.check_s, true);
        std::string said = copies_.damage();
        if (said.empty() && right != nullptr && !asked_.kernel.check)
            said = objection_to(copies_.buffers(), *right);
        if (said.empty()) said = refusal();
        if (!said.empty()) return failure{failure_stage::verify, first_line(said), said};
        return took_s;
    }

    /// Returns the failure of a call that did not return, if this process survives it.
    /// @param guards  true: a crash is such a failure
    [[nodiscard]] static std::optional<failure> survived(std::function<void()> const& call,
                                                         double limit_s, bool guards)
    {
        try {
            if (guards) {
                signal_guard guard{std::max(limit_s, 1e-3)};
                guard.call(call);
            } else {
                call_unguarded(call);
            }
        } catch (stopped const& s) {
            return s.why;
        }
        return {};
    }

    [[nodiscard]] std::string refusal() const
    {
        if (!asked_.kernel.check) return {};
        std::string said;
        asked_.frame.with_arguments(copies_.addresses(),
                                    [&](void const* a) { said = asked_.kernel.check(a); });
        return said;
    }

    shape_question const& asked_;
    isolation how_;
    check_progress& progress_;
    system_clocks clocks_{};
    double begun_s_;
    guarded_copies copies_;
    bool may_perturb_;
    bool may_cross_; ///< the program survives wild accesses
    std::optional<snapshot> perturbed_{};
    std::optional<process_state> before_{};
    std::vector<std::string> tolerated_{};
    unsigned grown_runs_ = 0;
    bool is_fresh_ = true; ///< the copies hold the caller's contents
    bool is_perturbed_ = false;
    bool is_across_ = false; ///< `perturbed_` has numbers moved across zero
};

[[nodiscard]] inline std::string takes_too_long(shape_check_limits const& limits)
{
    return "a check would take longer than " + seconds_text(limits.check_s);
}

/// A first run ends, and its variant is slower, after `shortest_check_s` and after `clearly_slower`
/// times the trusted code's time.
inline constexpr double shortest_check_s = 0.02;
inline constexpr double clearly_slower = 6;
inline constexpr double slower_by = 1.5;     ///< multiple of the trusted code's time: slower
inline constexpr double slower_by_s = 2e-6;  ///< and least seconds more: less is noise
inline constexpr double open_from = 1.25;    ///< multiple of the trusted code's time: run again
inline constexpr double short_runs_s = 1e-4; ///< sum of both first runs: run again
inline constexpr double longest_compared_s = 0.1;
inline constexpr int most_compared = 3;
inline constexpr int most_compared_again = 16; ///< before a short variant counts as slower

[[nodiscard]] inline bool is_clearly_slower(double trusted_s, double tried_s) noexcept
{
    return trusted_s > 0 && tried_s > slower_by * trusted_s && tried_s > trusted_s + slower_by_s;
}

/// Compares the times of the variant and the trusted code.
/// @param trusted_s  seconds of the trusted code's first run; 0: the user's reference ran instead
inline void compare_times(shape_question const& asked, shape_trials& place,
                          check_progress& progress, double trusted_s, double tried_s)
{
    double const begun_left_s = place.left_s();
    for (int i = 0;; ++i) {
        progress.trusted_s.store(trusted_s);
        progress.tried_s.store(tried_s);
        double const left_s = place.left_s();
        bool const is_short = trusted_s + tried_s < short_runs_s;
        bool const is_open = is_short || trusted_s <= 0 || tried_s > open_from * trusted_s;
        bool const is_repeated =
            is_short && is_clearly_slower(trusted_s, tried_s) && !asked.limits.is_one_of_many;
        if (i >= (is_repeated ? most_compared_again : most_compared) || !is_open ||
            left_s < 2 * (trusted_s + tried_s) || begun_left_s - left_s > longest_compared_s) {
            // A single cold run proves only a large difference.
            if (i == 0 && is_open && tried_s < 4 * trusted_s) progress.tried_s.store(0);
            return;
        }
        if (i == 0) place.place_as_called();
        auto const of_trusted = place.seconds_of(asked.trusted, check_step::timing_trusted,
                                                 std::min(left_s, asked.limits.check_s / 4));
        if (!of_trusted) return;
        auto const of_tried =
            place.seconds_of(asked.tried, check_step::timing_tried, place.left_s());
        if (!of_tried) return;
        trusted_s = trusted_s > 0 ? std::min(trusted_s, *of_trusted) : *of_trusted;
        tried_s = std::min(tried_s, *of_tried);
    }
}

/// Returns true if the trusted code changed no array: code that does nothing would be right.
/// @pre  policy.establish() has run
[[nodiscard]] inline bool changes_nothing(first_runs<shape_trials> const& policy,
                                          shape_trials const& place)
{
    if (policy.begin_with() != first_runs<shape_trials>::contents::original) return false;
    auto const before = place.original_contents();
    std::vector<bool> const idle =
        idle_arrays(place.buffers(), {before, place.contents_after(*policy.expected())});
    for (std::size_t i = 0; i < idle.size(); ++i) {
        buffer const& b = place.buffers()[i];
        if (b.writable && b.bytes > 0 && !b.within.any && !idle[i]) return false;
    }
    return true;
}

/// Makes the whole check. Stores each step in `progress`, because a child may crash.
/// @return  empty: right; otherwise the failure of the latest step
[[nodiscard]] inline std::optional<failure> decide_here(shape_question const& asked, isolation how,
                                                        perturbing may, check_progress& progress)
{
    progress.begin(check_step::preparing, asked.limits.check_s);
    // A child does not destroy this object: its exit frees all memory at once.
    auto* const made = new shape_trials(asked, how, progress);
    std::unique_ptr<shape_trials> const owner(how == isolation::fork ? nullptr : made);
    shape_trials& place = *made;
    place.allow(may);

    first_runs<shape_trials> policy;
    first_run_result const known =
        policy.establish(place, asked.trusted, asked.limits.check_s, asked.limits.check_s / 4);
    if (auto const* const failed = std::get_if<failure>(&known)) return *failed;
    if (asked.limits.is_one_of_many && changes_nothing(policy, place)) {
        progress.begin(check_step::preparing, asked.limits.check_s);
        return failure{failure_stage::verify, "the call changes nothing, so any code is right"};
    }
    double const took_s = std::get<double>(known);
    if (took_s > asked.limits.check_s / 4 || place.left_s() <= 0) {
        progress.begin(check_step::preparing, asked.limits.check_s);
        return failure{failure_stage::timeout, takes_too_long(asked.limits)};
    }

    // The first run may also make the forms of constant arrays, which takes longer than a call.
    double const usual_s =
        asked.frame.has_forms ? asked.limits.check_s : usual_first_run_ratio * took_s;
    double const limit_s =
        asked.limits.compares_times && !asked.frame.has_forms
            ? std::max(shortest_check_s, std::min(clearly_slower * took_s, asked.limits.check_s))
            : std::max(shortest_limit_s, std::min(usual_s, asked.limits.check_s));
    unsigned const of_trusted = progress.executions.load();
    first_run_result end = policy.first_run(place, asked.tried, limit_s);
    if (place.grown_runs() == 1 && std::holds_alternative<double>(end) &&
        progress.executions.load() == of_trusted + 1)
        end = policy.first_run(place, asked.tried, limit_s);
    if (auto const* const failed = std::get_if<failure>(&end)) {
        failure why = *failed;
        using contents = first_runs<shape_trials>::contents;
        if (why.stage != failure_stage::verify || policy.begin_with() == contents::both) return why;
        snapshot const& right = policy.begin_with() == contents::original
                                    ? *policy.expected()
                                    : *policy.expected_of_perturbed();
        if (!place.may_be_rounding(asked.trusted, right)) {
            progress.begin(check_step::tried, asked.limits.check_s, true);
            why.reason += place.advice_on(right);
            return why;
        }
        progress.begin(check_step::preparing, asked.limits.check_s);
        return failure{failure_stage::verify,
                       why.reason + "; the default moves as far where its numbers change by less "
                                    "than their tolerance: if that is rounding, allow it by "
                                    "kernel.tolerate<i>(...)"};
    }
    if (place.grown_runs() > 1)
        return failure{failure_stage::verify, "leaks 1 MiB of memory or more at each call"};
    double const tried_s = std::get<double>(end);
    bool const is_clear = asked.limits.is_one_of_many &&
                          !has_reference(asked.kernel, asked.frame) &&
                          tried_s < 2 * slower_by * took_s + slower_by_s;
    if (asked.limits.compares_times && !is_clear)
        compare_times(asked, place, progress,
                      has_reference(asked.kernel, asked.frame) ? 0.0 : took_s, tried_s);
    return {};
}

/// Returns a failure as one text, for the parent process.
[[nodiscard]] inline std::string to_text(failure const& why)
{
    return static_cast<char>('0' + static_cast<int>(why.stage)) + why.reason;
}
[[nodiscard]] inline failure failure_of(std::string const& text)
{
    auto const stage = text.empty()
                           ? failure_stage_count
                           : static_cast<std::size_t>(static_cast<unsigned char>(text[0])) -
                                 static_cast<std::size_t>('0');
    if (stage >= failure_stage_count) return {failure_stage::verify, first_line(text)};
    return {static_cast<failure_stage>(stage), first_line(text.substr(1))};
}

/// Sets the verdict after a failure in `step`. A variant that does not end in time is slower, not
/// wrong. If its run may make forms of constant arrays, its timeout proves nothing: later calls are
/// faster.
inline void conclude(shape_verdict& out, shape_question const& asked, check_step step, failure why)
{
    bool const is_variants = step == check_step::tried || step == check_step::timing_tried;
    bool const may_be_right = why.stage == failure_stage::timeout;
    out.how = is_variants && !may_be_right ? shape_verdict::ending::wrong
                                           : shape_verdict::ending::unknown;
    out.is_slower = is_variants && may_be_right && !asked.frame.has_forms;
    if (!is_variants && step != check_step::preparing)
        why.reason = "the trusted code failed on copies of the arrays: " + why.reason;
    out.why = std::move(why);
}

/// Most wall seconds of a step, as a multiple of its limit.
inline constexpr double most_waits = 8;

[[nodiscard]] inline child_limits limits_of(shape_question const& asked,
                                            check_progress const& progress)
{
    child_limits out;
    // Each step has its own limit; this one ends a child that stores no more steps.
    out.run_s = 4 * asked.limits.check_s + 2 * shortest_limit_s;
    out.check_s = 1;
    out.begin_s = 2 + asked.limits.check_s;
    // A child that waits for a processor is not slow: its CPU time counts too.
    out.run_until_s = [&progress] {
        double const begun_s = progress.begun_s.load();
        double const limit_s = progress.limit_s.load();
        if (begun_s + limit_s <= 0) return 1e18;
        double const now_s = system_clocks{}.wall_s();
        double const used_s = cpu_s_of(progress.process.load()) - progress.cpu_s.load();
        bool const waits = now_s >= begun_s + limit_s && used_s < limit_s &&
                           now_s < begun_s + most_waits * limit_s;
        return waits ? now_s + std::max(limit_s - used_s, 1e-3) : begun_s + limit_s;
    };
    return out;
}

/// Returns large memory of this process outside the arrays of the call.
[[nodiscard]] inline std::vector<address_range> memory_beside(call_frame const& frame)
{
    std::vector<address_range> kept;
    for (buffer const& b : frame.buffers) {
        auto const first = reinterpret_cast<std::uintptr_t>(b.data);
        if (b.bytes > 0) kept.push_back({first, first + b.bytes});
    }
    return large_memory_to_leave_out(kept);
}

/// Returns the facts of this process for a child without these ranges.
[[nodiscard]] inline process_facts facts_beside(std::span<address_range const> without)
{
    std::size_t left_out = 0;
    for (address_range const& r : without)
        left_out += r.last - r.first;
    std::size_t const resident = read_memory_use().resident;
    if (resident > left_out + dear_fork_bytes) return observe_process();
    return {resident - std::min(resident, left_out), has_gomp_team()};
}

/// @return  false: the trusted code crashed on perturbed contents, in the step of `progress`
[[nodiscard]] inline bool decide_in_child(shape_question const& asked, perturbing may,
                                          std::vector<address_range>& without,
                                          check_progress& progress, shape_verdict& out)
{
    child_limits limits = limits_of(asked, progress);
    limits.without = without;
    progress.begin(check_step::preparing, asked.limits.check_s); // an earlier child left its step
    std::optional<failure> said;
    child_end const end =
        run_in_child([&] { said = decide_here(asked, isolation::fork, may, progress); },
                     [&] { return said ? to_text(*said) : std::string(); }, limits);
    if (has_missed(end, without)) {
        without.clear();
        return decide_in_child(asked, may, without, progress, out);
    }
    check_step const step = progress.step.load();
    if (end.ending == child_ending::returned) {
        out.how = shape_verdict::ending::right;
        return true;
    }
    if (end.ending == child_ending::overran && step >= check_step::timing_trusted) {
        out.how = shape_verdict::ending::right; // with the times measured so far
        return true;
    }
    if (end.ending == child_ending::objected) {
        conclude(out, asked, step, failure_of(end.text));
        return true;
    }
    if (step == check_step::trusted_across && may == perturbing::across) return false;
    if (step == check_step::trusted_on_perturbed && may != perturbing::none) return false;
    // Each run catches its exceptions: this one comes from the code around the runs.
    if (end.ending == child_ending::threw || end.ending == child_ending::lost) {
        out.why = {failure_stage::crash, "no memory for the check", end.text};
        if (end.ending == child_ending::lost) out.why = verdict_of(end, limits);
        return true;
    }
    if (end.ending == child_ending::overran &&
        (step < check_step::tried || progress.is_judging.load())) {
        out.why = {failure_stage::timeout, takes_too_long(asked.limits)};
        return true;
    }
    limits.run_s = progress.limit_s.load();
    failure why = verdict_of(end, limits);
    std::size_t const known = std::min(progress.place_count.load(), progress.places.size());
    if (end.address)
        if (std::string const owner =
                explain_address(std::span(progress.places).first(known), *end.address);
            !owner.empty())
            why.reason += ", " + owner;
    conclude(out, asked, step, std::move(why));
    return true;
}

inline void take_counts(shape_verdict& out, check_progress const& progress)
{
    out.executions = progress.executions.load();
    out.runs_s = progress.runs_s.load();
    out.trusted_s = progress.trusted_s.load();
    out.tried_s = progress.tried_s.load();
}

inline void run_checks(shape_question const& asked, isolation protect, shape_verdict& out)
{
    std::size_t bytes = 0;
    for (buffer const& b : asked.frame.buffers)
        bytes += b.bytes;
    if (bytes > asked.limits.most_bytes) {
        out.why = {failure_stage::verify,
                   "its arrays take " + std::to_string(bytes) + " bytes, more than the " +
                       std::to_string(asked.limits.most_bytes) + " that are copied for a check"};
        return;
    }
    bool const is_here = protect == isolation::guard || protect == isolation::none;
    std::vector<address_range> without;
    if (!is_here) without = memory_beside(asked.frame);
    isolation const how = is_here ? protect : choose_isolation(protect, facts_beside(without)).how;
    if (how != isolation::fork) {
        check_progress progress;
        std::optional<failure> const said = decide_here(asked, how, perturbing::away, progress);
        take_counts(out, progress);
        if (said)
            conclude(out, asked, progress.step.load(), *said);
        else
            out.how = shape_verdict::ending::right;
        return;
    }
    shared_with_child<check_progress> const shared;
    for (perturbing may = perturbing::across;
         !decide_in_child(asked, may, without, shared.get(), out);)
        may = may == perturbing::across && shared.get().step.load() == check_step::trusted_across
                  ? perturbing::away
                  : perturbing::none;
    take_counts(out, shared.get());
}

ATTUNE_INLINE shape_verdict verify_shape(kernel_description const& kernel, call_frame const& frame,
                                         callable const& trusted, callable const& tried,
                                         shape_check_limits const& limits, isolation protect)
{
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    shape_verdict out;
    try {
        if (!frame.is_complete())
            out.why = {failure_stage::launch, "the targets of an array of pointers are unknown"};
        else
            run_checks({kernel, frame, trusted, tried, limits}, protect, out);
    } catch (std::exception const& thrown) {
        out.how = shape_verdict::ending::unknown;
        out.why = {failure_stage::launch, detail::first_line(thrown.what()), thrown.what()};
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    // A variant may have overwritten the shared memory.
    if (!(out.runs_s >= 0 && out.runs_s <= out.elapsed_s)) out.runs_s = 0;
    if (!(out.trusted_s > 0 && out.tried_s > 0)) out.trusted_s = out.tried_s = 0;
    out.is_slower = out.is_slower || (out.how == shape_verdict::ending::right &&
                                      is_clearly_slower(out.trusted_s, out.tried_s));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
