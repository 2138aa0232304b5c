// attune/tune/dispatch/remembered_choice.ipp - the variant that a store knows for a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem.hpp>
#include <attune/tune/dispatch/remembered_choice.hpp>
#include <attune/tune/kernel/device_facts.hpp>
#include <attune/tune/kernel/thread_use.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <unordered_map>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Problems that a search is informed of, at most; one of them may be its own. The first question
/// takes 60 ms for each with 60 outcomes of which some failed, 17 ms where none did.
inline constexpr std::size_t most_related = 5;

ATTUNE_INLINE named_texts setting_of(dispatched_kernel const& subject, std::string const& compiler)
{
    tuning_options const& options = subject.options;
    named_texts out;
    if (options.measuring.cache != cache_state::warm) out.emplace_back("cache", "cold");
    if (options.device.as_graph) out.emplace_back("graph", "yes");
    if (subject.find_device) return out;
    if (std::string threads = threads_setting(subject.kernel.source, compiler); !threads.empty())
        out.emplace_back("threads", std::move(threads));
    return out;
}

ATTUNE_INLINE record make_record(record_key key,
                                 description const& space,
                                 session_result const& result,
                                 tuning_options const& options)
{
    record out;
    out.key = std::move(key);
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        out.configuration.emplace_back(space.parameters[i].name,
                                       text_of(space.parameters[i], result.at[i]));
    out.best_s = result.report.best.value;
    out.default_s = result.report.default_time.value;
    out.evaluations = result.report.evaluations;
    out.failures = total(result.report.failures);
    out.seed = options.search.seed;
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    out.when = text;
    out.attune = version;
    auto const interval_of = [](measurement const& m) {
        return time_interval{m.low, m.high, m.samples};
    };
    out.best_interval = interval_of(result.report.best);
    out.default_interval = interval_of(result.report.default_time);
    out.code = result.code.object_key;
    out.default_code = result.default_code.object_key;
    out.threads = result.report.noise.threads;
    for (point const& tie : result.ties) {
        value_texts& values = out.ties.emplace_back();
        for (std::size_t i = 0; i < space.parameters.size(); ++i)
            values.push_back(text_of(space.parameters[i], tie[i]));
    }
    out.asked = {options.limits.evaluations, options.limits.seconds};
    out.ended = result.ended;
    out.interrupted = result.report.interrupted;
    out.disturbed = result.report.noise.is_disturbed;
    if (result.report.roofline) {
        out.least_s = result.report.roofline->least_s;
        out.memory_bound = result.report.roofline->memory_bound;
    }
    return out;
}

ATTUNE_INLINE std::optional<point> point_of(named_texts const& configuration,
                                            chain_of_trees const& space)
{
    description const& d = space.describe();
    point out(d.parameters.size());
    std::size_t placed = 0;
    for (auto const& [name, text] : configuration) {
        std::uint32_t const i = d.find_parameter(name);
        if (i == no_index) return {};
        auto const at = coordinate_of(d.parameters[i], text);
        if (!at) return {};
        out[i] = *at;
        ++placed;
    }
    if (placed != d.parameters.size() || !space.contains(out)) return {};
    return out;
}

ATTUNE_INLINE std::optional<record> remembered_choice::exact(record_key const& key) const
{
    lookup_result const known = store_.find(key);
    if (known.how != record_match::exact) return {};
    return *known.best;
}

ATTUNE_INLINE std::optional<known_variant>
remembered_choice::find(record_key const& key,
                        chain_of_trees const& space,
                        bool predict,
                        std::string const& shape,
                        search_limits const& asked,
                        std::vector<std::string>& notices) const
{
    if (subject_.options.on_miss == miss_policy::always) return {};
    std::optional<record> const known = exact(key);
    if (!known) return {};
    // Where its events are the last of the log, the tuning goes on.
    bool const can_go_on = known->interrupted && !subject_.options.event_log.empty();
    bool const is_too_little = can_go_on || !is_enough(*known, {asked.evaluations, asked.seconds});
    if (is_too_little && wants_tuning(asked)) return {};
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
    known_variant out;
    out.code = std::get<callable>(std::move(winner));
    out.at = at;
    out.is_for_this_shape = !shape.empty() && known->shape == shape;
    tuning_report& report = out.report;
    report.kernel = subject_.kernel.name;
    report.compiler = key.compiler;
    report.how = decision::remembered;
    report.configuration = text_of(space.describe(), *at);
    report.best = measurement::exact(known->best_s);
    report.default_time = measurement::exact(known->default_s);
    report.speedup = known->default_s / known->best_s;
    report.speedup_low = report.speedup_high = report.speedup;
    report.log2_space_size = space.log2_size();
    report.noise.is_disturbed = known->disturbed;
    if (known->least_s > 0)
        report.roofline = {known->least_s, known->least_s / known->best_s, known->memory_bound};
    report.compile_s = out.code.compile_s;
    report.predicted = predict;
    return out;
}

/// As a store keeps it.
[[nodiscard]] inline stored_problem problem_of(record_key const& key, description const& space)
{
    bool const is_processor = key.device == device_name();
    stored_problem out{.key = key,
                       .facts = is_processor ? facts_of_processor() : facts_of_device(key.device)};
    out.key.schema.clear();
    for (parameter_description const& p : space.parameters)
        out.parameters.push_back(p.name);
    return out;
}

/// A word for all that decides beside the code whether a variant is right: which arguments count,
/// what is compared, and how exactly.
[[nodiscard]] inline std::int64_t rules_of_proof(dispatched_kernel const& subject)
{
    content_hash hash;
    for (shape_word const& word : subject.layout)
        hash.add(std::to_string(static_cast<int>(word.part))).add(std::to_string(word.argument));
    kernel_description const& kernel = subject.kernel;
    for (bool const ignored : kernel.ignored)
        hash.add(ignored ? "ignored" : "counts");
    for (std::optional<tolerance> const& allowed : kernel.tolerances)
        hash.add(!allowed ? "usual"
                          : std::to_string(std::bit_cast<std::uint64_t>(allowed->absolute)) + ' ' +
                                std::to_string(std::bit_cast<std::uint64_t>(allowed->relative)) +
                                (allowed->any ? " any" : ""));
    hash.add(kernel.check ? "checked" : "compared");
    hash.add(kernel.reference ? "given reference" : "default's reference");
    return static_cast<std::int64_t>(std::stoull(hash.hex().substr(0, 15), nullptr, 16));
}

ATTUNE_INLINE proof_memory remembered_choice::proofs_of(record_key const& key,
                                                        description const& space,
                                                        std::string const& code) const
{
    if (code.empty() || subject_.kernel.any_shape) return {};
    stored_problem problem = problem_of(key, space);
    std::int64_t const rules = rules_of_proof(subject_);
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

ATTUNE_INLINE std::vector<past_session>
remembered_choice::related_to(stored_problem const& problem) const
{
    // Scores of code that was not run stand for no time, and times for no score.
    auto const is_predicted = [](stored_problem const& p) {
        return p.key.device.ends_with(predicted_device);
    };
    std::vector<past_session> out;
    for (related_problem& other : store_.related(problem, most_related)) {
        stored_problem const& there = other.past.problem;
        if (other.how.how == problem_difference::none ||
            is_predicted(there) != is_predicted(problem))
            continue;
        past_session one{.name = std::move(other.how.why),
                         .parameters = there.parameters,
                         .weight = std::exp(-other.how.distance)};
        auto const add = [&](value_texts values, outcome const& result) {
            auto const* const m = std::get_if<measurement>(&result);
            one.outcomes.push_back({std::move(values), m ? std::optional(m->value) : std::nullopt});
        };
        for (tried_row& row : other.past.rows)
            add(std::move(row.values), row.result);
        // Of a store that keeps winners alone.
        if (std::optional<record> const& best = other.past.best; one.outcomes.empty() && best) {
            one.parameters.clear();
            for (auto const& [name, text] : best->configuration)
                one.parameters.push_back(name);
            add(values_of(best->configuration), measurement::exact(best->best_s));
        }
        if (!one.outcomes.empty()) out.push_back(std::move(one));
    }
    return out;
}

ATTUNE_INLINE session_memory remembered_choice::memory_of(record_key const& key,
                                                          chain_of_trees const& space,
                                                          bool anew) const
{
    description const& d = space.describe();
    stored_problem problem = problem_of(key, d);
    problem_history past = store_.recall(problem);
    session_memory out;
    std::unordered_map<point, std::size_t, point_hash> place;
    for (std::size_t i = 0; i < past.rows.size(); ++i) {
        tried_row& row = past.rows[i];
        bool const is_open = i >= past.open;
        if ((anew || subject_.options.on_miss == miss_policy::always) && !is_open) continue;
        // A failure of a tuning that ended may have had a cause that is gone.
        if (!is_open && !succeeded(row.result)) continue;
        named_texts configuration;
        for (std::size_t k = 0; k < problem.parameters.size(); ++k)
            configuration.emplace_back(problem.parameters[k], row.values[k]);
        std::optional<point> at = point_of(configuration, space);
        if (!at) continue;
        auto const [where, is_new] = place.try_emplace(*at, out.known.size());
        if (is_new) out.known.emplace_back();
        out.known[where->second] = {std::move(*at), std::move(row.result), std::move(row.code)};
        out.was_cut_short = out.was_cut_short || is_open;
    }
    if (subject_.options.search.use_related) out.related = related_to(problem);
    out.keep = [store = store_, problem = std::move(problem), &d](known_outcome const& fresh) {
        tried_row row{.result = fresh.result, .code = fresh.code};
        for (std::size_t i = 0; i < d.parameters.size(); ++i)
            row.values.push_back(text_of(d.parameters[i], fresh.at[i]));
        store.note(problem, row);
    };
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
