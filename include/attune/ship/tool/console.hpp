// attune/ship/tool/console.hpp - where the program attune reads and writes.
// SPDX-License-Identifier: MIT
// tested by ship/tool/tool.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

struct console {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool has_colours = false; ///< `out` is a terminal
    bool is_live = false;     ///< `err` is a terminal: long work shows its progress
    /// The other end of the pipe that `out` is was closed.
    std::function<bool()> has_no_reader = [] { return false; };
};

enum class colour : std::uint8_t { bold, dim, red, green, yellow };

/// `text` in a colour, where the console has colours.
[[nodiscard]] std::string painted(console const& on, colour as, std::string_view text);

/// A name as a terminal may see it: what could move its cursor or turn the direction of its text,
/// and what is no UTF-8, as "\x1b".
[[nodiscard]] std::string printable(std::string_view text);

/// A message of several lines as one: "tried: a; b".
[[nodiscard]] std::string one_line(std::string_view text);

/// Rows in columns under a head; cells are printable.
struct text_table {
    std::vector<std::string> head{}; ///< a name that begins with '>' is that of a column of numbers
    std::vector<std::vector<std::string>> rows{};

    void write(console& to) const;
};

} // namespace attune::inline ATTUNE_ABI::detail::tool

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/tool/console.ipp>
#endif
