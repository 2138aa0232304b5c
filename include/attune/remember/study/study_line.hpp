// attune/remember/study/study_line.hpp - what the processes of a shared study write into its file, and back.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The format of the lines written here, and the newest that is read. A reader ignores fields and
/// kinds of lines that it does not know.
inline constexpr std::uint64_t study_format = 1;

/// The first line: what all that take part must have in common.
struct study_header {
    std::string objective{};  ///< the name of what is evaluated
    std::string space{};      ///< identity of the space
    value_texts parameters{}; ///< names, in the order of the values of a configuration
    value_texts sizes{};      ///< how many values each has: "11"; "real"
    named_texts inputs{};     ///< of the space
    std::string bounds{};     ///< on quantities that are measured: "error <= 0.001"
    std::uint64_t format = study_format;
};

/// Why what one wants to take part with is not what the study is of, in words; empty: it is.
[[nodiscard]] std::string difference_of_studies(study_header const& here, study_header const& own);

/// A claim, by its worker and the number that the worker gave it.
struct claim_name {
    std::string worker{};
    std::uint64_t number = 0;

    [[nodiscard]] friend bool operator==(claim_name const&, claim_name const&) = default;
};

struct study_join {
    std::string host{};
    std::uint64_t process = 0;
    /// Who hears nothing of the worker for so many seconds, by a clock of their own, may take its
    /// claims over.
    double lease_s = 0;
};
/// The worker begins to evaluate a configuration.
struct study_claim {
    std::uint64_t number = 0;
    value_texts values{};
    std::optional<claim_name> over{}; ///< a claim of the same configuration that has expired
};
/// The outcome of a claim.
struct study_told {
    std::uint64_t number = 0;
    value_texts values{};
    evaluation seen = evaluation(0.0);
    /// `seen` is a failure that the objective did not return: it threw, returned NaN, or took too
    /// long.
    bool is_fault = false;
};
/// The worker is at work.
struct study_beat {};
/// The worker has left; its claims are free.
struct study_leave {};
/// A line of a kind that a later release writes.
struct study_other {};

/// What a worker writes.
struct study_line {
    std::string worker{}; ///< its name in the file, of no other
    /// Seconds since 1970, by the writer's clock: for people, nothing is decided by it.
    double when_s = 0;
    std::variant<study_other, study_join, study_claim, study_told, study_beat, study_leave> says{};
};

using study_content = std::variant<study_header, study_line, damaged_line>;

/// A line without its newline. Reading one gives back equal values: numbers to the last
/// bit, and text that is not UTF-8.
[[nodiscard]] std::string text_of_line(study_header const& header);
[[nodiscard]] std::string text_of_line(study_line const& line);
/// What one line says: only what has a checksum, which is right. Never throws for what is in it.
[[nodiscard]] study_content read_study_line(std::string_view line);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/study/study_line.ipp>
#endif
