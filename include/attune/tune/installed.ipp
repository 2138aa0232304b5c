// attune/tune/installed.ipp - remembered, or tuned: how a variant comes into use.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/tune/compile_point.hpp>
#include <attune/tune/device_call.hpp>
#include <attune/tune/installed.hpp>
#include <attune/tune/session.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI {

struct installed_variants::state {
    kernel_description kernel;
    any_compiler compiler;
    any_store store;
    tuning_options options;
    std::optional<description> declared{}; ///< with the defaults of the kernel file; made once
    std::vector<std::unique_ptr<installed_variant>> all{};
    std::atomic<std::thread::id> at_work{}; ///< the thread that holds `lock`
    std::mutex lock{};                      ///< held while tuning
    tuning_report latest_report{};
    std::mutex report_lock{}; ///< of that alone, so that a progress sink can ask for it

    struct known_variant {
        callable code{};
        tuning_report report{};
    };

    /// One thread at a time, from its look into the store to the end of its tuning.
    class turn {
    public:
        /// Errors   attune::error: this thread has its turn already, and would wait for itself
        explicit turn(state& of)
            : of_(of)
        {
            if (of.at_work == std::this_thread::get_id())
                throw error("kernel '" + of.kernel.name +
                                "' was called for new inputs while the "
                                "same attune::tuned object tunes",
                            "a progress sink, a check or a reference of that kernel",
                            "call it when the tuning is over, or use another attune::tuned object");
            of.lock.lock();
            of.at_work = std::this_thread::get_id();
        }
        ~turn()
        {
            of_.at_work = std::thread::id{};
            of_.lock.unlock();
        }
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;

    private:
        state& of_;
    };

    void tell(std::string const& text) const
    {
        if (!options.progress) return;
        struct progress p;
        p.event = progress_event::notice;
        p.name = kernel.name;
        p.text = text;
        options.progress(p);
    }

    void set_report(tuning_report now)
    {
        std::scoped_lock const only_one(report_lock);
        latest_report = std::move(now);
    }

    /// Notices of the store, kept in the report and told.
    void pass_on_notices(std::vector<std::string>& kept)
    {
        for (std::string const& said : store.notices()) {
            kept.push_back(said);
            tell(said);
        }
    }

    [[nodiscard]] std::vector<input_value> values_of(std::vector<number> const& inputs) const
    {
        std::vector<input_value> values;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            values.emplace_back(kernel.inputs[i].input, inputs[i]);
        return values;
    }

    [[nodiscard]] chain_of_trees space_for(std::vector<number> const& inputs)
    {
        if (!declared) declared = with_annotated_defaults(kernel);
        std::vector<input_value> const values = values_of(inputs);
        cuda_target const* const target = compiler.target();
        device_limits const* const device = target != nullptr ? &target->limits : nullptr;
        return space_of_call(kernel, *declared, values, device);
    }

    /// Gives the pointers of a call their extents.
    void complete(call_frame& frame, std::vector<number> const& inputs) const
    {
        if (!kernel.launch)
            throw error("kernel '" + kernel.name + "' does not say how a device launches it",
                        kernel.source.path,
                        "give it kernel.grid(...) and kernel.block(...)");
        if (kernel.extents.empty()) return;
        std::vector<std::size_t> const counts = extents_of(kernel, values_of(inputs));
        for (std::size_t i = 0; i < frame.arguments.size(); ++i)
            if (frame.arguments[i].is_pointer) frame.set_extent(i, counts[i]);
    }

    /// The remembered variant, compiled; nothing when there is none or it cannot be used, and why
    /// not is added to `notices`.
    [[nodiscard]] std::optional<known_variant> remembered(record_key const& key,
                                                          chain_of_trees const& space,
                                                          bool predict,
                                                          std::vector<std::string>& notices)
    {
        if (options.retune) return {};
        found const known = store.find(key);
        if (known.how != match::exact) return {};
        // Where its events are the last of the log, the tuning goes on; else it begins anew.
        if (known.best->interrupted && !options.event_log.empty()) return {};
        std::optional<point> const at = point_of(*known.best, space);
        if (!at) {
            notices.push_back(
                "the remembered configuration is not in the space any more; tuning again");
            return {};
        }
        variant const wanted = make_variant(kernel, space.describe(), *at);
        std::optional<callable> winner = compiler.find_winner(kernel.source, wanted);
        if (!winner) {
            auto compiled = compile_point(kernel, space.describe(), compiler, *at);
            if (auto const* failed = std::get_if<failure>(&compiled)) {
                notices.push_back("the remembered configuration " +
                                  std::string(describe(failed->stage)) + " (" + failed->reason +
                                  "); tuning again");
                return {};
            }
            winner = std::get<callable>(std::move(compiled));
            compiler.keep_winner(kernel.source, wanted);
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
        if (known.best->least_s > 0)
            report.roofline = {known.best->least_s,
                               known.best->least_s / known.best->best_s,
                               known.best->memory_bound};
        report.compile_s = winner->compile_s;
        report.predicted = predict;
        return known_variant{std::move(*winner), std::move(report)};
    }

    /// Into the store, unless an interrupted tuning would stand there in place of a finished one.
    void remember(record const& fresh, std::vector<std::string>& notices)
    {
        found const known = store.find(fresh.key);
        bool const is_finished = known.how == match::exact && !known.best->interrupted;
        if (!fresh.interrupted || !is_finished) return store.add(fresh);
        notices.push_back("the tuning was interrupted: the store keeps what a finished one found");
        tell(notices.back());
    }

    [[nodiscard]] known_variant
    tune(record_key const& key, chain_of_trees const& space, call_frame const& frame, bool predict)
    {
        std::optional<point> const start = default_point(space);
        tuning_problem problem{kernel, space, start.value(), compiler, frame, predict};
        if (found const known = store.find(key); options.retune && known.how == match::exact)
            problem.rival = point_of(*known.best, space);
        session_result result = run_session(problem, options);
        record const fresh = make_record(key, space.describe(), result, options);
        remember(fresh, result.report.notices);
        compiler.keep_winner(kernel.source, make_variant(kernel, space.describe(), result.at));
        return {std::move(result.code), std::move(result.report)};
    }

    /// From the store or by tuning, with everything there is to say in the report.
    [[nodiscard]] known_variant
    best_known(std::vector<number> const& inputs, call_frame const& frame, bool predict)
    {
        chain_of_trees const space = space_for(inputs);
        record_key key = make_key(kernel, space.describe(), compiler.identity(), compiler.target());
        if (predict) key.device += ", predicted";
        std::vector<std::string> said;
        std::optional<known_variant> known = remembered(key, space, predict, said);
        for (std::string const& notice : said)
            tell(notice);
        known_variant out = known ? std::move(*known) : tune(key, space, frame, predict);
        out.report.notices.insert(out.report.notices.begin(), said.begin(), said.end());
        pass_on_notices(out.report.notices);
        return out;
    }
};

installed_variants::installed_variants(kernel_description const& kernel,
                                       any_compiler compiler,
                                       any_store store,
                                       tuning_options options)
    : state_(new state{kernel, std::move(compiler), std::move(store), std::move(options)})
{
}

installed_variants::~installed_variants() = default;

installed_variant const&
installed_variants::obtain(std::vector<number> const& inputs, call_frame frame, void* stream)
{
    state::turn const only_one(*state_);
    for (installed_variant const* v = first(); v != nullptr; v = v->next)
        if (v->inputs == inputs) return *v;

    cuda_target const* const target = state_->compiler.target();
    if (target != nullptr) {
        require_device(*target, state_->kernel.name);
        state_->complete(frame, inputs);
        wait_for_caller(*target, stream);
        require_on_device(*target, frame);
    }
    auto fresh = std::make_unique<installed_variant>();
    fresh->inputs = inputs;
    state::known_variant found = state_->best_known(inputs, frame, false);
    fresh->code = std::move(found.code);
    if (target != nullptr)
        fresh->on_device =
            std::make_unique<loaded_kernel const>(*target, fresh->code, state_->kernel.name);
    fresh->next = first();
    // The list owns it before anybody can see it: this may throw, what follows may not.
    installed_variant const& made = *state_->all.emplace_back(std::move(fresh));
    state_->set_report(std::move(found.report));
    head_.store(&made, std::memory_order_release);
    return made;
}

tuning_report installed_variants::predict(std::vector<number> const& inputs, call_frame frame)
{
    state::turn const only_one(*state_);
    state_->complete(frame, inputs);
    return state_->best_known(inputs, frame, true).report;
}

tuning_report installed_variants::report() const
{
    std::scoped_lock const only_one(state_->report_lock);
    return state_->latest_report;
}

} // namespace attune::inline ATTUNE_ABI
