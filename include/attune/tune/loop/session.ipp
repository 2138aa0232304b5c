// attune/tune/loop/session.ipp - the loop and its final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/kernel/baseline.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/detail/session_log.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/kernel_roofline.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/progress.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline std::string space_size_text(chain_of_trees const& space)
{
    if (auto const size = space.size(); size && *size < 1'000'000)
        return std::to_string(static_cast<std::uint64_t>(*size)) + " configurations";
    return (space.is_exact() ? "2^" : "about 2^") + formatted("%.1f", space.log2_size()) +
           " configurations";
}

[[nodiscard]] inline std::uint32_t possible_evaluations(chain_of_trees const& space)
{
    constexpr std::uint32_t many = std::numeric_limits<std::uint32_t>::max();
    auto const size = space.size();
    if (space.has_real_parameters() || !size || *size > many) return many;
    return static_cast<std::uint32_t>(*size);
}

/// @pre  report.default_time is from the beginning
/// @param default_time  as the final measured it
inline void
put_into(tuning_report& report, final_result const& end, measurement const& default_time)
{
    report.noise = noise_of(report.default_time, default_time, end.ratio);
    report.noise.unsure = end.unsure;
    report.default_time = end.default_time;
    if (end.winner == 0) return;
    report.how = decision::tuned;
    report.speedup = 1 / end.ratio.value;
    report.speedup_low = 1 / end.ratio.high;
    report.speedup_high = 1 / end.ratio.low;
}

/// What makes the outcome of a final less than certain; empty: nothing.
inline void put_into(machine_noise& noise, disturbance const& seen)
{
    noise.slow_share = seen.share;
    noise.slowdown = seen.slowdown;
}

/// From times that were not taken in turns: the interval is what both intervals allow.
inline void
put_into(tuning_report& report, measurement const& installed, measurement const& baseline)
{
    report.baseline = {baseline,
                       baseline.value / installed.value,
                       baseline.low / installed.high,
                       baseline.high / installed.low};
}

/// From a final in which contestant `own` was the baseline.
inline void
put_into(tuning_report& report, final_result const& end, round_times const& times, std::size_t own)
{
    measurement const ratio =
        times.ratio(end.winner, own, final_options(times.size(), 0).confidence);
    measurement const time{end.time.value * ratio.value,
                           end.time.value * ratio.low,
                           end.time.value * ratio.high,
                           ratio.samples};
    report.baseline = {time, ratio.value, ratio.low, ratio.high};
}

/// What to say where the user's own code is faster than what is installed; else empty.
[[nodiscard]] inline std::string slower_than_own(baseline_comparison const& own)
{
    if (own.speedup_high >= 1) return {};
    return "your own code (kernel.baseline) is " + formatted("%.2fx", 1 / own.speedup) +
           " faster than what is installed: call that, or give the kernel what makes it fast";
}

[[nodiscard]] inline std::string
warning_of(machine_noise const& noise, final_result const& end, std::size_t contestants)
{
    std::string const unproven = want_of_rounds(end, contestants);
    if (!unproven.empty()) return unproven;
    return noise.is_disturbed ? "" : attune::warning_of(noise, end.ratio); // which says more
}

inline void put_into(tuning_report& report,
                     run_state const& board,
                     trial_runner const& runner,
                     variant_pipeline const& supply)
{
    report.evaluations = board.evaluations();
    report.failures = board.failures();
    report.first_failures = board.first_failures();
    report.elapsed_s = board.elapsed_s();
    report.same_code = runner.same_code();
    report.isolation = runner.protection();
    report.compiled = supply.compiled();
    report.from_cache = supply.from_cache();
    report.compile_s = supply.compile_s();
}

/// Seconds. What takes less is served by the default.
inline constexpr double shortest_tuned_call_s = 1e-6;

/// One tuning from its first event to its report.
class session {
public:
    session(tuning_problem const& problem, tuning_options const& options)
        : problem_(problem)
        , options_(options)
        , space_(problem.space.describe())
        , state_(problem.kernel.name,
                 options.limits,
                 possible_evaluations(problem.space),
                 options.progress)
        , roofline_(problem, options, [this](std::string said) { note(std::move(said)); })
        , events_(problem, options)
        , runner_(problem, options)
        , waited_before_s_(waited_for_processor_s())
        , cpu_before_s_(system_clocks{}.thread_cpu_s())
    {
    }

    session_result run()
    {
        report_.kernel = problem_.kernel.name;
        report_.compiler = problem_.compiler.identity();
        report_.predicted = problem_.predict;
        state_.set_unit_is_seconds(!problem_.predict);
        report_.log2_space_size = problem_.space.log2_size();
        report_.default_configuration = text_of(space_, problem_.default_at);
        report_.cache = options_.measuring.cache;
        if (options_.search.until_roofline > 0 && problem_.kernel.work == nullptr)
            note("tuning_options::search.until_roofline ends nothing: kernel '" +
                 problem_.kernel.name +
                 "' does not state its work; call kernel.work(flops, bytes)");

        note(events_.check_beginning(problem_.default_at));
        logged_search search{
            options_.search.strategy, problem_.space, options_.search.seed, events_.log()};
        std::vector<std::pair<point, outcome>> const past = search.past();
        note(search.notice());
        supply_.emplace(problem_, std::move(search), variants_ahead());
        runner_.set_background([this] { return supply_->background_cpu_s(); });
        supply_->set_background([this] { return runner_.waiting_cpu_s(); });
        tell_compiler();
        begin(past);
        if (is_too_short()) return stay_with_default();
        until_cut([this] { explore(); });
        supply_->settle();
        run_final();
        return finish();
    }

private:
    void note(std::string sentence)
    {
        if (!sentence.empty()) report_.notices.push_back(std::move(sentence));
    }

    /// Which compiler serves in place of the one asked for: told as soon as it is known, and once.
    void tell_compiler()
    {
        std::string const said = problem_.compiler.notice();
        if (said.empty() || said == told_of_compiler_) return;
        told_of_compiler_ = said;
        state_.announce(progress_event::notice, said);
    }

    /// How many variants to compile beside a measurement.
    [[nodiscard]] std::size_t variants_ahead()
    {
        std::size_t const wanted = options_.compile_ahead
                                       ? *options_.compile_ahead
                                       : automatic_ahead(problem_) * runner_.at_once();
        bool const may_fork = problem_.device == nullptr &&
                              options_.measuring.protect != isolation::none &&
                              options_.measuring.protect != isolation::guard;
        if (wanted == 0 || !may_fork) return wanted;
        std::string const allocator = foreign_allocator();
        if (allocator.empty()) return wanted;
        note("nothing is compiled ahead: malloc() is that of " + allocator +
             ", and a compiler at work on another thread could keep a forked child from using it");
        return 0;
    }

    /// The default configuration, and what is known from before an interruption.
    void begin(std::vector<std::pair<point, outcome>> const& past)
    {
        state_.announce(progress_event::started, space_size_text(problem_.space));
        std::optional<measurement> known;
        if (!past.empty() && past.front().first == problem_.default_at)
            known = std::get<measurement>(past.front().second);
        trial const first =
            runner_.establish_reference(supply_->compile(problem_.default_at), known);
        report_.default_time = std::get<measurement>(first.result);
        default_code_ = first.code;
        leaders_.emplace(report_.default_time, default_code_.object_key);
        state_.set_default(report_.default_time.value);
        state_.add(problem_.default_at, first.result, report_.default_configuration);
        roofline_.note_threads(std::max(first.timing.threads, events_.past_threads()));
        update_roofline();
        if (!known) {
            events_.sampled(problem_.default_at, first);
            supply_->tell(problem_.default_at, first.result);
        }
        until_cut([this] { try_baseline(); });
        auto key_of = events_.past_keys();
        for (auto const& [at, result] : past) {
            if (at == problem_.default_at) continue;
            callable code; // not loaded, but its key is known
            code.object_key = key_of[at];
            runner_.seed_known(code.object_key, result);
            add_result(at, result, code);
        }
        if (!past.empty())
            note("continued an interrupted tuning: " + std::to_string(past.size()) +
                 " evaluations were known");
        bool const is_known = std::any_of(past.begin(), past.end(), [&](auto const& told) {
            return told.first == problem_.rival;
        });
        if (problem_.rival && !is_known && *problem_.rival != problem_.default_at &&
            state_.budget_left() && !interrupt_.requested())
            until_cut([&] { evaluate_rival(*problem_.rival); });
    }

    /// The user's own code: whether it is right, and how long it takes now.
    void try_baseline()
    {
        if (!problem_.kernel.baseline) return;
        if (problem_.predict || problem_.device != nullptr)
            return note("your own code (kernel.baseline) is timed beside variants for this "
                        "processor only");
        callable const own = baseline_code(problem_.kernel);
        outcome const result = runner_.run_baseline(own);
        if (auto const* why = std::get_if<failure>(&result))
            return note("your own code (kernel.baseline) " + std::string(describe(why->stage)) +
                        " and is not timed: " + why->reason);
        baseline_ = {{}, std::get<measurement>(result), own, true};
        state_.set_baseline(baseline_->time.value);
    }

    /// A configuration that the search has not asked for, and will not any more.
    void evaluate_rival(point const& at)
    {
        pipelined_variant next{at, supply_->compile(at)};
        events_.compiled(next);
        trial const tried = runner_.run(std::move(next.code), state_.best()->second.value);
        if (!tried.is_cut) record_trial(at, tried);
    }

    /// Ctrl-C cuts short what is at work, and what that was at is left out.
    template <class Work>
    void until_cut(Work const& work)
    {
        try {
            cuttable const here;
            work();
        } catch (cut_short const&) {
        }
    }

    void add_result(point const& at, outcome const& result, callable const& code)
    {
        state_.add(at, result, text_of(space_, at));
        if (auto const* m = std::get_if<measurement>(&result))
            leaders_->consider({at, *m, code, at == problem_.rival});
        if (options_.search.until_roofline > 0) update_roofline();
    }

    /// Tells the judge the least time of the best configuration so far; measures the machine, so
    /// that this is part of the budget.
    void update_roofline()
    {
        if (roofline_.will_measure()) supply_->settle(); // compilers would take part of the machine
        auto const& [at, time] = *state_.best();
        if (auto const place = roofline_.at(at, time.value))
            state_.judge().enough(options_.search.until_roofline, place->least_s);
    }

    /// On a disturbed machine three times the usual, but no more than a quarter of the budget.
    [[nodiscard]] double final_limit_s() const
    {
        double const budget_s = options_.limits.seconds;
        double const usual_s = detail::final_limit_s(
            budget_s, report_.default_time.value + baseline_s(), state_.best()->second.value);
        bool const is_disturbed = runner_.disturbed().share >= machine_noise::much_slow_share;
        return is_disturbed ? std::clamp(3 * usual_s, usual_s, std::max(usual_s, 0.25 * budget_s))
                            : usual_s;
    }
    /// What the baseline adds to a round of the final.
    [[nodiscard]] double baseline_s() const { return baseline_ ? baseline_->time.value : 0; }

    void explore()
    {
        double longest_s = 0; // of the batches so far: one more has to fit into the budget
        while (state_.budget_left(final_limit_s() + longest_s) && !interrupt_.requested()) {
            stop_judge& judge = state_.judge();
            if (judge.wants_gain()) judge.gain(supply_->expected_gain());
            if (auto const verdict = judge.verdict(state_.elapsed_s())) return note(verdict->text);
            double const begun_s = state_.elapsed_s();
            std::vector<compile_result> codes;
            std::vector<point> const batch = next_batch(codes);
            if (batch.empty()) return;
            std::vector<trial> const tried =
                runner_.run_all(std::move(codes), state_.best()->second.value);
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (!tried[i].is_cut) record_trial(batch[i], tried[i]);
            longest_s = std::max(longest_s, state_.elapsed_s() - begun_s);
        }
    }

    /// As many configurations as are measured at once, fewer at the end; and their code.
    [[nodiscard]] std::vector<point> next_batch(std::vector<compile_result>& codes)
    {
        std::vector<point> out;
        std::uint64_t const left = state_.judge().evaluations_left();
        while (out.size() < std::min<std::uint64_t>(left, runner_.at_once())) {
            std::optional<pipelined_variant> next = supply_->next(left - out.size());
            if (!next) break;
            events_.compiled(*next);
            out.push_back(std::move(next->at));
            codes.push_back(std::move(next->code));
        }
        return out;
    }

    /// One trial goes to the search, and wherever else outcomes go.
    void record_trial(point const& at, trial const& tried)
    {
        events_.first_run(at, tried.first_run_s);
        events_.sampled(at, tried);
        roofline_.note_threads(tried.timing.threads);
        supply_->tell(at, tried.result);
        add_result(at, tried.result, tried.code);
    }

    /// The leaders that the time is enough for, at least one, and those that stay; with code.
    [[nodiscard]] std::vector<finalist> finalists()
    {
        std::vector<finalist> out;
        double round_s = report_.default_time.value + baseline_s();
        for (finalist& f : leaders_->all()) {
            bool const fits = fits_final(out.size() + 2, round_s + f.time.value, final_limit_s());
            if (!fits && !out.empty() && !f.stays) continue;
            round_s += f.time.value;
            if (f.code.address == nullptr) { // from before an interruption
                compile_result again = supply_->compile(f.at);
                if (std::holds_alternative<failure>(again)) continue;
                f.code = std::get<callable>(std::move(again));
            }
            out.push_back(f);
        }
        return out;
    }

    /// Keeps the best only if it is faster than the default beyond the interval of a comparison.
    void run_final()
    {
        report_.how = decision::kept_default;
        chosen_ = {problem_.default_at, report_.default_time, default_code_};
        report_.noise.resolution =
            (chosen_.time.high - chosen_.time.low) / (2 * chosen_.time.value);
        if (interrupt_.requested()) return choose_without_final();
        std::vector<finalist> field = finalists();
        bool const baseline_fits =
            baseline_ && fits_final(field.empty() ? 2 : 3,
                                    report_.default_time.value + baseline_s() +
                                        (field.empty() ? 0 : field.front().time.value),
                                    final_limit_s());
        if (baseline_) put_into(report_, chosen_.time, baseline_->time);
        if (!field.empty() || baseline_fits) state_.announce(progress_event::finals, "");
        field.insert(field.begin(), chosen_);
        if (baseline_fits) field.push_back(*baseline_);
        while (field.size() > 1) {
            double const left_s = options_.limits.seconds - state_.elapsed_s();
            std::variant<round_times, std::size_t> compared{std::in_place_index<1>, 0U};
            bool is_whole = false;
            until_cut([&] {
                compared =
                    runner_.compare(codes_of(field), detail::final_time_s(final_limit_s(), left_s));
                if (auto* times = std::get_if<round_times>(&compared)) tell_apart(field, *times);
                is_whole = true;
            });
            if (!is_whole) return choose_without_final();
            if (auto const* times = std::get_if<round_times>(&compared))
                return report_final(field, *times);
            auto const failed = field.begin() + static_cast<std::ptrdiff_t>(std::get<1>(compared));
            if (failed == field.begin())
                return note("a run of the default failed in the final, and nothing was compared");
            bool const is_own = is_baseline(problem_.kernel, failed->code);
            note((is_own ? "your own code (kernel.baseline)" : text_of(space_, failed->at)) +
                 " failed in the final and was left out");
            field.erase(failed);
            if (!is_own) continue;
            baseline_.reset();
            report_.baseline.reset();
        }
    }

    [[nodiscard]] static std::vector<callable> codes_of(std::vector<finalist> const& field)
    {
        std::vector<callable> out;
        for (finalist const& f : field)
            out.push_back(f.code);
        return out;
    }
    /// Of a final: whether its last contestant is the baseline, as a number.
    [[nodiscard]] std::size_t passengers_of(std::vector<finalist> const& field) const
    {
        return is_baseline(problem_.kernel, field.back().code) ? 1 : 0;
    }

    /// Where noise keeps the winner and others from being told apart, these run more rounds: as
    /// long as the final once more, and again, while the budget has that.
    void tell_apart(std::vector<finalist> const& field, round_times& times)
    {
        for (int again = 0; again < 2; ++again) {
            final_result const so_far = result_of_final(times, passengers_of(field));
            if (so_far.unsure <= machine_noise::most_unsure / 2) return;
            std::vector<std::size_t> open; // ran in all rounds so far
            for (std::size_t i = 0; i < field.size() - passengers_of(field); ++i)
                if (times.rounds(i) == times.rounds(times.fastest(passengers_of(field))))
                    open.push_back(i);
            double const limit_s =
                std::min(final_limit_s(), options_.limits.seconds - state_.elapsed_s());
            double round_s = 0;
            std::vector<callable> codes;
            for (std::size_t const i : open) {
                codes.push_back(field[i].code);
                round_s += field[i].time.value;
            }
            if (open.size() < 2 || !fits_final(open.size(), round_s, limit_s)) return;
            auto const compared = runner_.compare(codes, limit_s);
            auto const* const more = std::get_if<round_times>(&compared);
            if (more == nullptr) return;
            for (std::size_t k = 0; k < open.size(); ++k)
                for (std::size_t round = 0; round < more->rounds(k); ++round)
                    times.add(open[k], more->seconds(k)[round]);
        }
    }

    /// After Ctrl-C: the best so far, if its interval and the default's are apart.
    void choose_without_final()
    {
        for (finalist const& f : leaders_->all()) {
            if (f.code.address == nullptr || !(f.time.high < report_.default_time.low)) continue;
            chosen_ = f;
            report_.how = decision::tuned;
            report_.speedup = report_.default_time.value / f.time.value;
            report_.speedup_low = report_.default_time.low / f.time.high;
            report_.speedup_high = report_.default_time.high / f.time.low;
            return note(
                "interrupted before the final: what was best when each was timed on its own "
                "is used");
        }
    }

    void report_final(std::vector<finalist> const& field, round_times const& times)
    {
        std::size_t const passengers = passengers_of(field);
        events_.sampled(std::span(field).first(field.size() - passengers), times);
        final_result const end = result_of_final(times, passengers);
        chosen_ = field[end.winner];
        chosen_.time = end.time;
        put_into(report_, end, times.time(0));
        if (passengers > 0)
            put_into(report_, end, times, field.size() - 1);
        else if (baseline_)
            put_into(report_, end.time, baseline_->time);
        note_noise();
        note(warning_of(report_.noise, end, times.size()));
        for (std::size_t const i : end.ties)
            report_.ties.push_back(text_of(space_, field[i].at));
    }

    /// Of the default: there is no time to gain, and none that could be measured well.
    [[nodiscard]] bool is_too_short() const
    {
        return !problem_.predict && report_.default_time.value < detail::shortest_tuned_call_s;
    }

    session_result stay_with_default()
    {
        report_.how = decision::kept_default;
        chosen_ = {problem_.default_at, report_.default_time, default_code_};
        note("a call takes less than a microsecond: nothing is tuned or remembered");
        session_result out = finish();
        out.is_too_short = true;
        return out;
    }

    /// What probes and the scheduler say of the machine.
    void note_noise()
    {
        put_into(report_.noise, runner_.disturbed());
        double const waited_s = waited_for_processor_s() - waited_before_s_;
        double const ran_s = system_clocks{}.thread_cpu_s() - cpu_before_s_;
        if (waited_s > 0) report_.noise.waited = waited_s / (waited_s + ran_s);
        report_.noise.is_disturbed = is_too_disturbed(report_.noise);
    }

    session_result finish()
    {
        session_result out;
        note_noise();
        note(disturbance_text(report_.noise));
        if (report_.baseline) note(slower_than_own(*report_.baseline));
        out.at = chosen_.at;
        out.code = chosen_.code;
        out.default_code = default_code_;
        report_.configuration = text_of(space_, out.at);
        report_.best = chosen_.time;
        if (!interrupt_.requested() || !roofline_.will_measure())
            report_.roofline = roofline_.at(out.at, chosen_.time.value);
        put_into(report_, state_, runner_, *supply_);
        note(state_.common_failure());
        report_.interrupted = interrupt_.requested();
        if (!report_.interrupted) events_.chosen(out.at);
        for (std::string const& said : runner_.notices())
            note(said);
        for (std::string const& said : events_.log().notices())
            note(said);
        for (std::string const& said : report_.notices)
            state_.announce(progress_event::notice, said);
        tell_compiler(); // a module may fail as late as at the first variant it compiles
        note(told_of_compiler_);
        state_.announce(progress_event::finished, report_.summary());
        out.report = std::move(report_);
        return out;
    }

    work_in_progress const at_work_{};
    environment_snapshot environment_{}; ///< other threads compile, and start workers
    tuning_problem const& problem_;
    tuning_options const& options_;
    description const& space_;
    run_state state_;
    interrupt_guard const interrupt_{};
    kernel_roofline roofline_;
    session_log events_;
    trial_runner runner_;
    std::optional<variant_pipeline> supply_{};
    std::string told_of_compiler_{};
    callable default_code_{};
    std::optional<leaders> leaders_{};
    finalist chosen_{};
    std::optional<finalist> baseline_{}; ///< the user's own code, where it is right
    double waited_before_s_;
    double cpu_before_s_;
    tuning_report report_{};
};

/// The default configuration, compiled and neither run nor measured.
[[nodiscard]] inline session_result without_tuning(tuning_problem const& problem,
                                                   progress_sink const& sink)
{
    compile_result made = compile_point(problem.kernel,
                                        problem.space.describe(),
                                        problem.compiler,
                                        problem.device,
                                        problem.default_at);
    if (auto const* why = std::get_if<failure>(&made)) refuse_default(problem, *why);
    session_result out;
    out.at = problem.default_at;
    out.code = std::get<callable>(std::move(made));
    tuning_report& report = out.report;
    report = untuned_report(problem.kernel.name,
                            decision::served_default,
                            "the options leave no evaluations or no time for a tuning");
    report.compiler = problem.compiler.identity();
    report.predicted = problem.predict;
    report.log2_space_size = problem.space.log2_size();
    report.configuration = report.default_configuration =
        text_of(problem.space.describe(), problem.default_at);
    report.compile_s = out.code.compile_s;
    run_state const board{problem.kernel.name, {}, 0, sink};
    board.announce(progress_event::finished, report.summary());
    return out;
}

} // namespace detail

ATTUNE_INLINE session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options)
{
    if (!wants_tuning(options.limits)) return detail::without_tuning(problem, options.progress);
    detail::watch_program_end();
    if (!problem.kernel.baseline) return detail::session{problem, options}.run();
    call_frame const frame = detail::with_baseline(problem.frame, problem.kernel);
    tuning_problem const beside{problem.kernel,
                                problem.space,
                                problem.default_at,
                                problem.compiler,
                                frame,
                                problem.device,
                                problem.predict,
                                problem.rival};
    return detail::session{beside, options}.run();
}

} // namespace attune::inline ATTUNE_ABI
