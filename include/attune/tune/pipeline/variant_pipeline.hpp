// attune/tune/pipeline/variant_pipeline.hpp - gives the next configuration with its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/kept_settings.hpp>
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

namespace attune::inline ATTUNE_ABI::detail {

/// A configuration and the result of compiling it.
struct pipelined_variant {
    point at;
    compile_result code;
};

/// Asks the searcher for configurations and compiles them. Only this object tells the searcher
/// outcomes. The searcher is told the code_metrics_at() of a configuration when next() or compile()
/// returns it, not when its compilation ends, because that moment depends on the machine and the
/// run must not.
///
/// With `ahead` > 0 the searcher is asked for the next `ahead` configurations before it is told the
/// outcome of the current one. At most `ahead` configurations wait. Up to `ahead` threads compile
/// them on other cores while the caller measures; instead of waiting, the caller's thread compiles
/// too. When the searcher is asked, and for how many configurations, depends only on the number of
/// calls of next(), not on times or cores: equal seeds and outcomes give equal runs. Not so with
/// set_pruning(): what is pruned depends on the measured peaks of the machine and on times.
///
/// From the first next() that leaves something to compile until settle(), the calling thread and
/// the threads that it starts are pinned to its current core. Variants are compiled between the
/// measurements instead, in the same order, on a machine with one core, and after a measurement
/// during which other threads of the program used more than a tenth of the calling thread's CPU
/// time, because kernel or program then use the other cores.
class variant_pipeline {
public:
    /// @param search_s  wall seconds that making the searcher took, and what it learnt from
    /// @pre  `problem` and its compiler outlive this object; with `ahead` > 0 the compiler may be
    ///       called from several threads at once, as compiler.hpp demands
    variant_pipeline(tuning_problem const& problem, any_searcher search, std::size_t ahead = 0,
                     double search_s = 0);

    /// Compiles one configuration outside the search, such as the default.
    [[nodiscard]] compile_result compile(point const& at);

    /// The next configuration; nothing when the searcher is finished.
    /// @param left  the most configurations that will still be asked for, this one included; no
    ///              more are compiled
    /// Errors   those of the compiler, thrown when the configuration is due
    [[nodiscard]] std::optional<pipelined_variant>
    next(std::size_t left = std::numeric_limits<std::size_t>::max());
    /// The next configurations, which others compile. Fewer than asked for: the searcher may have
    /// more once it is told more. Where it had none, it is not asked again before that.
    /// @pre  nothing is compiled ahead
    [[nodiscard]] std::vector<point> next_points(std::size_t count);
    /// Takes the code metrics of such a configuration, and counts its code.
    void compiled_elsewhere(point const& at, compile_result const& made,
                            std::vector<double> const& features);
    /// Tells the searcher an outcome. A configuration that waits is dropped, not returned.
    void tell(point const& at, outcome const& result, bounded_values const& seen = {});

    /// Notes a time that the searcher was told before an interruption.
    void note_time(outcome const& result);

    /// Configurations of which `least_s` gives a time are not compiled, let alone returned: the
    /// searcher is told that time, or the median of all times told so far where that is longer, so
    /// that what was not measured looks no better than half of what was. After most_pruned_in_a_row
    /// of them the next one is returned in any case, so that a search goes on, and ends.
    /// @param least_s  seconds that a configuration takes at least, where it cannot win
    /// @param may_go_on  false: the budget is spent, or the user interrupts; the next configuration
    ///                   is returned unpruned instead of asking for further ones
    void set_pruning(
        std::function<std::optional<double>(point const&)> least_s,
        std::function<bool()> may_go_on = [] { return true; });
    static constexpr std::size_t most_pruned_in_a_row = 32;
    /// Configurations that were pruned come next, those of set_pruning() and `others`.
    void reconsider(std::vector<point> const& others);
    /// The same of those alone that may win; the others stay pruned.
    /// @return  how many come next
    std::size_t reconsider_if(std::function<bool(point const&)> const& may_win,
                              std::vector<point>& others);

    /// The search goes on in a part of the space; nothing: in all of it. Of what was pruned the
    /// latest comes next, because where less is proposed, less is checked.
    /// @return  whether one comes next; nothing: the searcher goes on as before
    [[nodiscard]] std::optional<bool> narrow(std::optional<kept_settings> const& part);

    /// The searcher's expected further gain; nothing if unknown.
    [[nodiscard]] std::optional<double> expected_gain();

    /// What each technique of the searcher gained; empty for one without techniques.
    [[nodiscard]] std::vector<search::technique_use> uses() const { return search_.uses(); }
    /// Of the searcher, see any_searcher.
    [[nodiscard]] std::string strategy() const { return search_.strategy(); }

    /// Seconds that the searcher's model expects of a point that is not told yet; 0: it has none.
    [[nodiscard]] double predicted_s(point const& at);
    /// The technique of the search that proposed `at`; empty: none did, or it was told.
    [[nodiscard]] std::string proposer_of(point const& at) const { return search_.proposer_of(at); }

    /// A compilation of next() fails when no time is left and it took ten times as long as the
    /// slowest so far, two seconds at least.
    /// @param left_s  seconds that are left of the tuning
    void set_time_left(std::function<double()> left_s) { left_s_ = std::move(left_s); }

    /// Waits for current compilations, and unpins the calling thread. Call it before timing code
    /// that may use other threads, or before an exact timing.
    void settle();

    /// Seconds in the compiler so far, for returned configurations.
    [[nodiscard]] double compile_s() const noexcept { return compile_s_; }
    /// Wall seconds in which the calling thread compiled, or waited for what others compile.
    [[nodiscard]] double code_s() const noexcept { return code_s_; }
    /// Wall seconds of the calling thread in the searcher, those before this object included.
    [[nodiscard]] double search_s() const noexcept { return search_s_; }
    /// Number of runs of the compiler, and of variants from its cache.
    [[nodiscard]] std::uint32_t compiled() const noexcept { return compiled_; }
    [[nodiscard]] std::uint32_t from_cache() const noexcept { return from_cache_; }
    /// @param cpu_s  CPU seconds of this process used by neither the kernel nor the program
    void set_background(std::function<double()> cpu_s) { background_cpu_s_ = std::move(cpu_s); }
    /// CPU seconds of this process used by compiling ahead so far.
    [[nodiscard]] double background_cpu_s() const { return queue_->cpu_s(); }
    /// Number of configurations asked for that are neither returned nor told.
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct waiting_variant {
        point at;
        compile_queue::ticket code{};                    ///< none: not in the queue yet
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
    bool has_news_ = true; ///< since next_points() had none, the searcher was told something
    std::function<double()> left_s_ = [] { return std::numeric_limits<double>::infinity(); };
    double compile_s_ = 0;
    std::optional<double> slowest_s_{}; ///< of the compilations
    double code_s_ = 0;
    double search_s_;
    std::uint32_t compiled_ = 0;
    std::uint32_t from_cache_ = 0;
    double own_cpu_s_ = 0;     ///< of the calling thread, at its latest compilation
    double program_cpu_s_ = 0; ///< of all threads but the workers, at that moment
    std::function<double()> background_cpu_s_{};
    std::unique_ptr<compile_queue> queue_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/variant_pipeline.ipp>
#endif
