// attune/remember/lines/record_line.hpp - writes and reads the lines of a store.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/call_coverage.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The format of written lines, and the newest readable one. A reader ignores unknown fields and,
/// for lines with a checksum, unknown kinds of lines: these need no new number.
inline constexpr std::uint64_t store_format = 2;

/// The first line of a store, and of text that a newer release appended: {"attune_store":2}.
struct store_header {
    bool known = true;  ///< false: a format newer than `store_format`
    std::string format; ///< as written in the file
};

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
struct calls_entry {
    std::string at{};
    past_calls calls{};
};
/// A record of format 2: its key has only the schema, its configuration no names. See record_of().
struct won_entry {
    std::string at{};
    record entry{};
};
/// A line of a kind of a later release.
struct other_entry {};

/// A `record` is a line of format 1.
using line_content = std::variant<record, problem_entry, tried_entry, proven_entry, calls_entry,
                                  won_entry, other_entry, store_header, damaged_line>;

/// Lines without their newline. Reading one gives equal values: numbers to the last bit, infinities
/// and NaN, and text that is not UTF-8.
[[nodiscard]] std::string header_line();
[[nodiscard]] std::string problem_line(std::string const& id, stored_problem const& problem);
[[nodiscard]] std::string tried_line(std::string const& id, tried_row const& row);
[[nodiscard]] std::string proven_line(std::string const& id, proven_shape const& proof);
/// Texts of shapes and reasons are cut after 300 characters.
[[nodiscard]] std::string calls_line(std::string const& id, past_calls const& calls);
/// The line for a tuning that ended without a kept winner.
[[nodiscard]] std::string over_line(std::string const& id);
[[nodiscard]] std::string won_line(std::string const& id, record const& entry);

/// The content of a line. Never throws because of the content.
[[nodiscard]] line_content read_line(std::string_view line);

/// The record of a won line, with the key and the names of its problem.
[[nodiscard]] record record_of(won_entry won, stored_problem const& problem);

/// The result of checking a line's checksum.
enum class line_check : std::uint8_t { right, wrong, missing };
/// Cost  0.5 ns a byte
[[nodiscard]] line_check check_of(std::string_view line) noexcept;

/// The digits at the end of a line with a checksum, as a number; meaningless for another line.
[[nodiscard]] std::uint32_t sum_of(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/record_line.ipp>
#endif
