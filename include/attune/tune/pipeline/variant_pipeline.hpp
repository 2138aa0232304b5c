// attune/tune/pipeline/variant_pipeline.hpp - gives the next configuration with its code, compiled while others are measured.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/compile_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The default of tuning_options::compile_ahead: 1 if the calling thread may run on two cores and
/// no threads are mentioned, otherwise 0. Threads (OpenMP, TBB, std::thread, ...), in the kernel's
/// text and flags or in the compiler's, would use those cores; so do devices on the processor.
[[nodiscard]] std::size_t automatic_ahead(tuning_problem const& problem);

struct variants_ahead {
    std::size_t count = 0;
    std::string notice{}; ///< why there are fewer than were asked for; may be empty
};

/// Number of variants that a tuning compiles while it measures. Zero if the energy of calls counts.
/// Zero also if trials run in forked children and malloc() is not the C library's: a compiling
/// thread could block malloc() in a child.
/// @param at_once  variants that are measured at once
[[nodiscard]] variants_ahead variants_ahead_of(tuning_problem const& problem,
                                               tuning_options const& options, std::size_t at_once);

struct pipelined_variant {
    point at;
    compile_result code;
};

/// Asks the searcher for configurations and compiles them. The searcher gets all its outcomes from
/// this object. The searcher gets the code_metrics_at() of a configuration when next() or compile()
/// returns the configuration. The end of the compilation depends on the machine, and the run must
/// not depend on it.
///
/// With `ahead` > 0 the searcher is asked for the next `ahead` configurations before it gets the
/// outcome of the current one. At most `ahead` configurations wait. Up to `ahead` threads compile
/// them on other cores while the caller measures. Instead of waiting, the caller's thread compiles
/// too. The number of calls of next() alone decides when the searcher is asked, and for how many
/// configurations: equal seeds and outcomes give equal runs. Runs with set_pruning() may differ,
/// because pruning depends on the measured peaks of the machine and on times.
///
/// From the first next() that leaves something to compile until settle(), the calling thread and
/// its new threads are pinned to its current core. On a machine with one core, variants are
/// compiled between the measurements, in the same order. The same happens after a measurement
/// during which other threads of the program used more than a tenth of the calling thread's CPU
/// time. The kernel or the program then uses the other cores.
class variant_pipeline {
public:
    /// @param search_s  wall seconds of making the searcher and reading its lessons
    /// @pre  `problem` and its compiler outlive this object; with `ahead` > 0 the compiler may be
    ///       called from several threads at once, as compiler.hpp demands
    variant_pipeline(tuning_problem const& problem, any_searcher search, std::size_t ahead = 0,
                     double search_s = 0);

    /// Compiles one configuration outside the search, such as the default.
    [[nodiscard]] compile_result compile(point const& at);

    /// Returns the next configuration; empty when the searcher is finished.
    /// @param left  the most configurations that will still be asked for, including this one; no
    ///              more are compiled
    /// Errors   errors of the compiler, thrown when the configuration is due
    [[nodiscard]] std::optional<pipelined_variant>
    next(std::size_t left = std::numeric_limits<std::size_t>::max());
    /// Returns the next configurations, for compilation elsewhere. Fewer than `count`: the searcher
    /// may propose more after more outcomes. After an empty answer it is asked again only then.
    /// @pre  nothing is compiled ahead
    [[nodiscard]] std::vector<point> next_points(std::size_t count);
    /// Takes the code metrics of a configuration compiled elsewhere, and counts its code.
    void compiled_elsewhere(point const& at, compile_result const& made,
                            std::vector<double> const& features);
    /// Passes an outcome to the searcher. A configuration that waits is dropped, not returned.
    void tell(point const& at, outcome const& result, bounded_values const& seen = {});

    /// Notes a time from before an interruption.
    void note_time(outcome const& result);

    /// Prunes configurations for which `least_s` gives a time: they are neither compiled nor
    /// returned. The searcher gets that time, or the median of all times so far if that is longer.
    /// Unmeasured configurations thus never look better than half of the measured ones. After
    /// most_pruned_in_a_row of them the next one is returned, so that a search continues and ends.
    /// @param least_s  least seconds of a configuration that cannot win; empty if it may win
    /// @param may_go_on  false: the budget is spent, or the user interrupts; the next configuration
    ///                   is returned unpruned, and no further ones are asked for
    void set_pruning(
        std::function<std::optional<double>(point const&)> least_s,
        std::function<bool()> may_go_on = [] { return true; });
    static constexpr std::size_t most_pruned_in_a_row = 32;
    /// Supplies all pruned configurations next: those of set_pruning() and `others`.
    void reconsider(std::vector<point> const& others);
    /// The same for pruned configurations that may win; the others stay pruned.
    /// @return  number of configurations that come next
    std::size_t reconsider_if(std::function<bool(point const&)> const& may_win,
                              std::vector<point>& others);

    /// Restricts the search to a part of the space; empty: to the whole space. The latest pruned
    /// configuration comes next as a check, because a smaller part has fewer checks.
    /// @return  true if a pruned one comes next; empty: the searcher cannot be restricted so
    [[nodiscard]] std::optional<bool> narrow(std::optional<kept_settings> const& part);

    /// The searcher's expected further gain; empty if unknown.
    [[nodiscard]] std::optional<double> expected_gain();

    /// Gain of each technique of the searcher; empty for a searcher without techniques.
    [[nodiscard]] std::vector<search::technique_use> uses() const { return search_.uses(); }
    [[nodiscard]] std::string strategy() const { return search_.strategy(); }

    /// Seconds that the searcher's model expects of a point without an outcome; 0: no prediction.
    [[nodiscard]] double predicted_s(point const& at);
    /// The technique of the search that proposed `at`; empty: none did, or `at` has an outcome.
    [[nodiscard]] std::string proposer_of(point const& at) const { return search_.proposer_of(at); }

    /// Sets the time limit of compilations. A compilation of next() fails when no time is left and
    /// it took ten times as long as the slowest so far, two seconds at least.
    /// @param left_s  seconds that are left of the tuning
    void set_time_left(std::function<double()> left_s) { left_s_ = std::move(left_s); }

    /// Waits for current compilations, and unpins the calling thread. Call it before timing code
    /// that may use other threads, or before an exact timing.
    void settle();

    /// Seconds in the compiler so far, for returned configurations.
    [[nodiscard]] double compile_s() const noexcept { return compile_s_; }
    /// Wall seconds in which the calling thread compiled, or waited for compilations.
    [[nodiscard]] double code_s() const noexcept { return code_s_; }
    /// Wall seconds of the calling thread in the searcher, including those before this object.
    [[nodiscard]] double search_s() const noexcept { return search_s_; }
    /// Number of runs of the compiler, and of variants from its cache.
    [[nodiscard]] std::uint32_t compiled() const noexcept { return compiled_; }
    [[nodiscard]] std::uint32_t from_cache() const noexcept { return from_cache_; }
    /// @param cpu_s  CPU seconds of this process outside of the kernel and the program
    void set_background(std::function<double()> cpu_s) { background_cpu_s_ = std::move(cpu_s); }
    /// CPU seconds of this process used by compiling ahead so far.
    [[nodiscard]] double background_cpu_s() const { return queue_->cpu_s(); }
    /// Number of configurations that were asked for and not yet returned, without an outcome.
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct waiting_variant {
        point at;
        compile_queue::ticket code{};                    ///< empty: not in the queue yet
        std::shared_ptr<std::vector<double>> features{}; ///< written before `code` is done
    };

    [[nodiscard]] compile_result compile_here(point const& at, double left_s);
    [[nodiscard]] std::function<compile_result()>
    compilation_of(point const& at, std::shared_ptr<std::vector<double>> features, double left_s);
    void ask_for(std::size_t count);
    [[nodiscard]] bool is_pruned(point const& at);
    [[nodiscard]] double median_told_s() const noexcept;
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
    std::function<std::optional<double>(point const&)> least_s_{};
    std::function<bool()> may_go_on_{};
    std::vector<point> pruned_{};
    std::vector<double> told_s_{}; ///< measured times, ascending
    std::deque<point> again_{};    ///< pruned by mistake, not supplied yet
    std::size_t pruned_in_a_row_ = 0;
    bool is_finished_ = false;
    bool has_news_ = true; ///< since next_points() was empty, the searcher got an outcome
    std::function<double()> left_s_ = [] { return std::numeric_limits<double>::infinity(); };
    double compile_s_ = 0;
    std::optional<double> slowest_s_{}; ///< of the compilations
    double code_s_ = 0;
    double search_s_;
    std::uint32_t compiled_ = 0;
    std::uint32_t from_cache_ = 0;
    double own_cpu_s_ = 0;     ///< CPU time of the calling thread, at its latest compilation
    double program_cpu_s_ = 0; ///< CPU time of all threads but the workers, at that moment
    std::function<double()> background_cpu_s_{};
    std::unique_ptr<compile_queue> queue_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/variant_pipeline.ipp>
#endif
