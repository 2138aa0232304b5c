// attune/remember/record_line.hpp - a record as one line of text, and back.
// SPDX-License-Identifier: MIT
// Source   JSON lines: every line is a JSON object (RFC 8259)
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace attune::inline ATTUNE_ABI {

/// The store format this library writes, and the newest it reads. A reader of this format ignores
/// fields it does not know, so adding one needs no new number.
inline constexpr std::uint64_t store_format = 1;

/// The first line of a store: {"attune_store":1}.
struct store_header {
    bool known = true;  ///< false: a format that this library cannot read
    std::string format; ///< as written in the file
};

/// A line that holds neither.
struct damage {
    std::string why; ///< "not JSON (byte 17)", "best_s is missing", ...
};

using line_content = std::variant<record, store_header, damage>;

/// The first line of every store, without its newline.
[[nodiscard]] std::string header_line();

/// One line, without its newline. Reading it gives back an equal record: numbers to the last bit,
/// infinities and NaN, and text that is not UTF-8.
[[nodiscard]] std::string record_line(record const& entry);

/// What one line says. Never throws for what is in it.
[[nodiscard]] line_content read_line(std::string_view line);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/record_line.ipp>
#endif
