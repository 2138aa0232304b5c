// attune/tune/installed.ipp - remembered, or tuned: how a variant comes into use.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/optimizer.hpp>
#include <attune/tune/installed.hpp>
#include <attune/tune/session.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace attune {

struct installed_variants::state {
    kernel_description kernel;
    any_compiler compiler;
    any_store store;
    tuning_options options;
    std::optional<description> declared{}; ///< with the defaults of the kernel file; made once
    std::vector<std::unique_ptr<installed_variant>> all{};
    tuning_report report{};
    mutable std::mutex lock{};

    void tell(std::string const& text) const
    {
        if (!options.progress) return;
        struct progress p;
        p.event = progress_event::notice;
        p.name = kernel.name;
        p.text = text;
        options.progress(p);
    }

    /// Notices of the store, kept in the report and told.
    void pass_on_notices(std::vector<std::string>& kept)
    {
        for (std::string const& said : store.notices()) {
            kept.push_back(said);
            tell(said);
        }
    }

    [[nodiscard]] chain_of_trees space_for(std::vector<number> const& inputs)
    {
        if (!declared) declared = with_annotated_defaults(kernel);
        std::vector<input_value> values;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            values.emplace_back(kernel.inputs[i].input, inputs[i]);
        return space_of_call(kernel, *declared, values);
    }

    /// The remembered variant, compiled; nothing when there is none or it cannot be used, and why
    /// not is added to `notices`.
    [[nodiscard]] std::optional<callable> remembered(record_key const& key,
                                                     chain_of_trees const& space,
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
            auto compiled = compiler.compile(kernel.source, wanted);
            if (auto const* failed = std::get_if<failure>(&compiled)) {
                notices.push_back("the remembered configuration " +
                                  std::string(describe(failed->stage)) + " (" + failed->reason +
                                  "); tuning again");
                return {};
            }
            winner = std::get<callable>(std::move(compiled));
            compiler.keep_winner(kernel.source, wanted);
        }
        report = tuning_report{};
        report.kernel = kernel.name;
        report.compiler = key.compiler;
        report.how = decision::remembered;
        report.configuration = text_of(space.describe(), *at);
        report.best = measurement::exact(known.best->best_s);
        report.default_time = measurement::exact(known.best->default_s);
        report.speedup = known.best->default_s / known.best->best_s;
        report.speedup_low = report.speedup_high = report.speedup;
        report.log2_space_size = space.log2_size();
        report.compile_s = winner->compile_s;
        return winner;
    }

    [[nodiscard]] callable
    tune(record_key const& key, chain_of_trees const& space, call_frame const& frame)
    {
        std::optional<point> const start = default_point(space);
        tuning_problem const problem{kernel, space, start.value(), compiler, frame};
        session_result result = run_session(problem, options);
        store.add(make_record(key, space.describe(), result, options));
        compiler.keep_winner(kernel.source, make_variant(kernel, space.describe(), result.at));
        report = std::move(result.report);
        return std::move(result.code);
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

void* installed_variants::obtain(std::vector<number> const& inputs, call_frame const& frame)
{
    std::scoped_lock const only_one(state_->lock);
    for (installed_variant const* v = first(); v != nullptr; v = v->next)
        if (v->inputs == inputs) return v->code.address;

    chain_of_trees const space = state_->space_for(inputs);
    record_key const key = make_key(state_->kernel, space.describe(), state_->compiler.identity());
    std::vector<std::string> said;
    std::optional<callable> code = state_->remembered(key, space, said);
    for (std::string const& notice : said)
        state_->tell(notice);
    if (!code) code = state_->tune(key, space, frame);
    std::vector<std::string>& kept = state_->report.notices;
    kept.insert(kept.begin(), said.begin(), said.end());
    state_->pass_on_notices(kept);

    auto fresh = std::make_unique<installed_variant>();
    fresh->inputs = inputs;
    fresh->code = std::move(*code);
    fresh->next = first();
    void* const address = fresh->code.address;
    head_.store(fresh.get(), std::memory_order_release);
    state_->all.push_back(std::move(fresh));
    return address;
}

tuning_report installed_variants::report() const
{
    std::scoped_lock const only_one(state_->lock);
    return state_->report;
}

} // namespace attune
