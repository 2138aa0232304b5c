// attune/tune/dispatch/dispatch_table.ipp - how a call comes by the code that serves it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/tune/dispatch/default_code.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/shape_register.hpp>
#include <attune/tune/dispatch/shape_verifier.hpp>
#include <attune/tune/dispatch/variant_choice.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/loop/trial.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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
        installed_variant const* winner = nullptr; ///< null: not known yet
        bool winner_is_default = false;
        bool is_given_up = false; ///< nothing is looked up, tuned or verified any more
        std::optional<shape_verifier> verifier{}; ///< of the winner
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
        explicit working(state& of)
            : turn_(of.turn, std::defer_lock)
        {
            if (!of.turn.is_mine()) static_cast<void>(turn_.try_lock());
        }
        working(working const&) = delete;
        working& operator=(working const&) = delete;
        [[nodiscard]] bool is_on() const noexcept { return turn_.owns_lock(); }

    private:
        std::unique_lock<fork_safe_mutex> turn_;
    };

    /// Fills in the winner. @pre  the turn is this thread's
    /// @return  whether it was tuned or verified for this very shape
    bool find_winner(served_inputs& of, std::span<std::int64_t const> key, call_frame const& frame)
    {
        detail::call_problem& problem = of.problem;
        defaults.complete(problem);
        if (std::string const due = defaults.take_moved(problem); !due.empty()) report.note(due);
        known_variant found = choice.best_known(problem, frame, key, false);
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
                            detail::divisors_of(problem.space->describe(), *found.at));
        if (is_default && by_default == nullptr) problem.by_default.store(&made);
        return found.is_for_this_shape;
    }

    /// The default serves this shape for good.
    installed_variant const& settle(served_inputs& of, known_shape* shape)
    {
        installed_variant const& by = defaults.code_of(of.problem);
        return shapes.serve(shape, by);
    }

    /// @pre  the turn is this thread's
    installed_variant const& serve_call(served_inputs& of,
                                        shape_register::met_shape const& met,
                                        std::span<std::int64_t const> key,
                                        call_frame const& frame)
    {
        if (of.is_given_up) return settle(of, met.shape);
        if (of.winner == nullptr && has_only_empty_arrays(frame)) {
            installed_variant const& by = defaults.code_of(of.problem);
            report.set_serving({}, "the default serves: all arrays of this call are empty");
            return by;
        }
        if (of.winner == nullptr) {
            bool const is_for_this = find_winner(of, key, frame);
            if (of.winner == nullptr)
                return settle(of, met.shape); // too short, or nothing to spend
            if (is_for_this) {
                of.verifier->add(key);
                return shapes.serve(met.shape, *of.winner, true);
            }
        }
        if (of.winner_is_default) return shapes.serve(met.shape, *of.winner);
        return of.verifier->serve(met.shape, key, frame, met.is_first);
    }

    /// The default serves because of an error. @return  null: it cannot either
    [[nodiscard]] installed_variant const*
    degrade(served_inputs& of, known_shape* shape, std::string const& reason)
    {
        of.is_given_up = true;
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
        report.set(std::move(now));
        report.note("not tuned, " +
                    std::string(is_own ? "the function in the program" : "the default") +
                    " serves: " + reason);
        return by;
    }

private:
    fork_safe_mutex all_lock_{};
    std::vector<std::unique_ptr<served_inputs>> all_{};
};

ATTUNE_INLINE dispatch_table::dispatch_table(kernel_description const& kernel,
                                             any_compiler compiler,
                                             any_store store,
                                             tuning_options options,
                                             std::vector<shape_word> layout,
                                             device_finder find_device)
    : state_(new state{{.kernel = kernel,
                        .compiler = std::move(compiler),
                        .options = std::move(options),
                        .layout = std::move(layout),
                        .find_device = std::move(find_device),
                        .declared = with_annotated_defaults(kernel)},
                       std::move(store)})
    , shapes_(&state_->shapes.shapes())
{
    watch_program_end();
    require_targets(kernel);
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
    state& s = *state_;
    dispatched_kernel const& subject = s.subject;
    shape_register::met_shape const met = s.shapes.meet(key);
    if (met.serves != nullptr) return *met.serves;
    state::served_inputs& of = s.served(inputs);
    auto const device = subject.target();
    if (device) device->require_device(subject.kernel.name);
    state::working const now(s);
    if (!now.is_on()) return s.defaults.code_of(of.problem);
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
        return s.serve_call(of, met, key, frame);
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

ATTUNE_INLINE tuning_report dispatch_table::report() const { return state_->report.latest(); }

} // namespace attune::inline ATTUNE_ABI::detail
