// attune/remember/lines/record_line.hpp - the lines of a store, and back.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The format of the lines written here, and the newest that is read. A reader ignores fields and,
/// of lines with a checksum, kinds of lines that it does not know: adding one needs no new number.
inline constexpr std::uint64_t store_format = 2;

/// The first line of a store, and of what a newer release appended to it: {"attune_store":2}.
struct store_header {
    bool known = true;  ///< false: a format newer than `store_format`
    std::string format; ///< as written in the file
};

/// A line that cannot be read.
struct damaged_line {
    std::string why; ///< "not JSON (byte 17)", "best_s is missing", ...
};

/// A problem and the name by which other lines refer to it.
struct problem_entry {
    std::string id{};
    stored_problem problem{};
};
struct tried_entry {
    std::string at{}; ///< id of the problem
    tried_row row{};
};
struct proven_entry {
    std::string at{};
    proven_shape proof{};
};
/// A record of format 2: its key has the schema alone, its configuration no names. See record_of().
struct won_entry {
    std::string at{};
    record entry{};
};
/// A line of a kind that a later release writes.
struct other_entry {};

/// A `record` is a line of format 1.
using line_content = std::variant<record, problem_entry, tried_entry, proven_entry, won_entry,
                                  other_entry, store_header, damaged_line>;

/// Lines without their newline. Reading one gives back equal values: numbers to the last bit,
/// infinities and NaN, and text that is not UTF-8.
[[nodiscard]] std::string header_line();
[[nodiscard]] std::string problem_line(std::string const& id, stored_problem const& problem);
[[nodiscard]] std::string tried_line(std::string const& id, tried_row const& row);
[[nodiscard]] std::string proven_line(std::string const& id, proven_shape const& proof);
/// A tuning ended, and its winner is not kept.
[[nodiscard]] std::string over_line(std::string const& id);
[[nodiscard]] std::string won_line(std::string const& id, record const& entry);

/// What one line says. Never throws for what is in it.
[[nodiscard]] line_content read_line(std::string_view line);

/// The record of a won line, with the key and the names of its problem.
[[nodiscard]] record record_of(won_entry won, stored_problem const& problem);

/// What the checksum at the end of a line says of the line.
enum class line_check : std::uint8_t { right, wrong, missing };
/// Cost  0.5 ns a byte
[[nodiscard]] line_check check_of(std::string_view line) noexcept;

/// The digits at the end of a line that has a checksum, as a number; meaningless of another line.
[[nodiscard]] std::uint32_t sum_of(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/record_line.ipp>
#endif
