// attune/tune/dispatch/choice/remembered_choice.ipp - reads and writes the variants of a store for calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/tune/dispatch/choice/near_choice.hpp>
#include <attune/tune/dispatch/choice/remembered_choice.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Most problems whose outcomes a search gets; its own may be one of them. With 60 outcomes, each
/// adds 60 ms to the first ask() if some of them failed, and 17 ms if none failed.
inline constexpr std::size_t most_related = 5;
/// Most related problems that a lookup reads for equal code, other sizes or predictions.
inline constexpr std::size_t most_by_code = 64;
/// Most configurations of related problems that find_near() compiles until one succeeds.
inline constexpr int most_compiled = 3;
/// After this number of wrong configurations from the store, a tuning begins.
inline constexpr std::ptrdiff_t most_refused = 3;

ATTUNE_INLINE std::optional<record> remembered_choice::exact(record_key const& key) const
{
    lookup_result const known = store_.find(key);
    if (known.how != record_match::exact) return {};
    return *known.best;
}

[[nodiscard]] inline bool was_wrong(tried_row const& row)
{
    auto const* const why = std::get_if<failure>(&row.result);
    return why != nullptr && why->stage == failure_stage::verify;
}

/// Returns the failure of the configuration's latest outcome if this code was wrong; else null.
[[nodiscard]] inline failure const* refusal_in(problem_history const& past,
                                               value_texts const& values, std::string const& code)
{
    auto const latest = std::find_if(past.rows.rbegin(), past.rows.rend(),
                                     [&](tried_row const& row) { return row.values == values; });
    bool const is_refused =
        latest != past.rows.rend() && was_wrong(*latest) && !code.empty() && latest->code == code;
    return is_refused ? std::get_if<failure>(&latest->result) : nullptr;
}

ATTUNE_INLINE std::function<bool(failure const&)>
remembered_choice::refusal_of(record_key const& key, description const& space, point const& at,
                              std::string const& code, bool even_if_right) const
{
    tried_row row{.values = values_of(space, at), .code = code, .inactive = inactive_in(space, at)};
    return [store = store_, problem = problem_of(key, space, subject_.facts), row = std::move(row),
            even_if_right](failure const& why) mutable {
        if (!even_if_right && std::ranges::any_of(store.proofs(problem, row.code),
                                                  [](proven_shape const& s) { return s.is_right; }))
            return false;
        row.result = failure{failure_stage::verify, why.reason};
        store.note(problem, row);
        return refusal_in(store.recall(problem), row.values, row.code) != nullptr;
    };
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find_next(record const& known, record_key const& key,
                             chain_of_trees const& space, point const& default_at, bool predict,
                             problem_history const& past) const
{
    auto const open = past.rows.begin() + static_cast<std::ptrdiff_t>(past.open);
    if (std::count_if(open, past.rows.end(), was_wrong) >= most_refused) return {};
    problem_objective const of = objective_of(key);
    value_texts const standard = values_of(space.describe(), default_at);
    std::set<value_texts> seen{standard};
    std::vector<tried_row const*> all;
    for (tried_row const& row : std::views::reverse(past.rows))
        if (seen.insert(row.values).second && succeeded(row.result) &&
            of.is_better(std::get<measurement>(row.result).value, known.default_s))
            all.push_back(&row);
    std::ranges::sort(all, {}, [&](tried_row const* row) {
        return of.turned(std::get<measurement>(row->result).value);
    });
    for (tried_row const* const row : all) {
        std::optional<point> at = point_of(past.problem.parameters, row->values, space);
        if (!at) continue;
        compile_result made = subject_.code_at(space, *at);
        if (std::holds_alternative<failure>(made)) return {};
        record next = known;
        next.best_s = std::get<measurement>(row->result).value;
        next.code.clear();
        known_variant out =
            variant_of(next, key, space, std::get<callable>(std::move(made)), *at, predict);
        out.choice.why += "; a faster one was wrong here, so it is verified first";
        out.proofs.is_required = true;
        return out;
    }
    return {};
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find(record_key const& key, chain_of_trees const& space, point const& default_at,
                        bool predict, std::string const& shape, search_limits const& asked,
                        std::vector<std::string>& notices) const
{
    if (subject_.options.on_miss == miss_policy::always) return {};
    lookup_result const found = store_.find(key);
    std::optional<record> const& known = found.best;
    bool const is_unverified = found.how == record_match::unverified;
    if ((found.how != record_match::exact && !is_unverified) || !serves(*known, asked)) return {};
    std::optional<point> const at = point_of(known->configuration, space);
    if (!at) {
        notices.push_back(
            "the remembered configuration is not in the space any more; tuning again");
        return {};
    }
    compile_result winner = subject_.code_at(space, *at);
    if (auto const* const failed = std::get_if<failure>(&winner)) {
        notices.push_back("the remembered configuration " + std::string(describe(failed->stage)) +
                          " (" + failed->reason + "); tuning again");
        return {};
    }
    // Generated text may have changed under the same revision, and so may a library that the code
    // calls: changed code is verified before it serves.
    std::string const& code = std::get<callable>(winner).object_key;
    bool const is_known = !is_unverified && known->code == code;
    problem_history past;
    if (!is_known) past = store_.recall(problem_of(key, space.describe(), subject_.facts));
    if (failure const* const why = refusal_in(past, values_of(space.describe(), *at), code)) {
        auto next = find_next(*known, key, space, default_at, predict, past);
        notices.push_back("the remembered configuration was wrong here (" + why->reason + "); " +
                          (next ? "verifying the next best" : "tuning again"));
        return next;
    }
    known_variant out =
        variant_of(*known, key, space, std::get<callable>(std::move(winner)), *at, predict);
    if (is_unverified)
        out.choice.why += "; from a store that another user may write, so it is verified first";
    out.is_for_this_shape = !shape.empty() && known->shape == shape && is_known;
    out.proofs.is_required = !is_known;
    return out;
}

ATTUNE_INLINE bool remembered_choice::serves(record const& known, search_limits const& asked) const
{
    if (!wants_tuning(asked)) return true;
    // If its events are the last of the log, the tuning continues.
    bool const can_go_on = known.interrupted && !subject_.options.event_log.empty();
    return !can_go_on && is_enough(known, {asked.evaluations, asked.seconds});
}

ATTUNE_INLINE known_variant remembered_choice::variant_of(record const& known,
                                                          record_key const& key,
                                                          chain_of_trees const& space,
                                                          callable code, point at,
                                                          bool predict) const
{
    known_variant out;
    out.code = std::move(code);
    out.shape = known.shape;
    tuning_report& report = out.report;
    report.kernel = subject_.kernel.name;
    report.compiler = key.compiler;
    report.how = decision::remembered;
    report.configuration = text_of(space.describe(), at);
    report.objective = predict ? problem_objective{.is_seconds = false} : objective_of(key);
    report.best = measurement::exact(known.best_s);
    report.default_time = measurement::exact(known.default_s);
    report.speedup =
        report.objective.turned(known.default_s) / report.objective.turned(known.best_s);
    report.speedup_low = report.speedup_high = report.speedup;
    if (known.code == out.code.object_key)
        report.address_modulus = std::max(known.address_modulus, out.code.facts.address_modulus);
    report.log2_space_size = space.log2_size();
    report.noise.is_disturbed = known.disturbed;
    if (known.least_s > 0)
        report.roofline = {known.least_s,          known.least_s / known.best_s,
                           known.memory_bound,     {known.roof.flops, known.roof.bytes},
                           known.roof.flops_per_s, known.roof.bytes_per_s};
    report.compile_s = out.code.compile_s;
    report.predicted = predict;
    out.choice = {.kernel = report.kernel,
                  .configuration = report.configuration,
                  .how = choice_match::exact,
                  .why = "tuned for these inputs, " +
                         detail::count_text(known.evaluations, "evaluation") +
                         (known.when.empty() ? "" : ", " + known.when)};
    out.at = std::move(at);
    return out;
}

ATTUNE_INLINE proof_memory remembered_choice::proofs_of(record_key const& key,
                                                        description const& space,
                                                        std::string const& code) const
{
    proof_memory out;
    out.may_be_slower = subject_.kernel.objective.has_value(); // another value decided
    if (code.empty() || subject_.kernel.any_shape) return out;
    stored_problem problem = problem_of(key, space, subject_.facts);
    std::int64_t const rules = rules_of_proof(subject_.kernel, subject_.layout);
    for (proven_shape& one : store_.proofs(problem, code)) {
        if (one.shape.size() != subject_.layout.size() + 1 || one.shape.front() != rules) continue;
        one.shape.erase(one.shape.begin());
        out.known.push_back(std::move(one));
    }
    out.keep = [store = store_, problem = std::move(problem), code, rules](proven_shape fresh) {
        fresh.code = code;
        fresh.shape.insert(fresh.shape.begin(), rules);
        store.prove(problem, fresh);
    };
    return out;
}

[[nodiscard]] inline bool is_predicted(stored_problem const& p)
{
    return p.key.device.ends_with(predicted_device);
}

[[nodiscard]] inline bool is_of_objective(related_problem const& other, stored_problem const& p)
{
    return objective_of(other.past.problem.key) == objective_of(p.key);
}

ATTUNE_INLINE std::vector<related_problem>
remembered_choice::related_to(stored_problem const& problem, std::size_t most) const
{
    // Predicted scores, measured times and values of other objectives are not comparable.
    std::vector<related_problem> out = store_.related(problem, most);
    std::erase_if(out, [&](related_problem const& other) {
        return (other.how.how == problem_difference::none && other.is_believed) ||
               is_predicted(other.past.problem) != is_predicted(problem) ||
               !is_of_objective(other, problem);
    });
    return out;
}

ATTUNE_INLINE std::vector<related_problem>
remembered_choice::predictions_for(stored_problem const& problem) const
{
    std::string const* const isa = value_of(problem.facts, "isa");
    if (isa == nullptr || is_predicted(problem)) return {};
    std::vector<related_problem> out = store_.related(problem, most_by_code);
    std::erase_if(out, [&](related_problem const& other) {
        std::string const* const its = value_of(other.past.problem.facts, "isa");
        return !is_predicted(other.past.problem) || its == nullptr || *its != *isa ||
               !is_of_objective(other, problem);
    });
    return out;
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find_by_code(record_key const& key, chain_of_trees const& space,
                                point const& default_at, bool predict, std::string const& shape,
                                search_limits const& asked) const
{
    if (subject_.options.on_miss == miss_policy::always) return {};
    std::optional<std::string> default_code;
    for (related_problem& other :
         related_to(problem_of(key, space.describe(), subject_.facts), most_by_code)) {
        std::optional<record>& known = other.past.best;
        if (other.how.how != problem_difference::code || !other.is_believed || !known ||
            known->key.schema != key.schema || known->code.empty() || known->default_code.empty() ||
            !serves(*known, asked))
            continue;
        std::optional<point> at = point_of(known->configuration, space);
        if (!at) continue;
        if (!default_code) {
            compile_result made = subject_.code_at(space, default_at);
            auto const* const code = std::get_if<callable>(&made);
            default_code = code != nullptr ? code->object_key : "";
        }
        if (*default_code != known->default_code) continue;
        compile_result made = subject_.code_at(space, *at);
        auto* const code = std::get_if<callable>(&made);
        if (code == nullptr || code->object_key != known->code) continue;
        known->key = key;
        store_.add(*known);
        known_variant out =
            variant_of(*known, key, space, std::move(*code), std::move(*at), predict);
        out.is_for_this_shape = !shape.empty() && known->shape == shape;
        out.choice.how = choice_match::exact_by_code;
        out.choice.why += "; the code is that of " + other.how.why;
        return out;
    }
    return {};
}

/// Returns the configuration of this problem's own record, even of a short tuning.
[[nodiscard]] inline std::optional<near_choice> own_choice(std::optional<record> const& known,
                                                           chain_of_trees const& space)
{
    std::optional<point> at;
    if (known) at = point_of(known->configuration, space);
    if (!at) return {};
    return near_choice{std::move(*at), choice_match::exact, 0,
                       "tuned for these inputs, but less than is asked now: " +
                           detail::count_text(known->evaluations, "evaluation")};
}

ATTUNE_INLINE std::vector<point> remembered_choice::refused_in(stored_problem const& problem,
                                                               chain_of_trees const& space) const
{
    std::vector<point> out;
    for (tried_row const& row : store_.recall(problem).rows) {
        std::optional<point> at = point_of(problem.parameters, row.values, space);
        if (!at) continue;
        std::erase(out, *at);
        if (!succeeded(row.result)) out.push_back(std::move(*at));
    }
    return out;
}

ATTUNE_INLINE bool remembered_choice::has_failed(record_key const& key, chain_of_trees const& space,
                                                 point const& at) const
{
    std::vector<point> const failed =
        refused_in(problem_of(key, space.describe(), subject_.facts), space);
    return std::find(failed.begin(), failed.end(), at) != failed.end();
}

ATTUNE_INLINE bool remembered_choice::has_winner_for(
    record_key const& key, description const& space,
    std::function<bool(named_texts const& inputs)> const& accepts) const
{
    std::vector<related_problem> const all =
        related_to(problem_of(key, space, subject_.facts), most_by_code);
    return std::any_of(all.begin(), all.end(), [&](related_problem const& other) {
        return other.how.how == problem_difference::size && other.past.best &&
               accepts(other.past.problem.key.inputs);
    });
}

ATTUNE_INLINE std::optional<point> remembered_choice::near_point(record_key const& key,
                                                                 chain_of_trees const& space) const
{
    if (!subject_.options.search.use_related) return {};
    stored_problem const problem = problem_of(key, space.describe(), subject_.facts);
    std::vector<related_problem> here = related_to(problem, most_related);
    std::erase_if(here, [](related_problem const& other) {
        return other.how.how == problem_difference::device;
    });
    std::optional<near_choice> found = near_choice_of(here, space, refused_in(problem, space));
    if (!found) return {};
    return std::move(found->at);
}

/// Returns true if the winner of `other` kept this bound on the joules of a call, or a lower one.
[[nodiscard]] inline bool is_held_to(double most_joules, related_problem const& other)
{
    std::optional<double> const its = joules_bound_in(other.past.problem.key.setting);
    return its && *its <= most_joules;
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find_near(record_key const& key, chain_of_trees const& space) const
{
    description const& d = space.describe();
    stored_problem const problem = problem_of(key, d, subject_.facts);
    std::vector<point> refused = refused_in(problem, space);
    auto const note = [store = store_, problem, &d](point const& at, failure const& why) {
        store.note(problem,
                   {.values = values_of(d, at), .result = why, .inactive = inactive_in(d, at)});
    };
    std::vector<related_problem> related = related_to(problem, most_related);
    std::vector<related_problem> predicted = predictions_for(problem);
    if (double const most = subject_.kernel.most_joules; most > 0)
        for (std::vector<related_problem>* const some : {&related, &predicted})
            std::erase_if(*some,
                          [&](related_problem const& other) { return !is_held_to(most, other); });
    for (int tried = 0; tried < most_compiled; ++tried) {
        std::optional<near_choice> found = own_choice(exact(key), space);
        bool const is_own =
            found && std::find(refused.begin(), refused.end(), found->at) == refused.end();
        if (!is_own) found = near_choice_of(related, space, refused);
        if (!found && (found = near_choice_of(predicted, space, refused)))
            found->why = "predicted, not measured: " + found->why;
        if (!found) return {};
        compile_result made = subject_.code_at(space, found->at);
        if (auto const* const why = std::get_if<failure>(&made)) {
            note(found->at, *why);
            refused.push_back(std::move(found->at));
            continue;
        }
        known_variant out;
        out.code = std::get<callable>(std::move(made));
        out.proofs = proofs_of(key, d, out.code.object_key);
        out.proofs.is_required = true;
        out.proofs.refuse = refusal_of(key, d, found->at, out.code.object_key, true);
        out.choice = {.kernel = subject_.kernel.name,
                      .configuration = text_of(d, found->at),
                      .how = found->how,
                      .distance = found->distance,
                      .why = std::move(found->why)};
        out.report = untuned_report(subject_.kernel.name, decision::served_near, out.choice.why);
        out.report.compiler = key.compiler;
        out.report.configuration = out.choice.configuration;
        out.report.compile_s = out.code.compile_s;
        out.at = std::move(found->at);
        return out;
    }
    return {};
}

ATTUNE_INLINE session_memory remembered_choice::memory_of(record_key const& key,
                                                          chain_of_trees const& space,
                                                          bool anew) const
{
    description const& d = space.describe();
    stored_problem problem = problem_of(key, d, subject_.facts);
    problem_objective const of = objective_of(key);
    problem_history past = store_.recall(problem);
    session_memory out;
    std::unordered_map<point, std::size_t, point_hash> place;
    std::unordered_set<point, point_hash> again;
    for (std::size_t i = 0; i < past.rows.size(); ++i) {
        tried_row& row = past.rows[i];
        bool const is_open = i >= past.open;
        if (anew && was_wrong(row) && !row.code.empty())
            out.known_code.emplace_back(row.code, row.result);
        if ((anew || subject_.options.on_miss == miss_policy::always) && !is_open) continue;
        std::optional<point> at = point_of(problem.parameters, row.values, space);
        if (!at) continue;
        // A failure of an ended tuning may have had a temporary cause: try the configuration again.
        if (!is_open && !succeeded(row.result)) {
            again.insert(std::move(*at));
            continue;
        }
        again.erase(*at);
        auto const [where, is_new] = place.try_emplace(*at, out.known.size());
        if (is_new) out.known.emplace_back();
        out.known[where->second] = {std::move(*at), of.turned(std::move(row.result)),
                                    std::move(row.code)};
        out.was_cut_short = out.was_cut_short || is_open;
    }
    std::erase_if(out.known, [&](known_outcome const& one) { return again.contains(one.at); });
    std::vector<related_problem> const others = related_to(problem, most_by_code);
    out.keep = [store = store_, problem = std::move(problem), of, &d](known_outcome const& fresh) {
        store.note(problem, {.values = values_of(d, fresh.at),
                             .result = of.turned(fresh.result),
                             .code = fresh.code,
                             .predicted_s = of.turned(fresh.predicted_s),
                             .inactive = inactive_in(d, fresh.at),
                             .proposer = fresh.proposer});
    };
    for (std::size_t i = 0; i < std::min(others.size(), most_related); ++i)
        if (past_session one = past_of(others[i]);
            subject_.options.search.use_related && !one.outcomes.empty())
            out.related.push_back(std::move(one));
    if (anew || subject_.options.on_miss == miss_policy::always) return out;
    for (related_problem const& other : others)
        if (other.how.how == problem_difference::code && other.is_believed)
            for (tried_row const& row : std::views::reverse(other.past.rows))
                if (succeeded(row.result) && !row.code.empty())
                    out.known_code.emplace_back(row.code, of.turned(row.result));
    return out;
}

/// @param past  with its record
[[nodiscard]] inline std::optional<tuned_result>
result_in(problem_history const& past, chain_of_trees const& space, point const& default_at)
{
    record const& known = *past.best;
    problem_objective const of = objective_of(known.key);
    std::optional<point> best = point_of(known.configuration, space);
    if (!best) return {};
    tuned_result out{.inputs = known.key.inputs, .best = *best, .shape = known.shape};
    for (tried_row const& row : past.rows)
        if (std::optional<point> at = point_of(past.problem.parameters, row.values, space))
            out.outcomes.push_back({std::move(*at), of.turned(row.result)});
    auto const add = [&](point at, double value) {
        out.outcomes.push_back({std::move(at), of.turned(measurement::exact(value))});
    };
    add(default_at, known.default_s);
    for (value_texts const& tie : known.ties)
        if (std::optional<point> at = point_of(past.problem.parameters, tie, space))
            add(std::move(*at), known.best_s);
    add(std::move(*best), known.best_s);
    return out;
}

ATTUNE_INLINE std::optional<tuned_result>
remembered_choice::tuned_here(record_key const& key, chain_of_trees const& space,
                              point const& default_at) const
{
    std::optional<record> known = exact(key);
    if (!known) return {};
    problem_history past = store_.recall(problem_of(key, space.describe(), subject_.facts));
    past.problem = problem_of(*known);
    past.best = std::move(known);
    return result_in(past, space, default_at);
}

ATTUNE_INLINE std::vector<tuned_result>
remembered_choice::tuned_at_others(record_key const& key, chain_of_trees const& space,
                                   point const& default_at) const
{
    std::vector<tuned_result> out;
    for (related_problem const& other :
         store_.related(problem_of(key, space.describe(), subject_.facts), most_by_code)) {
        if (!other.is_believed || !other.past.best) continue;
        record_key its = other.past.best->key;
        if (std::exchange(its.inputs, key.inputs) == key.inputs || its != key) continue;
        if (std::optional<tuned_result> one = result_in(other.past, space, default_at))
            out.push_back(std::move(*one));
    }
    return out;
}

ATTUNE_INLINE std::string remembered_choice::keep(record const& fresh, bool was_known) const
{
    std::optional<record> const known = exact(fresh.key);
    if (!known || may_replace(fresh, *known, was_known)) {
        record met = fresh;
        if (known && was_known) met.replaces.push_back(values_of(known->configuration));
        store_.add(met);
        return {};
    }
    // A later tuning continues an interrupted one, but not a disturbed one.
    if (!fresh.interrupted) store_.end(problem_of(fresh));
    return std::string("the tuning was ") + (fresh.interrupted ? "interrupted" : "disturbed") +
           ": the store keeps the result of a finished tuning";
}

} // namespace attune::inline ATTUNE_ABI::detail
