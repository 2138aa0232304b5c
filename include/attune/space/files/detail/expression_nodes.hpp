// attune/space/files/detail/expression_nodes.hpp - the tokens of an expression, and the nodes that are made of them.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 2 (lexical analysis), the part that constraints use; Sec.
//          6.7 (true division)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class token_kind : std::uint8_t { end, integer, real, text, name, quoted_name, sign };

/// A token. `spelling` is a view of the source; `value` is the content of a text.
struct token {
    token_kind kind = token_kind::end;
    std::size_t at = 0;
    std::string_view spelling;
    std::string value; ///< content of a text or a name, without quotes and escapes
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

    /// Returns true if the next token is a number.
    [[nodiscard]] bool number_follows()
    {
        skip_spaces();
        std::size_t const first = at_ < text_.size() && text_[at_] == '.' ? at_ + 1 : at_;
        return first < text_.size() && is_digit(text_[first]);
    }

    /// Returns true if the bracket at `at` has a comma of its own, as a tuple has.
    [[nodiscard]] bool has_comma(std::size_t at) const noexcept
    {
        char quote = '\0';
        for (std::size_t depth = 0; at < text_.size(); ++at) {
            char const c = text_[at];
            auto const is_one_of = [c](std::string_view all) { return all.find(c) != nowhere; };
            if (quote != '\0') {
                if (c == '\\' && quote != '`') ++at;
                if (c == quote) quote = '\0';
            } else if (is_one_of("'\"`")) {
                quote = c;
            } else if (is_one_of("([{")) {
                ++depth;
            } else if (is_one_of(")]}") && --depth == 0) {
                return false;
            } else if (c == ',' && depth == 1) {
                return true;
            }
        }
        return false;
    }

    /// The token that next() would read.
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
        std::string_view const prefix = text_.substr(at_, 2);
        int const base = prefix == "0x" || prefix == "0X"   ? 16
                         : prefix == "0b" || prefix == "0B" ? 2
                         : prefix == "0o" || prefix == "0O" ? 8
                                                            : 10;
        std::string spelled = negative ? "-" : "";
        std::size_t end = base == 10 ? at_ : at_ + 2;
        bool real = false;
        for (; end < text_.size(); ++end) {
            char const c = text_[end];
            bool const exponent = base == 10 && (c == 'e' || c == 'E');
            if (!is_digit(c) && !is_name_start(c) && c != '.') break;
            auto const joins = [&](std::size_t at) {
                return at < text_.size() && text_[at] != '_' &&
                       (is_digit(text_[at]) || (base == 16 && is_name_start(text_[at])));
            };
            bool const separates = c == '_' && joins(end - 1) && joins(end + 1); // 1_000
            if (!separates) spelled += c;
            if (exponent && end + 1 < text_.size() &&
                (text_[end + 1] == '-' || text_[end + 1] == '+'))
                spelled += text_[++end];
            real = real || exponent || (c == '.' && base == 10);
        }
        char const* const last = spelled.data() + spelled.size();
        auto const [read, status] = real ? std::from_chars(spelled.data(), last, out.real)
                                         : std::from_chars(spelled.data(), last, out.integer, base);
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
        for (std::string_view const bits : {"<<", ">>", "&", "|", "^", "~"})
            if (text_.substr(at_).starts_with(bits))
                fail("expected no bit operator, found `" + std::string(bits) + '`', at_,
                     "write x % 8 for x & 7, x // 8 for x >> 3, x * 8 for x << 3, and `and` or "
                     "`or` between conditions");
        if (std::string_view("+-*/%<>()[]{},!").find(text_[at_]) == nowhere)
            fail("expected an operator or a value, found `" + std::string(1, text_[at_]) + '`', at_,
                 text_[at_] == '=' ? "compare with ==" : "");
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

struct node_facts {
    value_kind kind = value_kind::integer;
    std::uint32_t depth = 1;
    std::uint32_t size = 1; ///< size as a tree, with repetitions; saturates
};

struct expression_node_hash {
    [[nodiscard]] std::size_t operator()(expression_node const& n) const noexcept
    {
        std::uint64_t h = static_cast<std::uint64_t>(n.code);
        for (std::uint64_t const part :
             {std::uint64_t{n.first}, std::uint64_t{n.second}, std::uint64_t{n.third},
              std::uint64_t{n.subject}, std::uint64_t{n.text},
              static_cast<std::uint64_t>(n.integer), std::bit_cast<std::uint64_t>(n.real + 0.0)})
            h = (h ^ part ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(h ^ (h >> 32));
    }
};

/// Adds nodes to one description. Keep one object for many constraints: it indexes the nodes once.
class expression_builder {
public:
    explicit expression_builder(description& space)
        : space_(space)
    {
        for (std::uint32_t i = 0; i < space_.nodes.size(); ++i) {
            known_.emplace(space_.nodes[i], i);
            facts_.push_back(facts_of(space_.nodes[i]));
        }
    }

    [[nodiscard]] description& space() const noexcept { return space_; }
    [[nodiscard]] node_facts const& facts(std::uint32_t node) const { return facts_[node]; }

    std::uint32_t add(expression_node const& n)
    {
        auto const [found, is_new] =
            known_.emplace(n, static_cast<std::uint32_t>(space_.nodes.size()));
        if (is_new) {
            space_.nodes.push_back(n);
            facts_.push_back(facts_of(n));
        }
        return found->second;
    }
    std::uint32_t integer(std::int64_t v) { return add({.code = op::integer, .integer = v}); }
    std::uint32_t real(double v) { return add({.code = op::real, .real = v}); }
    std::uint32_t text(std::string const& v)
    {
        auto const found = std::find(space_.texts.begin(), space_.texts.end(), v);
        auto const place = static_cast<std::uint32_t>(found - space_.texts.begin());
        if (found == space_.texts.end()) space_.texts.push_back(v);
        return add({.code = op::text, .text = place});
    }
    std::uint32_t one(op code, std::uint32_t a) { return add({.code = code, .first = a}); }
    std::uint32_t two(op code, std::uint32_t a, std::uint32_t b)
    {
        return add({.code = code, .first = a, .second = b});
    }
    std::uint32_t select(std::uint32_t c, std::uint32_t a, std::uint32_t b)
    {
        bool const is_real =
            facts_[a].kind == value_kind::real || facts_[b].kind == value_kind::real;
        return add(
            {.code = op::select, .first = c, .second = a, .third = b, .real = is_real ? 1.0 : 0.0});
    }

    /// Python's `a / b`.
    std::uint32_t true_divide(std::uint32_t a, std::uint32_t b)
    {
        bool const whole = facts_[a].kind != value_kind::real && facts_[b].kind != value_kind::real;
        if (!whole || always_divides(a, b)) return two(op::divide, a, b);
        if (space_.nodes[a].code == op::integer)
            return two(op::divide, real(static_cast<double>(space_.nodes[a].integer)), b);
        if (space_.nodes[b].code == op::integer)
            return two(op::divide, a, real(static_cast<double>(space_.nodes[b].integer)));
        return two(op::divide, two(op::multiply, a, real(1.0)), b);
    }

    /// The parameters below `root`, ascending.
    [[nodiscard]] std::vector<std::uint32_t> scope(std::uint32_t root) const
    {
        std::vector<std::uint32_t> out;
        std::vector<std::uint32_t> open{root};
        std::vector<bool> seen(space_.nodes.size());
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            open.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            expression_node const& n = space_.nodes[at];
            if (names_parameter(n.code)) out.push_back(n.subject);
            for (std::uint32_t const operand : {n.first, n.second, n.third})
                if (operand != no_index) open.push_back(operand);
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

private:
    [[nodiscard]] node_facts facts_of(expression_node const& n) const
    {
        node_facts out;
        bool any_real = false;
        for (std::uint32_t const operand : {n.first, n.second, n.third}) {
            if (operand == no_index) continue;
            node_facts const& below = facts_[operand];
            out.depth = std::max(out.depth, below.depth + 1);
            out.size = std::min(out.size + below.size, 2 * max_expression_size);
            any_real = any_real || below.kind == value_kind::real;
        }
        if (n.code == op::parameter)
            out.kind = space_.parameters[n.subject].type;
        else if (n.code == op::input)
            out.kind = space_.inputs[n.subject].type;
        else if (n.code == op::text)
            out.kind = value_kind::text;
        else if (yields_truth(n.code))
            out.kind = value_kind::boolean;
        else if (n.code == op::real || (n.code == op::select ? n.real != 0 : any_real))
            out.kind = value_kind::real;
        return out;
    }

    /// Returns true if the whole number `b` divides `a` at all settings where both have a value.
    /// Tries every setting of the parameters; false if there are too many, or values are unknown.
    [[nodiscard]] bool always_divides(std::uint32_t a, std::uint32_t b) const
    {
        std::vector<std::uint32_t> read = scope(a);
        for (std::uint32_t const i : scope(b))
            read.push_back(i);
        std::sort(read.begin(), read.end());
        read.erase(std::unique(read.begin(), read.end()), read.end());
        std::uint64_t settings = 1;
        for (std::uint32_t const i : read) {
            settings *= space_.parameters[i].value_count();
            if (settings == 0 || settings > 1024 || space_.parameters[i].traits().is_interval)
                return false;
        }
        if (facts_[a].size + facts_[b].size > 200 || reads_input(a) || reads_input(b)) return false;
        evaluator const values(space_);
        std::vector<coordinate> at(space_.parameters.size());
        for (std::uint64_t setting = 0; setting < settings; ++setting) {
            std::uint64_t rest = setting;
            for (std::uint32_t const i : read) {
                std::uint32_t const count = space_.parameters[i].value_count();
                at[i].index = static_cast<std::uint32_t>(rest % count);
                rest /= count;
            }
            std::optional<number> const below = values.value(b, at);
            std::optional<number> const above = values.value(a, at);
            if (!above || !below || below->integer == 0 || below->integer == -1) continue;
            if (above->integer % below->integer != 0) return false;
        }
        return true;
    }

    [[nodiscard]] bool reads_input(std::uint32_t root) const
    {
        expression_node const& n = space_.nodes[root];
        if (n.code == op::input) return true;
        for (std::uint32_t const operand : {n.first, n.second, n.third})
            if (operand != no_index && reads_input(operand)) return true;
        return false;
    }

    description& space_;
    std::unordered_map<expression_node, std::uint32_t, expression_node_hash> known_;
    std::vector<node_facts> facts_;
};

} // namespace attune::inline ATTUNE_ABI::detail
