// attune/tune/session.ipp - the loop and its final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/event_log.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/finals.hpp>
#include <attune/tune/interrupt.hpp>
#include <attune/tune/logged_search.hpp>
#include <attune/tune/scoreboard.hpp>
#include <attune/tune/session.hpp>
#include <attune/tune/session_key.ipp>
#include <attune/tune/supply.hpp>
#include <attune/tune/trial.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune {

namespace detail {

/// What the final may take of the time budget: a tenth, but no more than two seconds; for slow
/// kernels what eight rounds of two take, but no more than a quarter.
[[nodiscard]] inline double final_limit_s(double budget_s, double default_s, double best_s)
{
    return std::min(std::max(std::min(2.0, 0.1 * budget_s), 8 * (default_s + best_s)),
                    0.25 * budget_s);
}

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

/// One tuning from its first event to its report.
class session {
public:
    session(tuning_problem const& problem, tuning_options const& options)
        : problem_(problem)
        , options_(options)
        , space_(problem.space.describe())
        , board_(problem.kernel.name,
                 options.limits,
                 possible_evaluations(problem.space),
                 options.progress)
        , judge_(options.stop)
        , log_(options.event_log.empty()
                   ? event_log{}
                   : event_log{options.event_log, session_key(problem, options), options.seed})
        , runner_(problem, options)
    {
    }

    session_result run()
    {
        report_.kernel = problem_.kernel.name;
        report_.compiler = problem_.compiler.identity();
        report_.log2_space_size = problem_.space.log2_size();
        report_.default_configuration = text_of(space_, problem_.default_at);

        logged_search search{options_.search, problem_.space, options_.seed, log_};
        std::vector<std::pair<point, outcome>> const past = search.past();
        note(search.notice());
        supply_.emplace(problem_,
                        std::move(search),
                        options_.compile_ahead ? *options_.compile_ahead
                                               : automatic_ahead(problem_));
        runner_.set_background([this] { return supply_->background_cpu_s(); });
        begin(past);
        explore();
        supply_->settle();
        decide();
        return finish();
    }

private:
    void note(std::string sentence)
    {
        if (!sentence.empty()) report_.notices.push_back(std::move(sentence));
    }

    /// The default configuration, and what is known from before an interruption.
    void begin(std::vector<std::pair<point, outcome>> const& past)
    {
        board_.announce(progress_event::started, space_size_text(problem_.space));
        std::optional<measurement> known;
        if (!past.empty() && past.front().first == problem_.default_at)
            known = std::get<measurement>(past.front().second);
        trial const first =
            runner_.establish_reference(supply_->compile(problem_.default_at), known);
        report_.default_time = std::get<measurement>(first.result);
        default_code_ = first.code;
        leaders_.emplace(report_.default_time, default_code_.object_key);
        board_.set_default(report_.default_time.value);
        board_.add(problem_.default_at, first.result, report_.default_configuration);
        judge_.add(first.result);
        if (!known) supply_->tell(problem_.default_at, first.result);
        std::unordered_map<point, std::string, point_hash> key_of;
        for (event const& e : log_.past())
            if (e.kind == event_kind::compiled) key_of[e.points.front()] = e.text;
        for (auto const& [at, result] : past) {
            if (at == problem_.default_at) continue;
            callable code; // not loaded, but its key is known
            code.object_key = key_of[at];
            runner_.know(code.object_key, result);
            take_in(at, result, code);
        }
        if (!past.empty())
            note("continued an interrupted tuning: " + std::to_string(past.size()) +
                 " evaluations were known");
    }

    void take_in(point const& at, outcome const& result, callable const& code)
    {
        board_.add(at, result, text_of(space_, at));
        judge_.add(result);
        if (auto const* m = std::get_if<measurement>(&result)) leaders_->consider({at, *m, code});
    }

    [[nodiscard]] double final_limit_s() const
    {
        return detail::final_limit_s(
            options_.limits.seconds, report_.default_time.value, board_.best()->second.value);
    }

    void explore()
    {
        double longest_s = 0; // of the evaluations so far: one more has to fit into the budget
        while (board_.budget_left(final_limit_s() + longest_s) && !interrupt_.requested()) {
            if (judge_.wants_gain()) judge_.gain(supply_->expected_gain());
            if (auto const verdict = judge_.verdict(board_.elapsed_s())) return note(verdict->text);
            double const begun_s = board_.elapsed_s();
            std::optional<supplied_variant> next =
                supply_->next(options_.limits.evaluations - board_.evaluations());
            if (!next) return;
            log_compiled(*next);
            trial const tried = runner_.run(std::move(next->code), board_.best()->second.value);
            // Ctrl-C reaches the children too: this proves nothing.
            if (interrupt_.requested()) return;
            if (tried.first_run_s > 0)
                log_.add({.kind = event_kind::first_run,
                          .points = {next->at},
                          .seconds = tried.first_run_s});
            supply_->tell(next->at, tried.result);
            take_in(next->at, tried.result, tried.code);
            longest_s = std::max(longest_s, board_.elapsed_s() - begun_s);
        }
    }

    void log_compiled(supplied_variant const& next)
    {
        event e{.kind = event_kind::compiled, .points = {next.at}};
        if (auto const* code = std::get_if<callable>(&next.code)) {
            e.seconds = code->compile_s;
            e.text = code->object_key;
        } else
            e.result = std::get<failure>(next.code);
        log_.add(e);
    }

    /// The leaders, with their code: as many as the time is enough for, but one in any case.
    [[nodiscard]] std::vector<finalist> finalists()
    {
        std::vector<finalist> out;
        double round_s = report_.default_time.value;
        for (finalist& f : leaders_->all()) {
            round_s += f.time.value;
            if (!out.empty() && 10 * round_s > final_limit_s()) break;
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
    void decide()
    {
        report_.how = decision::kept_default;
        chosen_ = {problem_.default_at, report_.default_time, default_code_};
        report_.noise.resolution =
            (chosen_.time.high - chosen_.time.low) / (2 * chosen_.time.value);
        std::vector<finalist> field = finalists();
        if (!field.empty()) board_.announce(progress_event::finals, "");
        field.insert(field.begin(), chosen_);
        while (field.size() > 1) {
            std::vector<callable> codes;
            for (finalist const& f : field)
                codes.push_back(f.code);
            double const left_s = std::max(options_.limits.seconds - board_.elapsed_s(), 0.0);
            auto const compared = runner_.compare(codes, std::min(final_limit_s(), left_s));
            if (auto const* times = std::get_if<round_times>(&compared))
                return report_final(field, *times);
            auto const failed = field.begin() + static_cast<std::ptrdiff_t>(std::get<1>(compared));
            if (failed == field.begin())
                return note("a run of the default failed in the final, and nothing was compared");
            note(text_of(space_, failed->at) + " failed in the final and was left out");
            field.erase(failed);
        }
    }

    void report_final(std::vector<finalist> const& field, round_times const& times)
    {
        attune::verdict const end = judge(times);
        chosen_ = field[end.winner];
        chosen_.time = times.time(end.winner);
        report_.noise = noise_of(report_.default_time, times.time(0), end.ratio);
        note(warning_of(report_.noise, end.ratio));
        report_.default_time = times.time(0);
        for (std::size_t const i : end.ties)
            report_.ties.push_back(text_of(space_, field[i].at));
        if (end.winner == 0) return;
        report_.how = decision::tuned;
        report_.speedup = 1 / end.ratio.value;
        report_.speedup_low = 1 / end.ratio.high;
        report_.speedup_high = 1 / end.ratio.low;
    }

    session_result finish()
    {
        session_result out;
        out.at = chosen_.at;
        out.code = chosen_.code;
        report_.configuration = text_of(space_, out.at);
        report_.best = chosen_.time;
        report_.evaluations = board_.evaluations();
        report_.same_code = runner_.same_code();
        report_.compiled = supply_->compiled();
        report_.from_cache = supply_->from_cache();
        report_.isolation = runner_.protection().why;
        report_.failures = board_.failures();
        report_.first_failures = board_.first_failures();
        report_.compile_s = supply_->compile_s();
        report_.elapsed_s = board_.elapsed_s();
        report_.interrupted = interrupt_.requested();
        if (!report_.interrupted) log_.add({.kind = event_kind::chosen, .points = {out.at}});
        note(problem_.compiler.notice());
        for (std::string const& said : log_.notices())
            note(said);
        for (std::string const& said : report_.notices)
            board_.announce(progress_event::notice, said);
        board_.announce(progress_event::finished, summary(report_));
        out.report = std::move(report_);
        return out;
    }

    tuning_problem const& problem_;
    tuning_options const& options_;
    description const& space_;
    scoreboard board_;
    stop_judge judge_;
    interrupt_guard const interrupt_{};
    event_log log_;
    trial_runner runner_;
    std::optional<variant_supply> supply_{};
    callable default_code_{};
    std::optional<leaders> leaders_{};
    finalist chosen_{};
    tuning_report report_{};
};

} // namespace detail

session_result run_session(tuning_problem const& problem, tuning_options const& options)
{
    require_usable(options.limits);
    return detail::session{problem, options}.run();
}

} // namespace attune
