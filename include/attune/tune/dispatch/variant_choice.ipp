// attune/tune/dispatch/variant_choice.ipp - the best known variant for a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/claim.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/forced_choice.hpp>
#include <attune/tune/dispatch/variant_choice.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How long a call waits for another process that tunes the same problem, at most.
inline constexpr double longest_claim_wait_s = 60.0;

/// As it stands in a record.
[[nodiscard]] inline std::string text_of_key(std::span<std::int64_t const> key)
{
    std::string out;
    for (std::int64_t const word : key)
        out += (out.empty() ? "" : " ") + std::to_string(word);
    return out;
}

ATTUNE_INLINE search_limits variant_choice::total_left() const
{
    return what_is_left(subject_.options.limits.total, spent_evaluations_, spent_s_);
}

ATTUNE_INLINE search_limits variant_choice::limits_left() const
{
    return within(subject_.options.limits, total_left());
}

ATTUNE_INLINE known_variant variant_choice::tune(record_key const& key,
                                                 call_problem const& of,
                                                 call_frame const& frame,
                                                 std::string const& shape,
                                                 bool predict,
                                                 bool anew,
                                                 tuning_slice const* slice)
{
    auto const device = subject_.target();
    kernel_description const& kernel = subject_.kernel;
    tuning_problem problem{
        kernel, *of.space, *of.default_at, subject_.compiler, frame, device.get(), predict};
    description const& space = of.space->describe();
    std::optional<record> const known = remembered_.exact(key);
    problem.rival =
        known ? point_of(known->configuration, *of.space) : remembered_.near_point(key, *of.space);
    tuning_options now = subject_.options;
    session_memory memory = remembered_.memory_of(key, *of.space, anew);
    if (slice != nullptr && slice->known.size() > memory.known.size()) memory.known = slice->known;
    std::vector<known_outcome> all = from_default(memory.known, *of.default_at);
    std::size_t const known_before = all.size();
    memory.keep = [&all, keep = std::move(memory.keep)](known_outcome const& fresh) {
        all.push_back(fresh);
        if (keep) keep(fresh);
    };
    search_limits const left = total_left();
    tuning_limits const& whole = subject_.options.limits;
    bool const is_bounded = left.evaluations != search_limits::any_number;
    now.limits.evaluations =
        std::min(slice != nullptr ? slice->evaluations : whole.evaluations,
                 is_bounded ? known_before + left.evaluations : left.evaluations);
    now.limits.seconds = std::min(slice != nullptr ? slice->seconds : whole.seconds, left.seconds);
    if (slice != nullptr && slice->make_bench) now.measuring.make_bench = slice->make_bench;
    interrupt_guard const until_remembered; // the program's handler for Ctrl-C runs after that
    session_result result = run_session(problem, now, std::move(memory));
    spent_evaluations_ += all.size() - known_before;
    spent_s_ += result.report.elapsed_s;
    bool const is_over = result.ended != "budget";
    if (!result.is_too_short) {
        if (slice != nullptr) now.limits.seconds += slice->seconds_before;
        if (slice != nullptr && (result.ended == "space" || result.ended == "stop rule"))
            now.limits = whole; // it would end there in one session as well
        record fresh = make_record(key, space, result, now);
        fresh.shape = shape;
        if (std::string const why = remembered_.keep(fresh, known.has_value()); !why.empty()) {
            result.report.notices.push_back(why);
            report_.tell(why);
        }
        for (point const& at : {result.at, *of.default_at})
            subject_.keep(space, at);
    }
    known_variant out;
    out.choice = {.kernel = kernel.name,
                  .configuration = text_of(space, result.at),
                  .how = choice_match::exact,
                  .why = "tuned for these inputs by this program, " +
                         std::to_string(result.report.evaluations) + " evaluations"};
    out.code = std::move(result.code);
    out.default_code = std::move(result.default_code);
    out.at = std::move(result.at);
    out.report = std::move(result.report);
    out.is_for_this_shape = true;
    out.is_too_short = result.is_too_short;
    out.is_over = is_over;
    out.outcomes = std::move(all);
    return out;
}

ATTUNE_INLINE problem_claim variant_choice::claim(record_key const& key,
                                                  double limit_s,
                                                  std::vector<std::string>& told)
{
    problem_claim out = remembered_.claim(key, 0);
    if (out.may_tune()) return out;
    double const wait_s = std::min(limit_s, longest_claim_wait_s);
    report_.tell("another process tunes the same: waiting for it, " + seconds_text(wait_s) +
                 " at most");
    double const begun_s = steady_seconds();
    out = remembered_.claim(key, wait_s);
    std::string const waited = seconds_text(steady_seconds() - begun_s);
    told.push_back(out.may_tune() ? "waited " + waited + " for another process that tuned the same"
                                  : "another process tunes the same and was not done after " +
                                        waited + ": the times of both may be disturbed");
    return out;
}

ATTUNE_INLINE known_variant variant_choice::missing(call_problem const& of,
                                                    record_key const& key,
                                                    when_unknown otherwise)
{
    bool const may_tune = otherwise == when_unknown::tune;
    bool const is_spent = may_tune && wants_tuning(subject_.options.limits);
    tuning_report report = untuned_report(subject_.kernel.name,
                                          decision::served_default,
                                          is_spent    ? "tuning_options::limits.total is spent"
                                          : !may_tune ? "the store has no result for these inputs"
                                                      : "the limits allow no tuning");
    report.compiler = key.compiler;
    report.configuration = text_of(of.space->describe(), *of.default_at);
    if (is_spent)
        report_.tell("what tuning_options::limits.total allows is spent: new inputs are not tuned");
    return {.report = std::move(report), .is_missing = true};
}

ATTUNE_INLINE record_key variant_choice::key_of(call_problem const& of) const
{
    std::string const compiler = subject_.compiler.identity();
    record_key key =
        make_key(subject_.kernel, of.space->describe(), compiler, subject_.target().get());
    key.setting = setting_of(subject_, compiler);
    return key;
}

ATTUNE_INLINE std::optional<known_variant> variant_choice::forced(call_problem const& of,
                                                                  record_key const& key,
                                                                  std::vector<std::string>& told)
{
    named_texts const& wanted = subject_.forced;
    if (wanted.empty()) return {};
    chain_of_trees const& space = *of.space;
    std::optional<point> base;
    if (std::optional<record> const known = remembered_.exact(key))
        base = point_of(known->configuration, space);
    if (std::optional<known_variant> const near =
            base ? std::nullopt : remembered_.find_near(key, space))
        base = near->at;
    forced_choice made = forced_choice_of(wanted, space, base.value_or(*of.default_at));
    told.insert(told.end(), made.notices.begin(), made.notices.end());
    if (!made.at) return {};
    compile_result compiled = subject_.code_at(space, *made.at);
    std::string const configuration = text_of(space.describe(), *made.at);
    if (auto const* const why = std::get_if<failure>(&compiled)) {
        told.push_back("ATTUNE_FORCE is ignored: " + configuration + ' ' +
                       std::string(describe(why->stage)) + " (" + why->reason + ')');
        return {};
    }
    known_variant out;
    out.code = std::get<callable>(std::move(compiled));
    out.proofs = remembered_.proofs_of(key, space.describe(), out.code.object_key);
    out.proofs.is_required = true;
    out.is_over = true;
    std::string all;
    for (auto const& [name, text] : wanted)
        all += (all.empty() ? "" : ",") + name + '=' + text;
    out.choice = {.kernel = subject_.kernel.name,
                  .configuration = configuration,
                  .how = choice_match::forced,
                  .why = "ATTUNE_FORCE is " + all};
    out.report = untuned_report(subject_.kernel.name, decision::served_forced, out.choice.why);
    out.report.compiler = key.compiler;
    out.report.configuration = configuration;
    out.report.compile_s = out.code.compile_s;
    out.at = std::move(made.at);
    return out;
}

ATTUNE_INLINE std::optional<known_variant> variant_choice::near(call_problem const& of)
{
    return remembered_.find_near(key_of(of), *of.space);
}

ATTUNE_INLINE known_choice variant_choice::explain(call_problem const& of)
{
    record_key const key = key_of(of);
    std::vector<std::string> told;
    if (std::optional<known_variant> const known = forced(of, key, told)) return known->choice;
    chain_of_trees const& space = *of.space;
    search_limits const left = limits_left();
    std::optional<known_variant> known = remembered_.find(key, space, false, {}, left, told);
    if (!known) known = remembered_.find_by_code(key, space, *of.default_at, false, {}, left);
    if (known) return known->choice;
    known = remembered_.find_near(key, space);
    known_choice out;
    if (known)
        out = known->choice;
    else
        out = {.kernel = subject_.kernel.name,
               .configuration = text_of(space.describe(), *of.default_at),
               .why = "the store has nothing of this kernel that could serve"};
    bool const tunes = wants_tuning(left);
    miss_policy const policy = subject_.options.on_miss;
    bool const is_apart =
        policy == miss_policy::tune_in_background || policy == miss_policy::online;
    if (tunes && is_apart)
        out.why += "; a call has it tuned in the background";
    else if (tunes && policy != miss_policy::lookup_only)
        out.why += "; a call tunes first";
    return out;
}

ATTUNE_INLINE bool variant_choice::is_remembered(call_problem const& of) const
{
    std::optional<record> const known = remembered_.exact(key_of(of));
    search_limits const left = limits_left();
    return known && subject_.options.on_miss != miss_policy::always &&
           (is_enough(*known, {left.evaluations, left.seconds}) || !wants_tuning(left)) &&
           point_of(known->configuration, *of.space).has_value();
}

ATTUNE_INLINE known_variant variant_choice::best_known(call_problem const& of,
                                                       call_frame const& frame,
                                                       std::span<std::int64_t const> shape,
                                                       bool predict,
                                                       when_unknown otherwise,
                                                       tuning_slice const* slice)
{
    any_compiler const& compiler = subject_.compiler;
    record_key key = key_of(of);
    if (predict) key.device += predicted_device;
    std::string const text = text_of_key(shape);
    std::vector<std::string> told;
    std::optional<known_variant> known;
    if (!predict) known = forced(of, key, told);
    bool const is_forced = known.has_value();
    std::size_t const said = told.size();
    search_limits left = otherwise == when_unknown::take_what_is_there
                             ? search_limits{.evaluations = 0}
                             : limits_left();
    if (slice != nullptr)
        left = within(left, {.evaluations = slice->evaluations, .seconds = slice->seconds});
    bool const can_tune = otherwise == when_unknown::tune && wants_tuning(left);
    bool const goes_on = slice != nullptr && !slice->known.empty();
    if (!known && !goes_on) known = remembered_.find(key, *of.space, predict, text, left, told);
    bool const is_unusable = told.size() > said; // so what else is known may not hold any more
    if (!known && !goes_on && otherwise != when_unknown::say_so) // in the background it compiles
        known = remembered_.find_by_code(key, *of.space, *of.default_at, predict, text, left);
    problem_claim claimed;
    if (!known && can_tune) {
        std::optional<record> const before = remembered_.exact(key);
        claimed = claim(key, left.seconds, told);
        if (!goes_on && remembered_.exact(key) != before) // another one is done
            known = remembered_.find(key, *of.space, predict, text, left, told);
    }
    if (known)
        if (std::string const instead = compiler.notice(); !instead.empty())
            told.push_back(instead);
    for (std::string const& notice : told)
        report_.tell(notice);
    if (!known && !can_tune) return missing(of, key, otherwise);
    known_variant out =
        known ? std::move(*known) : tune(key, of, frame, text, predict, is_unusable, slice);
    out.report.notices.insert(out.report.notices.begin(), told.begin(), told.end());
    if (!predict && !is_forced)
        out.proofs = remembered_.proofs_of(key, of.space->describe(), out.code.object_key);
    for (std::string const& notice : remembered_.notices()) {
        out.report.notices.push_back(notice);
        report_.tell(notice);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
