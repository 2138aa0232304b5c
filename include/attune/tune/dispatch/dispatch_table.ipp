// attune/tune/dispatch/dispatch_table.ipp - finds the code of a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/apart_tuning.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/dispatch/mode.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/trial.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::unique_ptr<watched_calls> watch_of(std::string const& kernel)
{
    call_watch const* const watch = offer_of_program<call_watch>();
    return watch != nullptr ? watch->watch(kernel) : nullptr;
}

/// The parts, the watched calls and the background tuning of a table.
struct dispatch_table::state {
    state(dispatched_kernel of, any_store store)
        : parts(std::move(of), std::move(store))
    {
    }
    ~state()
    {
        // In the child of a fork no thread holds the turn, and its former holder may be destroyed.
        auto const leave = std::exchange(parts.before_end, nullptr);
        if (leave && parts.turn.is_mine()) leave();
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    dispatch_parts parts;
    std::unique_ptr<watched_calls> const watched =
        watch_of(parts.subject.kernel.name); ///< may be null
    /// Made before any signal. in_signal_handler() throws a copy, which shares the texts.
    error const not_in_handlers{
        "a signal handler called kernel '" + parts.subject.kernel.name +
            "' for a shape without a call before, and no code for it is ready\n"
            "  next:  call the kernel once before the handler does, or give the kernel a function "
            "of the program by kernel.fallback(f) or attune_add_kernel",
        {},
        {}};
    apart_tuning apart{parts}; ///< the last member: its thread uses the parts

    /// Returns how a call treats unknown inputs.
    [[nodiscard]] when_unknown by_policy(served_inputs& of)
    {
        bool const is_always = parts.subject.options.on_miss == miss_policy::always;
        if (of.is_outside_bucket || of.is_further_size ||
            (!is_always && parts.is_in_tuned_bucket(of)))
            return when_unknown::take_what_is_there;
        if (apart.is_wanted()) return when_unknown::say_so;
        bool const tunes =
            is_always || parts.subject.options.on_miss == miss_policy::tune_if_missing;
        return tunes ? when_unknown::tune : when_unknown::take_what_is_there;
    }

    /// Returns the code for a call whose inputs are not tuned yet, or whose shape is not verified.
    [[nodiscard]] installed_variant const& until_then(served_inputs& of,
                                                      shape_register::met_shape const& met)
    {
        return met.before != nullptr ? *met.before : parts.defaults.code_of(of.problem);
    }

    /// Begins a background tuning for the sizes of this call, if it is due.
    /// @param by  serves the shape meanwhile
    /// @pre  this thread holds the turn, and the frame is complete
    void tune_size(shape_register::met_shape const& met, std::span<std::int64_t const> key,
                   call_frame const& frame, installed_variant const& by) noexcept
    try {
        // Return if `by` serves this call only: a tuning would put it on the fast path.
        if (met.shape == nullptr || met.shape->serves.load() != &by ||
            frame.has_only_empty_arrays() || !parts.sizes.is_due(key))
            return;
        std::shared_ptr<served_inputs> const opened = parts.sizes.open(key);
        static_cast<void>(apart.tune(opened, met.shape, key, frame, by));
        if (opened->tuned_apart_in != 0) return;
        if (apart.has_room_for(frame))
            parts.sizes.cancel(*opened); // other copies use the room: a later call may begin
        else
            parts.sizes.drop(*opened);
    } catch (...) { // no memory: a later call may begin
    }

    /// Runs serve_call() with `other` in place of `held`.
    installed_variant const& serve_other(std::shared_ptr<served_inputs>& held,
                                         std::shared_ptr<served_inputs> other,
                                         std::vector<number> const& inputs,
                                         shape_register::met_shape const& met,
                                         std::span<std::int64_t const> key, call_frame const& frame,
                                         when_unknown otherwise, bool may_defer)
    {
        held = std::move(other);
        if (may_defer) otherwise = by_policy(*held);
        return serve_call(held, inputs, met, key, frame, otherwise, may_defer);
    }

    /// @param held       receives the inputs that serve, which may be those of another size
    /// @param inputs     inputs of the call, which kernel.bucket(f) may map to `held`
    /// @param may_defer  true: a long check runs beside the program
    /// @pre  this thread holds the turn
    installed_variant const& serve_call(std::shared_ptr<served_inputs>& held,
                                        std::vector<number> const& inputs,
                                        shape_register::met_shape const& met,
                                        std::span<std::int64_t const> key, call_frame const& frame,
                                        when_unknown otherwise, bool may_defer)
    {
        served_inputs& of = *held;
        bool const is_apart =
            otherwise == when_unknown::say_so || (of.is_further_size && apart.is_wanted());
        if (of.is_given_up) return parts.serve_untuned(of, inputs, met, key, frame);
        if (of.winner == nullptr && frame.has_only_empty_arrays()) {
            installed_variant const& by = parts.defaults.code_of(of.problem);
            std::string const said = "the default serves: all arrays of this call are empty";
            parts.shapes.set_why(met.shape, said);
            parts.report.set_serving({}, said);
            return by;
        }
        bool is_for_this = false;
        bool const is_partial = otherwise == when_unknown::tune && of.is_partly_tuned;
        if (of.winner == nullptr || is_partial) {
            is_for_this = parts.find_winner(of, key, frame, otherwise).is_for_this_shape;
            of.is_partly_tuned = false;
            if (of.winner == nullptr && of.is_further_size) { // its record left the store
                parts.sizes.drop(of);
                return serve_other(held, parts.served_for(inputs, key), inputs, met, key, frame,
                                   otherwise, may_defer);
            }
            if (of.winner == nullptr && of.is_given_up && is_apart) {
                of.is_given_up = false;
                return apart.tune(held, met.shape, key, frame, until_then(of, met));
            }
            of.is_settled = true;
            if (of.winner == nullptr && of.is_given_up) // nothing to spend
                return parts.serve_untuned(of, inputs, met, key, frame);
            if (of.winner == nullptr) {
                parts.shapes.set_why(met.shape,
                                     "the default serves: the call is too short to time");
                return parts.settle(of, met.shape);
            }
            // find_winner() has read the store's further sizes with the first winner.
            if (std::shared_ptr<served_inputs> other = parts.sizes.serving(held, key);
                other != held && !is_for_this)
                return serve_other(held, std::move(other), inputs, met, key, frame, otherwise,
                                   may_defer);
        }
        if (parts.is_refused(of, met.shape, inputs, of.winner_at.value()))
            return parts.settle(of, met.shape);
        if (is_for_this) {
            of.add_tuned_shape(key);
            parts.prove_winner(of, key, frame);
            if (may_defer) apart.prove(held, key, frame);
            parts.shapes.set_why(met.shape, {});
            return parts.shapes.serve(met.shape, *of.winner, true);
        }
        if (of.winner_is_default) return parts.shapes.serve(met.shape, *of.winner);
        if (may_defer) apart.prove_kind(held, key, frame);
        bool const is_deferred =
            is_apart || (may_defer && met.shape != nullptr && of.verifier->is_dear(key));
        bool const is_due = is_deferred && of.verifier->is_due(key, met.met);
        if (is_due || (is_deferred && of.verifier->needs_runs(key, met.met))) {
            of.verifier->report_deferred(met.shape, is_due);
            return apart.verify(held, met.shape, key, frame, is_due ? of.winner.load() : nullptr);
        }
        installed_variant const& by =
            of.verifier->serve(met.shape, key, frame, met.met,
                               is_deferred ? checks_run::elsewhere : checks_run::in_call);
        if (!parts.drop_refused(of)) {
            bool const is_for_now =
                &by != of.winner && met.shape != nullptr && met.shape->serves.load() == nullptr;
            installed_variant const* const other =
                is_for_now ? parts.sizes.covering(of, key) : nullptr;
            return other != nullptr ? *other : by;
        }
        return serve_call(held, inputs, met, key, frame, otherwise, may_defer);
    }
};

/// During its lifetime, `others` try the configurations of a tuning. @pre  this thread holds the
/// turn
class tries_elsewhere {
public:
    tries_elsewhere(variant_choice& of, trials_elsewhere* others)
        : of_(&of)
    {
        of.set_elsewhere(others);
    }
    ~tries_elsewhere() { of_->set_elsewhere(nullptr); }
    tries_elsewhere(tries_elsewhere const&) = delete;
    tries_elsewhere& operator=(tries_elsewhere const&) = delete;

private:
    variant_choice* of_;
};

/// Returns the options with the changes of the environment variables.
[[nodiscard]] inline tuning_options options_for(kernel_description const& kernel,
                                                tuning_options options)
{
    tuning_options out = with_mode(std::move(options));
    call_watch const* const watch = offer_of_program<call_watch>();
    if (watch != nullptr && watch->is_retuned(kernel)) out.on_miss = miss_policy::always;
    return out;
}

ATTUNE_INLINE dispatch_table::dispatch_table(kernel_description const& kernel,
                                             any_compiler compiler, any_store store,
                                             tuning_options options, std::vector<shape_word> layout,
                                             device_finder find_device)
    : state_(new state{{.kernel = kernel,
                        .compiler = std::move(compiler),
                        .options = options_for(kernel, std::move(options)),
                        .layout = std::move(layout),
                        .find_device = std::move(find_device),
                        .declared = with_annotated_defaults(kernel),
                        .forced = forced_values()},
                       with_named_stores(std::move(store))})
    , shapes_(&state_->parts.shapes.shapes())
{
    watch_program_end();
    require_targets(kernel);
    require_buckets(kernel);
    if (!kernel.code_rules.constraints.empty()) {
        bool const is_for_device = static_cast<bool>(state_->parts.subject.find_device);
        std::vector<std::string_view> const given =
            state_->parts.subject.compiler.code_quantities();
        require_quantities(kernel, is_for_device ? nullptr : &given);
    }
    for (std::string const& said : complaints_of_variables())
        state_->parts.report.tell(said);
    // Without inputs, an invalid default or one that breaks a constraint is an error of every call.
    if (kernel.inputs.empty() && !state_->parts.subject.find_device)
        state_->parts.defaults.complete(state_->parts.all_inputs.at({})->problem, false);
}

ATTUNE_INLINE void dispatch_table::keep_calls() noexcept
{
    own_float_environment const numbers;
    state_->parts.kept.write(state_->parts.shapes);
}

ATTUNE_INLINE dispatch_table::~dispatch_table()
{
    own_float_environment const numbers;
    owned_until_end<state> const goes_now = std::move(state_);
}

ATTUNE_INLINE installed_variant const& dispatch_table::obtain(std::span<std::int64_t const> key,
                                                              std::vector<number> const& inputs,
                                                              call_frame frame, void* stream,
                                                              served_call* counted)
{
    return serve(key, inputs, frame, stream, nullptr, nullptr, counted);
}

ATTUNE_INLINE void dispatch_table::count(served_call const& of, installed_variant const& by,
                                         double seconds) noexcept
try {
    state_->parts.shapes.count(of, by, seconds);
} catch (...) { // no memory: the call is not counted
}

ATTUNE_INLINE void dispatch_table::look_at_sizes() noexcept { state_->parts.sizes.look(); }

/// Reads the facts that take long, once. A fork on another thread waits until they are read,
/// because its child could not continue with half of them.
inline void read_once()
{
    static std::atomic<bool> is_done{false};
    if (is_done.load(std::memory_order_relaxed)) return;
    fork_delay const whole;
    keep_this_library_loaded();
    static_cast<void>(device_name());
    static_cast<void>(facts_of_processor());
    static_cast<void>(machine_figures());
    is_done = true;
}

ATTUNE_INLINE installed_variant const* dispatch_table::in_signal_handler() const
{
    if (!is_in_signal_handler()) return nullptr;
    if (auto const* const by = state_->parts.defaults.at_hand()) return by;
    throw error(state_->not_in_handlers);
}

ATTUNE_INLINE void dispatch_table::require_taken(void const* arguments) const
{
    (void)state_->parts.subject.is_taken(arguments);
}

ATTUNE_INLINE installed_variant const&
dispatch_table::serve(std::span<std::int64_t const> key, std::vector<number> const& inputs,
                      call_frame& frame, void* stream, tuned_now* tunes_now,
                      trials_elsewhere* elsewhere, served_call* counted)
{
    own_float_environment const numbers;
    read_once();
    state& s = *state_;
    dispatched_kernel const& subject = s.parts.subject;
    if (s.watched != nullptr && s.watched->is_due())
        if (std::string const said = s.watched->take(subject, inputs, frame, stream); !said.empty())
            s.parts.report.note(said);
    shape_register::met_shape met = s.parts.shapes.meet(key);
    if (counted != nullptr) counted->shape = met.shape;
    if (met.serves != nullptr && tunes_now == nullptr) return *met.serves;
    require_lengths(subject.kernel.name, subject.kernel.lengths, frame);
    if (!subject.is_taken(frame))
        return s.parts.serve_plain(met.shape, tunes_now != nullptr ? &tunes_now->report : nullptr);
    std::shared_ptr<served_inputs> held = s.parts.served_for(inputs, key);
    std::shared_ptr<served_inputs> const first_held = held; // serve_call() may replace `held`
    served_inputs& of = *first_held;
    auto const device = subject.target();
    if (device) device->require_device(subject.kernel.name);
    auto const complete = [&] {
        if (!device) return set_extents(frame, subject.kernel, subject.values_of(inputs));
        subject.complete(frame, inputs);
        device->wait_for_caller(stream);
        device->require_arrays(frame);
    };
    s.apart.wake(of, met.shape);
    working const now(s.parts, tunes_now != nullptr, s.parts.lent_wait_ms(of, inputs, key, met));
    if (!now.is_on()) {
        if (tunes_now != nullptr)
            throw error("kernel '" + subject.kernel.name + "' is being tuned",
                        "tuned.tune(arguments...)", "call it when the tuning is over");
        if (counted != nullptr) *counted = {met.shape, of.winner, of.problem_number};
        auto const* const covering = s.parts.covering(of, inputs, key);
        installed_variant const& by = covering != nullptr ? *covering : s.until_then(of, met);
        std::uint32_t const too_few = covering != nullptr ? often_met - 1 : 1;
        bool const is_too_early = of.is_settled && (of.winner == nullptr || met.met <= too_few);
        bool const is_known = !of.is_settled && of.is_further_size; // the store has a winner
        if (!s.apart.is_wanted() || is_too_early || is_known || of.is_outside_bucket ||
            (of.is_settled && of.problem.inputs != inputs) || frame.has_only_empty_arrays())
            return by;
        try {
            complete();
        } catch (std::exception const&) {
            return by; // a call that holds the turn reports this error
        }
        return of.is_settled ? s.apart.verify(held, met.shape, key, frame, covering)
                             : s.apart.tune(held, met.shape, key, frame, by);
    }
    tries_elsewhere const by_others(s.parts.choice, elsewhere);
    if (tunes_now != nullptr && of.winner == nullptr) {
        of.is_given_up = false;
        s.parts.look_again(of);
    }
    if (device) {
        subject.complete(frame, inputs);
        try {
            device->wait_for_caller(stream);
        } catch (error const&) { // the stream is captured: record a launch, measure nothing
            if (met.before != nullptr) return *met.before;
            if (auto const* const by = of.problem.by_default.load()) return *by;
            throw;
        }
        device->require_arrays(frame);
    }
    auto const degraded = [&](std::exception const& why) {
        installed_variant const* const by = s.parts.degrade(*held, met.shape, why.what());
        if (by != nullptr && tunes_now != nullptr) tunes_now->report = held->outcome;
        return by;
    };
    try {
        if (!device) set_extents(frame, subject.kernel, subject.values_of(inputs));
        work_in_progress const at_work;
        if (tunes_now == nullptr) {
            installed_variant const& by =
                s.serve_call(held, inputs, met, key, frame, s.by_policy(of), true);
            s.tune_size(met, key, frame, by);
            if (counted != nullptr)
                *counted = {met.shape, dispatch_parts::best_of(*held), held->problem_number};
            return by;
        }
        installed_variant const* by = met.serves;
        // tuned.tune() verifies its shape, however often the shape was met.
        if (by == nullptr || by != of.winner || of.is_partly_tuned) {
            met.met = std::max(met.met, often_met);
            by = &s.serve_call(held, inputs, met, key, frame, when_unknown::tune, false);
            if (auto const* const best = dispatch_parts::best_of(*held))
                s.parts.shapes.set_best(met.shape, *best, held->problem_number);
        }
        tunes_now->report = held->outcome;
        if (held->winner != nullptr) tunes_now->at = held->winner_at;
        tunes_now->is_too_short = held->winner == nullptr && !held->is_given_up;
        return *by;
    } catch (default_fails const& e) {
        if (fallback_of(subject.kernel) != nullptr && !device)
            if (auto const* const by = degraded(e)) return *by;
        s.parts.report.set(untuned_report(subject.kernel.name, decision::call_failed, e.what()));
        throw;
    } catch (std::exception const& e) {
        if (auto const* const by = degraded(e)) return *by;
        s.parts.report.set(untuned_report(subject.kernel.name, decision::call_failed, e.what()));
        throw;
    }
}

ATTUNE_INLINE tuning_report dispatch_table::predict(std::vector<number> const& inputs,
                                                    call_frame frame)
{
    own_float_environment const numbers;
    state& s = *state_;
    call_problem of{inputs};
    working const now(s.parts);
    if (!now.is_on())
        throw error("kernel '" + s.parts.subject.kernel.name + "' is being tuned",
                    "tuned.predict(arguments...)", "call it when the tuning is over");
    s.parts.subject.complete(frame, inputs);
    s.parts.defaults.complete(of);
    return s.parts.choice.best_known(of, frame, {}, true).report;
}

ATTUNE_INLINE tuning_report dispatch_table::tune(std::span<std::int64_t const> key,
                                                 std::vector<number> const& inputs,
                                                 call_frame frame, void* stream)
{
    tuned_now out;
    static_cast<void>(serve(key, inputs, frame, stream, &out));
    return std::move(out.report);
}

ATTUNE_INLINE tuned_now dispatch_table::tune_with(trials_elsewhere& elsewhere,
                                                  std::span<std::int64_t const> key,
                                                  std::vector<number> const& inputs,
                                                  call_frame frame)
{
    tuned_now out;
    static_cast<void>(serve(key, inputs, frame, nullptr, &out, &elsewhere));
    return out;
}

ATTUNE_INLINE void dispatch_table::replay(call_maker const& make) noexcept
try {
    call_watch const* const watch = offer_of_program<call_watch>();
    if (watch == nullptr) return;
    std::string const said =
        watch->replay(state_->parts.subject, make, [this](keyed_call const& given) {
            return tune(given.shape, given.inputs, given.frame);
        });
    if (!said.empty()) state_->parts.report.note(said);
} catch (...) { // no memory for a sentence, or the sink threw
}

ATTUNE_INLINE bool dispatch_table::is_tuned(std::vector<number> const& inputs)
{
    own_float_environment const numbers;
    state& s = *state_;
    std::shared_ptr<served_inputs> const held = s.parts.served_for(inputs);
    served_inputs& of = *held;
    if (of.is_settled && of.winner != nullptr && !of.is_partly_tuned) return true;
    working const now(s.parts, true);
    if (!now.is_on() || of.winner != nullptr) return of.winner != nullptr && !of.is_partly_tuned;
    s.parts.defaults.complete(of.problem);
    return s.parts.choice.is_remembered(of.problem);
}

ATTUNE_INLINE known_choice dispatch_table::explain(std::span<std::int64_t const> key,
                                                   std::vector<number> const& inputs)
{
    own_float_environment const numbers;
    state& s = *state_;
    working const now(s.parts, true);
    if (!now.is_on())
        throw error("kernel '" + s.parts.subject.kernel.name + "' is being tuned",
                    "tuned.explain(arguments...)", "call it when the tuning is over");
    std::shared_ptr<served_inputs> const first = s.parts.served_for(inputs);
    s.parts.defaults.complete(first->problem);
    s.parts.sizes.read(*first, key);
    return s.parts.explain(*s.parts.sizes.serving(first, key), key);
}

ATTUNE_INLINE void dispatch_table::wait() const
{
    if (state_->parts.turn.is_mine() || stopped_by::is_here())
        throw error("kernel '" + state_->parts.subject.kernel.name + "' is being tuned",
                    "tuned.wait()", "call it when the tuning is over");
    state_->apart.wait();
}

ATTUNE_INLINE dispatch_parts& dispatch_table::parts() noexcept { return state_->parts; }

ATTUNE_INLINE tuning_report dispatch_table::report() const
{
    own_float_environment const numbers;
    tuning_report out = state_->parts.report.latest();
    out.coverage = state_->parts.shapes.coverage(state_->parts.subject.layout);
    state_->parts.sizes.describe(out);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
