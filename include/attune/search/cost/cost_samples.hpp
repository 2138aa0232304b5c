// attune/search/cost/cost_samples.hpp - programs that were measured, as a cost model learns from them.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/cost_model: scores relative to the best program
//          of a task
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/program_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Programs of one or of many tasks, which were measured here or elsewhere.
class cost_samples {
public:
    /// One measured program.
    /// @param task   whose programs compute the same, on one machine: "matmul_512 znver5"
    /// @param value  of the objective, > 0 and lower is better; nothing: the program failed
    /// @pre     rows of the same width as those of earlier programs; programs without rows are left
    ///          out
    void add(std::string_view task, program_rows rows, std::optional<double> value);
    /// All programs of `other`.
    void add(cost_samples const& other);

    [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
    [[nodiscard]] std::span<program_rows const> programs() const noexcept { return programs_; }
    /// By program: the name of its task, the value.
    [[nodiscard]] std::string_view task(std::size_t at) const { return tasks_[task_of_[at]].name; }
    [[nodiscard]] std::optional<double> value(std::size_t at) const { return values_[at]; }
    /// By program: the least value of its task over its own, 0 where it failed.
    [[nodiscard]] std::vector<double> scores() const;

    /// By program: the share of its task's programs that it is faster than, equal ones half; 0
    /// where it failed. Tasks whose programs differ little count as much as those whose programs
    /// differ much: what a model that is asked for another task's order learns best from.
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

/// A line per program: task, value, rows and width of its table, its numbers. Numbers read back bit
/// for bit.
[[nodiscard]] std::string text_of(cost_samples const& samples);

/// Reads what text_of() writes.
/// Errors   attune::error that names the line
[[nodiscard]] cost_samples read_cost_samples(std::string_view text);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/cost/cost_samples.ipp>
#endif
