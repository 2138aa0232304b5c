// attune/space/files/syntax_error.hpp - the error of a text that cannot be read, with its position.
// SPDX-License-Identifier: MIT
//
// tested by space/files/expression_parser.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// A text that cannot be read: the expected token and the position.
class syntax_error : public error {
public:
    /// @param text    the whole text
    /// @param offset  position of the wrong byte; the text's size when it ends too soon
    /// @param source  name of the file or constraint; may be empty
    syntax_error(std::string const& what, std::string_view text, std::size_t offset,
                 std::string const& source = "", std::string const& next = "");

    [[nodiscard]] std::string const& problem() const noexcept { return problem_; }
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
    [[nodiscard]] std::size_t line() const noexcept { return line_; }     ///< from 1
    [[nodiscard]] std::size_t column() const noexcept { return column_; } ///< from 1, in bytes

private:
    std::string problem_;
    std::size_t offset_;
    std::size_t line_;
    std::size_t column_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/syntax_error.ipp>
#endif
