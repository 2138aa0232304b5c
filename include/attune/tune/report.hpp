// attune/tune/report.hpp - what a tuning did and how it ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What serves the calls, and how it came about.
enum class decision : std::uint8_t {
    nothing_yet,     ///< no call has ended so far
    tuned,           ///< found now, and better than the default beyond the measured interval
    kept_default,    ///< nothing was proven better than the default
    remembered,      ///< taken from the store; nothing was tuned
    served_default,  ///< the default configuration, compiled; not tuned, `reason` says why
    served_fallback, ///< the kernel as the program itself holds it; `reason` says why
    call_failed,     ///< nothing: the call threw, `reason` is the text of the error
};

/// Shapes of calls, beside the one that was tuned for: by what they are served.
struct served_shapes {
    std::uint64_t verified = 0;   ///< the variant ran on copies of such a call, and was right
    std::uint64_t by_class = 0;   ///< each property of the shape had been verified: shape_trust.hpp
    std::uint64_t by_default = 0; ///< the default serves, until more is known
    std::uint64_t wrong = 0;      ///< the variant was wrong: the default serves
    std::uint64_t unknown = 0;    ///< the variant could not be verified: the default serves
    std::uint64_t executions = 0; ///< of trusted code and variants, for all of that
    double seconds = 0;           ///< wall seconds, those executions included
    double executed_s = 0;        ///< of the executions alone
    std::uint64_t proofs = 0;     ///< smaller calls, made of a real one, that it was right for
    double proof_s = 0;           ///< wall seconds for these; once for a variant, as a rule
};

/// The variant failed in a check.
struct shape_failure {
    std::string shape; ///< "argument 0 has 513 elements", and the reason
    failure why;
};

/// The user's own code and the installed configuration.
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
    std::string reason{};      ///< why nothing was tuned or remembered, maybe in several lines
    std::string configuration; ///< installed: "TILE_M=64 UNROLL=4"
    std::string default_configuration; ///< what it had to beat
    measurement best;                  ///< of the installed configuration, seconds; where there
                                       ///< was a final, both times are from there
    measurement default_time;          ///< of the default, seconds: `speedup` times `best`
    double speedup = 1;                ///< default / installed, paired and interleaved
    double speedup_low = 1;            ///< 95 % interval of the speedup
    double speedup_high = 1;
    /// Configurations that the final could not tell from the installed one. Among equals, the
    /// default stays; else the one that was faster in the rounds that both ran.
    std::vector<std::string> ties;
    /// Your own code beside the installed configuration, where kernel.baseline(f) gave it.
    std::optional<baseline_comparison> baseline{};
    /// What timed calls found in the caches: the data of the call before (warm), or nothing. Times
    /// of a program that touches much else between calls lie between the two. Of what is
    /// remembered it is not known.
    cache_state cache = cache_state::warm;
    machine_noise noise{}; ///< what the machine let us see
    /// Of the installed configuration, where the kernel states its work; see kernel_roofline.
    std::optional<attune::roofline> roofline{};
    double log2_space_size = 0; ///< log2 of the number of valid configurations
    std::uint32_t evaluations = 0;
    std::uint32_t same_code = 0;  ///< evaluations whose code had been measured before
    std::uint32_t compiled = 0;   ///< variants the compiler ran for, those that failed included
    std::uint32_t from_cache = 0; ///< variants that the compiler's cache had
    failure_counts failures{};
    std::vector<failure> first_failures; ///< the first one of each stage, with its log
    std::string isolation;               ///< how the program was protected, and why so
    double compile_s = 0;                ///< spent in the compiler
    double elapsed_s = 0;                ///< the whole tuning
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

/// The report of a call that was neither tuned for nor remembered: no times, no evaluations.
/// @param how     served_default, served_fallback or call_failed
/// @param reason  one sentence, or what() of an attune::error
[[nodiscard]] tuning_report untuned_report(std::string kernel, decision how, std::string reason);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/report.ipp>
#endif
