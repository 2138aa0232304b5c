// attune/tune/loop/detail/session_final.hpp - the leaders of a session, and the final that they run.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/detail/session_report.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps the possible winners while a session searches, and decides at its end.
class session_final {
public:
    /// The parts that it works with; all outlive it.
    struct parts {
        tuning_problem const& problem;
        tuning_options const& options;
        run_state& state;
        trial_runner& runner;
        session_log& events;
        processor_watch const& processor;
        interrupt_guard const& interrupt;
        tuning_report& report; ///< takes the decision and its notices
        /// If set, other processes tried the leaders without code. The final tries these leaders
        /// here, and this function receives those that fail.
        std::function<void(point const&, trial const&)> refuse{};
    };

    /// @param standard  the default configuration, its time and its code
    /// @param run_s     seconds of a run, if times of finalists are values of an objective; 0: they
    ///                  are seconds
    session_final(parts const& with, finalist standard, double run_s = 0)
        : with_(with)
        , default_(std::move(standard))
        , run_s_(run_s)
        , leaders_(default_.time, default_.code.object_key)
    {
    }

    void consider(finalist candidate) { leaders_.consider(std::move(candidate)); }
    /// Sets the baseline, which is right: it takes part and cannot win.
    void set_baseline(finalist own) { baseline_ = std::move(own); }

    /// Limit of the final. On a disturbed machine three times the usual, at most a quarter of the
    /// budget.
    [[nodiscard]] double limit_s() const
    {
        double const budget_s = with_.options.limits.seconds;
        double const usual_s = final_limit_s(budget_s, seconds_of(default_.time) + baseline_s(),
                                             seconds_of(with_.state.best()->second));
        bool const is_disturbed = with_.runner.disturbed().share >= machine_noise::much_slow_share;
        return is_disturbed ? std::clamp(3 * usual_s, usual_s, std::max(usual_s, 0.25 * budget_s))
                            : usual_s;
    }

    /// Keeps the best only if it is faster than the default beyond the interval of a comparison.
    /// @param supply  compiles leaders from before an interruption  @return  the installed finalist
    [[nodiscard]] finalist run(variant_pipeline& supply)
    {
        tuning_report& report = with_.report;
        report.how = decision::kept_default;
        report.noise.resolution =
            (default_.time.high - default_.time.low) / (2 * default_.time.value);
        if (with_.interrupt.requested()) return choose_without_final();
        std::vector<finalist> field = finalists(supply);
        if (with_.interrupt.requested()) return choose_without_final();
        bool const baseline_fits =
            baseline_ && fits_final(field.empty() ? 2 : 3,
                                    seconds_of(default_.time) + baseline_s() +
                                        (field.empty() ? 0 : seconds_of(field.front().time)),
                                    limit_s());
        if (baseline_) put_into(report, default_.time, baseline_->time);
        if (!field.empty() || baseline_fits) with_.state.announce(progress_event::finals, "");
        field.insert(field.begin(), default_);
        if (baseline_fits) field.push_back(*baseline_);
        while (field.size() > 1) {
            double const left_s = with_.state.left_s();
            std::variant<round_times, std::size_t> compared{std::in_place_index<1>, 0U};
            bool is_whole = false;
            until_cut([&] {
                compared = with_.runner.compare(codes_of(field), final_time_s(limit_s(), left_s));
                if (auto* times = std::get_if<round_times>(&compared)) tell_apart(field, *times);
                is_whole = true;
            });
            if (!is_whole) return choose_without_final();
            if (auto const* const times = std::get_if<round_times>(&compared))
                return winner_of(field, *times);
            auto const failed = field.begin() + static_cast<std::ptrdiff_t>(std::get<1>(compared));
            if (failed == field.begin()) {
                note(report, "a run of the default failed in the final, and nothing was compared");
                break;
            }
            bool const is_own = is_baseline(with_.problem.kernel, failed->code);
            note(report, (is_own ? "your own code (kernel.baseline)" : text_of_point(failed->at)) +
                             " failed in the final and was left out");
            field.erase(failed);
            if (is_own) {
                baseline_.reset();
                report.baseline.reset();
            } else if (field.size() == 1 + passengers_of(field)) {
                std::optional<finalist> next = leaders_.take_substitute();
                if (next && is_ready(*next, supply))
                    field.insert(std::next(field.begin()), std::move(*next));
            }
        }
        return default_;
    }

    [[nodiscard]] std::vector<point> const& ties() const noexcept { return ties_; }

private:
    [[nodiscard]] std::string text_of_point(point const& at) const
    {
        return text_of(with_.problem.space.describe(), at);
    }
    /// Seconds of a run, for the plan of rounds.
    [[nodiscard]] double seconds_of(measurement const& time) const
    {
        return run_s_ > 0 ? run_s_ : time.value;
    }
    /// Seconds that the baseline adds to a round of the final.
    [[nodiscard]] double baseline_s() const { return baseline_ ? seconds_of(baseline_->time) : 0; }

    /// Returns leaders with code: those for which there is time, at least one, and those that stay.
    /// Begins none after Ctrl-C.
    [[nodiscard]] std::vector<finalist> finalists(variant_pipeline& supply)
    {
        std::vector<finalist> out;
        double round_s = seconds_of(default_.time) + baseline_s();
        std::optional<double> longest_s; // compilation and trial of a leader here
        int late = 0;
        for (finalist& f : leaders_.all()) {
            if (with_.interrupt.requested()) break;
            bool const fits = fits_final(out.size() + 2, round_s + seconds_of(f.time), limit_s());
            if (!fits && !out.empty() && !f.stays) continue;
            if (f.code.address == nullptr) { // from before an interruption, or tried elsewhere
                double const needed_s = out.empty() ? 0 : limit_s() + longest_s.value_or(0);
                if (with_.refuse && longest_s && with_.state.left_s() <= needed_s) {
                    ++late;
                    continue;
                }
                double const begun_s = with_.state.elapsed_s();
                bool const works = is_ready(f, supply);
                longest_s = std::max(longest_s.value_or(0), with_.state.elapsed_s() - begun_s);
                if (!works) continue;
            }
            round_s += seconds_of(f.time);
            out.push_back(f);
        }
        if (late > 0)
            note(with_.report,
                 std::to_string(late) +
                     " of the fastest configurations elsewhere did not run here: no time was left");
        return out;
    }

    /// Compiles a leader without code, and tries it here if it was tried elsewhere.
    /// @return  false if it fails
    [[nodiscard]] bool is_ready(finalist& f, variant_pipeline& supply)
    {
        if (f.code.address != nullptr) return true;
        compile_result again = supply.compile(f.at);
        bool const works =
            with_.refuse ? is_tried_here(f, again) : std::holds_alternative<callable>(again);
        if (works) f.code = std::get<callable>(std::move(again));
        return works;
    }

    /// Tries the leader with the data of this process, and takes the new time. @return  false if it
    /// fails, or if Ctrl-C came first
    [[nodiscard]] bool is_tried_here(finalist& f, compile_result const& code)
    {
        trial const here = with_.runner.run(code, default_.time.high);
        if (here.is_cut) return false;
        if (auto const* const why = std::get_if<failure>(&here.result)) {
            note(with_.report, text_of_point(f.at) + " worked elsewhere; here it " +
                                   std::string(describe(why->stage)) + ": " + why->reason);
            with_.refuse(f.at, here);
            return false;
        }
        f.time = std::get<measurement>(here.result);
        return true;
    }

    [[nodiscard]] static std::vector<callable> codes_of(std::vector<finalist> const& field)
    {
        std::vector<callable> out;
        for (finalist const& f : field)
            out.push_back(f.code);
        return out;
    }
    /// Number of baselines at the end of the field: 0 or 1.
    [[nodiscard]] std::size_t passengers_of(std::vector<finalist> const& field) const
    {
        return is_baseline(with_.problem.kernel, field.back().code) ? 1 : 0;
    }

    /// Runs more rounds if noise hides the difference between the winner and others. The additional
    /// rounds take as long as the final, at most twice, while the budget allows it.
    void tell_apart(std::vector<finalist> const& field, round_times& times)
    {
        for (int again = 0; again < 2; ++again) {
            final_result const so_far = result_of_final(times, passengers_of(field));
            if (so_far.unsure <= machine_noise::most_unsure / 2) return;
            std::vector<std::size_t> open; // ran in all rounds so far
            for (std::size_t i = 0; i < field.size() - passengers_of(field); ++i)
                if (times.rounds(i) == times.rounds(times.fastest(passengers_of(field))))
                    open.push_back(i);
            double const spare_s = std::min(limit_s(), with_.state.left_s());
            double round_s = 0;
            std::vector<callable> codes;
            for (std::size_t const i : open) {
                codes.push_back(field[i].code);
                round_s += seconds_of(field[i].time);
            }
            if (open.size() < 2 || !fits_final(open.size(), round_s, spare_s)) return;
            auto const compared = with_.runner.compare(codes, spare_s);
            auto const* const more = std::get_if<round_times>(&compared);
            if (more == nullptr) return;
            for (std::size_t k = 0; k < open.size(); ++k)
                for (std::size_t round = 0; round < more->rounds(k); ++round)
                    times.add(open[k], more->seconds(k)[round]);
        }
    }

    /// Returns the choice after Ctrl-C: the best that ran here, if its interval is apart from the
    /// default's.
    [[nodiscard]] finalist choose_without_final()
    {
        tuning_report& report = with_.report;
        finalist const* best = nullptr;
        bool has_any_run = false;
        for (finalist const& f : leaders_.all()) {
            bool const has_run = f.code.address != nullptr;
            has_any_run = has_any_run || has_run;
            bool const is_faster = has_run && f.time.high < default_.time.low;
            if (is_faster && (best == nullptr || f.time.value < best->time.value)) best = &f;
        }
        if (best != nullptr) {
            report.how = decision::tuned;
            report.speedup = default_.time.value / best->time.value;
            report.speedup_low = default_.time.low / best->time.high;
            report.speedup_high = default_.time.high / best->time.low;
            note(report, "interrupted before the final: the configuration with the best time of "
                         "the search is used");
            return *best;
        }
        if (with_.refuse && !leaders_.all().empty() && !has_any_run)
            note(report, "interrupted before the final: the default serves, because the fastest "
                         "configurations elsewhere did not run here");
        return default_;
    }

    [[nodiscard]] finalist winner_of(std::vector<finalist> const& field, round_times const& times)
    {
        tuning_report& report = with_.report;
        std::size_t const passengers = passengers_of(field);
        with_.events.sampled(std::span(field).first(field.size() - passengers), times);
        std::size_t guard = 0;
        for (std::size_t i = 1; i < field.size() - passengers; ++i)
            if (field[i].at == with_.problem.guard) guard = i;
        final_result const end = result_of_final(times, passengers, guard);
        put_into(report, end, times.time(0));
        if (passengers > 0)
            put_into(report, end, times, field.size() - 1);
        else if (baseline_)
            put_into(report, end.time, baseline_->time);
        with_.processor.put_into(report.noise, with_.runner.disturbed());
        note(report, warning_of(report.noise, end, times.size(), report.objective));
        for (std::size_t const i : end.ties) {
            report.ties.push_back(text_of_point(field[i].at));
            ties_.push_back(field[i].at);
        }
        finalist out = field[end.winner];
        out.time = end.time;
        return out;
    }

    parts with_;
    finalist default_;
    double run_s_;
    leaders leaders_;
    std::optional<finalist> baseline_{}; ///< the user's own code, if it is right
    std::vector<point> ties_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
