// attune/remember/record.hpp - what one tuning run found out, and what makes it valid.
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

/// Names with their values as text, in the order of declaration.  @pre every name occurs once
using named_texts = std::vector<std::pair<std::string, std::string>>;

/// All that a measured configuration depends on. Each text is compared as a whole.
struct record_key {
    std::string kernel{};   ///< the name the user gave to the kernel
    std::string source{};   ///< fingerprint of its text and of the headers it includes
    std::string schema{};   ///< fingerprint of parameters, domains and constraints
    std::string compiler{}; ///< name, version and flags
    std::string device{};   ///< the processor the times are for
    named_texts inputs{};   ///< values known only at call time, such as a problem size

    [[nodiscard]] friend bool operator==(record_key const&, record_key const&) = default;
};

/// The best configuration that one tuning run found, and how it was found.
struct record {
    record_key key{};
    named_texts configuration{}; ///< parameter name and value, as the space writes it
    double best_s{};             ///< seconds per call of `configuration`; lower is better
    double default_s{};          ///< seconds per call of the default configuration
    std::uint64_t evaluations{}; ///< configurations tried
    std::uint64_t failures{};    ///< those of them that could not be used
    std::uint64_t seed{};        ///< of the search
    std::string when{};          ///< end of the run, ISO 8601, UTC: "2025-01-31T12:00:00Z"
    std::string attune{};        ///< version of the library that wrote it
    bool interrupted = false;    ///< the run ended before its budget was spent
    bool disturbed = false;      ///< the machine was disturbed: something faster may be missed
    double least_s{};            ///< no variant can be faster (roofline); 0: not known
    std::string shape{}; ///< words of the shape of the call that was tuned for; empty: not known
    bool memory_bound = false; ///< the bandwidth of the memory, not arithmetic, sets `least_s`

    [[nodiscard]] friend bool operator==(record const&, record const&) = default;
};

/// A tuning that ended as it should. Only such a one takes the place of another such one.
[[nodiscard]] inline bool is_finished(record const& r) noexcept
{
    return !r.interrupted && !r.disturbed;
}

/// Whether `fresh` may stand in place of `known`, of the same key: an interrupted tuning not in
/// that of a whole one, a disturbed one not in that of a finished one.
/// @param took_part  `known` was there before `fresh` was tuned: it took part in that and met the
///                   same disturbance, or it could not be used
[[nodiscard]] inline bool
may_replace(record const& fresh, record const& known, bool took_part) noexcept
{
    if (fresh.interrupted) return known.interrupted;
    return is_finished(fresh) || took_part || !is_finished(known);
}

/// How well a record fits what was asked for, best first.
enum class record_match : std::uint8_t {
    exact,        ///< everything is equal
    other_size,   ///< only the inputs differ: a good start, times not comparable
    other_device, ///< only compiler or device differ: a fair start, times not comparable
    none,         ///< nothing fits
};

/// The word a report uses.
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

/// What a store gives back: `best` is empty exactly when `how` is `record_match::none`.
struct lookup_result {
    std::optional<record> best{};
    record_match how = record_match::none;
};

} // namespace attune::inline ATTUNE_ABI
