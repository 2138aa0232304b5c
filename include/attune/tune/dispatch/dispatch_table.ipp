// attune/tune/dispatch/dispatch_table.ipp - how a call comes by the code that serves it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/tune/dispatch/background.hpp>
#include <attune/tune/dispatch/default_code.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/mode.hpp>
#include <attune/tune/dispatch/shape_register.hpp>
#include <attune/tune/dispatch/shape_verifier.hpp>
#include <attune/tune/dispatch/variant_choice.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/kernel/owned_call.hpp>
#include <attune/tune/loop/trial.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool has_only_empty_arrays(call_frame const& frame)
{
    bool has_arrays = false;
    for (buffer const& b : frame.buffers) {
        if (b.argument == buffer::result) continue;
        if (b.bytes > 0) return false;
        has_arrays = true;
    }
    return has_arrays;
}

/// The parts, each of which sees those above it; and what is known of each set of bound inputs.
struct dispatch_table::state {
    /// Calls whose bound inputs have the same values. But for `problem`, of the thread that works.
    struct served_inputs {
        explicit served_inputs(std::vector<number> const& values)
            : problem(values)
        {
        }
        detail::call_problem problem;
        /// The process that tunes it in the background; 0: none does.
        std::atomic<pid_t> tuned_apart_in{0};
        std::atomic<bool> is_settled{false}; ///< there is a winner, or it is given up
        std::atomic<installed_variant const*> winner{nullptr}; ///< null: not known yet
        bool winner_is_default = false;
        bool is_given_up = false; ///< nothing is looked up, tuned or verified any more
        std::optional<shape_verifier> verifier{}; ///< of the winner
        tuning_report outcome{}; ///< how the winner was found, or why there is none
    };

    state(dispatched_kernel s, any_store store)
        : subject(std::move(s))
        , report(subject.kernel.name, subject.options.progress)
        , variants(subject)
        , defaults(subject, variants)
        , choice(subject, std::move(store), report)
    {
    }

    dispatched_kernel const subject;
    dispatch_report report;
    shape_register shapes{};
    detail::installed_variants variants;
    detail::default_code defaults;
    variant_choice choice;
    fork_safe_mutex turn{}; ///< held by the thread that tunes or verifies

    [[nodiscard]] served_inputs& served(std::vector<number> const& inputs)
    {
        std::scoped_lock<fork_safe_mutex> const here(all_lock_);
        for (std::unique_ptr<served_inputs> const& of : all_)
            if (of->problem.inputs == inputs) return *of;
        return *all_.emplace_back(std::make_unique<served_inputs>(inputs));
    }

    /// This thread tunes or verifies until the object goes.
    class working {
    public:
        /// @param waits  until another thread has had its turn
        explicit working(state& of, bool waits = false)
            : turn_(of.turn, std::defer_lock)
        {
            if (of.turn.is_mine()) return;
            bool is_on = turn_.try_lock();
            // While the program ends, who has the turn may stand still with it.
            while (!is_on && waits && !program_is_ending()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                is_on = turn_.try_lock();
            }
        }
        working(working const&) = delete;
        working& operator=(working const&) = delete;
        [[nodiscard]] bool is_on() const noexcept { return turn_.owns_lock(); }

    private:
        std::unique_lock<fork_safe_mutex> turn_;
    };

    /// Fills in the winner, or gives up. @pre  the turn is this thread's
    /// @return  whether it was tuned or verified for this very shape
    bool find_winner(served_inputs& of,
                     std::span<std::int64_t const> key,
                     call_frame const& frame,
                     when_unknown otherwise)
    {
        detail::call_problem& problem = of.problem;
        defaults.complete(problem);
        if (std::string const due = defaults.take_moved(problem); !due.empty()) report.note(due);
        known_variant found = choice.best_known(problem, frame, key, false, otherwise);
        of.outcome = found.report;
        if (found.is_missing) {
            of.is_given_up = true;
            report.set(std::move(found.report));
            return false;
        }
        defaults.set(problem, found.default_code);
        bool const is_default = *found.at == *problem.default_at;
        installed_variant const* const by_default = problem.by_default.load();
        installed_variant const& made =
            is_default && by_default != nullptr && !defaults.is_own(*by_default)
                ? *by_default
                : variants.install(std::move(found.code));
        report.set(std::move(found.report));
        if (found.is_too_short) return false;
        of.winner = &made;
        of.winner_is_default = is_default;
        of.verifier.emplace(shape_verifier::parts{subject, defaults, shapes, report},
                            problem,
                            made,
                            detail::divisors_of(problem.space->describe(), *found.at),
                            std::move(found.proofs));
        if (is_default && by_default == nullptr) problem.by_default.store(&made);
        return found.is_for_this_shape;
    }

    /// The default serves this shape for good.
    installed_variant const& settle(served_inputs& of, known_shape* shape)
    {
        installed_variant const& by = defaults.code_of(of.problem);
        return shapes.serve(shape, by);
    }

    /// Whether unknown inputs are tuned beside the program.
    [[nodiscard]] bool tunes_apart() const
    {
        return subject.options.on_miss == miss_policy::tune_in_background && !subject.find_device;
    }
    /// What a call does with unknown inputs.
    [[nodiscard]] when_unknown by_policy() const
    {
        if (tunes_apart()) return when_unknown::say_so;
        bool const tunes = subject.options.on_miss == miss_policy::tune_if_missing ||
                           subject.options.on_miss == miss_policy::always;
        return tunes ? when_unknown::tune : when_unknown::take_what_is_there;
    }

    /// The default serves this call; the inputs are tuned in the background. Any thread.
    /// @pre  the frame is complete
    installed_variant const& serve_apart(served_inputs& of,
                                         known_shape* shape,
                                         std::span<std::int64_t const> key,
                                         call_frame const& frame)
    {
        installed_variant const& by = defaults.code_of(of.problem);
        std::unique_lock<fork_safe_mutex> here(apart_lock_);
        pid_t const me = ::getpid();
        if (of.tuned_apart_in != me && !of.is_settled) {
            refusal const refused =
                start_apart(frame, [this, &of, shape, key = words_of(key)](call_frame const& own) {
                    try {
                        tune_apart(of, shape, key, own);
                    } catch (...) { // the program's sink threw, and there is nobody to tell
                    }
                    std::scoped_lock<fork_safe_mutex> const over(apart_lock_);
                    of.tuned_apart_in = 0;
                    look_again(of);
                });
            if (refused) {
                here.unlock();
                if (!refused->empty()) report.note(*refused);
                return by;
            }
            of.tuned_apart_in = me;
            report.set(untuned_report(
                subject.kernel.name, decision::served_default, "a tuning runs in the background"));
        }
        // Until that tuning is over, calls of this shape need no second look.
        return of.tuned_apart_in == me ? shapes.serve(shape, by) : by;
    }

    /// The default serves this call; the winner is verified for its shape in the background.
    /// @pre  the turn is this thread's
    installed_variant const& verify_apart(served_inputs& of,
                                          known_shape* shape,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame)
    {
        installed_variant const& by = defaults.code_of(of.problem);
        std::unique_lock<fork_safe_mutex> here(apart_lock_);
        refusal const refused =
            start_apart(frame, [this, &of, shape, key = words_of(key)](call_frame const& own) {
                working const now(*this, true);
                if (!now.is_on()) return;
                try {
                    work_in_progress const at_work;
                    static_cast<void>(of.verifier->serve(shape, key, own, false));
                } catch (std::exception const& e) {
                    static_cast<void>(degrade(of, shape, e.what()));
                }
            });
        here.unlock();
        if (!refused) return shapes.serve(shape, by); // the job waits for this thread's turn to end
        if (!refused->empty()) report.note(*refused);
        return by;
    }

    /// @pre  the turn is this thread's
    installed_variant const& serve_call(served_inputs& of,
                                        shape_register::met_shape const& met,
                                        std::span<std::int64_t const> key,
                                        call_frame const& frame,
                                        when_unknown otherwise)
    {
        bool const is_apart = otherwise == when_unknown::say_so;
        if (of.is_given_up) return settle(of, met.shape);
        if (of.winner == nullptr && has_only_empty_arrays(frame)) {
            installed_variant const& by = defaults.code_of(of.problem);
            report.set_serving({}, "the default serves: all arrays of this call are empty");
            return by;
        }
        if (of.winner == nullptr) {
            bool const is_for_this = find_winner(of, key, frame, otherwise);
            if (of.winner == nullptr && of.is_given_up && is_apart) {
                of.is_given_up = false;
                return serve_apart(of, met.shape, key, frame);
            }
            of.is_settled = true;
            if (of.winner == nullptr)
                return settle(of, met.shape); // too short, or nothing to spend
            if (is_for_this) {
                of.verifier->add(key);
                return shapes.serve(met.shape, *of.winner, true);
            }
        }
        if (of.winner_is_default) return shapes.serve(met.shape, *of.winner);
        if (is_apart && of.verifier->needs_runs(key, met.is_first))
            return verify_apart(of, met.shape, key, frame);
        return of.verifier->serve(met.shape, key, frame, met.is_first);
    }

    /// The default serves because of an error. @return  null: it cannot either
    [[nodiscard]] installed_variant const*
    degrade(served_inputs& of, known_shape* shape, std::string const& reason)
    {
        of.is_given_up = of.is_settled = true;
        installed_variant const* by = nullptr;
        try {
            by = &settle(of, shape);
        } catch (std::exception const&) {
            return nullptr;
        }
        bool const is_own = defaults.is_own(*by);
        tuning_report now =
            untuned_report(subject.kernel.name,
                           is_own ? decision::served_fallback : decision::served_default,
                           reason);
        if (!is_own && of.problem.space)
            now.configuration = text_of(of.problem.space->describe(), *of.problem.default_at);
        of.outcome = now;
        report.set(std::move(now));
        report.note("not tuned, " +
                    std::string(is_own ? "the function in the program" : "the default") +
                    " serves: " + reason);
        return by;
    }

    /// What the default served meanwhile is looked at again.
    void look_again(served_inputs& of)
    {
        if (auto const* const by = of.problem.by_default.load()) shapes.withdraw(*by);
    }

private:
    [[nodiscard]] static std::vector<std::int64_t> words_of(std::span<std::int64_t const> key)
    {
        return {key.begin(), key.end()};
    }

    /// Why nothing was started: for a notice; empty: there is no room now, but there may be later.
    using refusal = std::optional<std::string>;

    /// Has `job` run in the background on a copy of the call. @pre  apart_lock_ is held
    refusal start_apart(call_frame const& frame, std::function<void(call_frame const&)> job)
    {
        if (pid_t const me = ::getpid(); std::exchange(copied_in_, me) != me) copied_bytes_ = 0;
        std::size_t const bytes = bytes_to_own(frame);
        std::size_t const most = subject.options.limits.copied_bytes;
        if (bytes > most)
            return "nothing is tuned or verified in the background: a copy of the arguments "
                   "takes " +
                   std::to_string(bytes) + " bytes, and tuning_options::limits.copied_bytes is " +
                   std::to_string(most) + "; tuned.tune(arguments...) tunes in the call";
        if (copied_bytes_ > most - bytes) return "";
        try {
            auto call = std::make_shared<owned_call const>(frame);
            background.add([this, bytes, call = std::move(call), job = std::move(job)]() mutable {
                try {
                    job(call->frame());
                } catch (...) { // as above
                }
                call.reset();
                std::scoped_lock<fork_safe_mutex> const here(apart_lock_);
                copied_bytes_ -= bytes;
            });
        } catch (std::exception const& e) {
            return std::string("nothing is tuned or verified in the background: ") + e.what();
        }
        copied_bytes_ += bytes;
        return {};
    }

    /// On the thread in the background.
    void tune_apart(served_inputs& of,
                    known_shape* shape,
                    std::span<std::int64_t const> key,
                    call_frame const& frame)
    {
        working const now(*this, true);
        if (!now.is_on()) return;
        try {
            work_in_progress const at_work;
            if (of.winner != nullptr || of.is_given_up) return;
            bool const is_for_this = find_winner(of, key, frame, when_unknown::tune);
            of.is_settled = true;
            if (of.winner == nullptr) of.is_given_up = true; // too short, or nothing to spend
            if (of.winner == nullptr || !is_for_this) return;
            of.verifier->add(key);
            shapes.serve(shape, *of.winner, true);
        } catch (std::exception const& e) {
            of.is_given_up = of.is_settled = true; // also where the sink throws again
            static_cast<void>(degrade(of, shape, e.what()));
        }
    }

    fork_safe_mutex all_lock_{};
    std::vector<std::unique_ptr<served_inputs>> all_{};
    fork_safe_mutex apart_lock_{}; ///< of served_inputs::tuned_apart_in and the members below
    std::size_t copied_bytes_ = 0;
    pid_t copied_in_ = 0; ///< the process that holds the copies

public:
    background_worker background{}; ///< the last member: its thread uses all others
};

ATTUNE_INLINE dispatch_table::dispatch_table(kernel_description const& kernel,
                                             any_compiler compiler,
                                             any_store store,
                                             tuning_options options,
                                             std::vector<shape_word> layout,
                                             device_finder find_device)
    : state_(new state{{.kernel = kernel,
                        .compiler = std::move(compiler),
                        .options = with_mode(std::move(options)),
                        .layout = std::move(layout),
                        .find_device = std::move(find_device),
                        .declared = with_annotated_defaults(kernel)},
                       std::move(store)})
    , shapes_(&state_->shapes.shapes())
{
    watch_program_end();
    require_targets(kernel);
    if (std::string const said = complaint_of_mode(); !said.empty()) state_->report.tell(said);
    // What no input can excuse is an error now: defaults that are no values, or break a constraint.
    if (kernel.inputs.empty() && !state_->subject.find_device)
        state_->defaults.complete(state_->served({}).problem, false);
}

ATTUNE_INLINE dispatch_table::~dispatch_table() = default;

ATTUNE_INLINE installed_variant const& dispatch_table::obtain(std::span<std::int64_t const> key,
                                                              std::vector<number> const& inputs,
                                                              call_frame frame,
                                                              void* stream)
{
    return serve(key, inputs, frame, stream, nullptr);
}

ATTUNE_INLINE installed_variant const& dispatch_table::serve(std::span<std::int64_t const> key,
                                                             std::vector<number> const& inputs,
                                                             call_frame& frame,
                                                             void* stream,
                                                             tuning_report* tunes_now)
{
    state& s = *state_;
    dispatched_kernel const& subject = s.subject;
    shape_register::met_shape met = s.shapes.meet(key);
    if (met.serves != nullptr && tunes_now == nullptr) return *met.serves;
    state::served_inputs& of = s.served(inputs);
    auto const device = subject.target();
    if (device) device->require_device(subject.kernel.name);
    state::working const now(s, tunes_now != nullptr);
    if (!now.is_on()) {
        if (tunes_now != nullptr)
            throw error("kernel '" + subject.kernel.name + "' is being tuned",
                        "tuned.tune(arguments...)",
                        "call it when the tuning is over");
        installed_variant const& by = s.defaults.code_of(of.problem);
        if (!s.tunes_apart() || of.is_settled || has_only_empty_arrays(frame)) return by;
        try {
            set_extents(frame, subject.kernel, subject.values_of(inputs));
        } catch (std::exception const&) {
            return by; // said by a call that has the turn
        }
        return s.serve_apart(of, met.shape, key, frame);
    }
    if (tunes_now != nullptr && of.winner == nullptr) {
        of.is_given_up = false;
        s.look_again(of);
    }
    if (device) {
        subject.complete(frame, inputs);
        try {
            device->wait_for_caller(stream);
        } catch (error const&) { // captured: nothing can be measured, but a launch can be recorded
            if (auto const* const by = of.problem.by_default.load()) return *by;
            throw;
        }
        device->require_arrays(frame);
    }
    try {
        if (!device) set_extents(frame, subject.kernel, subject.values_of(inputs));
        work_in_progress const at_work;
        if (tunes_now == nullptr) return s.serve_call(of, met, key, frame, s.by_policy());
        installed_variant const* by = met.serves;
        if (by == nullptr || by != of.winner) { // a shape that is asked for is verified
            met.is_first = false;
            by = &s.serve_call(of, met, key, frame, when_unknown::tune);
        }
        *tunes_now = of.outcome;
        return *by;
    } catch (default_fails const& e) {
        if (fallback_of(subject.kernel) != nullptr && !device)
            if (auto const* const by = s.degrade(of, met.shape, e.what())) return *by;
        s.report.set(untuned_report(subject.kernel.name, decision::call_failed, e.what()));
        throw;
    } catch (std::exception const& e) {
        if (auto const* const by = s.degrade(of, met.shape, e.what())) return *by;
        s.report.set(untuned_report(subject.kernel.name, decision::call_failed, e.what()));
        throw;
    }
}

ATTUNE_INLINE tuning_report dispatch_table::predict(std::vector<number> const& inputs,
                                                    call_frame frame)
{
    state& s = *state_;
    detail::call_problem of{inputs};
    state::working const now(s);
    if (!now.is_on())
        throw error("kernel '" + s.subject.kernel.name + "' is being tuned",
                    "tuned.predict(arguments...)",
                    "call it when the tuning is over");
    s.subject.complete(frame, inputs);
    s.defaults.complete(of);
    return s.choice.best_known(of, frame, {}, true).report;
}

ATTUNE_INLINE tuning_report dispatch_table::tune(std::span<std::int64_t const> key,
                                                 std::vector<number> const& inputs,
                                                 call_frame frame,
                                                 void* stream)
{
    tuning_report out;
    static_cast<void>(serve(key, inputs, frame, stream, &out));
    return out;
}

ATTUNE_INLINE bool dispatch_table::is_tuned(std::vector<number> const& inputs)
{
    state& s = *state_;
    state::served_inputs& of = s.served(inputs);
    if (of.is_settled && of.winner != nullptr) return true;
    state::working const now(s, true);
    if (!now.is_on() || of.winner != nullptr) return of.winner != nullptr;
    s.defaults.complete(of.problem);
    return s.choice.is_remembered(of.problem);
}

ATTUNE_INLINE void dispatch_table::wait() const
{
    if (state_->turn.is_mine() || stopped_by::is_here())
        throw error("kernel '" + state_->subject.kernel.name + "' is being tuned",
                    "tuned.wait()",
                    "call it when the tuning is over");
    state_->background.wait();
}

ATTUNE_INLINE tuning_report dispatch_table::report() const { return state_->report.latest(); }

} // namespace attune::inline ATTUNE_ABI::detail
