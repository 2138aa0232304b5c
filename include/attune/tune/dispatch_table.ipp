// attune/tune/dispatch_table.ipp - how a call comes by the code that serves it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/forever.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch_table.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/shape/derived_shapes.hpp>
#include <attune/tune/shape/shape_check.hpp>
#include <attune/tune/shape/shape_proof.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// More shapes than this are not kept: each call of another one is looked at anew.
inline constexpr std::size_t most_known_shapes = 65'536;
/// Of the shapes met once, the first `verified_at_once` and then one in `shapes_per_check` are
/// verified: at most 5 % of the calls where all shapes differ.
inline constexpr std::uint64_t verified_at_once = 2;
inline constexpr std::uint64_t shapes_per_check = 24;
/// A variant is proven on smaller calls for so many different relations between lengths and sizes.
inline constexpr std::size_t most_proofs = 3;

/// The numbers among the values of a configuration, which remainder code goes by.
[[nodiscard]] inline std::vector<std::int64_t> divisors_of(description const& space,
                                                           point const& at)
{
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        std::string const text = text_of(space.parameters[i], at[i]);
        std::int64_t number = 0;
        bool is_inside = false;
        for (char const c : text + ' ') { // "{8,4,2}" of a tile has three
            if (c >= '0' && c <= '9' && number < 1'000'000) {
                number = 10 * number + (c - '0');
                is_inside = true;
            } else {
                if (is_inside && number > 1) out.push_back(number);
                number = 0;
                is_inside = false;
            }
        }
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE shape_choice shape_choice_of(kernel_description const& kernel)
{
    shape_choice out{.ignored = kernel.ignored, .any_shape = kernel.any_shape};
    for (input_argument const& input : kernel.inputs) {
        if (out.bound.size() <= input.position) out.bound.resize(input.position + 1);
        out.bound[input.position] = true;
    }
    return out;
}

struct dispatch_table::state {
    /// Calls whose bound inputs have the same values.
    struct inputs_problem {
        std::vector<number> inputs;
        std::optional<chain_of_trees> space{};
        std::optional<point> default_at{};
        bool default_is_declared = true; ///< no constraint moved it
        std::atomic<installed_variant const*> by_default{nullptr};
        std::string moved{}; ///< a sentence on the moved default that was not told yet
        installed_variant const* winner = nullptr; ///< null: not known yet
        bool winner_is_default = false;
        bool is_given_up = false; ///< nothing is looked up, tuned or verified any more
        std::optional<shape_trust> trust{};
        std::vector<std::int64_t> divisors{};                ///< numbers in the winner's parameters
        std::vector<std::vector<std::int64_t>> proven_for{}; ///< relations_of(): see prove()
        std::uint64_t new_shapes = 0;                        ///< met since there is a winner
        std::uint64_t checks = 0;
        served_shapes counts{};
    };
    using lock_of = std::scoped_lock<detail::fork_safe_mutex>;

    state(kernel_description k,
          any_compiler c,
          any_store s,
          tuning_options o,
          std::vector<shape_word> l,
          device_finder f)
        : kernel(std::move(k))
        , compiler(std::move(c))
        , store(std::move(s))
        , options(std::move(o))
        , layout(std::move(l))
        , find_device(std::move(f))
    {
    }

    kernel_description kernel;
    any_compiler compiler;
    any_store store;
    tuning_options options;
    std::vector<shape_word> layout;
    device_finder find_device;
    description declared{}; ///< with the defaults of the kernel file

    detail::fork_safe_mutex lock{}; ///< of what follows; held for microseconds
    shape_table table{};
    std::vector<std::unique_ptr<inputs_problem>> problems{};
    std::vector<std::unique_ptr<installed_variant const>> all{};
    tuning_report latest_report{};
    std::vector<std::string> said{};     ///< sentences that were told, each once
    std::uint64_t spent_evaluations = 0; ///< by all tunings so far
    double spent_s = 0;

    detail::fork_safe_mutex defaults{}; ///< held while a default is compiled
    detail::fork_safe_mutex turn{};     ///< held by the thread that tunes or verifies

    struct known_variant {
        callable code{};
        callable default_code{};
        std::optional<point> at{};
        tuning_report report{};
        bool is_for_this_shape = false; ///< it was tuned or verified for it
        bool is_too_short = false;
        bool is_missing = false; ///< nothing is remembered, and there is nothing to spend
    };

    /// Null: this processor.
    [[nodiscard]] std::shared_ptr<device_target const> target() const
    {
        return find_device ? find_device() : nullptr;
    }

    // --- what is told ---------------------------------------------------------------------------

    /// Tells a sentence once in the life of this object. @return  whether it was new
    bool tell(std::string const& text)
    {
        {
            lock_of const here(lock);
            if (std::find(said.begin(), said.end(), text) != said.end()) return false;
            said.push_back(text);
        }
        if (!options.progress) return true;
        struct progress p;
        p.event = progress_event::notice;
        p.name = kernel.name;
        p.text = text;
        options.progress(p);
        return true;
    }

    /// Tells it, and keeps it in the report.
    void note(std::string const& text)
    {
        if (!tell(text)) return;
        lock_of const here(lock);
        latest_report.notices.push_back(text);
    }

    void set_report(tuning_report now)
    {
        lock_of const here(lock);
        latest_report = std::move(now);
    }
    void set_serving(inputs_problem const& of, std::string sentence)
    {
        lock_of const here(lock);
        latest_report.shapes = of.counts;
        latest_report.serving = std::move(sentence);
    }

    // --- the problem of a call ------------------------------------------------------------------

    [[nodiscard]] std::vector<input_value> values_of(std::vector<number> const& inputs) const
    {
        std::vector<input_value> values;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            values.emplace_back(kernel.inputs[i].input, inputs[i]);
        return values;
    }

    [[nodiscard]] inputs_problem& problem_of(std::vector<number> const& inputs)
    {
        for (std::unique_ptr<inputs_problem> const& p : problems)
            if (p->inputs == inputs) return *p;
        problems.push_back(std::unique_ptr<inputs_problem>(new inputs_problem{inputs}));
        return *problems.back();
    }

    /// Its space and default, made once. @pre  under `defaults`: tells nothing, see tell_due()
    /// @param may_move  the nearest valid configuration stands for a default that breaks a
    /// constraint
    void complete(inputs_problem& of, bool may_move = true)
    {
        if (of.space) return;
        chain_of_trees made = space_of_call(
            kernel, declared, values_of(of.inputs), target().get(), may_move ? &of.moved : nullptr);
        of.default_is_declared = of.moved.empty();
        of.default_at = default_point(made).value();
        of.space.emplace(std::move(made));
    }

    /// @pre  no lock is held: a sink may call the kernel
    void tell_due(inputs_problem& of)
    {
        std::string due;
        {
            lock_of const only_one(defaults);
            due.swap(of.moved);
        }
        if (!due.empty()) note(due);
    }

    /// Gives the pointers of a call their extents.
    void complete(call_frame& frame, std::vector<number> const& inputs) const
    {
        if (target() != nullptr && !kernel.launch)
            throw error("kernel '" + kernel.name + "' does not say how a device launches it",
                        kernel.source.path,
                        "give it kernel.grid(...) and kernel.block(...)");
        set_extents(frame, kernel, values_of(inputs));
    }

    // --- code -----------------------------------------------------------------------------------

    /// For the life of this object.
    [[nodiscard]] installed_variant const* install(callable code)
    {
        auto made = std::make_unique<installed_variant>();
        made->code = std::move(code);
        detail::keep_forever(made->code.code);
        if (auto const device = target()) made->on_device = device->load(made->code, kernel.name);
        lock_of const here(lock);
        return all.emplace_back(std::move(made)).get();
    }

    /// From where winners are kept, else compiled.
    [[nodiscard]] compile_result code_at(chain_of_trees const& space, point const& at)
    {
        compile_request const wanted = make_variant(kernel, space.describe(), at);
        if (std::optional<callable> kept = compiler.find_winner(kernel.source, wanted))
            return std::move(*kept);
        compile_result compiled =
            compile_point(kernel, space.describe(), compiler, target().get(), at);
        if (std::holds_alternative<callable>(compiled)) compiler.keep_winner(kernel.source, wanted);
        return compiled;
    }

    /// The kernel with its defaults: what the program itself holds, else compiled.
    /// Errors   attune::error: neither can be had
    [[nodiscard]] installed_variant const& default_of(inputs_problem& of)
    {
        if (auto const* const known = of.by_default.load()) return *known;
        lock_of const only_one(defaults);
        if (auto const* const known = of.by_default.load()) return *known;
        bool const is_for_device = target() != nullptr;
        found_ahead const own = is_for_device ? found_ahead{} : find_fallback(kernel);
        try {
            complete(of);
            if (own.address == nullptr || !of.default_is_declared) {
                compile_result made = code_at(*of.space, *of.default_at);
                if (auto const* const why = std::get_if<failure>(&made))
                    throw error("the default configuration of kernel '" + kernel.name + "' " +
                                    std::string(describe(why->stage)),
                                kernel.source.path + ": " + why->reason,
                                own.reason.empty()
                                    ? "attune_add_kernel(target file) or kernel.fallback(function) "
                                      "gives the program a kernel that needs no compiler"
                                    : own.reason);
                return set_by(of, std::get<callable>(std::move(made)));
            }
        } catch (error const&) {
            if (is_for_device && of.space && of.default_at)
                if (std::optional<callable> held =
                        target()->code_in_program(kernel, of.space->describe(), *of.default_at))
                    return set_by(of, std::move(*held));
            if (own.address == nullptr) throw;
        }
        return set_by(of, {.address = own.address});
    }

    installed_variant const& set_by(inputs_problem& of, callable code)
    {
        installed_variant const* const made = install(std::move(code));
        of.by_default.store(made);
        return *made;
    }

    void set_default(inputs_problem& of, callable const& code)
    {
        if (code.address == nullptr) return;
        lock_of const only_one(defaults);
        if (of.by_default.load() == nullptr) set_by(of, code);
    }

    [[nodiscard]] bool is_own(installed_variant const& v) const
    {
        if (v.on_device) return v.code.compiler == code_of_the_program;
        return v.code.address == fallback_of(kernel);
    }

    // --- remembered or tuned --------------------------------------------------------------------

    /// The remembered variant, compiled; nothing when there is none or it cannot be used, and why
    /// not is added to `notices`.
    [[nodiscard]] std::optional<known_variant> remembered(record_key const& key,
                                                          chain_of_trees const& space,
                                                          bool predict,
                                                          std::string const& shape,
                                                          std::vector<std::string>& notices)
    {
        if (options.retune) return {};
        lookup_result const known = store.find(key);
        if (known.how != record_match::exact) return {};
        // Where its events are the last of the log, the tuning goes on; else it begins anew.
        if (known.best->interrupted && !options.event_log.empty()) return {};
        std::optional<point> const at = point_of(*known.best, space);
        if (!at) {
            notices.push_back(
                "the remembered configuration is not in the space any more; tuning again");
            return {};
        }
        compile_result winner = code_at(space, *at);
        if (auto const* const failed = std::get_if<failure>(&winner)) {
            notices.push_back("the remembered configuration " +
                              std::string(describe(failed->stage)) + " (" + failed->reason +
                              "); tuning again");
            return {};
        }
        tuning_report report;
        report.kernel = kernel.name;
        report.compiler = key.compiler;
        report.how = decision::remembered;
        report.configuration = text_of(space.describe(), *at);
        report.best = measurement::exact(known.best->best_s);
        report.default_time = measurement::exact(known.best->default_s);
        report.speedup = known.best->default_s / known.best->best_s;
        report.speedup_low = report.speedup_high = report.speedup;
        report.log2_space_size = space.log2_size();
        report.noise.is_disturbed = known.best->disturbed;
        if (known.best->least_s > 0)
            report.roofline = {known.best->least_s,
                               known.best->least_s / known.best->best_s,
                               known.best->memory_bound};
        known_variant out;
        out.code = std::get<callable>(std::move(winner));
        out.at = at;
        out.is_for_this_shape = !shape.empty() && known.best->shape == shape;
        report.compile_s = out.code.compile_s;
        report.predicted = predict;
        out.report = std::move(report);
        return out;
    }

    /// Into the store, unless what stands there is worth more: see may_replace().
    /// @param was_known  a record with this key was there before the tuning
    void remember(record const& fresh, bool was_known, std::vector<std::string>& notices)
    {
        lookup_result const known = store.find(fresh.key);
        if (known.how != record_match::exact || may_replace(fresh, *known.best, was_known))
            return store.add(fresh);
        notices.push_back(std::string("the tuning was ") +
                          (fresh.interrupted ? "interrupted" : "disturbed") +
                          ": the store keeps what a finished one found");
        tell(notices.back());
    }

    /// Of the next tuning.
    [[nodiscard]] search_limits limits_left() const
    {
        return within(options.limits,
                      what_is_left(options.limits.total, spent_evaluations, spent_s));
    }

    [[nodiscard]] known_variant tune(record_key const& key,
                                     inputs_problem const& of,
                                     call_frame const& frame,
                                     std::string const& shape,
                                     bool predict)
    {
        chain_of_trees const& space = *of.space;
        auto const device = target();
        tuning_problem problem{
            kernel, space, *of.default_at, compiler, frame, device.get(), predict};
        lookup_result const known = store.find(key);
        bool const was_known = known.how == record_match::exact;
        if (options.retune && was_known) problem.rival = point_of(*known.best, space);
        tuning_options now = options;
        search_limits const left = limits_left();
        now.limits.evaluations = left.evaluations;
        now.limits.seconds = left.seconds;
        interrupt_guard const until_remembered; // the program's handler for Ctrl-C runs after that
        session_result result = run_session(problem, now);
        spent_evaluations += result.report.evaluations;
        spent_s += result.report.elapsed_s;
        if (!result.is_too_short) {
            record fresh = make_record(key, space.describe(), result, options);
            fresh.shape = shape;
            remember(fresh, was_known, result.report.notices);
            for (point const& at : {result.at, *of.default_at})
                compiler.keep_winner(kernel.source, make_variant(kernel, space.describe(), at));
        }
        known_variant out;
        out.code = std::move(result.code);
        out.default_code = std::move(result.default_code);
        out.at = std::move(result.at);
        out.report = std::move(result.report);
        out.is_for_this_shape = true;
        out.is_too_short = result.is_too_short;
        return out;
    }

    /// From the store or by tuning, with everything there is to say in the report.
    [[nodiscard]] known_variant best_known(inputs_problem const& of,
                                           call_frame const& frame,
                                           std::string const& shape,
                                           bool predict)
    {
        record_key key =
            make_key(kernel, of.space->describe(), compiler.identity(), target().get());
        if (predict) key.device += ", predicted";
        std::vector<std::string> told;
        std::optional<known_variant> known = remembered(key, *of.space, predict, shape, told);
        if (known)
            if (std::string const instead = compiler.notice(); !instead.empty())
                told.push_back(instead);
        for (std::string const& notice : told)
            tell(notice);
        if (!known && !wants_tuning(limits_left())) {
            bool const is_spent = wants_tuning(options.limits);
            tuning_report report = untuned_report(kernel.name,
                                                  decision::served_default,
                                                  is_spent ? "tuning_options::limits.total is spent"
                                                           : "the limits allow no tuning");
            report.compiler = key.compiler;
            report.configuration = text_of(of.space->describe(), *of.default_at);
            if (is_spent)
                tell("what tuning_options::limits.total allows is spent: new inputs are not tuned");
            return {.report = std::move(report), .is_missing = true};
        }
        known_variant out = known ? std::move(*known) : tune(key, of, frame, shape, predict);
        out.report.notices.insert(out.report.notices.begin(), told.begin(), told.end());
        for (std::string const& notice : store.notices()) {
            out.report.notices.push_back(notice);
            tell(notice);
        }
        return out;
    }

    /// Fills in the winner of a problem. @pre  the turn is this thread's
    /// @return  whether it was tuned or verified for this very shape
    bool find_winner(inputs_problem& of, std::span<std::int64_t const> key, call_frame const& frame)
    {
        {
            lock_of const only_one(defaults);
            complete(of);
        }
        tell_due(of);
        std::string const shape = text_of_key(key);
        known_variant found = best_known(of, frame, shape, false);
        if (found.is_missing) {
            of.is_given_up = true;
            set_report(std::move(found.report));
            return false;
        }
        set_default(of, found.default_code);
        bool const is_default = *found.at == *of.default_at;
        installed_variant const* const by_default = of.by_default.load();
        installed_variant const* const made =
            is_default && by_default != nullptr && !is_own(*by_default)
                ? by_default
                : install(std::move(found.code));
        auto divisors = detail::divisors_of(of.space->describe(), *found.at);
        lock_of const here(lock);
        latest_report = std::move(found.report);
        if (found.is_too_short) return false;
        of.winner = made;
        of.winner_is_default = is_default;
        of.trust.emplace(layout, divisors);
        of.divisors = std::move(divisors);
        if (is_default && by_default == nullptr) of.by_default.store(made);
        return found.is_for_this_shape;
    }

    [[nodiscard]] static std::string text_of_key(std::span<std::int64_t const> key)
    {
        std::string out;
        for (std::int64_t const word : key)
            out += (out.empty() ? "" : " ") + std::to_string(word);
        return out;
    }

    // --- shapes ---------------------------------------------------------------------------------

    /// From now on `by` serves the shape without another look.
    installed_variant const&
    serve(known_shape* shape, installed_variant const& by, bool is_verified = false)
    {
        lock_of const here(lock);
        if (shape != nullptr) {
            shape->is_verified = is_verified;
            shape->serves.store(&by, std::memory_order_release);
        }
        return by;
    }

    /// The default serves this shape for good.
    installed_variant const& settle(inputs_problem& of, known_shape* shape)
    {
        installed_variant const& by = default_of(of);
        return serve(shape, by);
    }

    /// A variant that is wrong somewhere: what its classes had earned is void.
    void distrust(inputs_problem& of)
    {
        lock_of const here(lock);
        of.trust->distrust();
        for (std::unique_ptr<known_shape> const& s : table.shapes())
            if (s->serves.load(std::memory_order_relaxed) == of.winner && !s->is_verified)
                s->serves.store(nullptr, std::memory_order_release);
    }

    [[nodiscard]] shape_verdict verify(inputs_problem const& of, call_frame const& frame)
    {
        auto const device = target();
        if (device == nullptr)
            return verify_shape(kernel,
                                frame,
                                of.by_default.load()->code,
                                of.winner->code,
                                {.check_s = options.limits.check_s},
                                options.measuring.protect);
        tuning_problem problem{kernel, *of.space, *of.default_at, compiler, frame, device.get()};
        problem.only_verifies = true;
        return make_bench(problem, options)
            ->verify(of.by_default.load()->code, of.winner->code, options.limits.check_s);
    }

    /// Runs the winner on many smaller calls that can be made of this one; what is right there is
    /// verified. Remainders, tiles and orders of sizes are, so that it takes few real calls more.
    void prove(inputs_problem& of, std::span<std::int64_t const> key, call_frame const& frame)
    {
        if (!frame.resized || of.trust->is_distrusted() || target() != nullptr) return;
        shape_choice const choice = shape_choice_of(kernel);
        std::vector<std::int64_t> relations = relations_of(layout, key, choice);
        if (of.proven_for.size() >= detail::most_proofs ||
            std::find(of.proven_for.begin(), of.proven_for.end(), relations) != of.proven_for.end())
            return;
        of.proven_for.push_back(std::move(relations));
        std::vector<derived_shape> const smaller = derived_shapes(layout, key, choice, of.divisors);
        if (smaller.empty()) return;
        installed_variant const& trusted = default_of(of);
        shape_proof const proof = prove_shapes(
            kernel,
            smaller.size(),
            [&](std::size_t i) { return frame.resized(smaller[i].sizes); },
            trusted.code,
            of.winner->code,
            options.limits.check_s / 4,
            options.measuring.protect);
        of.counts.proof_s += proof.elapsed_s;
        for (std::size_t i = 0; i < proof.is_right.size(); ++i)
            if (proof.is_right[i]) {
                of.trust->add(smaller[i].key);
                ++of.counts.proofs;
            }
    }

    /// Serves a shape by the winner where it was verified, or verifies it now where that is due.
    /// @param is_first  the shape was not met before
    /// @pre  there is a winner other than the default, and the turn is this thread's
    installed_variant const& by_shape(inputs_problem& of,
                                      known_shape* shape,
                                      std::span<std::int64_t const> key,
                                      call_frame const& frame,
                                      bool is_first)
    {
        if (kernel.any_shape) return serve(shape, *of.winner);
        if (is_first) ++of.new_shapes;
        bool const may_check =
            !is_first ||
            of.checks < detail::verified_at_once + of.new_shapes / detail::shapes_per_check;
        bool is_covered = of.trust->covers(key);
        if (!is_covered && may_check) {
            prove(of, key, frame);
            is_covered = of.trust->covers(key);
        }
        if (is_covered && !(may_check && of.trust->wants_recheck())) {
            ++of.counts.by_class;
            set_serving(of, "the variant serves: shapes like this one were verified");
            return serve(shape, *of.winner);
        }
        if (!may_check) {
            installed_variant const& by = default_of(of);
            ++of.counts.by_default;
            set_serving(of,
                        "the default serves: no shape like this one was verified yet (" +
                            text_of_shape(layout, key) + ")");
            return by;
        }
        installed_variant const& trusted = default_of(of);
        ++of.checks;
        shape_verdict const verdict = verify(of, frame);
        of.counts.executions += verdict.executions;
        of.counts.seconds += verdict.elapsed_s;
        of.counts.executed_s += verdict.runs_s;
        if (verdict.how == shape_verdict::ending::right) {
            ++of.counts.verified;
            of.trust->add(key);
            set_serving(of, "the variant serves: it was verified for this shape");
            return serve(shape, *of.winner, true);
        }
        bool const is_wrong = verdict.how == shape_verdict::ending::wrong;
        ++(is_wrong ? of.counts.wrong : of.counts.unknown);
        std::string const what = text_of_shape(layout, key) + " (" +
                                 std::string(describe(verdict.why.stage)) + ": " +
                                 verdict.why.reason + ")";
        if (is_wrong) {
            bool const is_news = !of.trust->is_distrusted();
            distrust(of);
            std::string const sentence =
                "the tuned variant is wrong where " + what +
                "; the default serves such calls, and every new shape is verified by itself";
            if (is_news) note(sentence);
            lock_of const here(lock);
            latest_report.shape_failures.push_back({what, verdict.why});
        } else if (of.counts.unknown == 1) {
            note("the tuned variant could not be verified where " + what +
                 "; the default serves such calls");
        }
        set_serving(of,
                    std::string("the default serves: the variant ") +
                        (is_wrong ? "is wrong" : "could not be verified") + " where " + what);
        return serve(shape, trusted);
    }

    // --- a call ---------------------------------------------------------------------------------

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
        std::unique_lock<detail::fork_safe_mutex> turn_;
    };

    [[nodiscard]] static bool is_empty(call_frame const& frame)
    {
        bool has_arrays = false;
        for (buffer const& b : frame.buffers) {
            if (b.argument == buffer::result) continue;
            if (b.bytes > 0) return false;
            has_arrays = true;
        }
        return has_arrays;
    }

    /// @pre  the turn is this thread's
    installed_variant const& serve_call(inputs_problem& of,
                                        known_shape* shape,
                                        std::span<std::int64_t const> key,
                                        call_frame& frame,
                                        bool is_first)
    {
        if (of.is_given_up) return settle(of, shape);
        if (of.winner == nullptr && is_empty(frame)) {
            installed_variant const& by = default_of(of);
            set_serving(of, "the default serves: all arrays of this call are empty");
            return by;
        }
        if (of.winner == nullptr) {
            bool const is_for_this = find_winner(of, key, frame);
            if (of.winner == nullptr) return settle(of, shape); // too short, or nothing to spend
            if (is_for_this) {
                of.trust->add(key);
                return serve(shape, *of.winner, true);
            }
        }
        if (of.winner_is_default) return serve(shape, *of.winner);
        return by_shape(of, shape, key, frame, is_first);
    }

    /// The default serves because of an error. @return  null: it cannot either
    [[nodiscard]] installed_variant const*
    degrade(inputs_problem& of, known_shape* shape, char const* why)
    {
        of.is_given_up = true;
        installed_variant const* by = nullptr;
        try {
            by = &settle(of, shape);
        } catch (std::exception const&) {
            return nullptr;
        }
        std::string const reason = why;
        bool const is_own_function = is_own(*by);
        tuning_report now =
            untuned_report(kernel.name,
                           is_own_function ? decision::served_fallback : decision::served_default,
                           reason);
        if (!is_own_function && of.space)
            now.configuration = text_of(of.space->describe(), *of.default_at);
        set_report(std::move(now));
        note("not tuned, " +
             std::string(is_own_function ? "the function in the program" : "the default") +
             " serves: " + reason);
        return by;
    }
};

ATTUNE_INLINE dispatch_table::dispatch_table(kernel_description const& kernel,
                                             any_compiler compiler,
                                             any_store store,
                                             tuning_options options,
                                             std::vector<shape_word> layout,
                                             device_finder find_device)
    : state_(new state{kernel,
                       std::move(compiler),
                       std::move(store),
                       std::move(options),
                       std::move(layout),
                       std::move(find_device)})
    , shapes_(&state_->table)
{
    detail::watch_program_end();
    state_->latest_report.kernel = kernel.name;
    state_->declared = with_annotated_defaults(kernel);
    require_targets(kernel);
    // What no input can excuse is an error now: defaults that are no values, or break a constraint.
    bool const is_for_device = static_cast<bool>(state_->find_device);
    if (kernel.inputs.empty() && !is_for_device) state_->complete(state_->problem_of({}), false);
}

ATTUNE_INLINE dispatch_table::~dispatch_table() = default;

ATTUNE_INLINE installed_variant const& dispatch_table::obtain(std::span<std::int64_t const> key,
                                                              std::vector<number> const& inputs,
                                                              call_frame frame,
                                                              void* stream)
{
    state& s = *state_;
    known_shape* shape = nullptr;
    bool is_first = true;
    state::inputs_problem* of = nullptr;
    {
        state::lock_of const here(s.lock);
        std::uint64_t const hash = detail::hash_of_shape(key);
        shape = s.table.find(hash, key);
        if (shape == nullptr && s.table.shapes().size() < detail::most_known_shapes)
            shape = &s.table.insert(hash, key);
        if (shape != nullptr) {
            if (auto const* const by = shape->serves.load(std::memory_order_acquire)) return *by;
            is_first = ++shape->calls == 1;
        }
        of = &s.problem_of(inputs);
    }
    auto const device = s.target();
    if (device) device->require_device(s.kernel.name);
    state::working const now(s);
    if (!now.is_on()) return s.default_of(*of);
    if (device) {
        s.complete(frame, inputs);
        try {
            device->wait_for_caller(stream);
        } catch (error const&) { // captured: nothing can be measured, but a launch can be recorded
            if (auto const* const by = of->by_default.load()) return *by;
            throw;
        }
        device->require_arrays(frame);
    }
    try {
        if (!device) set_extents(frame, s.kernel, s.values_of(inputs));
        detail::work_in_progress const at_work;
        return s.serve_call(*of, shape, key, frame, is_first);
    } catch (default_fails const& e) {
        if (fallback_of(s.kernel) != nullptr && !device)
            if (auto const* const by = s.degrade(*of, shape, e.what())) return *by;
        s.set_report(untuned_report(s.kernel.name, decision::call_failed, e.what()));
        throw;
    } catch (std::exception const& e) {
        if (auto const* const by = s.degrade(*of, shape, e.what())) return *by;
        s.set_report(untuned_report(s.kernel.name, decision::call_failed, e.what()));
        throw;
    }
}

ATTUNE_INLINE tuning_report dispatch_table::predict(std::vector<number> const& inputs,
                                                    call_frame frame)
{
    state& s = *state_;
    state::inputs_problem of{inputs};
    state::working const now(s);
    if (!now.is_on())
        throw error("kernel '" + s.kernel.name + "' is being tuned",
                    "tuned.predict(arguments...)",
                    "call it when the tuning is over");
    s.complete(frame, inputs);
    {
        state::lock_of const only_one(s.defaults);
        s.complete(of);
    }
    return s.best_known(of, frame, "", true).report;
}

ATTUNE_INLINE tuning_report dispatch_table::report() const
{
    state::lock_of const here(state_->lock);
    return state_->latest_report;
}

} // namespace attune::inline ATTUNE_ABI
