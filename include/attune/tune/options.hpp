// attune/tune/options.hpp - how a kernel is tuned: limits, search, measuring, device.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
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

/// How a call behaves if the store has no result for its inputs.
enum class miss_policy : unsigned char {
    lookup_only, ///< the best of related problems serves if it is verified, otherwise the default
    /// Tunes in this call. Later calls verify the winner for other shapes. If a verification is
    /// expected to take more than 20 ms, a separate thread makes it on copies of the arguments.
    /// That thread also proves the winner, until 20 s after the call has returned: see
    /// kernel::calls().
    tune_if_missing,
    /// Tunes on a separate thread, on copies of the arguments; until then like lookup_only. Each
    /// set of inputs first gets a quarter of its limits, and its winner then serves. After that the
    /// most called inputs with the most to gain continue. The tuning thread calls checks,
    /// references and sinks after the call has returned: they must not refer to the call's locals.
    /// The destructor waits for running tunings.
    tune_in_background,
    /// Like tune_in_background, but candidates that were right on the copy are timed in calls of
    /// the program. Conditions there may differ from those of a single call on a copy. Candidates
    /// delay the program's calls by at most tuning_limits::lost_share. The tuning takes many calls;
    /// limits.seconds does not count. If calls of a shape become rare, its tuning continues on a
    /// copy; the report says what a tuning waits for. A kernel with a baseline, with an objective
    /// of its own or with a bound on its energy is tuned like by tune_in_background.
    online,
    always, ///< tunes in the first call, also if the store has a result, which takes part
};

/// Which sizes of calls are tuned, for a kernel that binds no input.
enum class size_policy : unsigned char {
    /// The first call's sizes. Its winner serves all sizes.
    first,
    /// Like `several` where a thread tunes beside the program anyway: tune_in_background, online.
    /// Otherwise like `first`, so that attune uses no processor unasked.
    automatic,
    /// If calls spend most of their time away from the tuned sizes, attune tunes up to seven more
    /// sizes. A thread does this beside the program, on copies of calls. No call waits for that
    /// tuning; with tune_if_missing a call may wait until a winner is verified for it. A tree over
    /// the sizes chooses the variant of a call. Together these tunings have the limits of one more
    /// tuning, and take no more seconds than the calls took, plus those of one tuning.
    several,
};

/// Limits of tuning, for each set of bound inputs. With 0 evaluations or 0 seconds nothing is
/// tuned: the remembered result serves, otherwise see miss_policy::lookup_only.
/// Example  options.limits = {.evaluations = 100, .seconds = 30};
struct tuning_limits {
    std::uint64_t evaluations = search_limits::any_number; ///< per tuning, including the default's
    /// Wall seconds per tuning. Runs of a reference (kernel.reference; of a program the plain nest)
    /// do not count, and may take as many seconds again. A compilation under way at the end may
    /// take ten times as long as the slowest one before it, and at least two seconds. attune then
    /// proves the winner on other sizes, for a second at most.
    double seconds = search_limits::any_time;
    // Rules to stop early: see search_limits. Values are seconds of one call, or those of
    // kernel.objective().
    double target = search_limits{}.target;
    std::uint64_t patience = search_limits{}.patience;
    double improvement = search_limits{}.improvement;
    double expected_gain = search_limits{}.expected_gain;
    /// The tuning ends when the best reaches this share of the roofline; 0: off. At 0.8 it ends at
    /// 1.25 times the least time that the kernel's work takes by the roofline. If no roofline is
    /// known (no kernel.work(...), a device, no attune::roofline), the report says so.
    double roofline_share = 0;
    /// Evaluations and seconds of all tunings of one `tuned` together; no limit by default. What is
    /// left of them limits the next tuning. When nothing is left, new inputs get the remembered
    /// result, otherwise see miss_policy::lookup_only.
    search_limits total{};
    double default_run_s = 60.0; ///< limit of the default configuration's first run
    /// A first run fails if it takes this many times the time of the quickest one so far.
    double first_run_ratio = detail::usual_first_run_ratio;
    /// Limit of the check of a variant for calls of another shape, in seconds. If the check would
    /// take longer, the default serves such calls.
    double check_s = 1.0;
    /// Limit of the copies of arguments of all tunings that run or wait, in bytes. See
    /// miss_policy::tune_in_background. If a copy does not fit, the tuning waits for a later call.
    std::size_t copied_bytes = std::size_t{1} << 30;
    /// For miss_policy::online: share of the time in all calls of the kernel that slow candidates
    /// may cost.
    double lost_share = 0.03;

    /// The default limits: 60 evaluations and 60 seconds.
    [[nodiscard]] static tuning_limits usual() noexcept
    {
        search_limits const u = search_limits::usual();
        return {.evaluations = u.evaluations, .seconds = u.seconds};
    }
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
    std::uint64_t seed = 0; ///< equal seeds and outcomes give equal searches; not with `prune`
    /// Uses the store's results for other inputs, devices, compilers and versions of the kernel.
    /// Good configurations there are tried first. The search expects them to be good as far as its
    /// own outcomes agree. See search/transfer/.
    bool use_related = true;
    /// A file of measured programs, for kernels made from programs; empty: none. Each tuning
    /// appends its measurements. Before its first evaluation the strategy learns from the file's
    /// other programs, sizes, compilers and machines. Strategies that learn: the default,
    /// two_level_search, evolutionary_search, and each with learn_from(cost_samples). The program
    /// includes <attune/tune/lessons.hpp> and links attune::lessons. Many tunings, also of other
    /// processes, may use one file. Programs for a GPU (device_kernel()) have other features: GPU
    /// programs learn only from GPU programs, and processor programs only from processor programs.
    std::string samples{};
    /// A file of the gains of techniques and of whole strategies; empty: none. A tuning by a
    /// strategy with a name appends a line. Strategies with a name are the default;
    /// search::recommended, which chooses by all lines (see recommended_search()); and makers of a
    /// search::technique, such as the results of parse_technique() and auc_bandit_of(). `attune
    /// recommend` compares the lines. Many tunings, also of other processes, may use one file. A
    /// long file gets another file beside it, FILE.sums, which saves time and may be deleted. The
    /// program includes <attune/tune/lessons.hpp> and links attune::lessons.
    std::string techniques{};
    /// Skips a configuration, without compilation or run, if its work (kernel.work, with
    /// parameters) takes longer on this machine than the best so far. The report has their number.
    /// If half of the space cannot win by this rule, a new search continues in the rest, with all
    /// outcomes of the rest. A time that contradicts the stated work brings the whole space back.
    /// Off until it is proven on more machines. The program includes <attune/tune/roofline.hpp> and
    /// links attune::roofline.
    bool prune = false;
};

/// How variants are run and timed.
struct tuning_measuring {
    double precision = 0.01;               ///< relative half-width that ends a timing
    cache_state cache = cache_state::warm; ///< state of the caches at a timed call
    /// How the program is protected from its variants. On a device, `guard` and `none` run variants
    /// in this process, the others in a worker process.
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< limits of a first run in a forked child, without its time
    /// The folder of the machine's energy counters, for kernel.bound_energy(), if a container has
    /// moved it; empty: the folder of Linux.
    std::string powercap{};
    /// Makes the bench, for tests with scripted times; empty: the bench of device or processor.
    bench_factory make_bench{};
};

/// For device kernels only.
struct tuning_device {
    bool as_graph = false; ///< times runs as launches of a CUDA graph
    /// Ordinals of identical devices that measure variants beside the compiler's own device. Only
    /// the compiler's own device runs the final. kernel.check(f) then runs on other threads, one at
    /// a time.
    std::vector<int> others{};
};

/// Example  attune::tuned sgemm{kernel, compiler, {.limits = {.evaluations = 100}}};
struct tuning_options {
    tuning_limits limits = tuning_limits::usual();
    tuning_search search{};
    tuning_measuring measuring{};
    tuning_device device{};
    progress_sink progress = default_progress(); ///< see progress.hpp and set_default_sink()
    /// How a call behaves if the store has no result for its inputs; tuned.tune(arguments...)
    /// always tunes. The variable ATTUNE_MODE has priority: lookup_only, tune_if_missing,
    /// tune_in_background, online or always.
    miss_policy on_miss = miss_policy::tune_if_missing;
    /// Number of variants compiled ahead while another is measured, by as many threads on other
    /// cores. 0: each is compiled when it is due. Empty: see automatic_ahead().
    std::optional<std::uint32_t> compile_ahead{};
    /// A file to which every event of the tuning is appended; empty: none. attune::replay() reads
    /// it. An interrupted tuning continues from the file, or else from the store, and measures
    /// nothing twice. The clock and the rule limits.expected_gain start again. An unreadable line
    /// loses its outcome; a notice names the line. If the log is of another search, the search
    /// begins with the log's outcomes.
    std::string event_log{};
    /// Sizes in the store serve with each policy except `first`. The policy is `first` on a device,
    /// with miss_policy::always, and for a kernel with an objective or with any_shape().
    size_policy sizes = size_policy::automatic;
};

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF
