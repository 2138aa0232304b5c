// attune/space/files/syntax_error.ipp - finds line, column and an excerpt of the text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/syntax_error.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE syntax_error::syntax_error(std::string const& what, std::string_view text,
                                         std::size_t offset, std::string const& source,
                                         std::string const& next)
    : error(
          what,
          [&] {
              std::string_view const before = text.substr(0, offset);
              auto const line = 1 + std::count(before.begin(), before.end(), '\n');
              std::size_t const newline = before.rfind('\n');
              std::size_t const start = newline == std::string_view::npos ? 0 : newline + 1;
              std::string where = source.empty() ? source : source + ", ";
              where += "line " + std::to_string(line) + ", column " +
                       std::to_string(before.size() - start + 1);
              std::string_view shown = text.substr(start);
              shown = shown.substr(0, shown.find('\n'));
              std::size_t const at = before.size() - start;
              if (at > 40) shown.remove_prefix(at - 40);
              return where + ": " + std::string(shown.substr(0, 80));
          }(),
          next)
    , problem_(what)
    , offset_(std::min(offset, text.size()))
{
    std::string_view const before = text.substr(0, offset_);
    std::size_t const newline = before.rfind('\n');
    line_ = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    column_ = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
}

} // namespace attune::inline ATTUNE_ABI
