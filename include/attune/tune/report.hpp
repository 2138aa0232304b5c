// attune/tune/report.hpp - the result of a tuning.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What serves the calls, and why.
enum class decision : std::uint8_t {
    nothing_yet,     ///< no call has ended so far
    tuned,           ///< better than the default beyond the measured interval
    kept_default,    ///< nothing was proven better than the default
    remembered,      ///< taken from the store; nothing was tuned
    served_near,     ///< the best of related problems, where it is verified: see `reason`
    served_forced,   ///< what ATTUNE_FORCE names, where it is verified
    served_default,  ///< the default configuration, compiled; not tuned, `reason` says why
    served_fallback, ///< the function or PTX in the program; `reason` says why
    call_failed,     ///< nothing serves: the call threw; `reason` is the text of the error
};

/// Counts of new shapes, by what serves them.
struct served_shapes {
    std::uint64_t verified = 0;   ///< the variant was right on copies of the call
    std::uint64_t by_class = 0;   ///< all properties of the shape were verified: shape_trust.hpp
    std::uint64_t by_default = 0; ///< the default serves, until more is verified
    std::uint64_t wrong = 0;      ///< the variant was wrong: the default serves
    std::uint64_t unknown = 0;    ///< the variant could not be verified: the default serves
    std::uint64_t slower = 0;     ///< the variant was right, but slower: the default serves
    std::uint64_t executions = 0; ///< runs of trusted code and variants in these checks
    double seconds = 0;           ///< wall seconds, those executions included
    double executed_s = 0;        ///< of the executions alone
    std::uint64_t proofs = 0;     ///< calls that attune made, on which it was right
    double proof_s = 0;           ///< wall seconds for these; usually once per variant
};

/// A check that the variant failed.
struct shape_failure {
    std::string shape; ///< "argument 0 has 513 elements", and the reason
    failure why;
};

/// Comparison of the user's own code with the installed configuration.
struct baseline_comparison {
    measurement time;   ///< of the user's own code, seconds: `speedup` times `best`
    double speedup = 1; ///< own code / installed, paired and interleaved; below 1: own is faster
    double speedup_low = 1; ///< 95 % interval of the speedup
    double speedup_high = 1;
};

struct tuning_report {
    std::string kernel;
    std::string compiler; ///< identity of the compiler
    decision how = decision::nothing_yet;
    std::string reason{};      ///< why nothing was tuned or remembered; may have several lines
    std::string configuration; ///< installed: "TILE_M=64 UNROLL=4"
    std::string default_configuration; ///< which the winner had to beat
    measurement best; ///< of the installed configuration, seconds; from the final if there was one
    measurement default_time; ///< of the default, seconds: `speedup` times `best`
    double speedup = 1;       ///< default / installed, paired and interleaved
    double speedup_low = 1;   ///< 95 % interval of the speedup
    double speedup_high = 1;
    /// Configurations that the final could not distinguish from the installed one. Of equal ones
    /// the default is installed; else the faster one in the rounds that both ran.
    std::vector<std::string> ties;
    /// Comparison with your own code, if kernel.baseline(f) is given.
    std::optional<baseline_comparison> baseline{};
    /// State of the caches at timed calls: data of the call before (warm), or cold. A program that
    /// uses other data between calls sees times between the two. Unknown for remembered results.
    cache_state cache = cache_state::warm;
    machine_noise noise{}; ///< disturbance of the machine
    /// Of the installed configuration, if the kernel states its work; see kernel_roofline.
    std::optional<attune::roofline> roofline{};
    /// Per call, of the installed configuration and of the default, where kernel.bound_energy()
    /// asks for it; 0: not measured, as for remembered results, and for a configuration whose
    /// outcome is known from a store: that has no joules, and the event log has.
    double joules = 0;
    double default_joules = 0;
    /// Bytes. The compiler proved that it does not matter to the results of the installed
    /// configuration and of the default where arrays lie, but for their addresses modulo this
    /// number: what was verified at one address serves at all that are equal by it. 64: not proven.
    std::uint32_t address_modulus = 64;
    double log2_space_size = 0; ///< log2 of the number of valid configurations
    std::uint32_t evaluations = 0;
    std::uint32_t pruned = 0; ///< not evaluated, as they could not win: tuning_search::prune
    /// Share of the configurations in which the search went on after the others could not win.
    double left_share = 1;
    std::uint32_t same_code = 0;  ///< evaluations whose code had been measured before
    std::uint32_t compiled = 0;   ///< variants that were compiled, with or without success
    std::uint32_t from_cache = 0; ///< variants found in the compiler's cache
    failure_counts failures{};
    std::vector<failure> first_failures; ///< the first one of each stage, with its log
    std::string isolation;               ///< how the program was protected, and why
    double compile_s = 0;                ///< seconds in the compiler, on all threads
    double elapsed_s = 0;                ///< seconds of the whole tuning; of these,
    double code_s = 0;                   ///< the tuning thread compiled, or waited for code
    double search_s = 0;                 ///< and the search read, learnt and proposed
    bool interrupted = false;            ///< Ctrl-C
    bool predicted = false;              ///< nothing ran: the times have no unit
    served_shapes shapes{};              ///< since the variant in use was installed
    std::vector<shape_failure> shape_failures{};
    std::string serving{}; ///< what serves the latest new shape, and why: one sentence
    std::vector<std::string> notices;

    /// One line: "2.98x faster than the default: 1.2 ms, was 3.6 ms; 60 evaluations in 12 s, 3
    /// crashed".
    [[nodiscard]] std::string summary() const;
};

namespace detail {

/// The report of a call that was neither tuned nor remembered: no times, no evaluations.
/// @param how     served_default, served_fallback or call_failed
/// @param reason  one sentence, or what() of an attune::error
[[nodiscard]] tuning_report untuned_report(std::string kernel, decision how, std::string reason);

/// The text of an attune::error, or of any other, in one line: "no compiler for kernels; where:
/// PATH; next: install one".
[[nodiscard]] std::string in_one_line(std::string_view text);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/report.ipp>
#endif
#endif // ATTUNE_OFF
