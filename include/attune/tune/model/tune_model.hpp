// attune/tune/model/tune_model.hpp - tunes the tasks of a model on one budget, and writes the winners as C++.
// SPDX-License-Identifier: MIT
//
// The target attune::tasks. Nothing else includes this header.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct model_tuning_options {
    /// Evaluations and seconds of all tasks together. 0 evaluations or seconds: nothing is tuned,
    /// and the store's winners are timed.
    search_limits budget{.seconds = 600};
    std::string store{};    ///< file of winners and outcomes; empty: none is kept
    std::uint64_t seed = 0; ///< of each task's search
    progress_sink progress = silent_progress(); ///< events of each task, by name
};

/// A task of a model, with the code that serves it.
struct tuned_task {
    std::string name;      ///< of the task, and of the function in `code`
    std::string operators; ///< "Conv Add Clip Mul Div"
    std::size_t calls = 0;
    double operations = 0;                      ///< of one call; a multiply-add counts as two
    double default_s = 0;                       ///< of one call with the default; 0: unknown
    double best_s = 0;                          ///< of one call
    std::string configuration{};                ///< "Y_ROWS=8 Y_COLUMNS=2"; empty: the default
    std::uint64_t evaluations = 0;              ///< of the budget
    std::string reason{};                       ///< why nothing was tuned; else empty
    std::optional<attune::roofline> roofline{}; ///< empty: not known
    /// The winner as C++17 that compiles alone: see attune::show(). A constant array that the
    /// winner reads in another order has a function that makes this order, and an argument for it.
    std::string code{};
};

struct tuned_model {
    std::string name;
    std::vector<tuned_task> tasks; ///< those that take the most time first
    std::vector<outside_operator> outside;
    double covered = 1; ///< part of the operations that are tasks
    std::uint64_t evaluations = 0;
    double elapsed_s = 0;
    bool interrupted = false; ///< by Ctrl-C

    /// Seconds of all calls of all tasks.
    [[nodiscard]] double best_s() const noexcept;
    /// The same with the defaults; tasks whose default has no time count with their own.
    [[nodiscard]] double default_s() const noexcept;
    /// A table in Markdown: layer, calls, ms, share of the time, roofline; then the sum and the
    /// operators outside.
    [[nodiscard]] std::string table() const;
};

/// Tunes the tasks of a model together: see tune_together(). A call of a task has the weight of its
/// calls in the model. Arrays have random numbers between -1 and 1, and constants are those of the
/// task's first call. Results are compared with the plain nest. A constant matrix may be packed
/// once: its time does not count. One thread.
///
/// A task whose default takes less than a microsecond is not tuned; its default serves.
///
/// Errors   attune::error: no compiler; the store cannot be used; no memory for the arrays
/// Example  attune::tuned_model const m = attune::tune_model(attune::tasks_of("model.onnx"),
///              {.budget = {.seconds = 600}, .store = "model.attune"});
///          std::puts(m.table().c_str());
[[nodiscard]] tuned_model tune_model(model_tasks const& model,
                                     model_tuning_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/model/tune_model.ipp>
#endif
