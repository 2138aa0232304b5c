// attune/tune/options.hpp - how a kernel is tuned: limits, search, measuring, device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>
#include <attune/search/budget.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What a tuning may cost. One tuning is for one set of bound inputs. 0 evaluations or 0 seconds:
/// no tuning; what is remembered serves, else the default configuration.
/// Example  options.limits = {.evaluations = 100, .seconds = 30};
struct tuning_limits {
    std::uint64_t evaluations = budget::any_number; ///< of one tuning, the default's included
    double seconds = budget::any_time;              ///< of one tuning: wall seconds of everything
    /// Of all tunings of one `tuned` together; no limit unless given. What is left of it limits the
    /// next tuning; once it is spent, new inputs get what is remembered or the default.
    budget total{};
    double default_run_s = 60.0; ///< the default configuration's first run may take this long
    /// A first run that takes this many times as long as the quickest one so far fails.
    double first_run_ratio = usual_first_run_ratio;
    /// The check of a variant for calls of another shape may take this long; where it would take
    /// longer, the default serves such calls.
    double check_s = 1.0;

    /// What a tuning may cost unless it is told otherwise: 60 evaluations and 60 seconds.
    [[nodiscard]] static tuning_limits usual() noexcept
    {
        budget const b = budget::usual();
        return {.evaluations = b.evaluations, .seconds = b.seconds};
    }
    /// The limits of one tuning.
    operator budget() const noexcept { return {evaluations, seconds}; }
};

/// Which configurations are tried, and when that is enough.
struct tuning_search {
    search_factory strategy = default_search(); ///< attune::search_with<Searcher>()
    std::uint64_t seed = 0; ///< the same seed and the same outcomes give the same run
    stop_rules stop{};      ///< what is good enough; values are seconds
    /// The tuning ends when the best reaches this share of what the machine can do at most: 0.8 is
    /// 1.25 times the least time that the kernel's work takes by the roofline. 0: off. Where no
    /// roofline is known (no kernel.work(...), a device) the report says so.
    double until_roofline = 0;
};

/// How variants are run and timed.
struct tuning_measuring {
    double precision = 0.01; ///< relative half-width at which a measurement is good enough
    cache_state cache = cache_state::warm; ///< what a timed call finds in the caches
    /// What protects the program from its variants. On a device, `guard` and `none` run them in
    /// this process, the others in a worker process.
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< of a first run in a forked child, beside its time
};

/// For kernels of a device alone.
struct tuning_device {
    bool as_graph = false; ///< runs are timed as launches of a graph
    /// Identical devices, by ordinal, on which variants are measured beside the compiler's own; the
    /// final is held on that one alone. kernel.check(f) is called from other threads then, by one
    /// at a time.
    std::vector<int> others{};
};

/// Example  attune::tuned sgemm{kernel, compiler, {.limits = {.evaluations = 100}}};
struct tuning_options {
    tuning_limits limits = tuning_limits::usual();
    tuning_search search{};
    tuning_measuring measuring{};
    tuning_device device{};
    progress_sink progress = default_progress(); ///< see there, and set_default_sink()
    bool retune = false; ///< tune even when the store knows one; that takes part
    /// Variants that are compiled ahead, by as many threads on cores of their own, while another is
    /// measured; 0: each is compiled when it is its turn. Empty: see automatic_ahead().
    std::optional<std::uint32_t> compile_ahead{};
    /// A file to which every event of the tuning is appended; empty: none. A tuning that was
    /// interrupted is continued from it, without measuring anything twice (its clock, and the rule
    /// stop.expected_gain, begin anew); attune::replay() reads it.
    std::string event_log{};
};

} // namespace attune::inline ATTUNE_ABI
