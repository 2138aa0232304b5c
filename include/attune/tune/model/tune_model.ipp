// attune/tune/model/tune_model.ipp - makes a kernel of each task, tunes all of them together, and times those left.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/model/detail/task_kernel.hpp>
#include <attune/tune/model/tune_model.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/roofline.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Tunes the tasks of a model.
/// @tparam Store  store of a file, or of the process
template <class Store>
class model_tuning {
public:
    model_tuning(model_tasks const& model, model_tuning_options const& options)
        : model_(model)
        , options_(options)
    {
    }

    /// @param open  makes a store for each task
    template <class Open>
    [[nodiscard]] tuned_model tune(Open const& open)
    {
        double const begun_s = steady_seconds();
        tuning_options own;
        own.limits = {.evaluations = search_limits::any_number, .seconds = search_limits::any_time};
        own.search.seed = options_.seed;
        own.progress = options_.progress;
        own.on_miss = miss_policy::lookup_only; // tune_together() alone tunes
        std::vector<tuning_share> shares;
        for (model_task const& task : model_.tasks) {
            parts_.push_back(std::make_unique<part>(task, compiler_, open(), own));
            shares.push_back(share(parts_.back()->code, parts_.back()->arrays.in(),
                                   parts_.back()->arrays.constants(), parts_.back()->arrays.out())
                                 .calls(static_cast<double>(task.calls.size())));
        }
        tuned_model out;
        out.name = model_.name;
        out.outside = model_.outside;
        out.covered = model_.covered();
        together_report all;
        if (!shares.empty() && options_.budget.evaluations > 0 && options_.budget.seconds > 0)
            all = tune_together(options_.budget, shares);
        out.evaluations = all.evaluations;
        out.interrupted = all.interrupted;
        for (std::size_t t = 0; t < parts_.size(); ++t)
            out.tasks.push_back(
                result_of(*parts_[t], t < all.shares.size() ? &all.shares[t] : nullptr));
        sort_stably(out.tasks, [](tuned_task const& a, tuned_task const& b) {
            return a.best_s * static_cast<double>(a.calls) >
                   b.best_s * static_cast<double>(b.calls);
        });
        out.elapsed_s = steady_seconds() - begun_s;
        return out;
    }

private:
    using tuned_code = tuned<task_signature, clang_compiler, Store>;
    struct part {
        part(model_task const& of, clang_compiler const& compiler, Store store,
             tuning_options const& options)
            : task(of)
            , arrays(of)
            , code(kernel_of_task(of, compiler), compiler, std::move(store), options)
        {
        }
        model_task const& task;
        task_arrays arrays;
        tuned_code code;
    };

    [[nodiscard]] static tuned_task result_of(part& of, share_report const* share)
    {
        tuned_task out;
        out.name = of.task.name;
        out.operators = of.task.operators;
        out.calls = of.task.calls.size();
        out.operations = of.task.operations;
        auto const call = [&of] {
            of.code(of.arrays.in(), of.arrays.constants(), of.arrays.out());
        };
        if (share != nullptr) {
            tuning_report const& report = share->report;
            out.evaluations = share->evaluations;
            out.reason = report.reason;
            out.roofline = report.roofline;
            out.configuration = report.configuration;
            out.default_s = report.default_time.value;
            out.best_s = report.best.value;
        } else {
            out.configuration =
                of.code.explain(of.arrays.in(), of.arrays.constants(), of.arrays.out())
                    .configuration;
        }
        if (!(out.best_s > 0)) {
            call(); // compiles the code
            adaptive_timer const timer{{.max_s = 0.05, .is_repeatable = [] { return true; }}};
            out.best_s = timer.time([] {}, call).value;
        }
        program_text const program = text_of_task(of.task, of.task.name);
        out.code = "// " + out.operators + ", " + std::to_string(out.calls) +
                   " times in the model. Compile it with -O3 -march=native.\n" +
                   show_program(program, out.configuration, {});
        return out;
    }

    model_tasks const& model_;
    model_tuning_options const& options_;
    clang_compiler compiler_;
    std::vector<std::unique_ptr<part>> parts_;
};

} // namespace detail

ATTUNE_INLINE double tuned_model::best_s() const noexcept
{
    double out = 0;
    for (tuned_task const& task : tasks)
        out += task.best_s * static_cast<double>(task.calls);
    return out;
}

ATTUNE_INLINE double tuned_model::default_s() const noexcept
{
    double out = 0;
    for (tuned_task const& task : tasks)
        out +=
            (task.default_s > 0 ? task.default_s : task.best_s) * static_cast<double>(task.calls);
    return out;
}

ATTUNE_INLINE std::string tuned_model::table() const
{
    detail::own_float_environment const numbers;
    std::string out = "| layer | operators | calls | ms | share | speedup | roofline |\n"
                      "|---|---|---:|---:|---:|---:|---:|\n";
    double const all_s = best_s();
    for (tuned_task const& task : tasks) {
        double const s = task.best_s * static_cast<double>(task.calls);
        out += "| " + task.name + " | " + task.operators + " | " + std::to_string(task.calls) +
               detail::formatted(" | %.4f", s * 1e3) +
               detail::formatted(" | %.1f %% | ", 100 * s / all_s) +
               (task.default_s > 0 ? detail::formatted("%.2f", task.default_s / task.best_s)
                                   : std::string("-")) +
               " | " +
               (task.roofline ? detail::formatted("%.2f", task.roofline->fraction)
                              : std::string("-")) +
               " |\n";
    }
    out += detail::formatted("\n%.3f ms in all calls", all_s * 1e3) +
           detail::formatted(", was %.3f ms by the defaults", default_s() * 1e3) +
           detail::formatted(" (%.2fx); ", all_s > 0 ? default_s() / all_s : 1) +
           detail::formatted("tasks have %.1f %% of the operations\n", 100 * covered);
    for (outside_operator const& one : outside)
        out += "outside: " + one.op + ", " + std::to_string(one.nodes.size()) +
               (one.nodes.size() == 1 ? " node: " : " nodes: ") + one.reason + '\n';
    return out;
}

ATTUNE_INLINE tuned_model tune_model(model_tasks const& model, model_tuning_options const& options)
{
    if (options.store.empty())
        return detail::model_tuning<memory_store>(model, options).tune([] {
            return memory_store{};
        });
    return detail::model_tuning<store>(model, options).tune([&options] {
        return store{options.store};
    });
}

} // namespace attune::inline ATTUNE_ABI
