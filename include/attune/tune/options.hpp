// attune/tune/options.hpp - how a kernel is tuned: limits, search, measuring, device.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/searcher.hpp>
#include <attune/tune/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

class bench;
struct tuning_options;
struct tuning_problem;

/// Makes the bench that runs and times the variants of a problem. @pre  both outlive the bench
using bench_factory =
    std::function<std::unique_ptr<bench>(tuning_problem const&, tuning_options const&)>;

/// What a call does whose inputs the store does not know.
enum class miss_policy : unsigned char {
    lookup_only,     ///< the best of related problems serves where it is verified, else the default
    tune_if_missing, ///< tunes in this call
    /// Tunes on a thread of its own, on copies of the arguments; until then, as lookup_only.
    /// Each set of inputs has a quarter of its limits first, whose winner then serves; after that
    /// those go on that are called most, and have most to gain. Checks, references and sinks are
    /// called on that thread, after the call has returned: they must not refer to its locals. The
    /// destructor waits for what is at work.
    tune_in_background,
    /// As tune_in_background, but candidates that were right on the copy are timed in calls of the
    /// program, which they delay by at most tuning_limits::lost_share: where calls differ from a
    /// copy that is called alone, that is the truth. It takes many calls; limits.seconds does not
    /// count. A kernel with a baseline or a bound on its energy is tuned as by tune_in_background.
    online,
    always, ///< tunes in the first call, also what the store knows, which takes part
};

/// Limits of tuning, for each set of bound inputs. With 0 evaluations or 0 seconds nothing is
/// tuned: the remembered result serves, else as miss_policy::lookup_only.
/// Example  options.limits = {.evaluations = 100, .seconds = 30};
struct tuning_limits {
    std::uint64_t evaluations = search_limits::any_number; ///< per tuning, with the default's
    /// Per tuning: wall seconds in total, but for the runs of a reference (kernel.reference; of a
    /// program the plain nest), which may take as many again. A compilation that is under way at
    /// its end may take ten times as long as the slowest before it, and two seconds at least. A
    /// winner then proves itself on other sizes, for a second at most.
    double seconds = search_limits::any_time;
    // When to stop early: see search_limits. Values are seconds of one call.
    double target = search_limits{}.target;
    std::uint64_t patience = search_limits{}.patience;
    double improvement = search_limits{}.improvement;
    double expected_gain = search_limits{}.expected_gain;
    /// The tuning ends when the best reaches this share of the roofline: 0.8 is 1.25 times the
    /// least time that the kernel's work takes by the roofline. 0: off. If no roofline is known (no
    /// kernel.work(...), a device, no attune::roofline) the report says so.
    double roofline_share = 0;
    /// The evaluations and seconds of all tunings of one `tuned` together; no limit by default. The
    /// rest of it limits the next tuning; when nothing is left, new inputs get the remembered
    /// result, else as miss_policy::lookup_only.
    search_limits total{};
    double default_run_s = 60.0; ///< limit of the default configuration's first run
    /// A first run fails if it takes this many times the time of the quickest one so far.
    double first_run_ratio = detail::usual_first_run_ratio;
    /// Limit of the check of a variant for calls of another shape, in seconds; if the check would
    /// take longer, the default serves such calls.
    double check_s = 1.0;
    /// Bytes. miss_policy::tune_in_background tunes on copies of the arguments; those of all
    /// tunings that run or wait take at most this. What does not fit waits for a later call.
    std::size_t copied_bytes = std::size_t{1} << 30;
    /// miss_policy::online: share of the time in calls that slow candidates may cost, for each
    /// shape.
    double lost_share = 0.03;

    /// The default limits: 60 evaluations and 60 seconds.
    [[nodiscard]] static tuning_limits usual() noexcept
    {
        search_limits const u = search_limits::usual();
        return {.evaluations = u.evaluations, .seconds = u.seconds};
    }
    /// The limits of one search.
    operator search_limits() const noexcept
    {
        return {.evaluations = evaluations,
                .seconds = seconds,
                .target = target,
                .patience = patience,
                .improvement = improvement,
                .expected_gain = expected_gain};
    }
};

/// The strategy of the search.
struct tuning_search {
    search_factory strategy = default_search(); ///< attune::search_with<Searcher>()
    std::uint64_t seed = 0; ///< equal seeds and outcomes, equal runs; not with `prune`
    /// A tuning begins with what the store knows of other inputs, devices, compilers and versions
    /// of the kernel: good configurations there are tried first, and the search expects them to be
    /// good as far as its own outcomes agree. See search/transfer/.
    bool use_related = true;
    /// A file of measured programs, for kernels made from programs: each tuning appends what it
    /// measures, and the strategy learns from those of other programs, sizes, compilers and
    /// machines before its first evaluation: the default, two_level_search, evolutionary_search,
    /// and each with learn_from(cost_samples). The program includes <attune/tune/lessons.hpp> and
    /// links attune::lessons. Many tunings, also of other processes, may use one file. Programs for
    /// a GPU (device_kernel()) have features of their own: they learn from programs for a GPU
    /// alone, and programs for a processor from theirs. Empty: none.
    std::string samples{};
    /// A file of what techniques gained, and whole strategies: each tuning by a strategy with a
    /// name (the default; search::recommended, which chooses by all lines: see
    /// recommended_search(); make of a search::technique, such as parse_technique() and
    /// auc_bandit_of() give) appends a line. `attune recommend` compares them. Many tunings, also
    /// of other processes, may use one file; a long one gets another one beside it, FILE.sums,
    /// which saves time and may be deleted. The program includes <attune/tune/lessons.hpp> and
    /// links attune::lessons. Empty: none.
    std::string techniques{};
    /// A configuration is neither compiled nor run where its work (kernel.work, with parameters)
    /// takes longer on this machine than the best so far; the report counts these. Where half of
    /// the space cannot win by that, the search goes on in the rest: a new one, which is told all
    /// outcomes there. A time that contradicts the stated work brings the whole space back. Off
    /// until it is proven on more machines: all that the search proposes are tried. The program
    /// includes <attune/tune/roofline.hpp> and links attune::roofline.
    bool prune = false;
};

/// How variants are run and timed.
struct tuning_measuring {
    double precision = 0.01;               ///< relative half-width that ends a timing
    cache_state cache = cache_state::warm; ///< state of the caches at a timed call
    /// How the program is protected from its variants. On a device, `guard` and `none` run them in
    /// this process, the others in a worker process.
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< limits of a first run in a forked child, without its time
    /// The folder of the machine's energy counters, for kernel.bound_energy(), where a container
    /// has it elsewhere; empty: where Linux has it.
    std::string powercap{};
    /// Makes the bench, for tests with scripted times; empty: the bench of the device or of this
    /// processor.
    bench_factory make_bench{};
};

/// For device kernels only.
struct tuning_device {
    bool as_graph = false; ///< times runs as launches of a CUDA graph
    /// Ordinals of identical devices that measure variants beside the compiler's own, on which
    /// alone the final is run. kernel.check(f) is then called from other threads, one at a time.
    std::vector<int> others{};
};

/// Example  attune::tuned sgemm{kernel, compiler, {.limits = {.evaluations = 100}}};
struct tuning_options {
    tuning_limits limits = tuning_limits::usual();
    tuning_search search{};
    tuning_measuring measuring{};
    tuning_device device{};
    progress_sink progress = default_progress(); ///< see there, and set_default_sink()
    /// What a call does whose inputs the store does not know; tuned.tune(arguments...) tunes in any
    /// case. The variable ATTUNE_MODE has priority: lookup_only, tune_if_missing,
    /// tune_in_background, online or always. On a device, tune_in_background and online are
    /// lookup_only.
    miss_policy on_miss = miss_policy::tune_if_missing;
    /// Number of variants compiled ahead while another is measured, by as many threads on other
    /// cores; 0: each is compiled when it is due. Empty: see automatic_ahead().
    std::optional<std::uint32_t> compile_ahead{};
    /// A file to which every event of the tuning is appended; empty: none. attune::replay() reads
    /// it. An interrupted tuning is continued from it, or else from the store, without measuring
    /// anything twice (its clock and the rule limits.expected_gain start again). A line that cannot
    /// be read costs the outcome that it says; a notice names the line. Another search than that of
    /// the log begins with its outcomes.
    std::string event_log{};
};

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF
