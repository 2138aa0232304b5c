// tests/space/files/smtlib_reference.hpp - the truth of an SMT-LIB script where its constants are known.
// SPDX-License-Identifier: MIT
//
// Doubles stand for Int and Real: exact for the small numbers of the tests.
#pragma once

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace attune_tests {

class smtlib_reference {
public:
    explicit smtlib_reference(std::string const& script)
    {
        std::size_t at = 0;
        while (true) {
            skip(script, at);
            if (at == script.size()) return;
            commands_.push_back(read(script, at));
        }
    }

    /// Whether every assertion holds; (define-fun) without arguments is a name for a term.
    [[nodiscard]] bool holds(std::map<std::string, double> names) const
    {
        for (term const& c : commands_) {
            std::string const& what = c.parts.at(0).word;
            if (what == "define-fun") names[c.parts.at(1).word] = value(c.parts.at(4), names);
            if (what == "declare-const" && names.count(c.parts.at(1).word) == 0)
                throw std::runtime_error("no value for " + c.parts.at(1).word);
            if (what == "assert" && value(c.parts.at(1), names) == 0) return false;
        }
        return true;
    }

private:
    struct term {
        std::string word;
        std::vector<term> parts;
    };

    static void skip(std::string const& s, std::size_t& at)
    {
        while (at < s.size() &&
               (std::isspace(static_cast<unsigned char>(s[at])) != 0 || s[at] == ';'))
            at = s[at] == ';' ? s.find('\n', at) : at + 1;
    }
    static term read(std::string const& s, std::size_t& at)
    {
        term out;
        skip(s, at);
        if (s.at(at) == '(') {
            ++at;
            for (skip(s, at); s.at(at) != ')'; skip(s, at))
                out.parts.push_back(read(s, at));
            ++at;
            return out;
        }
        std::size_t const begin = at;
        if (s[at] == '|')
            at = s.find('|', at + 1) + 1;
        else
            at = s.find_first_of(" ()\n", at);
        out.word = s.substr(begin, at - begin);
        return out;
    }
    static double value(term const& t, std::map<std::string, double> const& names)
    {
        if (t.parts.empty()) {
            if (t.word == "true" || t.word == "false") return t.word == "true" ? 1 : 0;
            if (std::isdigit(static_cast<unsigned char>(t.word[0])) != 0)
                return std::strtod(t.word.c_str(), nullptr);
            return names.at(t.word);
        }
        std::string const& f = t.parts[0].word;
        std::vector<double> v;
        for (std::size_t i = 1; i < t.parts.size(); ++i)
            v.push_back(value(t.parts[i], names));
        double const a = v.at(0);
        if (f == "not") return a == 0 ? 1 : 0;
        if (f == "-" && v.size() == 1) return -a;
        if (f == "to_real") return a;
        if (f == "to_int") return std::floor(a);
        if (f == "ite") return a != 0 ? v.at(1) : v.at(2);
        bool all = true;
        bool any = false;
        double product = 1;
        for (std::size_t i = 0; i < v.size(); ++i) {
            all = all && v[i] != 0;
            any = any || v[i] != 0;
            product *= v[i];
            if (f == "distinct")
                for (std::size_t j = 0; j < i; ++j)
                    if (v[i] == v[j]) return 0;
        }
        if (f == "and") return all ? 1 : 0;
        if (f == "or") return any ? 1 : 0;
        if (f == "distinct") return 1;
        if (f == "*") return product;
        double const b = v.at(1);
        if (f == "+") return a + b;
        if (f == "-") return a - b;
        if (f == "/") return b == 0 ? 0 : a / b;
        if (f == "div" || f == "mod") { // any value will do where b is 0
            double const quotient = b == 0 ? 0 : b > 0 ? std::floor(a / b) : std::ceil(a / b);
            return f == "div" ? quotient : a - b * quotient;
        }
        bool holds = true;
        for (std::size_t i = 1; i < v.size(); ++i) {
            double const x = v[i - 1];
            double const y = v[i];
            if (f == "=")
                holds = holds && x == y;
            else if (f == "<")
                holds = holds && x < y;
            else if (f == "<=")
                holds = holds && x <= y;
            else if (f == ">")
                holds = holds && x > y;
            else if (f == ">=")
                holds = holds && x >= y;
            else
                throw std::runtime_error("unknown word " + f);
        }
        return holds ? 1 : 0;
    }

    std::vector<term> commands_;
};

} // namespace attune_tests
