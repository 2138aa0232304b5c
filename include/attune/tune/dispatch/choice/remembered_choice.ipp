// attune/tune/dispatch/choice/remembered_choice.ipp - the variant that a store knows for a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/problem/relation.hpp>
#include <attune/tune/dispatch/choice/near_choice.hpp>
#include <attune/tune/dispatch/choice/remembered_choice.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Problems that a search is informed of, at most; one of them may be its own. The first question
/// takes 60 ms for each with 60 outcomes of which some failed, 17 ms where none did.
inline constexpr std::size_t most_related = 5;
/// Problems among which one of other code and the same inputs is looked for.
inline constexpr std::size_t most_by_code = 64;
/// Configurations of related problems that are compiled until one works.
inline constexpr int most_compiled = 3;

ATTUNE_INLINE std::optional<record> remembered_choice::exact(record_key const& key) const
{
    lookup_result const known = store_.find(key);
    if (known.how != record_match::exact) return {};
    return *known.best;
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find(record_key const& key, chain_of_trees const& space, bool predict,
                        std::string const& shape, search_limits const& asked,
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
    known_variant out =
        variant_of(*known, key, space, std::get<callable>(std::move(winner)), *at, predict);
    if (is_unverified)
        out.choice.why += "; of a store that another user may write, so it is verified first";
    // What a generator writes may have changed though its revision did not, and so may a library
    // that the code calls: other code is verified before it serves.
    bool const is_known = !is_unverified && known->code == out.code.object_key;
    out.is_for_this_shape = !shape.empty() && known->shape == shape && is_known;
    out.proofs.is_required = !is_known;
    return out;
}

ATTUNE_INLINE bool remembered_choice::serves(record const& known, search_limits const& asked) const
{
    if (!wants_tuning(asked)) return true;
    // Where its events are the last of the log, the tuning goes on.
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
    tuning_report& report = out.report;
    report.kernel = subject_.kernel.name;
    report.compiler = key.compiler;
    report.how = decision::remembered;
    report.configuration = text_of(space.describe(), at);
    report.best = measurement::exact(known.best_s);
    report.default_time = measurement::exact(known.default_s);
    report.speedup = known.default_s / known.best_s;
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
                  .why = "tuned for these inputs, " + std::to_string(known.evaluations) +
                         " evaluations" + (known.when.empty() ? "" : ", " + known.when)};
    out.at = std::move(at);
    return out;
}

ATTUNE_INLINE proof_memory remembered_choice::proofs_of(record_key const& key,
                                                        description const& space,
                                                        std::string const& code) const
{
    if (code.empty() || subject_.kernel.any_shape) return {};
    stored_problem problem = problem_of(key, space, subject_.facts);
    std::int64_t const rules = rules_of_proof(subject_.kernel, subject_.layout);
    proof_memory out;
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

ATTUNE_INLINE std::vector<related_problem>
remembered_choice::related_to(stored_problem const& problem, std::size_t most) const
{
    // Scores of code that was not run stand for no time, and times for no score.
    std::vector<related_problem> out = store_.related(problem, most);
    std::erase_if(out, [&](related_problem const& other) {
        return (other.how.how == problem_difference::none && other.is_believed) ||
               is_predicted(other.past.problem) != is_predicted(problem);
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
        return !is_predicted(other.past.problem) || its == nullptr || *its != *isa;
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

/// Of this very problem, however little it was tuned.
[[nodiscard]] inline std::optional<near_choice> own_choice(std::optional<record> const& known,
                                                           chain_of_trees const& space)
{
    std::optional<point> at;
    if (known) at = point_of(known->configuration, space);
    if (!at) return {};
    return near_choice{std::move(*at), choice_match::exact, 0,
                       "tuned for these inputs, but less than is asked now: " +
                           std::to_string(known->evaluations) + " evaluations"};
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

/// Whether the winner of `other` was held to this bound on the joules of a call, or a lower one.
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
        out.proofs.refuse = [note, at = found->at](failure const& why) { note(at, why); };
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
    problem_history past = store_.recall(problem);
    session_memory out;
    std::unordered_map<point, std::size_t, point_hash> place;
    std::unordered_set<point, point_hash> again;
    for (std::size_t i = 0; i < past.rows.size(); ++i) {
        tried_row& row = past.rows[i];
        bool const is_open = i >= past.open;
        if ((anew || subject_.options.on_miss == miss_policy::always) && !is_open) continue;
        std::optional<point> at = point_of(problem.parameters, row.values, space);
        if (!at) continue;
        // A failure of a tuning that ended may have had a cause that is gone: it is tried again.
        if (!is_open && !succeeded(row.result)) {
            again.insert(std::move(*at));
            continue;
        }
        again.erase(*at);
        auto const [where, is_new] = place.try_emplace(*at, out.known.size());
        if (is_new) out.known.emplace_back();
        out.known[where->second] = {std::move(*at), std::move(row.result), std::move(row.code)};
        out.was_cut_short = out.was_cut_short || is_open;
    }
    std::erase_if(out.known, [&](known_outcome const& one) { return again.contains(one.at); });
    std::vector<related_problem> const others = related_to(problem, most_by_code);
    out.keep = [store = store_, problem = std::move(problem), &d](known_outcome const& fresh) {
        store.note(problem, {.values = values_of(d, fresh.at),
                             .result = fresh.result,
                             .code = fresh.code,
                             .predicted_s = fresh.predicted_s,
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
                    out.known_code.emplace_back(row.code, row.result);
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
    // What was told of an interrupted one is gone on from; of another one it is not.
    if (!fresh.interrupted) store_.end(problem_of(fresh));
    return std::string("the tuning was ") + (fresh.interrupted ? "interrupted" : "disturbed") +
           ": the store keeps what a finished one found";
}

} // namespace attune::inline ATTUNE_ABI::detail
