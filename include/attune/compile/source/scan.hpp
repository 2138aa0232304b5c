// attune/compile/source/scan.hpp - steps through C++ text, past comments and literals.
// SPDX-License-Identifier: MIT
//
// The lexical rules are those of [lex] in C++20, without trigraphs
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A position in C++ code. Comments are skipped; a string or character literal is one step.
class code_cursor {
public:
    explicit code_cursor(std::string_view text)
        : text_(text)
    {
        skip_comments();
    }

    [[nodiscard]] bool at_end() const noexcept { return at_ >= text_.size(); }
    [[nodiscard]] std::size_t position() const noexcept { return at_; }
    [[nodiscard]] std::size_t line() const noexcept { return line_; }
    [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }

    /// Steps over a literal or a character, and the comments after it.
    void step()
    {
        if (peek() == '"')
            literal('"');
        else if (peek() == '\'')
            literal('\'');
        else
            forward(1);
        skip_comments();
    }

    /// Steps over the identifier or number here and returns it; empty if there is none. Steps over
    /// a raw string with any prefix and returns an empty word.
    std::string_view word()
    {
        std::size_t const begin = at_;
        bool const number = is_digit(peek());
        while (!at_end() && (is_word(text_[at_]) || (number && digit_separator())))
            forward(1);
        std::string_view const found = text_.substr(begin, at_ - begin);
        if (peek() == '"' &&
            (found == "R" || found == "LR" || found == "uR" || found == "UR" || found == "u8R")) {
            raw_literal();
            skip_comments();
            return {};
        }
        if (!found.empty()) skip_comments();
        return found;
    }

    void skip_spaces()
    {
        while (!at_end() && is_space(peek()))
            step();
    }
    /// Skips spaces up to the end of the line.
    void skip_blanks()
    {
        while (!at_end() && is_space(peek()) && peek() != '\n')
            step();
    }

    [[nodiscard]] static bool is_word(char c) noexcept
    {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    [[nodiscard]] static bool is_space(char c) noexcept
    {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
    }

private:
    [[nodiscard]] static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    [[nodiscard]] bool starts(std::string_view token) const noexcept
    {
        return text_.substr(at_, token.size()) == token;
    }
    [[nodiscard]] bool digit_separator() const noexcept
    {
        return text_[at_] == '\'' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]);
    }

    void forward(std::size_t count)
    {
        for (; count > 0 && at_ < text_.size(); --count, ++at_)
            if (text_[at_] == '\n') ++line_;
    }
    void forward_to(std::size_t position)
    {
        forward((position == std::string_view::npos ? text_.size() : position) - at_);
    }

    void skip_comments()
    {
        for (;;) {
            if (starts("//")) {
                while (!at_end() && peek() != '\n')
                    forward(starts("\\\n") ? 2 : 1);
            } else if (starts("/*")) {
                std::size_t const end = text_.find("*/", at_ + 2);
                forward_to(end == std::string_view::npos ? end : end + 2);
            } else if (starts("\\\n")) {
                forward(2);
            } else {
                return;
            }
        }
    }
    void literal(char quote)
    {
        forward(1);
        while (!at_end() && peek() != quote && peek() != '\n')
            forward(peek() == '\\' ? 2 : 1);
        if (peek() == quote) forward(1);
    }
    void raw_literal()
    {
        std::size_t const open = text_.find('(', at_);
        if (open == std::string_view::npos) return forward_to(open);
        std::string const close = ')' + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
        std::size_t const end = text_.find(close, open);
        forward_to(end == std::string_view::npos ? end : end + close.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

/// The name of every `#include "name"`, in order. Does not evaluate `#if`.
[[nodiscard]] inline std::vector<std::string> quoted_includes(std::string_view text)
{
    std::vector<std::string> names;
    code_cursor cursor(text);
    bool line_start = true;
    while (!cursor.at_end()) {
        char const c = cursor.peek();
        if (code_cursor::is_word(c)) {
            cursor.word();
            line_start = false;
            continue;
        }
        if (line_start && c == '#') {
            cursor.step();
            cursor.skip_blanks();
            if (cursor.word() == "include") {
                cursor.skip_blanks();
                if (cursor.peek() == '"') {
                    std::size_t const begin = cursor.position() + 1;
                    std::size_t const end = text.find_first_of("\"\n", begin);
                    if (end != std::string_view::npos && text[end] == '"')
                        names.emplace_back(text.substr(begin, end - begin));
                }
            }
            line_start = false;
            continue;
        }
        if (!code_cursor::is_space(c)) line_start = false;
        if (c == '\n') line_start = true;
        cursor.step();
    }
    return names;
}

} // namespace attune::inline ATTUNE_ABI::detail
