// attune/remember/record.hpp - the result of one tuning, and all that it depends on.
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
    std::string kernel{};   ///< the name the user gave to the kernel
    std::string source{};   ///< fingerprint of the kernel's text and of the headers it includes
    std::string schema{};   ///< fingerprint of parameters, domains and constraints
    std::string compiler{}; ///< name, version and flags
    std::string device{};   ///< the processor or device on which times were taken
    named_texts inputs{};   ///< values known only at the call, such as a problem size
    /// Fingerprint of the function's arguments and of its launch; empty: unknown (format 1).
    std::string signature{};
    /// How times were taken, as far as it is not the default way: {"cache", "cold"}.
    named_texts setting{};

    [[nodiscard]] friend bool operator==(record_key const&, record_key const&) = default;
};

namespace detail {

/// What follows the device of a key whose objective is predicted, not measured.
inline constexpr char const* predicted_device = ", predicted";

} // namespace detail

/// A confidence interval of 95 %, and the number of times in it; zeros: unknown.
struct time_interval {
    double low_s{};
    double high_s{};
    std::uint32_t samples{};

    [[nodiscard]] friend bool operator==(time_interval const&, time_interval const&) = default;
};

/// How hard a tuning may try.
struct tuning_effort {
    std::uint64_t evaluations{};
    double seconds{};

    [[nodiscard]] friend bool operator==(tuning_effort const&, tuning_effort const&) = default;
};

/// Where the seconds of a tuning went; zeros: unknown.
struct tuning_seconds {
    double total_s{};  ///< from its beginning to its end; what is not named here ran and timed
    double code_s{};   ///< the tuning thread compiled, or waited for code
    double search_s{}; ///< the search learnt, and decided what to try next

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

/// The best configuration of one tuning, and how it was found.
struct record {
    record_key key{};
    named_texts configuration{}; ///< parameter name and value, as the space writes it
    double best_s{};             ///< seconds per call of `configuration`; lower is better
    double default_s{};          ///< seconds per call of the default configuration
    std::uint64_t evaluations{}; ///< configurations evaluated
    std::uint64_t failures{};    ///< of these, configurations that failed
    std::uint64_t seed{};        ///< of the search
    std::string when{};          ///< end of the tuning, ISO 8601, UTC: "2025-01-31T12:00:00Z"
    std::string attune{};        ///< version of the library that wrote the record
    bool interrupted = false;    ///< the tuning ended before its budget was spent
    bool disturbed = false;      ///< other programs disturbed the times: a faster one may be missed
    double least_s{};            ///< lower bound on the seconds per call (roofline); 0: unknown
    std::string shape{};         ///< text of the tuned call's shape; empty: unknown
    bool memory_bound = false;   ///< true: memory bandwidth sets `least_s`; false: arithmetic
    time_interval best_interval{};
    time_interval default_interval{};
    double baseline_s{}; ///< seconds per call of the user's own code; 0: none was given
    time_interval baseline_interval{};
    std::string code{};         ///< object key of the configuration's code; empty: unknown
    std::string default_code{}; ///< that of the default configuration
    /// Bytes. It does not matter to `code` and `default_code` where arrays lie, but for their
    /// addresses modulo this number, says their compiler; 64: unknown.
    std::uint32_t address_modulus = 64;
    std::vector<value_texts> ties{}; ///< configurations that the final could not tell from the best
    /// Why: "budget", "space", "stop rule", "interrupted"; "part": all was tried but what cannot be
    /// faster by the work that the kernel states (tuning_search::prune).
    std::string ended{};
    tuning_effort asked{};   ///< limits of the tuning; zeros: unknown (format 1)
    std::uint32_t threads{}; ///< threads that one call kept busy; 0: unknown
    /// Configurations of earlier records that took part in the final or could not be used.
    std::vector<value_texts> replaces{};
    tuning_seconds spent{};
    roofline_facts roof{};
    /// By which the search is made again, with all options: any_searcher::strategy(). Empty:
    /// unknown, or the tuning went on with what another search had found.
    std::string strategy{};
    generated_code generated{}; ///< of a kernel whose text a function writes

    [[nodiscard]] friend bool operator==(record const&, record const&) = default;
};

namespace detail {

/// "addresses: proven irrelevant by the compiler, apart from their place in 4 bytes"; empty where
/// nothing is proven.
/// @param modulus  as record::address_modulus
[[nodiscard]] inline std::string text_of_addresses(std::uint32_t modulus)
{
    if (modulus >= record{}.address_modulus) return {};
    std::string out = "addresses: proven irrelevant by the compiler";
    if (modulus > 1) out += ", apart from their place in " + std::to_string(modulus) + " bytes";
    return out;
}

/// True when the tuning was neither interrupted nor disturbed.
[[nodiscard]] inline bool is_finished(record const& r) noexcept
{
    return !r.interrupted && !r.disturbed;
}

} // namespace detail

/// True when `fresh` may replace `known`, a record with the same key. An interrupted tuning
/// replaces only an interrupted one; a disturbed tuning does not replace a finished one.
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

/// True when `later` takes the place of `known`, an earlier record with the same key: where the
/// tuning of `later` met `known`, else where it was not cut short or disturbed while that of
/// `known` was not, and had at least as many evaluations.
[[nodiscard]] inline bool supersedes(record const& later, record const& known)
{
    value_texts const met = values_of(known.configuration);
    for (value_texts const& beaten : later.replaces)
        if (beaten == met) return true;
    auto const flaws = [](record const& r) { return r.interrupted ? 2 : r.disturbed ? 1 : 0; };
    if (flaws(later) != flaws(known)) return flaws(later) < flaws(known);
    return later.evaluations >= known.evaluations;
}

/// True when a tuning with the limits `asked` need not be run again: `r` tried as hard, was asked
/// to (it ran out of time, met a rule that ends a tuning early, or left out what cannot win), or
/// had nothing left to try. A record that does not say what was asked, such as one of format 1, is
/// enough.
[[nodiscard]] inline bool is_enough(record const& r, tuning_effort const& asked)
{
    if (r.asked == tuning_effort{}) return true;
    if (r.interrupted) return false;
    if (r.ended == "space" || r.evaluations >= asked.evaluations) return true;
    return r.asked.evaluations >= asked.evaluations && r.asked.seconds >= asked.seconds;
}

} // namespace detail

/// How well a record fits a key, best first.
enum class record_match : std::uint8_t {
    exact,        ///< everything is equal
    unverified,   ///< everything is equal, but another user could have written it: verify it first
    other_size,   ///< only the inputs differ: a good start for a search; times are not comparable
    other_device, ///< only compiler or device differ: a fair start; times are not comparable
    none,         ///< nothing fits
};

/// The match as a report writes it.
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

/// The answer of a store. `best` is empty exactly when `how` is `record_match::none`.
struct lookup_result {
    std::optional<record> best{};
    record_match how = record_match::none;
    double distance{}; ///< among fits of the same kind: see `closeness`
};

} // namespace attune::inline ATTUNE_ABI
