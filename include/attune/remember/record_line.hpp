// attune/remember/record_line.hpp - a record as one line of text.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The store format that this library writes, and the newest that it reads. Readers ignore unknown
/// fields, so a new field needs no new format.
inline constexpr std::uint64_t store_format = 1;

/// The first line of a store: {"attune_store":1}.
struct store_header {
    bool known = true;  ///< false: this library cannot read the format
    std::string format; ///< as the file states it
};

/// A line that is neither a record nor a header.
struct damage {
    std::string why; ///< "not JSON (byte 17)", "best_s is missing", ...
};

using line_content = std::variant<record, store_header, damage>;

/// The first line of every store, without its newline.
[[nodiscard]] std::string header_line();

/// A record as a line, without its newline. Reading the line gives an equal record: numbers to the
/// last bit, infinities, NaN, and text that is not UTF-8.
[[nodiscard]] std::string record_line(record const& entry);

/// Reads one line. Never throws because of its content.
[[nodiscard]] line_content read_line(std::string_view line);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/record_line.ipp>
#endif
