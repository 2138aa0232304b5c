// attune/remember/record.hpp - the result of a tuning, and all that it depends on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/generated_code.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Pairs of a name and a value as text, in order of declaration.  @pre every name occurs once
using named_texts = std::vector<std::pair<std::string, std::string>>;

/// Everything that a measured configuration depends on. Texts are compared as a whole.
struct record_key {
    std::string kernel{};   ///< the user's name for the kernel
    std::string source{};   ///< fingerprint of the kernel's text and of its included headers
    std::string schema{};   ///< fingerprint of parameters, domains and constraints
    std::string compiler{}; ///< name, version and flags
    std::string device{};   ///< the processor or device of the measurements
    named_texts inputs{};   ///< values known only at the call, such as a problem size
    /// Fingerprint of the function's arguments and of its launch; empty: unknown (format 1).
    std::string signature{};
    /// The way of timing, if it is not the default: {"cache", "cold"}.
    named_texts setting{};

    [[nodiscard]] friend bool operator==(record_key const&, record_key const&) = default;
};

namespace detail {

/// Follows the device in a key whose objective is predicted, not measured.
inline constexpr char const* predicted_device = ", predicted";

} // namespace detail

/// A confidence interval of 95 %, and its number of samples; zeros: unknown.
struct time_interval {
    double low_s{};
    double high_s{};
    std::uint32_t samples{};

    [[nodiscard]] friend bool operator==(time_interval const&, time_interval const&) = default;
};

/// The limits of a tuning.
struct tuning_effort {
    std::uint64_t evaluations{};
    double seconds{};

    [[nodiscard]] friend bool operator==(tuning_effort const&, tuning_effort const&) = default;
};

/// The seconds of a tuning by activity; zeros: unknown.
struct tuning_seconds {
    double total_s{};  ///< from start to end; the remaining time ran and timed variants
    double code_s{};   ///< the tuning thread compiled, or waited for code
    double search_s{}; ///< the search learned, and decided the next configuration

    [[nodiscard]] friend bool operator==(tuning_seconds const&, tuning_seconds const&) = default;
};

/// The work of one call and the measured limits of the machine; zeros: unknown.
struct roofline_facts {
    double flops{};
    double bytes{};
    double flops_per_s{};
    double bytes_per_s{};

    [[nodiscard]] friend bool operator==(roofline_facts const&, roofline_facts const&) = default;
};

/// The values of a configuration, in the order of its parameters.
using value_texts = std::vector<std::string>;

/// The best configuration of a tuning, and the way it was found.
struct record {
    record_key key{};
    named_texts configuration{}; ///< parameter name and value, as the space writes it
    /// Seconds per call of `configuration`; or a value, see problem_objective.
    double best_s{};
    double default_s{};          ///< seconds per call of the default configuration
    std::uint64_t evaluations{}; ///< configurations evaluated
    std::uint64_t failures{};    ///< of these, configurations that failed
    std::uint64_t seed{};        ///< seed of the search
    std::string when{};          ///< end of the tuning, ISO 8601, UTC: "2025-01-31T12:00:00Z"
    std::string attune{};        ///< version of the library that wrote the record
    bool interrupted = false;    ///< the tuning ended before its budget was spent
    bool disturbed =
        false;        ///< other programs disturbed the times: a faster configuration may be missed
    double least_s{}; ///< lower bound on the seconds per call (roofline); 0: unknown
    std::string shape{};       ///< text of the tuned call's shape; empty: unknown
    bool memory_bound = false; ///< true: memory bandwidth sets `least_s`; false: arithmetic
    time_interval best_interval{};
    time_interval default_interval{};
    double baseline_s{}; ///< seconds per call of the user's own code; 0: none was given
    time_interval baseline_interval{};
    std::string code{};         ///< object key of the configuration's code; empty: unknown
    std::string default_code{}; ///< object key of the default configuration's code
    /// Addresses of arrays matter to `code` and `default_code` only modulo this number of bytes, as
    /// proven by their compiler; 64: unknown.
    std::uint32_t address_modulus = 64;
    std::vector<value_texts>
        ties{}; ///< configurations that the final could not distinguish from the best
    /// Reason for the end: "budget", "space", "stop rule", "interrupted". "part": all was tried
    /// except configurations that the kernel's stated work proves slower (tuning_search::prune).
    std::string ended{};
    tuning_effort asked{};   ///< limits of the tuning; zeros: unknown (format 1)
    std::uint32_t threads{}; ///< threads that a call kept busy; 0: unknown
    /// Configurations of earlier records that took part in the final or were unusable.
    std::vector<value_texts> replaces{};
    tuning_seconds spent{};
    roofline_facts roof{};
    /// Text from which the search is made again, with all options: any_searcher::strategy(). Empty:
    /// unknown, or the tuning continued from results of another search.
    std::string strategy{};
    generated_code generated{}; ///< text of a kernel that a function writes

    [[nodiscard]] friend bool operator==(record const&, record const&) = default;
};

namespace detail {

/// "addresses: proven irrelevant by the compiler, apart from their place in 4 bytes"; empty without
/// a proof.
/// @param modulus  as record::address_modulus
[[nodiscard]] inline std::string text_of_addresses(std::uint32_t modulus)
{
    if (modulus >= record{}.address_modulus) return {};
    std::string out = "addresses: proven irrelevant by the compiler";
    if (modulus > 1) out += ", apart from their place in " + std::to_string(modulus) + " bytes";
    return out;
}

/// Returns true if the tuning was neither interrupted nor disturbed.
[[nodiscard]] inline bool is_finished(record const& r) noexcept
{
    return !r.interrupted && !r.disturbed;
}

} // namespace detail

/// Returns true if `fresh` may replace `known`, a record with the same key. An interrupted tuning
/// replaces only an interrupted one. A disturbed tuning replaces a finished one only if it measured
/// that one.
/// @param took_part  the tuning of `fresh` measured `known` too, or could not use it
[[nodiscard]] inline bool may_replace(record const& fresh, record const& known,
                                      bool took_part) noexcept
{
    if (fresh.interrupted) return known.interrupted;
    return detail::is_finished(fresh) || took_part || !detail::is_finished(known);
}

namespace detail {

/// The values of `configuration` without their names.
[[nodiscard]] inline value_texts values_of(named_texts const& configuration)
{
    value_texts out;
    for (auto const& [name, value] : configuration)
        out.push_back(value);
    return out;
}

/// Returns true if `later` replaces `known`, an earlier record with the same key. Its tuning tried
/// `known`; or it has fewer flaws (interrupted counts more than disturbed); or it has equal flaws
/// and at least as many evaluations.
[[nodiscard]] inline bool supersedes(record const& later, record const& known)
{
    value_texts const met = values_of(known.configuration);
    for (value_texts const& beaten : later.replaces)
        if (beaten == met) return true;
    auto const flaws = [](record const& r) { return r.interrupted ? 2 : r.disturbed ? 1 : 0; };
    if (flaws(later) != flaws(known)) return flaws(later) < flaws(known);
    return later.evaluations >= known.evaluations;
}

/// Returns true if a tuning with the limits `asked` is unnecessary: `r` has as many evaluations, or
/// limits as high, or its tuning had nothing left to try. Limits as high are enough even if the
/// tuning ended early, by time or by a stop rule. A record without limits, such as one of format 1,
/// is enough.
[[nodiscard]] inline bool is_enough(record const& r, tuning_effort const& asked)
{
    if (r.asked == tuning_effort{}) return true;
    if (r.interrupted) return false;
    if (r.ended == "space" || r.evaluations >= asked.evaluations) return true;
    return r.asked.evaluations >= asked.evaluations && r.asked.seconds >= asked.seconds;
}

} // namespace detail

/// The fit of a record to a key, best first.
enum class record_match : std::uint8_t {
    exact,        ///< everything is equal
    unverified,   ///< everything is equal, but another user could have written it: verify it first
    other_size,   ///< only the inputs differ: a good start for a search; times are not comparable
    other_device, ///< only compiler or device differ: a fair start; times are not comparable
    none,         ///< nothing fits
};

/// The text of a match in a report.
[[nodiscard]] constexpr std::string_view describe(record_match how) noexcept
{
    switch (how) {
    case record_match::exact:
        return "exact";
    case record_match::unverified:
        return "exact, unverified";
    case record_match::other_size:
        return "other size";
    case record_match::other_device:
        return "other device";
    case record_match::none:
        return "none";
    }
    return "none";
}

/// The answer of a store. `best` is empty exactly if `how` is `record_match::none`.
struct lookup_result {
    std::optional<record> best{};
    record_match how = record_match::none;
    double distance{}; ///< among fits of the same kind: see `closeness`
};

} // namespace attune::inline ATTUNE_ABI
