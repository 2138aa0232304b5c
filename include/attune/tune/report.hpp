// attune/tune/report.hpp - the result of a tuning.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/remember/call_coverage.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The code that serves the calls, and why.
enum class decision : std::uint8_t {
    nothing_yet,     ///< no call has ended so far
    tuned,           ///< better than the default beyond the measured interval
    kept_default,    ///< nothing was proven better than the default
    remembered,      ///< taken from the store; nothing was tuned
    served_near,     ///< the best of related problems, if it is verified: see `reason`
    served_forced,   ///< the configuration of ATTUNE_FORCE, if it is verified
    served_default,  ///< the default configuration, compiled; not tuned, `reason` says why
    served_fallback, ///< the function or PTX in the program; `reason` says why
    call_failed,     ///< nothing serves: the call threw; `reason` is the text of the error
};

/// Counts of new shapes, by the code that serves them.
struct served_shapes {
    std::uint64_t verified = 0;   ///< the variant was right on copies of the call
    std::uint64_t by_class = 0;   ///< all properties of the shape were verified: shape_trust.hpp
    std::uint64_t by_default = 0; ///< the default serves, until more is verified
    std::uint64_t wrong = 0;      ///< the variant was wrong: the default serves
    std::uint64_t unknown = 0;    ///< the variant could not be verified: the default serves
    std::uint64_t slower = 0;     ///< the variant was slower, here or at about these sizes
    std::uint64_t executions = 0; ///< runs of trusted code and variants in these checks
    double seconds = 0;           ///< wall seconds, including those executions
    double executed_s = 0;        ///< seconds of the executions alone
    std::uint64_t proofs = 0;     ///< calls that attune made and on which the variant was right
    double proof_s = 0; ///< wall seconds of proofs in calls, without proofs beside the program
};

/// A check that the variant failed.
struct shape_failure {
    std::string shape; ///< "argument 0 has 513 elements", and the reason
    failure why;
};

struct baseline_comparison {
    measurement time; ///< time of the baseline: `speedup` times `best`
    double speedup =
        1; ///< baseline / installed, paired and interleaved; below 1: the baseline is faster
    double speedup_low = 1; ///< 95 % interval of the speedup
    double speedup_high = 1;
};

/// A tuned size, of a kernel with several: see size_policy.
struct size_report {
    std::string sizes{};         ///< "argument 2: 512"
    std::string configuration{}; ///< its winner: "TILE_M=64 UNROLL=4"
    double best_s = 0;           ///< of a call with the winner
    /// Seconds of a call with the variant that a tree of the other sizes chooses for this size.
    /// Empty: that variant was not measured at this size.
    std::optional<double> left_out_s{};
};

struct tuning_report {
    std::string kernel;
    std::string compiler; ///< identity of the compiler
    decision how = decision::nothing_yet;
    std::string reason{};      ///< why nothing was tuned or remembered; may have several lines
    std::string configuration; ///< installed: "TILE_M=64 UNROLL=4"
    std::string default_configuration; ///< the winner had to be better than this one
    /// Meaning, unit and direction of `best`, `default_time` and the baseline's time: seconds, or
    /// what kernel.objective(unit, goal, f) states. "Faster" then means better.
    problem_objective objective{};
    measurement best;         ///< of the installed configuration; from the final if there was one
    measurement default_time; ///< of the default: differs from `best` by the factor `speedup`
    double speedup = 1;       ///< default / installed, paired and interleaved
    double speedup_low = 1;   ///< 95 % interval of the speedup
    double speedup_high = 1;
    /// Configurations that the final could not distinguish from the installed one. If the default
    /// is equal, it is installed; otherwise the one that was faster in the rounds that both ran.
    std::vector<std::string> ties;
    /// Comparison with the baseline, if kernel.baseline(f) is given.
    std::optional<baseline_comparison> baseline{};
    /// The first difference between the results of baseline and default, if there is no
    /// kernel.reference(f): either may be wrong. In the text of the tuned call, the "reference" is
    /// the default. The text of another call begins with its sizes, and its "reference" is the
    /// baseline. Empty without a baseline, or if both agree where both ran.
    std::string baseline_differs{};
    /// State of the caches at timed calls: data of the call before (warm), or cold. If a program
    /// uses other data between calls, its times lie between the two. Not for remembered results.
    cache_state cache = cache_state::warm;
    machine_noise noise{}; ///< disturbance of the machine
    /// Distance of the installed configuration from the machine's limits, if the kernel states its
    /// work; see kernel_roofline.
    std::optional<attune::roofline> roofline{};
    /// Joules per call of the installed configuration and of the default, with
    /// kernel.bound_energy(). 0: not measured, for example for remembered results. The store keeps
    /// no joules with an outcome; the event log does.
    double joules = 0;
    double default_joules = 0;
    /// In bytes. The compiler proved that only the addresses of arrays modulo this number affect
    /// the results of the installed configuration and of the default. A shape verified at one
    /// address serves at all addresses that are equal modulo this number. 64: not proven.
    std::uint32_t address_modulus = 64;
    double log2_space_size = 0; ///< log2 of the number of valid configurations
    std::uint32_t evaluations = 0;
    std::uint32_t pruned =
        0; ///< configurations not evaluated, because they could not win: tuning_search::prune
    /// Share of the space in which the search continued after the others could not win.
    double left_share = 1;
    std::uint32_t same_code = 0;  ///< evaluations whose code had been measured before
    std::uint32_t compiled = 0;   ///< variants that were compiled, with or without success
    std::uint32_t from_cache = 0; ///< variants found in the compiler's cache
    failure_counts failures{};
    std::vector<failure> first_failures; ///< the first one of each stage, with its log
    std::string isolation;               ///< how the program was protected, and why
    double compile_s = 0;                ///< seconds in the compiler, on all threads
    double elapsed_s = 0;     ///< seconds of the whole tuning, including code_s and search_s
    double code_s = 0;        ///< seconds in which the tuning thread compiled or waited for code
    double search_s = 0;      ///< seconds in which the search read, learnt and proposed
    bool interrupted = false; ///< by Ctrl-C
    bool predicted = false;   ///< nothing ran: the times have no unit
    served_shapes shapes{};   ///< since the variant in use was installed
    std::vector<shape_failure> shape_failures{};
    /// The program's calls, by the code that ran them. In the report of tune() alone it is empty.
    call_coverage coverage{};
    std::string serving{}; ///< which code serves the latest new shape, and why: one sentence
    std::vector<std::string> notices;
    /// All tuned sizes, the first one first. A tree chooses among their winners. Empty: one size.
    std::vector<size_report> sizes{};
    /// Share of its best time that a call loses at a size that was not tuned: the mean of
    /// left_out_s / best_s - 1 over the sizes. Empty: not measured.
    std::optional<double> size_regret{};

    /// Text: "2.98x faster than the default: 1.2 ms, was 3.6 ms; 60 evaluations in 12 s, 3
    /// crashed".
    [[nodiscard]] std::string summary() const;
};

namespace detail {

/// The report of a call that was neither tuned nor remembered: no times, no evaluations.
/// @param how     served_default, served_fallback or call_failed
/// @param reason  one sentence, or what() of an attune::error
[[nodiscard]] tuning_report untuned_report(std::string kernel, decision how, std::string reason);

/// Returns the text of an attune::error, or any other text, in one line: "no compiler for kernels;
/// where: PATH; next: install one".
[[nodiscard]] std::string in_one_line(std::string_view text);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/report.ipp>
#endif
#endif // ATTUNE_OFF
