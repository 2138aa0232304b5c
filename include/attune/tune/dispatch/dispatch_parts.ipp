// attune/tune/dispatch/dispatch_parts.ipp - the work of the thread that holds the turn.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE dispatch_parts::dispatch_parts(dispatched_kernel of, any_store store)
    : subject([&of] {
        of.facts = facts_of_calls(of.kernel, of.declared, of.layout);
        return std::move(of);
    }())
    , report(subject.kernel.name, subject.options.progress)
    , variants(subject)
    , defaults(subject, variants)
    , kept(subject, store)
    , choice(subject, std::move(store), report)
    , sizes(subject, shapes, choice)
{
}

ATTUNE_INLINE working::working(dispatch_parts& of, bool waits, int lent_ms)
    : turn_(of.turn)
{
    if (turn_.is_mine()) return;
    is_on_ = turn_.try_lock();
    if (is_on_) of.is_lent = false; // after a fork the parent's value may be left
    // While the program ends, the holder of the turn may be stopped and never unlock it.
    constexpr int look_ms = 50;
    int left_ms = lent_ms;
    auto const may_wait = [&] { return waits || (left_ms > 0 && of.is_lent); };
    if (is_on_ || !may_wait()) return;
    ++of.waiting;
    while (!is_on_ && may_wait() && !program_is_ending()) {
        int const now_ms = waits ? look_ms : std::min(look_ms, left_ms);
        is_on_ = turn_.try_lock_for_ms(now_ms);
        left_ms -= now_ms;
    }
    --of.waiting;
    if (is_on_) of.is_lent = false;
}

ATTUNE_INLINE working::~working()
{
    // In the child of a fork that another thread made, no thread holds the turn.
    if (is_on_ && turn_.is_mine()) turn_.unlock();
}

ATTUNE_INLINE std::shared_ptr<served_inputs>
dispatch_parts::served_for(std::vector<number> const& of_call)
{
    if (subject.kernel.buckets.empty() || subject.find_device) return all_inputs.at(of_call);
    std::shared_ptr<served_inputs> of = all_inputs.at(representative_of(subject.kernel, of_call));
    if (of->problem.inputs == of_call) return of;
    std::string why;
    try {
        defaults.complete(of->problem);
        why = why_not_with(subject, of_call,
                           texts_at(of->problem.space->describe(), *of->problem.default_at));
    } catch (std::exception const& e) { // the representative has no valid space
        why = e.what();
    }
    if (why.empty()) return of;
    std::shared_ptr<served_inputs> own = all_inputs.at(of_call);
    own->is_outside_bucket = true;
    if (!told_of_outside_.exchange(true))
        report.note("kernel.bucket(f) of kernel '" + subject.kernel.name +
                    "' gives inputs with another default: " + why +
                    "; such calls are not tuned, so let f return inputs for which the same default "
                    "is valid");
    return own;
}

ATTUNE_INLINE bool dispatch_parts::is_in_tuned_bucket(served_inputs& of)
{
    if (subject.kernel.buckets.empty() || !subject.find_device || of.is_settled) return false;
    defaults.complete(of.problem);
    return choice.is_in_tuned_bucket(of.problem);
}

ATTUNE_INLINE bool dispatch_parts::is_refused(served_inputs& of, known_shape* shape,
                                              std::vector<number> const& inputs, point const& at)
{
    if (of.problem.inputs == inputs) return false;
    std::string const why =
        why_not_with(subject, inputs, texts_at(of.problem.space->describe(), at));
    if (why.empty()) return false;
    std::string said =
        "the default serves: the variant is that of other inputs (kernel.bucket), and " + why;
    shapes.set_why(shape, said);
    report.set_serving({}, std::move(said));
    return true;
}

ATTUNE_INLINE installed_variant const* dispatch_parts::covering(served_inputs const& of,
                                                                std::vector<number> const& inputs,
                                                                std::span<std::int64_t const> key)
{
    if (of.problem.inputs != inputs) return nullptr;
    installed_variant const* out = nullptr;
    shapes.locked([&] { out = of.verifier ? of.verifier->covering(key) : nullptr; });
    return out;
}

ATTUNE_INLINE int dispatch_parts::lent_wait_ms(served_inputs const& of,
                                               std::vector<number> const& inputs,
                                               std::span<std::int64_t const> key,
                                               shape_register::met_shape const& met)
{
    constexpr int to_tune_ms = 1'000;
    constexpr int to_verify_ms = 10;
    if (!is_lent) return 0;
    if (!of.is_settled) return to_tune_ms;
    if (met.serves != nullptr) return 0;
    if (covering(of, inputs, key) != nullptr) {
        // The call is verified; a proof may hold the turn for long, so that few calls wait for it.
        bool const is_due =
            met.met >= often_met && (met.met < 3 * often_met || std::has_single_bit(met.met));
        bool const may_tune = met.met > 1 && sizes.is_wanted();
        return is_due || may_tune ? to_verify_ms : 0;
    }
    if (met.met <= 1 && !is_check_due(met_while_lent_++, checks_while_lent_)) return 0;
    ++checks_while_lent_;
    return to_verify_ms;
}

ATTUNE_INLINE installed_variant const& dispatch_parts::serve_plain(known_shape* shape,
                                                                   tuning_report* said)
{
    installed_variant const* const by = defaults.plain_code();
    std::string const& name = subject.kernel.name;
    if (by == nullptr)
        throw error("no variant of kernel '" + name + "' takes a call",
                    "kernel.precondition(f) returned false",
                    "give the kernel a function for such calls by kernel.fallback(f)");
    std::string const reason =
        "the function in the program serves, because kernel.precondition(f) returned false";
    shapes.set_why(shape, reason);
    report.set_serving({}, reason);
    report.note("kernel '" + name + "': " + reason);
    if (said != nullptr) *said = untuned_report(name, decision::served_fallback, reason);
    return shapes.serve(shape, *by);
}

ATTUNE_INLINE installed_variant const& dispatch_parts::settle(served_inputs& of, known_shape* shape)
{
    installed_variant const& by = defaults.code_of(of.problem);
    return shapes.serve(shape, by);
}

ATTUNE_INLINE void dispatch_parts::look_again(served_inputs& of)
{
    if (auto const* const by = of.problem.by_default.load()) shapes.withdraw(*by);
}

ATTUNE_INLINE dispatch_parts::found_winner
dispatch_parts::find_winner(served_inputs& of, std::span<std::int64_t const> key,
                            call_frame const& frame, when_unknown otherwise,
                            tuning_slice const* slice)
{
    prepare(of);
    found_winner out = take(of, choice.best_known(of.problem, frame, key, false, otherwise, slice));
    if (!sizes.take(of, key)) of.winner = nullptr; // the code of before serves
    return out;
}

ATTUNE_INLINE void dispatch_parts::tell(served_inputs const& of, tuning_report of_these)
{
    if (!of.is_further_size) report.set(std::move(of_these));
}

ATTUNE_INLINE void dispatch_parts::prepare(served_inputs& of)
{
    defaults.complete(of.problem);
    if (std::string const due = defaults.take_moved(of.problem); !due.empty()) report.note(due);
    if (of.problem_number == 0 && kept.is_on())
        of.problem_number = kept.number_of(
            problem_of(choice.key_of(of.problem), of.problem.space->describe(), subject.facts));
}

ATTUNE_INLINE dispatch_parts::found_winner dispatch_parts::take(served_inputs& of,
                                                                known_variant found)
{
    call_problem& problem = of.problem;
    installed_variant const* const before = of.winner;
    if (found.is_missing && before != nullptr) return {};
    of.outcome = found.report;
    if (found.is_missing) {
        of.is_given_up = true;
        tell(of, std::move(found.report));
        return {};
    }
    found_winner out{.is_for_this_shape = found.is_for_this_shape && !found.is_too_short,
                     .is_over = found.is_over || found.report.interrupted,
                     .outcomes = std::move(found.outcomes)};
    defaults.set(problem, found.default_code);
    if (!found.is_too_short) {
        drop_near(of);
        of.choice = std::move(found.choice);
    }
    bool const is_default = *found.at == *problem.default_at;
    installed_variant const* const by_default = problem.by_default.load();
    if (before != nullptr && found.at == of.winner_at) { // the winner is the same
        tell(of, std::move(found.report));
        return out;
    }
    installed_variant const& made =
        is_default && by_default != nullptr && !defaults.is_own(*by_default)
            ? *by_default
            : variants.install(std::move(found.code));
    tell(of, std::move(found.report));
    if (found.is_too_short) return out;
    of.winner = &made;
    of.winner_at = found.at;
    of.winner_is_default = is_default;
    shape_verifier verifier{{subject, defaults, shapes, report},
                            problem,
                            made,
                            divisors_of(problem.space->describe(), *found.at),
                            std::max(of.outcome.address_modulus, made.code.facts.address_modulus),
                            std::move(found.proofs)};
    std::vector<std::int64_t> const its = stored_shape(subject.layout, words_in(found.shape));
    if (of.outcome.objective.is_seconds && !its.empty())
        verifier.set_pace(its, of.outcome.default_time.value);
    shapes.locked([&] { of.verifier.emplace(std::move(verifier)); });
    if (is_default && by_default == nullptr) problem.by_default.store(&made);
    if (before != nullptr) shapes.look_again(*before);
    return out;
}

ATTUNE_INLINE void dispatch_parts::complete(keyed_call& call) const
{
    auto const device = subject.target();
    if (!device) return set_extents(call.frame, subject.kernel, subject.values_of(call.inputs));
    device->require_device(subject.kernel.name);
    subject.complete(call.frame, call.inputs);
    device->wait_for_caller(nullptr);
    device->require_arrays(call.frame);
}

ATTUNE_INLINE bool dispatch_parts::install(served_inputs& of, keyed_call const& call,
                                           known_variant found)
{
    found_winner const won = take(of, std::move(found));
    of.is_partly_tuned = false;
    of.is_settled = true;
    if (of.winner == nullptr) { // too short, or nothing to spend
        if (!of.is_given_up) settle(of, shapes.meet(call.shape).shape);
        return true;
    }
    static_cast<void>(sizes.take(of, call.shape));
    known_shape* const shape = shapes.meet(call.shape).shape;
    if (!won.is_for_this_shape || is_refused(of, shape, call.inputs, of.winner_at.value()))
        return false;
    of.add_tuned_shape(call.shape);
    prove_winner(of, call.shape, call.frame);
    shapes.set_best(shape, *of.winner, of.problem_number);
    shapes.serve(shape, *of.winner, true);
    return true;
}

ATTUNE_INLINE void dispatch_parts::prove_winner(served_inputs& of,
                                                std::span<std::int64_t const> key,
                                                call_frame const& frame)
{
    if (of.winner_is_default || of.outcome.how != decision::tuned) return;
    constexpr double most_s = 0.9; // its last call ends later: 1 s in all is promised
    try {
        of.verifier->prove(key, frame, std::min(most_s, subject.options.limits.seconds));
    } catch (std::exception const& e) {
        report.note("an error ended the winner's proof on other sizes: " + std::string(e.what()));
    }
}

ATTUNE_INLINE bool dispatch_parts::drop_refused(served_inputs& of)
{
    if (!of.verifier || !of.verifier->is_refused()) return false;
    of.winner = nullptr;
    of.winner_at.reset();
    of.is_settled = false;
    shapes.locked([&] { of.verifier.reset(); });
    look_again(of);
    return true;
}

ATTUNE_INLINE void dispatch_parts::drop_near(served_inputs& of)
{
    if (of.near) shapes.look_again(of.near->variant);
    of.near.reset();
    of.choice = {};
    of.is_near_known = true;
}

ATTUNE_INLINE void dispatch_parts::find_near(served_inputs& of)
{
    call_problem& problem = of.problem;
    if (std::exchange(of.is_near_known, true)) return;
    std::optional<known_variant> found = choice.near(problem);
    if (!found) return;
    of.choice = std::move(found->choice);
    if (*found->at == *problem.default_at) return;
    report.set(std::move(found->report));
    installed_variant const& made = variants.install(std::move(found->code));
    of.near_at = found->at;
    of.near.emplace(made, shape_verifier{{subject, defaults, shapes, report},
                                         problem,
                                         made,
                                         divisors_of(problem.space->describe(), *found->at),
                                         found->report.address_modulus,
                                         std::move(found->proofs)});
}

ATTUNE_INLINE installed_variant const&
dispatch_parts::serve_untuned(served_inputs& of, std::vector<number> const& inputs,
                              shape_register::met_shape const& met,
                              std::span<std::int64_t const> key, call_frame const& frame)
{
    find_near(of);
    if (!of.near)
        shapes.set_why(met.shape,
                       "the default serves: not tuned; " + in_one_line(of.outcome.reason));
    if (!of.near || is_refused(of, met.shape, inputs, of.near_at.value()))
        return settle(of, met.shape);
    return of.near->verifier.serve(met.shape, key, frame, met.met);
}

ATTUNE_INLINE known_choice dispatch_parts::explain(served_inputs& of,
                                                   std::span<std::int64_t const> key)
{
    defaults.complete(of.problem);
    known_choice out = of.choice.configuration.empty() ? choice.explain(of.problem) : of.choice;
    known_shape const* const met = shapes.shapes().find(hash_of_shape(key), key);
    installed_variant const* const by = met != nullptr ? met->serves.load() : nullptr;
    installed_variant const* const known = of.winner != nullptr ? of.winner.load()
                                           : of.near            ? &of.near->variant
                                                                : of.problem.by_default.load();
    out.serves = by != nullptr && by == known;
    if (std::string const why = shapes.why(met); !out.serves && !why.empty())
        out.why += "; for this shape " + why;
    return out;
}

ATTUNE_INLINE installed_variant const*
dispatch_parts::degrade(served_inputs& of, known_shape* shape, std::string const& reason)
{
    // Without enough descriptors a tuning fails; the next call may have enough.
    constexpr int needed_by_a_tuning = 12;
    bool const is_for_now = !has_free_descriptors(needed_by_a_tuning);
    of.is_given_up = !is_for_now;
    of.is_settled = !is_for_now || of.winner.load() != nullptr;
    drop_near(of);
    if (is_for_now) of.is_near_known = false;
    installed_variant const* by = nullptr;
    try {
        by = is_for_now ? &defaults.code_of(of.problem) : &settle(of, shape);
    } catch (std::exception const&) {
        of.is_given_up = false; // no code serves: the next call tries again
        of.is_settled = of.winner.load() != nullptr;
        return nullptr;
    }
    bool const is_own = defaults.is_own(*by);
    shapes.set_why(shape, "not tuned: " + in_one_line(reason));
    of.choice = {.kernel = subject.kernel.name, .why = in_one_line(reason)};
    tuning_report now = untuned_report(
        subject.kernel.name, is_own ? decision::served_fallback : decision::served_default, reason);
    if (!is_own && of.problem.space)
        now.configuration = text_of(of.problem.space->describe(), *of.problem.default_at);
    of.choice.configuration = is_own ? "the function in the program" : now.configuration;
    of.outcome = now;
    tell(of, std::move(now));
    report.note("not tuned, " +
                std::string(is_own ? "the function in the program" : "the default") +
                " serves: " + reason);
    if (of.is_further_size && !is_for_now) sizes.drop(of); // the winner of another size serves
    return by;
}

} // namespace attune::inline ATTUNE_ABI::detail
