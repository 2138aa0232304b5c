// attune/remember/record.hpp - the result of one tuning, and all that it depends on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

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

    [[nodiscard]] friend bool operator==(record_key const&, record_key const&) = default;
};

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

    [[nodiscard]] friend bool operator==(record const&, record const&) = default;
};

namespace detail {

/// True when the tuning was neither interrupted nor disturbed.
[[nodiscard]] inline bool is_finished(record const& r) noexcept
{
    return !r.interrupted && !r.disturbed;
}

} // namespace detail

/// True when `fresh` may replace `known`, a record with the same key. An interrupted tuning
/// replaces only an interrupted one; a disturbed tuning does not replace a finished one.
/// @param took_part  the tuning of `fresh` measured `known` too, or could not use it
[[nodiscard]] inline bool
may_replace(record const& fresh, record const& known, bool took_part) noexcept
{
    if (fresh.interrupted) return known.interrupted;
    return detail::is_finished(fresh) || took_part || !detail::is_finished(known);
}

/// How well a record fits a key, best first.
enum class record_match : std::uint8_t {
    exact,        ///< everything is equal
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
};

} // namespace attune::inline ATTUNE_ABI
