// tests/space/files/python_reference.hpp - what a Python expression is worth, without any nodes.
// SPDX-License-Identifier: MIT
//
// A second implementation: reads the text and computes in one pass, in doubles; a value that does
// not exist (division by zero) is nothing, and stays nothing unless `and` or `or` decided before.
#pragma once

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace attune_tests {

class python_reference {
public:
    using value = std::optional<double>;

    python_reference(std::string text, std::map<std::string, double> const& names)
        : text_(std::move(text))
        , names_(names)
    {
    }
    value run()
    {
        value const v = either();
        if (at_ != text_.size()) throw std::runtime_error("not read to the end: " + text_);
        return v;
    }

private:
    void blanks()
    {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool take(std::string const& sign)
    {
        blanks();
        if (text_.compare(at_, sign.size(), sign) != 0) return false;
        bool const word = std::isalpha(static_cast<unsigned char>(sign[0])) != 0;
        std::size_t const end = at_ + sign.size();
        if (word && end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])))
            return false;
        at_ = end;
        blanks();
        return true;
    }
    value either()
    {
        value left = both();
        while (take("or")) {
            value const right = both();
            if (left && *left == 0) left = right;
        }
        return left;
    }
    value both()
    {
        value left = inverse();
        while (take("and")) {
            value const right = inverse();
            if (left && *left != 0) left = right;
        }
        return left;
    }
    value inverse()
    {
        if (!take("not")) return chain();
        value const v = inverse();
        return v ? value(*v == 0 ? 1 : 0) : value{};
    }
    value chain()
    {
        value left = sum();
        value all = left;
        bool compared = false;
        for (;;) {
            int kind = -1;
            std::vector<std::string> const signs{"==", "!=", "<=", ">=", "<", ">"};
            for (int i = 0; i < 6 && kind < 0; ++i)
                if (take(signs[static_cast<std::size_t>(i)])) kind = i;
            if (kind < 0) return all;
            value const right = sum();
            value link;
            if (left && right) {
                double const a = *left;
                double const b = *right;
                bool const results[] = {a == b, a != b, a <= b, a >= b, a<b, a> b};
                link = results[kind] ? 1 : 0;
            }
            if (!compared || (all && *all != 0)) all = link;
            compared = true;
            left = right;
        }
    }
    template <class Compute>
    static value with(value a, value b, Compute compute)
    {
        return a && b ? value(compute(*a, *b)) : value{};
    }
    value sum()
    {
        value left = term();
        for (;;) {
            if (take("+"))
                left = with(left, term(), [](double a, double b) { return a + b; });
            else if (take("-"))
                left = with(left, term(), [](double a, double b) { return a - b; });
            else
                return left;
        }
    }
    value term()
    {
        value left = unary();
        for (;;) {
            int const kind = take("//") ? 0 : take("/") ? 1 : take("%") ? 2 : take("*") ? 3 : 4;
            if (kind == 4) return left;
            value const right = unary();
            if (kind < 3 && right && *right == 0) {
                left.reset();
                continue;
            }
            left = with(left, right, [&](double a, double b) {
                if (kind == 0) return std::floor(a / b);
                if (kind == 1) return a / b;
                if (kind == 2) return a - b * std::floor(a / b);
                return a * b;
            });
        }
    }
    value unary()
    {
        if (!take("-")) return atom();
        value const v = unary();
        return v ? value(-*v) : v;
    }
    value atom()
    {
        if (take("(")) {
            value const v = either();
            if (!take(")")) throw std::runtime_error("no ) in " + text_);
            return v;
        }
        std::size_t const begin = at_;
        auto const letter = [&] {
            unsigned char const c = static_cast<unsigned char>(text_[at_]);
            return std::isalnum(c) != 0 || c == '_' || c == '.';
        };
        while (at_ < text_.size() && letter())
            ++at_;
        std::string const word = text_.substr(begin, at_ - begin);
        blanks();
        if (word.empty()) throw std::runtime_error("no value in " + text_);
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0)
            return std::strtod(word.c_str(), nullptr);
        return names_.at(word);
    }

    std::string text_;
    std::map<std::string, double> const& names_;
    std::size_t at_ = 0;
};

} // namespace attune_tests
