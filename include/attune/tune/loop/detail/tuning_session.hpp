// attune/tune/loop/detail/tuning_session.hpp - the loop: begin, ask, try, tell, and the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/detail/session_final.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>
#include <attune/tune/loop/detail/session_outcomes.hpp>
#include <attune/tune/loop/detail/session_report.hpp>
#include <attune/tune/loop/history_check.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/progress.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The limits of a search that minimises turned values: see problem_objective::turned().
[[nodiscard]] inline search_limits turned_limits(tuning_limits const& limits,
                                                 problem_objective const& of)
{
    search_limits out = limits;
    out.target = of.turned(out.target);
    return out;
}

/// The work of a session until it rests.
struct counted_work {
    work_in_progress until_end{};
    session_at_work counted{};
};

/// One tuning from its first event to its report. Other classes do the single tasks; this class has
/// their order.
class tuning_session {
public:
    tuning_session(tuning_problem const& problem, tuning_options const& options,
                   session_memory memory)
        : problem_(problem)
        , options_(options)
        , memory_(std::move(memory))
        , space_(problem.space.describe())
        , state_(problem.kernel.name, turned_limits(options.limits, objective_of(problem)),
                 possible_evaluations(problem.space), options.progress)
        , roofline_(roof_of(problem, options, [this](std::string said) { note(std::move(said)); }))
        , pruning_(verdicts_of(
              problem, options, [this](std::string said) { note(std::move(said)); },
              [this](unsigned threads) {
                  if (memory_.elsewhere != nullptr)
                      return 0.0;    // work of other processes takes part of the rate
                  supply_->settle(); // compilers would slow the measured machine
                  return roofline_->most_bytes_per_s(threads);
              }))
        , events_(problem, options)
        , runner_(problem, options)
        , limits_({state_, interrupt_, memory_.elsewhere, [this] { return final_->limit_s(); },
                   [this] { return supply_->expected_gain(); },
                   [this](std::string said) { note(std::move(said)); }})
    {
    }

    /// Does all work from the first event to the evaluations before the search.
    void open()
    {
        if (memory_.elsewhere != nullptr && problem_.kernel.most_joules > 0)
            throw error("kernel '" + problem_.kernel.name +
                            "' has a bound on its energy: processes that try variants at the "
                            "same time share the counters of their machine",
                        "kernel.bound_energy()", "tune it in one process");
        if (memory_.elsewhere != nullptr && problem_.kernel.objective)
            throw error("kernel '" + problem_.kernel.name +
                            "' has an objective of its own: other processes measure times",
                        "kernel.objective()", "tune it in one process, or by its time");
        state_.set_objective(objective_of(problem_));
        put_into(report_, problem_);
        report_.cache = options_.measuring.cache;
        if (options_.limits.roofline_share > 0 && problem_.kernel.work == nullptr)
            note("tuning_options::limits.roofline_share has no effect: kernel '" +
                 problem_.kernel.name +
                 "' does not state its work; call kernel.work(flops, bytes)");

        note(missing_bounds(problem_, options_));
        if (auto const guard = declared_guard(problem_.kernel.source); guard && !problem_.guard)
            note("the configuration " + guard->parameter + "+=" + guard->value +
                 " is not in the space, so that the winner may be slower than it");
        note(events_.check_beginning(problem_.default_at));
        std::size_t const ahead = compiled_ahead();
        memory_.known = from_default(std::move(memory_.known), problem_.default_at);
        limits_.count_reading(memory_.read_s);
        double search_s = memory_.read_s;
        logged_search search = [&] {
            counted_seconds const counted(search_s);
            return logged_search{options_.search.strategy,
                                 problem_.space,
                                 options_.search.seed,
                                 events_.log(),
                                 memory_,
                                 ahead,
                                 pruning_->is_on()};
        }();
        std::vector<std::pair<point, outcome>> const past = search.past();
        std::vector<point> past_pruned = search.past_pruned();
        std::optional<kept_settings> past_part = search.past_part();
        note(search.notice());
        supply_.emplace(problem_, std::move(search), ahead, search_s);
        runner_.set_background([this] { return supply_->background_cpu_s(); });
        supply_->set_background([this] { return runner_.waiting_cpu_s(); });
        searched_.emplace(*pruning_, *supply_, std::move(past_pruned), std::move(past_part),
                          [this] { return limits_.may_begin(); });
        tell_compiler();
        begin(past);
        is_open_ = !is_too_short(problem_, report_.default_time);
    }

    /// @return  false if there is no other step
    bool step()
    {
        resume();
        bool has_stepped = false;
        if (is_open_)
            until_cut([&] {
                bool const is_elsewhere = elsewhere_ && elsewhere_->has_place();
                has_stepped = is_elsewhere ? elsewhere_->step() : here_->step();
            });
        return is_open_ = has_stepped;
    }

    void allow(std::uint64_t evaluations, double seconds) { limits_.allow(evaluations, seconds); }

    void rest()
    {
        supply_->settle();
        state_.pause();
        interrupt_.pause();
        at_work_.reset();
    }

    [[nodiscard]] session_state state()
    {
        std::vector<double> const& best = outcomes_->best_after();
        if (is_open_ && best.size() >= gain_asked_ + 2) {
            gain_asked_ = best.size();
            if ((expected_gain_ = supply_->expected_gain()))
                expected_gain_ = std::clamp(*expected_gain_, 0.0, 1.0);
        }
        return {best,
                outcomes_->least_s(),
                expected_gain_,
                state_.elapsed_s(),
                limits_.longest_step_s(),
                final_->limit_s()};
    }

    session_result finish()
    {
        resume();
        if (is_too_short(problem_, report_.default_time)) return stay_with_default();
        supply_->settle();
        return finish(final_->run(*supply_));
    }

private:
    void resume()
    {
        if (!at_work_) at_work_.emplace();
        interrupt_.resume();
        state_.resume();
    }

    void note(std::string sentence) { detail::note(report_, std::move(sentence)); }

    [[nodiscard]] finalist standard() const
    {
        return {problem_.default_at, report_.default_time, default_code_};
    }

    /// Reports, once and at once, which compiler serves in place of the requested one.
    void tell_compiler()
    {
        std::string const said = problem_.compiler.notice();
        if (said.empty() || said == told_of_compiler_) return;
        told_of_compiler_ = said;
        state_.announce(progress_event::notice, said);
    }

    [[nodiscard]] std::size_t compiled_ahead()
    {
        if (memory_.elsewhere != nullptr) return 0; // other processes compile
        variants_ahead chosen = variants_ahead_of(problem_, options_, runner_.at_once());
        note(std::move(chosen.notice));
        return chosen.count;
    }

    /// @param past  outcomes from before an interruption
    void begin(std::vector<std::pair<point, outcome>> const& past)
    {
        state_.announce(progress_event::started, space_size_text(problem_.space));
        try_default(past);
        until_cut([this] { try_baseline(); });
        recall(past);
        begin_elsewhere();
        bool const is_rest = !events_.log().past().empty() || memory_.was_cut_short;
        if (!past.empty())
            note(std::string("continued ") + (is_rest ? "an interrupted" : "an earlier") +
                 " tuning: " + std::to_string(past.size()) + " evaluations were known");
        for (std::optional<point> const& given : {problem_.rival, problem_.guard}) {
            bool const is_known = std::any_of(
                past.begin(), past.end(), [&](auto const& told) { return told.first == given; });
            if (given && !is_known && *given != problem_.default_at && state_.budget_left() &&
                !interrupt_.requested())
                until_cut([&] { here_->try_one(*given); });
        }
    }

    /// Measures the default, and makes the parts that need its time and code.
    void try_default(std::vector<std::pair<point, outcome>> const& past)
    {
        std::optional<measurement> known;
        if (!past.empty() && past.front().first == problem_.default_at)
            if (auto const* const time = std::get_if<measurement>(&past.front().second))
                known = *time;
        trial const first =
            runner_.establish_reference(supply_->compile(problem_.default_at), known);
        report_.default_time = std::get<measurement>(first.result);
        default_code_ = first.code;
        limits_.forgive_reference(first.reference_s);
        if (problem_.kernel.reference && !has_reference(problem_.kernel, problem_.frame))
            note("results are compared with those of the default: the kernel's reference would "
                 "take too long for this call");
        if (problem_.device == nullptr && !problem_.predict)
            for (std::string& said :
                 contents_not_tried(problem_.kernel, problem_.frame, default_code_,
                                    longest_in_other_calls_s, options_.measuring.protect))
                note(std::move(said));
        final_.emplace(session_final::parts{problem_, options_, state_, runner_, events_,
                                            processor_, interrupt_, report_, refuses_leaders()},
                       standard(), run_for_objective_s(first));
        searched_->go_on(past);
        outcomes_.emplace(session_outcomes::parts{problem_, options_, memory_, state_, events_,
                                                  *supply_, *pruning_, *searched_, *roofline_,
                                                  processor_, *final_});
        here_.emplace(session_here::parts{
            state_, limits_, runner_, events_, *supply_, *searched_,
            [this](point const& at, trial const& tried) { outcomes_->record(at, tried); }});
        outcomes_->record_default(first, known.has_value());
        supply_->set_time_left([this] { return state_.left_s(); });
    }

    /// Returns the seconds of one variant's objective in a round of the final; 0 without an
    /// objective.
    [[nodiscard]] double run_for_objective_s(trial const& standard) const
    {
        constexpr double energy_s = 0.4; // a third, and what surrounds it
        if (!problem_.kernel.objective) return 0;
        return standard.first_run_s + (problem_.kernel.objective->needs_joules ? energy_s : 0);
    }

    /// Adds the outcomes from before an interruption, and of equal code.
    void recall(std::vector<std::pair<point, outcome>> const& past)
    {
        auto key_of = events_.past_keys();
        for (known_outcome const& one : memory_.known)
            key_of.try_emplace(one.at, one.code);
        for (auto const& [at, result] : past) {
            if (at == problem_.default_at) continue;
            seed_known(key_of[at], result);
            outcomes_->recall(at, result, key_of[at]);
        }
        for (auto const& [code, result] : memory_.known_code)
            seed_known(code, result);
        if (pruning_->is_on())
            (void)searched_->reconsider(); // by the best from before the interruption
    }

    /// Seeds the runner with a known outcome. A success may be from elsewhere, with other data:
    /// then the variant also runs here.
    void seed_known(std::string const& object_key, outcome const& result)
    {
        if (memory_.elsewhere != nullptr && succeeded(result)) return;
        runner_.seed_known(object_key, result);
    }

    /// Returns the receiver of leaders that fail only here; empty if all were tried here.
    [[nodiscard]] std::function<void(point const&, trial const&)> refuses_leaders()
    {
        if (memory_.elsewhere == nullptr) return {};
        return [this](point const& at, trial const& tried) { outcomes_->refuse(at, tried); };
    }

    void begin_elsewhere()
    {
        if (memory_.elsewhere == nullptr) return;
        memory_.elsewhere->begin(report_.default_time);
        elsewhere_.emplace(
            session_elsewhere::parts{*memory_.elsewhere, state_, limits_, *supply_, *searched_,
                                     [this](tried_variant const& one) { outcomes_->record(one); }});
    }

    void try_baseline()
    {
        if (!problem_.kernel.baseline) return;
        if (problem_.predict || problem_.device != nullptr)
            return note("your own code (kernel.baseline) is timed beside variants for this "
                        "processor only");
        callable const own = baseline_code(problem_.kernel);
        outcome const result = runner_.run_baseline(own);
        auto const* const why = std::get_if<failure>(&result);
        if (why != nullptr && is_difference(*why) &&
            !has_reference(problem_.kernel, problem_.frame)) {
            report_.baseline_differs = why->reason;
            first_said_ = differs_from_own(
                why->reason, "here the reference is the default. Variants are compared with the "
                             "default, and your own code is not timed");
            return state_.announce(progress_event::notice, first_said_);
        }
        if (why != nullptr)
            return note("your own code (kernel.baseline) " + std::string(describe(why->stage)) +
                        " and is not timed: " + why->reason);
        if (judged_by_own(problem_.kernel)) {
            double const begun_s = steady_seconds();
            runner_.refer_to(own);
            limits_.forgive_reference(steady_seconds() - begun_s);
        }
        auto const& time = std::get<measurement>(result);
        final_->set_baseline({{}, time, own, true});
        state_.set_baseline(time.value);
    }

    /// True if the search has nothing more to try, and nothing is pending.
    [[nodiscard]] bool is_exhausted() const
    {
        if (!elsewhere_) return here_->is_exhausted();
        return elsewhere_->is_exhausted() || (here_->is_exhausted() && elsewhere_->given() == 0);
    }

    session_result stay_with_default()
    {
        report_.how = decision::kept_default;
        note("a call takes less than a microsecond: nothing is tuned or remembered");
        session_result out = finish(standard());
        out.is_too_short = true;
        return out;
    }

    /// @param chosen  the installed finalist
    session_result finish(finalist const& chosen)
    {
        session_result out;
        processor_.put_into(report_.noise, runner_.disturbed());
        note(disturbance_text(report_.noise));
        if (report_.baseline) note(slower_than_own(*report_.baseline, report_.objective));
        if (problem_.guard == chosen.at) note(declared_guard(problem_.kernel.source)->if_it_wins);
        out.at = chosen.at;
        out.code = chosen.code;
        out.default_code = default_code_;
        report_.address_modulus =
            std::max(out.code.facts.address_modulus, default_code_.facts.address_modulus);
        out.ties = final_->ties();
        auto const [tried, new_bests] = outcomes_->of_search();
        out.techniques = uses_of(*supply_, tried + pruning_->pruned(), new_bests);
        out.strategy = supply_->strategy();
        report_.configuration = text_of(space_, out.at);
        report_.best = chosen.time;
        put_joules(report_, problem_.kernel, outcomes_->joules_of(out.at),
                   outcomes_->joules_of(problem_.default_at), out.at == problem_.default_at);
        if (!interrupt_.requested() || !roofline_->will_measure())
            report_.roofline = roofline_->at(out.at, chosen.time.value);
        turn_values(report_);
        put_into(report_, state_, runner_, *supply_);
        put_into(report_, *pruning_);
        note(state_.common_failure());
        report_.interrupted = limits_.is_interrupted();
        if (!report_.interrupted) events_.chosen(out.at);
        out.logged_as = events_.log().id();
        // A search without more proposals has met its own stop rule, unless the space is exhausted.
        bool const has_tried_all =
            state_.evaluations() + pruning_->pruned() >= possible_evaluations(problem_.space) ||
            (is_exhausted() && report_.left_share < 1);
        out.ended = how_it_ended(report_, has_tried_all, limits_.has_met_rule() || is_exhausted());
        for (std::string const& said : runner_.notices())
            note(said);
        if (memory_.elsewhere != nullptr)
            for (std::string const& said : memory_.elsewhere->notices())
                note(said);
        for (std::string const& said : events_.log().notices())
            note(said);
        for (std::string const& said : report_.notices)
            state_.announce(progress_event::notice, said);
        tell_compiler(); // a compiler module may fail as late as at the first variant
        note(told_of_compiler_);
        if (!first_said_.empty()) report_.notices.insert(report_.notices.begin(), first_said_);
        state_.announce(progress_event::finished, report_.summary());
        out.report = std::move(report_);
        return out;
    }

    std::optional<counted_work> at_work_{std::in_place}; ///< empty while the session rests
    environment_snapshot environment_{}; ///< for threads that compile and start workers
    tuning_problem const& problem_;
    tuning_options const& options_;
    session_memory memory_;
    description const& space_;
    tuning_report report_{};
    run_state state_;
    interrupt_guard interrupt_{};
    std::unique_ptr<kernel_roof> roofline_;
    std::unique_ptr<candidate_verdicts> pruning_;
    session_log events_;
    trial_runner runner_;
    processor_watch processor_{};
    std::optional<variant_pipeline> supply_{};
    std::string told_of_compiler_{};
    std::string first_said_{}; ///< the notice that baseline and default differ
    callable default_code_{};
    std::optional<session_final> final_{}; ///< set once the default works
    session_limits limits_;
    std::optional<session_space> searched_{};
    std::optional<session_outcomes> outcomes_{};
    std::optional<session_here> here_{};
    std::optional<session_elsewhere> elsewhere_{}; ///< empty: all is tried here
    std::optional<double> expected_gain_{};        ///< latest answer of the search
    std::size_t gain_asked_ = 0;                   ///< number of outcomes at the latest question
    bool is_open_ = false;                         ///< another step is possible
};

} // namespace attune::inline ATTUNE_ABI::detail
