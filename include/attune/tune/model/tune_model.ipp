// attune/tune/model/tune_model.ipp - makes a kernel of each task, tunes all of them together, and times those left.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/model/tune_model.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/program/program_facts.hpp>
#include <attune/tune/program/program_source.hpp>
#include <attune/tune/roofline.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The arguments are arrays that the graph computes, constants, and the result. Arrays of one kind
/// lie one behind the other, so that tasks with any number of arrays have one type.
using task_signature = void(std::span<float const>, constant_view<float>, std::span<float>);

/// Memory that begins with a page.
class page_floats {
public:
    explicit page_floats(std::size_t count)
        : count_(count)
    {
        constexpr std::size_t page = 4096;
        std::size_t const bytes = std::max<std::size_t>(count * sizeof(float), 1);
        memory_.reset(
            static_cast<float*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)));
        if (!memory_) throw std::bad_alloc();
        std::fill_n(memory_.get(), count, 0.0F);
    }
    [[nodiscard]] float* data() const noexcept { return memory_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    struct release {
        void operator()(float* of) const noexcept { std::free(of); }
    };
    std::unique_ptr<float, release> memory_;
    std::size_t count_;
};

/// The places of a task's arrays in the three arguments.
class task_places {
public:
    explicit task_places(model_task const& task)
    {
        for (std::size_t a = 0; a <= task.input_count + task.constant_count; ++a) {
            std::size_t count = 1;
            for (nest_extent const& extent : task.nest.arrays[a].extents)
                count *= static_cast<std::size_t>(extent.constant);
            int const kind = a < task.input_count                         ? 0
                             : a < task.input_count + task.constant_count ? 1
                                                                          : 2;
            all_.push_back({kind, sizes_[kind], count});
            sizes_[kind] += (count + line - 1) / line * line;
        }
    }
    struct place {
        int kind = 0; ///< number of the argument
        std::size_t first = 0;
        std::size_t count = 0;
    };
    [[nodiscard]] std::vector<place> const& all() const noexcept { return all_; }
    [[nodiscard]] std::size_t size(int kind) const noexcept { return sizes_[kind]; }

private:
    static constexpr std::size_t line = 16; ///< floats of a cache line
    std::vector<place> all_;
    std::size_t sizes_[3] = {0, 0, 0};
};

/// The arrays of one call of a task.
class task_arrays {
public:
    explicit task_arrays(model_task const& task)
        : places_(task)
        , in_(places_.size(0))
        , constants_(places_.size(1))
        , out_(places_.size(2))
        , forms_(std::make_unique<form_list>())
    {
        random_engine draw(1);
        for (std::size_t i = 0; i < in_.size(); ++i)
            in_.data()[i] = static_cast<float>(2 * uniform_unit(draw) - 1);
        std::size_t next = 0;
        for (task_places::place const& one : places_.all())
            if (one.kind == 1) {
                std::vector<float> const& numbers = *task.calls.front().constants[next++];
                std::copy(numbers.begin(), numbers.end(), constants_.data() + one.first);
            }
    }
    [[nodiscard]] std::span<float const> in() const { return {in_.data(), in_.size()}; }
    [[nodiscard]] constant_view<float> constants() const
    {
        return {constants_.data(), constants_.size(), forms_.get()};
    }
    [[nodiscard]] std::span<float> out() const { return {out_.data(), out_.size()}; }

private:
    task_places places_;
    page_floats in_;
    page_floats constants_;
    page_floats out_;
    std::unique_ptr<form_list> forms_;
};

/// The program of a task, whose function is named `name`.
[[nodiscard]] inline program_text text_of_task(model_task const& task, std::string const& name)
{
    program_text out;
    out.nest = task.nest;
    out.nest.name = name;
    out.signature.function = name;
    std::size_t const count = task.input_count + task.constant_count;
    for (std::size_t a = 0; a <= count; ++a) {
        out.arguments.push_back(a);
        out.signature.arguments.push_back(a == count ? "std::span<float>"
                                          : task.nest.arrays[a].is_constant
                                              ? "attune::constant_view<float>"
                                              : "std::span<float const>");
    }
    return out;
}

/// The function of the three arguments, which calls the task's function `name`.
[[nodiscard]] inline std::string entry_of_task(model_task const& task, std::string const& name)
{
    constexpr char const* arguments[] = {"in", "constants", "out"};
    bool const has_constant = std::any_of(task.nest.arrays.begin(), task.nest.arrays.end(),
                                          [](nest_array const& a) { return a.is_constant; });
    std::string out = has_constant ? "" : own_constant_text;
    out += "void " + task.name +
           "(attune_span<float const> in, attune_constant<float> constants, "
           "attune_span<float> out)\n{\n    " +
           name + '(';
    task_places const places(task);
    for (std::size_t a = 0; a < places.all().size(); ++a) {
        task_places::place const& one = places.all()[a];
        bool const is_constant = task.nest.arrays[a].is_constant;
        std::string const type = is_constant     ? "attune_constant<float>"
                                 : one.kind == 2 ? "attune_span<float>"
                                                 : "attune_span<float const>";
        out += (a == 0 ? "" : ",\n        ") + type + '{' + arguments[one.kind] + ".data() + " +
               std::to_string(one.first) + ", " + std::to_string(one.count) +
               (is_constant ? ", constants.forms()}" : "}");
    }
    return out + ");\n    (void)in;\n    (void)constants;\n}\n";
}

/// The plain nest of a task, compiled at its first call.
class plain_task {
public:
    plain_task(model_task const& task, clang_compiler compiler)
        : compiler_(std::move(compiler))
    {
        program_text const program = text_of_task(task, task.name + "_nest");
        std::string text = std::string(own_span_text) + own_constant_text;
        text += write_program(plain_program(program.nest),
                              {.function = program.nest.name + "_plain", .linkage = "static "});
        std::string call = entry_of_task(task, program.nest.name + "_plain_call");
        if (call.starts_with(own_constant_text))
            call.erase(0, std::string_view(own_constant_text).size());
        text += "static void " + program.nest.name + "_plain_call(";
        std::string passed;
        for (std::size_t a = 0; a < program.signature.arguments.size(); ++a) {
            std::string const name = "a" + std::to_string(a);
            text +=
                (a == 0 ? "" : ", ") + with_own_span(program.signature.arguments[a]) + ' ' + name;
            passed += (a == 0 ? "" : ", ") + name + ".data()";
        }
        text += ")\n{\n    " + program.nest.name + "_plain(" + passed + ");\n}\n" + call;
        source_ = source_text(std::move(text), task.name + ".plain.cpp");
        source_.flags = {"-Wno-psabi"};
        request_ = variant_of<task_signature>(task.name);
        for (std::string& type : request_.arguments)
            type = with_own_span(type);
    }
    /// Errors   attune::error: it does not compile
    void operator()(std::span<float const> in, constant_view<float> constants, std::span<float> out)
    {
        if (code_.address == nullptr) {
            compile_result made = compiler_.compile(source_, request_);
            if (failure const* const why = std::get_if<failure>(&made))
                throw error("the plain nest does not compile: " + why->reason, source_.path,
                            "report it, with the model");
            code_ = std::get<callable>(std::move(made));
        }
        code_.as<task_signature>()(in, constants, out);
    }

private:
    clang_compiler compiler_;
    kernel_source source_;
    compile_request request_;
    callable code_{};
};

/// A task as a kernel. Its results are compared with the plain nest.
[[nodiscard]] inline kernel<task_signature> kernel_of_task(model_task const& task,
                                                           clang_compiler const& compiler)
{
    program_text const program = text_of_task(task, task.name + "_nest");
    program_kernel made = kernel_of(program, {});
    made.source.generator =
        with_appended(made.source.generator, entry_of_task(task, program.nest.name));
    kernel<task_signature> out{task.name, std::move(made.source), made.space};
    out.any_alignment();
    out.tolerate<2>(program_tolerance(
        task.nest, static_cast<std::uint32_t>(task.input_count + task.constant_count)));
    auto const plain = std::make_shared<plain_task>(task, compiler);
    bool const is_quick = task.operations <= 5e9;
    out.reference([plain](std::span<float const> in, constant_view<float> constants,
                          std::span<float> result) { (*plain)(in, constants, result); },
                  [is_quick](auto const&...) { return is_quick; });
    out.work([of = program_work(task.nest, {})](auto const&...) { return of; });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

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
