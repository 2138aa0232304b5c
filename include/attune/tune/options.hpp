// attune/tune/options.hpp - the few knobs of a tuning; every default works.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/probation.hpp>
#include <attune/search/budget.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct tuning_options {
    /// Of one tuning: of one set of inputs. 0 of either: no tuning; what is remembered serves, else
    /// the default configuration.
    budget limits = budget::usual();
    /// Of all tunings of one `tuned` together; no limit unless given. What is left of it limits the
    /// next tuning; once it is spent, new inputs get what is remembered or the default.
    budget total{};
    std::uint64_t seed = 0; ///< the same seed and the same outcomes give the same run
    progress_sink progress = default_progress(); ///< see there, and set_default_sink()
    search_factory search = default_search();
    bool retune = false;     ///< tune even when the store knows one; that takes part
    double precision = 0.01; ///< relative half-width at which a measurement is good enough
    /// A first run that takes this many times as long as the quickest one so far fails.
    double first_run_ratio = usual_first_run_ratio;
    double default_limit_s = 60.0; ///< the default configuration's first run may take this long
    /// The check of a variant for calls of another shape may take this long; where it would take
    /// longer, the default serves such calls.
    double check_limit_s = 1.0;
    stop_rules stop{}; ///< what is good enough; values are seconds
    /// The tuning ends when the best reaches this share of what the machine can do at most: 0.8 is
    /// 1.25 times the least time that the kernel's work takes by the roofline. 0: off. Where no
    /// roofline is known (no kernel.work(...), a device) the report says so.
    double until_roofline = 0;
    cache_state cache = cache_state::warm; ///< what a timed call finds in the caches
    /// The program from the variants. On a device, `guard` and `none` run them in this process, the
    /// others in a worker process.
    isolation protect = isolation::automatic;
    trial_limits trial{};  ///< of a first run in a forked child, beside its time
    bool as_graph = false; ///< on a device: runs are timed as launches of a CUDA graph
    /// Identical devices, by ordinal, on which variants are measured beside the compiler's own; the
    /// final is held on that one alone. kernel.check(f) is called from other threads then, by one
    /// at a time.
    std::vector<int> devices{};
    /// Variants that are compiled ahead, by as many threads on cores of their own, while another is
    /// measured; 0: each is compiled when it is its turn. Empty: see automatic_ahead().
    std::optional<std::uint32_t> compile_ahead{};
    /// A file to which every event of the tuning is appended; empty: none. A tuning that was
    /// interrupted is continued from it, without measuring anything twice (its clock, and the rule
    /// stop.expected_gain, begin anew); attune::replay() reads it.
    std::string event_log{};
};

} // namespace attune::inline ATTUNE_ABI
