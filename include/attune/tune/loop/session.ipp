// attune/tune/loop/session.ipp - the loop: ask, try, tell.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>
#include <attune/search/stop.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/kernel/baseline.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/detail/session_final.hpp>
#include <attune/tune/loop/detail/session_log.hpp>
#include <attune/tune/loop/detail/session_report.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/kernel_roofline.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/progress.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
    session(tuning_problem const& problem, tuning_options const& options, session_memory memory)
        : problem_(problem)
        , options_(options)
        , memory_(std::move(memory))
        , space_(problem.space.describe())
        , state_(problem.kernel.name,
                 options.limits,
                 possible_evaluations(problem.space),
                 options.progress)
        , roofline_(problem, options, [this](std::string said) { note(std::move(said)); })
        , pruning_(problem,
                   options,
                   [this](std::string said) { note(std::move(said)); },
                   {.bytes_per_s =
                        [this](unsigned threads) {
                            if (memory_.elsewhere != nullptr)
                                return 0.0;    // what others run takes part of its rate
                            supply_->settle(); // compilers would take part of the machine
                            return roofline_.most_bytes_per_s(threads);
                        }})
        , events_(problem, options)
        , runner_(problem, options)
    {
    }

    /// From the first event to what is evaluated before the search.
    void open()
    {
        if (memory_.elsewhere != nullptr && problem_.kernel.most_joules > 0)
            throw error("kernel '" + problem_.kernel.name +
                            "' has a bound on its energy: processes that try variants at the "
                            "same time share the counters of their machine",
                        "kernel.bound_energy()",
                        "tune it in one process");
        report_.kernel = problem_.kernel.name;
        report_.compiler = problem_.compiler.identity();
        report_.predicted = problem_.predict;
        state_.set_unit_is_seconds(!problem_.predict);
        report_.log2_space_size = problem_.space.log2_size();
        report_.default_configuration = text_of(space_, problem_.default_at);
        report_.cache = options_.measuring.cache;
        if (options_.limits.roofline_share > 0 && problem_.kernel.work == nullptr)
            note("tuning_options::limits.roofline_share ends nothing: kernel '" +
                 problem_.kernel.name +
                 "' does not state its work; call kernel.work(flops, bytes)");

        note(events_.check_beginning(problem_.default_at));
        std::size_t const ahead = variants_ahead();
        memory_.known = from_default(std::move(memory_.known), problem_.default_at);
        state_.count_earlier(memory_.read_s);
        leave_time_after_reading();
        double search_s = memory_.read_s;
        logged_search search = [&] {
            counted_seconds const counted(search_s);
            return logged_search{options_.search.strategy,
                                 problem_.space,
                                 options_.search.seed,
                                 events_.log(),
                                 memory_,
                                 ahead,
                                 pruning_.is_on()};
        }();
        std::vector<std::pair<point, outcome>> const past = search.past();
        past_pruned_ = search.past_pruned();
        part_ = search.past_part();
        note(search.notice());
        supply_.emplace(problem_, std::move(search), ahead, search_s);
        runner_.set_background([this] { return supply_->background_cpu_s(); });
        supply_->set_background([this] { return runner_.waiting_cpu_s(); });
        supply_->set_pruning([this](point const& at) { return pruning_.cannot_win(at); },
                             [this] { return may_go_on(); });
        tell_compiler();
        begin(past);
        is_open_ = !is_too_short();
    }

    /// @return  false: there is no other
    bool step()
    {
        resume();
        bool has_stepped = false;
        if (is_open_) until_cut([&] { has_stepped = explore(); });
        return is_open_ = has_stepped;
    }

    void allow(std::uint64_t evaluations, double seconds)
    {
        std::uint64_t const done = state_.judge().evaluations();
        state_.judge().move_limits(evaluations < search_limits::any_number - done
                                       ? done + evaluations
                                       : search_limits::any_number,
                                   state_.elapsed_s() + seconds);
    }

    void rest()
    {
        supply_->settle();
        state_.pause();
        interrupt_.pause();
        at_work_.reset();
    }

    [[nodiscard]] session_state state()
    {
        if (is_open_ && best_after_.size() >= gain_asked_ + 2) {
            gain_asked_ = best_after_.size();
            if ((expected_gain_ = supply_->expected_gain()))
                expected_gain_ = std::clamp(*expected_gain_, 0.0, 1.0);
        }
        return {best_after_,
                least_s_,
                expected_gain_,
                state_.elapsed_s(),
                longest_s_,
                final_->limit_s()};
    }

    session_result finish()
    {
        resume();
        if (is_too_short()) return stay_with_default();
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

    /// The default configuration, as it was measured.
    [[nodiscard]] finalist standard() const
    {
        return {problem_.default_at, report_.default_time, default_code_};
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
        if (memory_.elsewhere != nullptr) return 0;    // others compile
        if (problem_.kernel.most_joules > 0) return 0; // a compiler's energy would count
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
        forgive_reference(first.reference_s);
        if (problem_.kernel.reference && !has_reference(problem_.kernel, problem_.frame))
            note("results are compared with those of the default: the kernel's reference would "
                 "take too long for this call");
        final_.emplace(session_final::parts{problem_,
                                            options_,
                                            state_,
                                            runner_,
                                            events_,
                                            processor_,
                                            interrupt_,
                                            report_,
                                            refuses_leaders()},
                       standard());
        state_.set_default(report_.default_time.value);
        state_.add(problem_.default_at, first.result, report_.default_configuration);
        best_after_.push_back(report_.default_time.value);
        joules_ = events_.past_joules(problem_.kernel);
        keep_joules(problem_.default_at, first);
        note_threads(std::max(first.timing.threads, events_.past_threads()));
        update_roofline();
        take_past_pruned(past);
        if (!is_too_short()) consider_pruning(problem_.default_at, report_.default_time);
        if (!known && !first.is_cut) {
            events_.sampled(problem_.default_at, first);
            supply_->tell(problem_.default_at, first.result, first.bounded);
            if (!is_too_short()) keep(problem_.default_at, first);
        }
        until_cut([this] { try_baseline(); });
        auto key_of = events_.past_keys();
        for (known_outcome const& one : memory_.known)
            key_of.try_emplace(one.at, one.code);
        for (auto const& [at, result] : past) {
            if (at == problem_.default_at) continue;
            callable code; // not loaded, but its key is known
            code.object_key = key_of[at];
            seed_known(code.object_key, result);
            add_result(at, result, code);
        }
        for (auto const& [code, result] : memory_.known_code)
            seed_known(code, result);
        if (pruning_.is_on()) (void)reconsider_pruned(); // by the best of before the interruption
        bool const is_rest = !events_.log().past().empty() || memory_.was_cut_short;
        if (memory_.elsewhere != nullptr) memory_.elsewhere->begin(report_.default_time);
        if (!past.empty())
            note(std::string("continued ") + (is_rest ? "an interrupted" : "an earlier") +
                 " tuning: " + std::to_string(past.size()) + " evaluations were known");
        bool const is_known = std::any_of(past.begin(), past.end(), [&](auto const& told) {
            return told.first == problem_.rival;
        });
        if (problem_.rival && !is_known && *problem_.rival != problem_.default_at &&
            state_.budget_left() && !interrupt_.requested())
            until_cut([&] { evaluate_rival(*problem_.rival); });
    }

    /// What worked may have been tried elsewhere, with other data: then it runs here, too.
    void seed_known(std::string const& object_key, outcome const& result)
    {
        if (memory_.elsewhere != nullptr && succeeded(result)) return;
        runner_.seed_known(object_key, result);
    }

    /// What is done with a configuration that worked elsewhere and fails here; nothing where all
    /// were tried here.
    [[nodiscard]] std::function<void(point const&, trial const&)> refuses_leaders()
    {
        if (memory_.elsewhere == nullptr) return {};
        return [this](point const& at, trial const& tried) {
            supply_->tell(at, tried.result, tried.bounded); // what a later tuning knows of it
            keep(at, tried);
        };
    }

    /// Half of limits.seconds at least: a store that was slow or locked once is no reason to keep
    /// the default as what a whole tuning found.
    void leave_time_after_reading()
    {
        double const half_s = options_.limits.seconds / 2;
        if (half_s <= 0 || memory_.read_s <= half_s) return;
        state_.judge().move_limits(state_.judge().limits().evaluations, memory_.read_s + half_s);
        note("what the search learns from took " + formatted("%.2g s", memory_.read_s) +
             " to read, of which limits.seconds counts half of itself");
    }

    /// A reference is no part of the search: see tuning_limits::seconds.
    void forgive_reference(double seconds)
    {
        state_.forgive(std::min(seconds, options_.limits.seconds));
        if (seconds >= 1)
            note("the reference that results are compared with took " +
                 formatted("%.1f s", seconds) +
                 (seconds <= options_.limits.seconds
                      ? ", which limits.seconds does not count"
                      : ", of which limits.seconds counts what is above itself"));
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
        auto const& time = std::get<measurement>(result);
        final_->set_baseline({{}, time, own, true});
        state_.set_baseline(time.value);
    }

    /// A configuration that the search has not asked for, and will not any more.
    void evaluate_rival(point const& at)
    {
        pipelined_variant next{at, supply_->compile(at)};
        events_.compiled(next);
        trial const tried = runner_.run(std::move(next.code), state_.best()->second.value);
        if (!tried.is_cut) record_trial(at, tried);
    }

    void add_result(point const& at, outcome const& result, callable const& code)
    {
        state_.add(at, result, text_of(space_, at));
        best_after_.push_back(state_.best()->second.value);
        if (auto const* m = std::get_if<measurement>(&result)) {
            final_->consider({at, *m, code, at == problem_.rival});
            consider_pruning(at, *m);
        }
        if (options_.limits.roofline_share > 0) update_roofline();
    }

    /// Counts what was pruned before an interruption; where nothing is pruned now, it is tried.
    void take_past_pruned(std::vector<std::pair<point, outcome>> const& past)
    {
        for (auto const& told : past)
            std::erase(past_pruned_, told.first); // reconsidered, and evaluated
        for (auto const& told : past)
            supply_->note_time(told.second);
        if (pruning_.is_on()) {
            pruning_.add_pruned(past_pruned_.size());
            if (part_ && !pruning_.narrowed(part_)) { // the stated work reads other parameters now
                (void)supply_->narrow({});
                part_.reset();
            }
        } else {
            bring_back();
        }
    }

    /// What was pruned comes next, and the search has the whole space again.
    void bring_back()
    {
        supply_->reconsider(std::exchange(past_pruned_, {}));
        if (std::exchange(part_, {})) (void)supply_->narrow({});
        has_news_ = true;
    }

    /// Where much of the space cannot win any more, the search goes on in the rest. Where that
    /// cannot be built, in the whole space: the part so far may lack what may win.
    /// @return  whether the search goes on elsewhere than before
    bool narrow_space()
    {
        std::optional<kept_settings> part = pruning_.narrower([this] { return may_go_on(); });
        if (!part) return false;
        std::optional<bool> const is_checked = supply_->narrow(part);
        if (!is_checked) {
            bool const had_part = part_.has_value();
            if (had_part) {
                (void)supply_->narrow({});
                pruning_.narrowed({});
                part_.reset();
                has_news_ = true;
            }
            pruning_.stays_wide();
            (void)reconsider_pruned();
            return had_part;
        }
        pruning_.narrowed(part, *is_checked);
        part_ = std::move(part);
        has_news_ = true;
        (void)reconsider_pruned();
        return true;
    }

    /// What was pruned by lower peaks, or fewer threads, than are known now comes next: no search
    /// proposes it again.
    /// @return  whether any does
    bool reconsider_pruned()
    {
        std::size_t const count = supply_->reconsider_if(
            [this](point const& at) { return pruning_.may_win(at); }, past_pruned_);
        pruning_.take_back(count);
        has_news_ = has_news_ || count > 0;
        return count > 0;
    }

    /// When the search has nothing to propose: what it may go on with by what is known since.
    [[nodiscard]] bool finds_more()
    {
        bool const is_elsewhere = narrow_space();
        return reconsider_pruned() || is_elsewhere;
    }

    /// What was pruned comes back when a time contradicts the stated work.
    void consider_pruning(point const& at, measurement const& time)
    {
        if (pruning_.measured(at, time)) bring_back();
    }

    /// Tells the judge the least time of the best configuration so far; measures the machine, so
    /// that this is part of the budget.
    void update_roofline()
    {
        if (roofline_.will_measure()) supply_->settle(); // compilers would take part of the machine
        auto const& [at, time] = *state_.best();
        if (auto const place = roofline_.at(at, time.value)) {
            least_s_ = place->least_s;
            state_.judge().enough(options_.limits.roofline_share, place->least_s);
        }
    }

    /// One more batch has to fit into the budget, were it as long as the longest so far.
    [[nodiscard]] bool may_go_on() const
    {
        return state_.budget_left(final_->limit_s() + longest_s_) && !is_interrupted();
    }

    /// One batch.  @return  false: there was none, and will be none
    bool explore()
    {
        if (others_may_try()) return explore_elsewhere();
        if (!may_go_on() || meets_stop_rule()) return false;
        (void)narrow_space();
        double const begun_s = state_.elapsed_s(); // what it measures is part of no batch
        std::vector<compile_result> codes;
        std::vector<point> batch = next_batch(codes);
        if (batch.empty() && finds_more()) batch = next_batch(codes);
        if (batch.empty()) {
            is_exhausted_ = pending_elsewhere_.empty();
            return false;
        }
        std::vector<trial> const tried =
            runner_.run_all(std::move(codes), state_.best()->second.value);
        state_.set_pruned(pruning_.pruned());
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (!tried[i].is_cut) record_trial(batch[i], tried[i]);
        longest_s_ = std::max(longest_s_, state_.elapsed_s() - begun_s);
        return true;
    }

    [[nodiscard]] bool meets_stop_rule()
    {
        stop_judge& judge = state_.judge();
        if (judge.wants_gain()) judge.gain(supply_->expected_gain());
        auto const verdict = judge.verdict(state_.elapsed_s());
        if (!verdict) return false;
        if (!std::exchange(met_stop_rule_, true)) note(verdict->text); // there is budget left
        return true;
    }

    [[nodiscard]] bool others_may_try()
    {
        if (memory_.elsewhere == nullptr) return false;
        if (memory_.elsewhere->has_place()) return true;
        take_arrived(0);
        return memory_.elsewhere->has_place();
    }

    /// Gives free places elsewhere what the search proposes, and takes what has arrived.
    /// @return  false: nothing is pending that is not overdue, and nothing will be
    bool explore_elsewhere()
    {
        trials_elsewhere& others = *memory_.elsewhere;
        if (may_give() && !meets_stop_rule()) {
            (void)narrow_space();
            give(others);
            bool const is_over = others.pending() == 0 && others.idle() > 0;
            if (is_over && finds_more()) give(others);
            is_exhausted_ = pending_elsewhere_.empty() && others.idle() > 0;
            if (others.pending() == 0 && others.idle() > 0) return false;
        } else if (others.pending() == 0 || !is_worth_waiting()) {
            return false;
        }
        take_arrived(longest_wait_s);
        state_.set_pruned(pruning_.pruned());
        return true;
    }

    /// Ctrl-C and the end of the budget are noticed within this time.
    static constexpr double longest_wait_s = 0.05;

    /// Free places get what the search proposes. Where it had nothing, it is asked again when it
    /// knows more.
    void give(trials_elsewhere& others)
    {
        std::uint64_t const left = state_.judge().evaluations_left();
        std::uint64_t const room = std::min<std::uint64_t>(
            others.idle(), left - std::min(left, pending_elsewhere_.size()));
        if (room == 0 || !has_news_) return;
        std::vector<point> next = supply_->next_points(room);
        has_news_ = !next.empty();
        for (point& at : next) {
            others.submit(at, state_.best()->second.value);
            pending_elsewhere_.emplace(std::move(at), state_.elapsed_s());
        }
    }

    void take_arrived(double wait_s)
    {
        for (tried_variant const& one : memory_.elsewhere->wait(wait_s))
            take(one);
    }

    /// Before the final a leader is compiled and run here, which may take as long as an evaluation
    /// elsewhere.
    [[nodiscard]] double end_s() const { return final_->limit_s() + longest_s_; }

    [[nodiscard]] bool may_give() const
    {
        return state_.budget_left(end_s() + longest_s_) && !is_interrupted();
    }
    /// What is pending when no more is begun is waited for as long as the end still fits.
    [[nodiscard]] bool is_worth_waiting() const
    {
        return !is_interrupted() && state_.left_s() > end_s();
    }

    void take(tried_variant const& one)
    {
        auto const begun = pending_elsewhere_.find(one.at);
        if (begun == pending_elsewhere_.end()) return;
        longest_s_ = std::max(longest_s_, state_.elapsed_s() - begun->second);
        pending_elsewhere_.erase(begun);
        if (one.made.is_cut) return;
        pipelined_variant const next{one.at, code_of(one.made)};
        events_.compiled(next);
        supply_->compiled_elsewhere(one.at, next.code, one.features);
        record_trial(one.at, one.made);
    }

    /// What the compiler said of a configuration that was tried.
    [[nodiscard]] static compile_result code_of(trial const& tried)
    {
        auto const* const why = std::get_if<failure>(&tried.result);
        bool const is_compiled = why == nullptr || (why->stage != failure_stage::compile &&
                                                    why->stage != failure_stage::load);
        if (is_compiled) return tried.code;
        return *why;
    }

    [[nodiscard]] bool is_interrupted() const
    {
        return interrupt_.requested() ||
               (memory_.elsewhere != nullptr && memory_.elsewhere->wants_stop());
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

    void note_threads(std::uint32_t threads)
    {
        roofline_.note_threads(threads);
        pruning_.note_threads(threads);
        processor_.note_threads(threads);
    }

    /// @param predicted_s  that the search's model expected; 0: no model chose it
    /// @param proposer     technique of the search; empty: none
    void keep(point const& at,
              trial const& tried,
              double predicted_s = 0,
              std::string proposer = {}) const
    {
        if (memory_.keep)
            memory_.keep(
                {at, tried.result, tried.code.object_key, predicted_s, std::move(proposer)});
    }

    void keep_joules(point const& at, trial const& tried)
    {
        if (!std::isnan(tried.bounded.joules)) joules_[at] = tried.bounded.joules;
    }

    /// What kernel.bound_energy() asks for.
    void report_energy(point const& installed)
    {
        auto const of = [this](point const& at) {
            auto const found = joules_.find(at);
            return found != joules_.end() ? found->second : 0.0;
        };
        report_.joules = of(installed);
        report_.default_joules = of(problem_.default_at);
        if (report_.joules <= 0) return;
        std::string said = "a call takes " + formatted("%.3g", report_.joules) + " J, of at most " +
                           formatted("%.3g", problem_.kernel.most_joules);
        if (report_.default_joules > 0 && installed != problem_.default_at)
            said += "; the default takes " + formatted("%.3g", report_.default_joules);
        note(said + "; the counters are those of whole processors, so what other programs did "
                    "counts");
    }

    /// One trial goes to the search, and wherever else outcomes go.
    void record_trial(point const& at, trial const& tried)
    {
        events_.first_run(at, tried.first_run_s);
        events_.sampled(at, tried);
        note_threads(tried.timing.threads);
        double const predicted_s = supply_->predicted_s(at);
        std::string proposer = supply_->proposer_of(at);
        supply_->tell(at, tried.result, tried.bounded);
        has_news_ = true;
        keep_joules(at, tried);
        keep(at, tried, predicted_s, std::move(proposer));
        double const best_s = state_.best()->second.value;
        add_result(at, tried.result, tried.code);
        if (problem_.rival == at) return; // nobody's proposal
        ++asked_;
        if (state_.best()->second.value < best_s) ++asked_new_bests_;
    }

    /// Of the default: there is no time to gain, and none that could be measured well.
    [[nodiscard]] bool is_too_short() const
    {
        return !problem_.predict && report_.default_time.value < shortest_tuned_call_s;
    }

    session_result stay_with_default()
    {
        report_.how = decision::kept_default;
        note("a call takes less than a microsecond: nothing is tuned or remembered");
        session_result out = finish(standard());
        out.is_too_short = true;
        return out;
    }

    /// @param chosen  what is installed
    session_result finish(finalist const& chosen)
    {
        session_result out;
        processor_.put_into(report_.noise, runner_.disturbed());
        note(disturbance_text(report_.noise));
        if (report_.baseline) note(slower_than_own(*report_.baseline));
        out.at = chosen.at;
        out.code = chosen.code;
        out.default_code = default_code_;
        if (final_) out.ties = final_->ties();
        out.techniques = supply_->uses();
        out.strategy = supply_->strategy();
        if (out.techniques.empty() && !out.strategy.empty())
            out.techniques.push_back(
                {out.strategy, asked_ + pruning_.pruned(), asked_new_bests_}); // as bandits count
        report_.configuration = text_of(space_, out.at);
        report_.best = chosen.time;
        report_energy(out.at);
        if (!interrupt_.requested() || !roofline_.will_measure())
            report_.roofline = roofline_.at(out.at, chosen.time.value);
        put_into(report_, state_, runner_, *supply_);
        report_.pruned = static_cast<std::uint32_t>(pruning_.pruned());
        report_.left_share = pruning_.left_share();
        note(pruning_.sentence());
        note(state_.common_failure());
        report_.interrupted = is_interrupted();
        if (!report_.interrupted) events_.chosen(out.at);
        out.logged_as = events_.log().id();
        bool const has_tried_all = is_exhausted_ || state_.evaluations() + pruning_.pruned() >=
                                                        possible_evaluations(problem_.space);
        bool const is_pruned = report_.left_share < 1 || report_.pruned > 0;
        out.ended = report_.interrupted ? "interrupted"
                    : has_tried_all     ? (is_pruned ? "part" : "space")
                    : met_stop_rule_    ? "stop rule"
                                        : "budget";
        for (std::string const& said : runner_.notices())
            note(said);
        if (memory_.elsewhere != nullptr)
            for (std::string const& said : memory_.elsewhere->notices())
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

    std::optional<work_in_progress> at_work_{std::in_place}; ///< nothing: it rests
    environment_snapshot environment_{}; ///< other threads compile, and start workers
    tuning_problem const& problem_;
    tuning_options const& options_;
    session_memory memory_;
    description const& space_;
    tuning_report report_{};
    run_state state_;
    interrupt_guard interrupt_{};
    kernel_roofline roofline_;
    candidate_pruning pruning_;
    std::vector<point> past_pruned_{};    ///< before an interruption, not evaluated since
    std::optional<kept_settings> part_{}; ///< in which the search goes on; nothing: in all
    session_log events_;
    trial_runner runner_;
    processor_watch processor_{};
    std::optional<variant_pipeline> supply_{};
    std::string told_of_compiler_{};
    callable default_code_{};
    std::optional<session_final> final_{};  ///< once the default works
    std::vector<double> best_after_{};      ///< each evaluation, seconds
    double least_s_ = 0;                    ///< by the roofline; 0: unknown
    std::optional<double> expected_gain_{}; ///< when it was last asked for
    std::size_t gain_asked_ = 0;            ///< after so many evaluations
    double longest_s_ = 0;                  ///< wall seconds of a batch
    /// What others try, and when it was given to them.
    std::unordered_map<point, double, point_hash> pending_elsewhere_{};
    std::unordered_map<point, double, point_hash> joules_{}; ///< of a call, where measured
    bool is_open_ = false;                                   ///< another step may bring something
    bool met_stop_rule_ = false;
    std::size_t asked_ = 0; ///< proposals of the search that were tried
    std::size_t asked_new_bests_ = 0;
    bool has_news_ = true;      ///< an outcome was told since the search had nothing to propose
    bool is_exhausted_ = false; ///< the search has nothing more to try
};

/// What a session is about; with the user's own code in its frame, if there is some.
struct stepped_session::parts {
    parts(tuning_problem const& problem, tuning_options const& options, session_memory memory)
        : frame(problem.kernel.baseline ? with_baseline(problem.frame, problem.kernel)
                                        : problem.frame)
        , of{problem.kernel,
             problem.space,
             problem.default_at,
             problem.compiler,
             frame,
             problem.device,
             problem.predict,
             problem.rival,
             false,
             problem.kernel.error ? std::make_shared<shared_with_child<errors_seen>>() : nullptr}
        , work(of, options, std::move(memory))
    {
        work.open();
    }
    call_frame const frame;
    tuning_problem const of;
    session work;
};

ATTUNE_INLINE stepped_session::stepped_session(tuning_problem const& problem,
                                               tuning_options const& options,
                                               session_memory memory)
{
    watch_program_end();
    parts_ = std::make_unique<parts>(problem, options, std::move(memory));
}
ATTUNE_INLINE stepped_session::~stepped_session() = default;

ATTUNE_INLINE bool stepped_session::step() { return parts_->work.step(); }
ATTUNE_INLINE void stepped_session::allow(std::uint64_t evaluations, double seconds)
{
    parts_->work.allow(evaluations, seconds);
}
ATTUNE_INLINE void stepped_session::rest() { parts_->work.rest(); }
ATTUNE_INLINE session_state stepped_session::state() { return parts_->work.state(); }
ATTUNE_INLINE session_result stepped_session::finish() { return parts_->work.finish(); }

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
    out.report = report_without_tuning(problem, out.code);
    run_state const board{problem.kernel.name, {}, 0, sink};
    board.announce(progress_event::finished, out.report.summary());
    return out;
}

ATTUNE_INLINE session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options,
                                         session_memory memory)
{
    if (!wants_tuning(options.limits)) return without_tuning(problem, options.progress);
    stepped_session work(problem, options, std::move(memory));
    while (work.step()) {
    }
    return work.finish();
}

} // namespace attune::inline ATTUNE_ABI::detail
