// attune/tune/pipeline/variant_pipeline.hpp - the next configuration to try, with its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/searcher.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/pipeline/compile_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A configuration and what became of compiling it.
struct pipelined_variant {
    point at;
    compile_result code;
};

/// How many configurations to compile ahead unless tuning_options::compile_ahead says it: 1 when
/// the calling thread may run on two cores and neither the kernel's text and flags nor the
/// compiler's mention threads (OpenMP, TBB, std::thread, ...), which would want those cores; else
/// 0.
[[nodiscard]] std::size_t automatic_ahead(tuning_problem const& problem);

/// Asks the searcher for configurations and compiles them. The searcher is told outcomes through
/// this object alone. The searcher is told the code_metrics_at() of a configuration when
/// next() or compile() returns it, and not when its compilation ends: that moment depends on the
/// machine, and the run must not.
///
/// With `ahead` > 0 the searcher is asked for the next `ahead` configurations before it is told the
/// outcome of the current one. At most `ahead` configurations wait. Up to `ahead` threads compile
/// them on other cores while the caller measures; where the caller would have to wait, its thread
/// compiles too. When the searcher is asked, and for how many configurations, depends on the number
/// of calls of next() alone, not on times and not on the number of cores: the same seed and the
/// same outcomes give the same run.
///
/// From the first next() that leaves something to compile until settle(), the calling thread is
/// pinned to the core it runs on, with the threads that it starts. Variants are compiled between
/// the measurements instead, in the same order, on a machine with one core, and after a measurement
/// during which other threads of the program used more than a tenth of the calling thread's CPU
/// time: the kernel, or the program, uses the other cores then.
class variant_pipeline {
public:
    /// @pre  `problem` outlives this object, and so does its compiler; with `ahead` > 0 the
    ///       compiler may be called from several threads at once, as compiler.hpp demands
    variant_pipeline(tuning_problem const& problem, any_searcher search, std::size_t ahead = 0);

    /// Compiles one configuration outside the search, such as the default.
    [[nodiscard]] compile_result compile(point const& at);

    /// The next configuration; nothing when the searcher is finished.
    /// @param left  how many will be asked for at most, this one included: no more are compiled
    /// Errors   what the compiler throws, when the turn of that configuration has come
    [[nodiscard]] std::optional<pipelined_variant>
    next(std::size_t left = std::numeric_limits<std::size_t>::max());
    /// Tells the searcher an outcome. A configuration that still waits is dropped: next() does not
    /// return it.
    void tell(point const& at, outcome const& result);

    /// What the search expects to gain yet; nothing where it does not know.
    [[nodiscard]] std::optional<double> expected_gain() { return search_.expected_gain(); }

    /// Waits for what is being compiled, and lets the calling thread run on all its cores again.
    /// To be called before anything is timed that may use other threads, or to the last percent.
    void settle() { queue_->settle(); }

    /// Seconds spent in the compiler so far, for what was supplied.
    [[nodiscard]] double compile_s() const noexcept { return compile_s_; }
    /// How often the compiler ran, and how often its cache had the variant.
    [[nodiscard]] std::uint32_t compiled() const noexcept { return compiled_; }
    [[nodiscard]] std::uint32_t from_cache() const noexcept { return from_cache_; }
    /// @param cpu_s  CPU seconds of this process that neither the kernel nor the program used
    void set_background(std::function<double()> cpu_s) { background_cpu_s_ = std::move(cpu_s); }
    /// CPU seconds that compiling ahead has taken from this process so far.
    [[nodiscard]] double background_cpu_s() const { return queue_->cpu_s(); }
    /// Configurations that were asked for and are neither supplied nor told.
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct waiting_variant {
        point at;
        compile_queue::ticket code{};                    ///< none: not in the line yet
        std::shared_ptr<std::vector<double>> features{}; ///< written before `code` is there
    };

    void ask_for(std::size_t count);
    void enqueue_waiting();
    void count(compile_result const& made);
    void tell_metrics(point const& at, std::vector<double> const& features);
    [[nodiscard]] double unrelated_cpu_s() const;
    void note_cpu();
    [[nodiscard]] bool is_program_parallel() const;

    tuning_problem const& problem_;
    any_searcher search_;
    std::size_t ahead_;
    std::deque<waiting_variant> waiting_;
    bool is_finished_ = false;
    double compile_s_ = 0;
    std::uint32_t compiled_ = 0;
    std::uint32_t from_cache_ = 0;
    double own_cpu_s_ = 0;     ///< of the calling thread, when it last had a variant compiled
    double program_cpu_s_ = 0; ///< of all threads but the workers, then
    std::function<double()> background_cpu_s_{};
    std::unique_ptr<compile_queue> queue_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/variant_pipeline.ipp>
#endif
