// attune/search/cost/cost_samples.hpp - measured programs, and the interface of a model of programs; rows with the expected time.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/cost_model: scores relative to the best program
//          of a task
// Source   Chen et al. 2018 (learning to optimize tensor programs), Zheng et al. 2020 (Ansor)
// Bench    bench/search/programs.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Measured programs of one or many tasks, of this or another machine.
class cost_samples {
public:
    /// Adds a measured program.
    /// @param task   programs of a task compute the same on one machine: "matmul_512 znver5"
    /// @param value  of the objective, > 0 and lower is better; nothing: the program failed
    /// @pre     rows of the same width as those of earlier programs; programs without rows are left
    ///          out
    void add(std::string_view task, program_rows rows, std::optional<double> value);
    /// Adds all programs of `other`.
    void add(cost_samples const& other);

    [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
    [[nodiscard]] std::span<program_rows const> programs() const noexcept { return programs_; }
    /// By program: the name of its task; then the value.
    [[nodiscard]] std::string_view task(std::size_t at) const { return tasks_[task_of_[at]].name; }
    [[nodiscard]] std::optional<double> value(std::size_t at) const { return values_[at]; }
    /// By program: the least value of its task over its own; 0 if it failed.
    [[nodiscard]] std::vector<double> scores() const;

    /// By program: the share of its task's programs that are slower, equal ones half; 0 if it
    /// failed. Tasks with similar programs count as much as tasks with different ones, which is
    /// best for a model that must order another task.
    [[nodiscard]] std::vector<double> places() const;

private:
    struct task_best {
        std::string name;
        std::optional<double> least;
    };

    std::vector<program_rows> programs_;
    std::vector<std::optional<double>> values_;
    std::vector<std::uint32_t> task_of_;
    std::vector<task_best> tasks_;
};

/// A line per program: task, value, rows and width of its table, its numbers. Numbers are read back
/// bit for bit.
[[nodiscard]] std::string text_of(cost_samples const& samples);

/// Reads the text of text_of().
/// Errors   attune::error that names the line
[[nodiscard]] cost_samples read_cost_samples(std::string_view text);

/// The rows that cost models learn for configurations of one space: description::rows with one more
/// column. It is log2 of description::expected over its geometric mean in the space, estimated from
/// 64 random configurations. So a model of other programs has the expected speed of a configuration
/// relative to its program. Without an expectation the column is 0.
class expected_rows {
public:
    explicit expected_rows(chain_of_trees space)
        : space_(std::move(space))
    {
        if (!space_.describe().rows || !space_.describe().expected) return;
        random_engine engine(0);
        constexpr int draws = 64;
        int known = 0;
        double sum = 0;
        for (int i = 0; i < draws; ++i)
            if (double const v = log_expected(space_.sample(engine)); std::isfinite(v)) {
                sum += v;
                ++known;
            }
        if (known > 0) mean_ = sum / known;
    }

    /// Nothing if the space has no rows, or the configuration describes no program.
    /// @pre  `at` is in the space
    [[nodiscard]] std::optional<program_rows> of(point const& at) const
    {
        description const& d = space_.describe();
        if (!d.rows) return {};
        program_rows plain;
        double expected = 0;
        try {
            plain = d.rows(d, at);
            if (d.expected) expected = log_expected(at) - mean_;
        } catch (error const&) {
            return {};
        }
        if (plain.count() == 0) return {};
        if (!std::isfinite(expected)) expected = 0;
        program_rows out{{}, plain.width + 1};
        out.values.reserve(plain.count() * out.width);
        for (std::size_t r = 0; r < plain.count(); ++r) {
            out.values.insert(out.values.end(), plain.row(r).begin(), plain.row(r).end());
            out.values.push_back(expected);
        }
        return out;
    }

    /// Returns true if a model of `others` can predict these rows: both have rows of equal width.
    [[nodiscard]] bool fit(cost_samples const& others) const
    {
        if (!space_.describe().rows || others.size() == 0) return false;
        random_engine engine(0);
        constexpr int draws = 64;
        for (int i = 0; i < draws; ++i)
            if (std::optional<program_rows> const one = of(space_.sample(engine)))
                return one->width == others.programs().front().width;
        return false;
    }

private:
    [[nodiscard]] double log_expected(point const& at) const
    {
        return std::log2(space_.describe().expected(at));
    }

    chain_of_trees space_;
    double mean_ = 0;
};

/// Learns scores of programs: 1 is the fastest program of its task, 0 a program that failed or
/// never ends.
/// - learn(programs, scores): all data, also those of earlier calls. Scores are in [0, 1], one per
///   program; programs have rows of one width.
/// - predict(programs): one number per program, higher is better, on the scale of scores; before
///   the first learn() all are equal.
/// Equal calls give equal numbers. tests/laws/cost_model.hpp checks all this.
template <class M>
concept cost_model = requires(M m, M const& learnt, std::span<program_rows const> programs,
                              std::span<double const> scores) {
    { m.learn(programs, scores) } -> std::same_as<void>;
    { learnt.predict(programs) } -> std::same_as<std::vector<double>>;
};

/// Any cost model as one value: movable, not copyable.
class any_cost_model {
public:
    template <class M>
        requires(!std::same_as<std::remove_cvref_t<M>, any_cost_model>)
    any_cost_model(M&& inner) // NOLINT: a cost model is an any_cost_model
    {
        using held = std::remove_cvref_t<M>;
        static_assert(cost_model<held>,
                      "attune::any_cost_model(m): 'm' is not a cost model; it needs "
                      "learn(span<program_rows const>, span<double const>) -> void, and const "
                      "predict(span<program_rows const>) -> std::vector<double>");
        if constexpr (cost_model<held>) {
            auto const self = std::make_shared<held>(std::forward<M>(inner));
            learn_ = [self](auto programs, auto scores) { self->learn(programs, scores); };
            predict_ = [self](auto programs) { return std::as_const(*self).predict(programs); };
        }
    }
    any_cost_model(any_cost_model&&) = default;
    any_cost_model& operator=(any_cost_model&&) = default;

    /// @pre not moved from
    void learn(std::span<program_rows const> programs, std::span<double const> scores)
    {
        learn_(programs, scores);
    }
    /// @pre not moved from
    [[nodiscard]] std::vector<double> predict(std::span<program_rows const> programs) const
    {
        return predict_(programs);
    }

private:
    std::function<void(std::span<program_rows const>, std::span<double const>)> learn_;
    std::function<std::vector<double>(std::span<program_rows const>)> predict_;
};

/// Makes a model without data.
using cost_model_factory = std::function<any_cost_model()>;

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/cost/cost_samples.ipp>
#endif
