// attune/space/files/detail/expression_lexer.hpp - the tokens of an expression.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 2 (lexical analysis), the part that constraints use
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/syntax_error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI {

namespace detail {

enum class token_kind : std::uint8_t { end, integer, real, text, name, quoted_name, sign };

/// One token. `spelling` is a view of the source; a text's content is in `value`.
struct token {
    token_kind kind = token_kind::end;
    std::size_t at = 0;
    std::string_view spelling;
    std::string value; ///< a text or a name, without quotes and escapes
    std::int64_t integer = 0;
    double real = 0;
};

[[nodiscard]] inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] inline bool is_name_start(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Reads tokens from left to right.
class expression_lexer {
public:
    explicit expression_lexer(std::string_view text)
        : text_(text)
    {
    }

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[noreturn]] void fail(std::string const& what, std::size_t at, std::string const& next) const
    {
        throw syntax_error(what, text_, at, "", next);
    }

    /// @param negative  a minus precedes the number
    [[nodiscard]] token next(bool negative = false)
    {
        skip_spaces();
        token out;
        out.at = at_;
        if (at_ == text_.size()) return out;
        char const c = text_[at_];
        if (number_follows())
            read_number(out, negative);
        else if (c == '\'' || c == '"' || c == '`')
            read_quoted(out, c);
        else if (is_name_start(c))
            read_name(out);
        else
            read_sign(out);
        out.spelling = text_.substr(out.at, at_ - out.at);
        return out;
    }

    /// Whether the next token is a number.
    [[nodiscard]] bool number_follows()
    {
        skip_spaces();
        std::size_t const first = at_ < text_.size() && text_[at_] == '.' ? at_ + 1 : at_;
        return first < text_.size() && is_digit(text_[first]);
    }

    /// The token that next() would read; does not advance.
    [[nodiscard]] token peek() const { return expression_lexer(*this).next(); }

private:
    static constexpr std::size_t nowhere = std::string_view::npos;

    void skip_spaces()
    {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != nowhere)
            ++at_;
    }

    void read_number(token& out, bool negative)
    {
        bool const hexadecimal = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
        std::size_t end = hexadecimal ? at_ + 2 : at_;
        bool real = false;
        for (; end < text_.size(); ++end) {
            char const c = text_[end];
            bool const exponent = !hexadecimal && (c == 'e' || c == 'E');
            if (exponent && end + 1 < text_.size() &&
                (text_[end + 1] == '-' || text_[end + 1] == '+'))
                ++end;
            real = real || exponent || c == '.';
            if (!is_digit(c) && !is_name_start(c) && c != '.') break;
        }
        std::string const spelled =
            (negative ? "-" : "") + std::string(text_.substr(hexadecimal ? at_ + 2 : at_,
                                                             end - at_ - (hexadecimal ? 2 : 0)));
        char const* const last = spelled.data() + spelled.size();
        auto const [read, status] =
            real ? std::from_chars(spelled.data(), last, out.real)
                 : std::from_chars(spelled.data(), last, out.integer, hexadecimal ? 16 : 10);
        if ((read != last || status == std::errc::invalid_argument) &&
            status != std::errc::result_out_of_range)
            fail("expected a number, found `" + std::string(text_.substr(at_, end - at_)) + '`',
                 at_, "");
        if (status == std::errc::result_out_of_range)
            fail("the number " + std::string(text_.substr(at_, end - at_)) + " is too large", at_,
                 real ? "doubles end at 1.8e308" : "whole numbers have 64 bits, with sign");
        out.kind = real ? token_kind::real : token_kind::integer;
        at_ = end;
    }

    void read_quoted(token& out, char quote)
    {
        std::size_t const begin = at_++;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\\' && quote != '`' && at_ + 1 < text_.size()) ++at_;
            out.value += text_[at_];
        }
        if (at_ == text_.size())
            fail(std::string("expected a closing ") + quote + ", found the end", begin, "");
        ++at_;
        out.kind = quote == '`' ? token_kind::quoted_name : token_kind::text;
    }

    void read_name(token& out)
    {
        std::size_t const begin = at_;
        while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_])))
            ++at_;
        out.kind = token_kind::name;
        out.value = text_.substr(begin, at_ - begin);
    }

    void read_sign(token& out)
    {
        out.kind = token_kind::sign;
        for (std::string_view const two : {"**", "//", "<=", ">=", "==", "!=", "&&", "||"})
            if (text_.substr(at_, 2) == two) {
                at_ += 2;
                return;
            }
        if (std::string_view("+-*/%<>()[],!").find(text_[at_]) == nowhere)
            fail("expected an operator or a value, found `" + std::string(1, text_[at_]) + '`', at_,
                 text_[at_] == '=' ? "compare with ==" : "");
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
