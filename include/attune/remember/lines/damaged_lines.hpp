// attune/remember/lines/damaged_lines.hpp - lines of a file that cannot be read.
// SPDX-License-Identifier: MIT
// tested by remember/lines/store_content.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct damaged_lines {
    std::size_t count = 0;
    std::size_t first = 0; ///< number of the first one, from 1
    std::string why{};     ///< of the first one

    void add(std::size_t line, std::string reason)
    {
        if (count++ > 0 && line > first) return;
        first = line;
        why = std::move(reason);
    }
    /// "a.attune:7: this and 2 more damaged lines are skipped (why)"; empty: there is none.
    [[nodiscard]] std::string text(std::string const& file) const
    {
        if (count == 0) return {};
        return file + ':' + std::to_string(first) +
               (count == 1 ? ": this damaged line is skipped ("
                           : ": this and " + std::to_string(count - 1) +
                                 " more damaged lines are skipped (") +
               why + ')';
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
