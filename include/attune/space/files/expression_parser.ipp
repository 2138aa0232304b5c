// attune/space/files/expression_parser.ipp - recursive descent, one function per level of precedence; line and column of an error.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 6
#pragma once

#include <attune/declare/expression/operation.hpp>
#include <attune/space/files/detail/expression_atoms.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <optional>
#include <vector>

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

namespace detail {

class expression_reader : public expression_atoms<expression_reader> {
public:
    using expression_atoms::expression_atoms;

    [[nodiscard]] std::uint32_t root() { return numeric(whole_text()).node; }

    [[nodiscard]] constraint_description constraint()
    {
        operand const whole = whole_text();
        require_number(whole, "a condition");
        constraint_description out;
        out.root = whole.node;
        out.scope = build_.scope(whole.node);
        out.text = lexer_.text();
        return out;
    }

    /// a if c else b
    operand choice()
    {
        nested const guard(*this);
        operand first = either();
        if (!is_word("if")) return first;
        advance();
        operand const condition = either();
        require_number(condition, "a condition");
        if (!is_word("else")) unexpected("`else`");
        advance();
        operand const second = choice();
        return finish(build_.select(condition.node, numeric(first).node, numeric(second).node),
                      first.at);
    }

private:
    operand whole_text()
    {
        advance();
        operand const out = choice();
        if (token_.kind != token_kind::end) unexpected("an operator or the end");
        return out;
    }

    operand either()
    {
        operand left = both();
        while (is_word("or") || is_sign("||"))
            left = logical(op::logical_or, left, &expression_reader::both);
        return left;
    }

    operand both()
    {
        operand left = negation();
        while (is_word("and") || is_sign("&&"))
            left = logical(op::logical_and, left, &expression_reader::negation);
        return left;
    }

    operand logical(op code, operand const& left, operand (expression_reader::*side)())
    {
        require_number(left, "a condition");
        bool const as_python = token_.kind == token_kind::name; // else && or ||: 0 or 1
        advance();
        operand const right = (this->*side)();
        require_number(right, "a condition");
        std::uint32_t joined = build_.two(code, left.node, right.node);
        if (left.deciding == no_index && build_.facts(joined).depth > max_expression_depth / 2)
            joined = levelled(code, joined); // a long list
        operand out = finish(joined, left.at);
        // Python returns the deciding operand. C++ returns the same value if both operands are
        // booleans.
        if (as_python &&
            (kind_of(left) != value_kind::boolean || kind_of(right) != value_kind::boolean ||
             left.deciding != no_index || right.deciding != no_index)) {
            std::uint32_t const a = numeric(left).node;
            std::uint32_t const b = numeric(right).node;
            out.deciding = code == op::logical_or ? build_.select(left.node, a, b)
                                                  : build_.select(left.node, b, a);
        }
        return out;
    }

    /// The chain of `code` at `root` as a tree of least depth, with its operands in order.
    std::uint32_t levelled(op code, std::uint32_t root)
    {
        std::vector<std::uint32_t> operands;
        std::vector<std::uint32_t> open{root};
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            open.pop_back();
            expression_node const n = build_.space().nodes[at];
            if (n.code == code)
                open.insert(open.end(), {n.second, n.first});
            else
                operands.push_back(at);
        }
        while (operands.size() > 1) {
            std::size_t made = 0;
            for (std::size_t i = 0; i < operands.size(); i += 2, ++made)
                operands[made] = i + 1 < operands.size()
                                     ? build_.two(code, operands[i], operands[i + 1])
                                     : operands[i];
            operands.resize(made);
        }
        return operands.front();
    }

    operand negation()
    {
        if (!is_word("not")) return comparison();
        nested const guard(*this);
        std::size_t const at = token_.at;
        advance();
        operand const inner = negation();
        require_number(inner, "a condition");
        return finish(build_.one(op::logical_not, inner.node), at);
    }

    std::optional<op> comparison_sign() const
    {
        for (operation_rules const& rules : operations)
            if (is_comparison(rules.of) && is_sign(rules.sign)) return rules.of;
        return {};
    }

    operand comparison()
    {
        if (opens_tuple()) return tuple_membership();
        operand left = sum();
        std::optional<operand> chain;
        for (;;) {
            operand link = left;
            if (std::optional<op> const code = comparison_sign()) {
                advance();
                operand const right = sum();
                link = compare(*code, left, right);
                left = right;
            } else if (is_word("in") || (is_word("not") && lexer_.peek().value == "in")) {
                bool const negated = is_word("not");
                if (negated) advance();
                advance();
                link = membership(left, negated);
                if (comparison_sign() || is_word("in"))
                    unexpected("`and`, `or` or the end: a list cannot be compared further");
            } else if (is_word("is")) {
                advance();
                op const same = is_word("not") ? op::not_equal : op::equal;
                if (same == op::not_equal) advance();
                bool const is_truth = is_word("True") || is_word("False");
                if (!is_truth || kind_of(left) != value_kind::boolean || left.deciding != no_index)
                    unexpected("a boolean parameter before `is`, and True or False behind it");
                operand const right = atom();
                link = compare(same, left, right);
                left = right;
            } else {
                return chain ? *chain : left;
            }
            chain = chain ? finish(build_.two(op::logical_and, chain->node, link.node), chain->at)
                          : link;
        }
    }

    operand compare(op code, operand const& left, operand const& right)
    {
        bool const a_text = kind_of(left) == value_kind::text;
        bool const b_text = kind_of(right) == value_kind::text;
        if (a_text != b_text)
            lexer_.fail("expected two numbers or two texts, found one of each", right.at,
                        "a text equals no number");
        if (a_text && !is_equality(code))
            lexer_.fail("expected == or != between texts", left.at, "texts have no order here");
        return finish(build_.two(code, numeric(left).node, numeric(right).node), left.at);
    }

    operand membership(operand const& item, bool negated)
    {
        if (is_word("range") && lexer_.peek().spelling == "(") return in_range(item, negated);
        bool const is_tuple = is_sign("(");
        if (!is_tuple && !is_sign("[") && !is_sign("{"))
            unexpected("a (tuple), a [list], a {set} or a range(first, end) after `in`");
        std::size_t const opened = token_.at;
        std::vector<std::uint32_t> tests;
        bool const is_comma_last =
            read_brackets([&] { tests.push_back(compare(op::equal, item, choice()).node); });
        if (is_tuple && tests.size() == 1 && !is_comma_last)
            lexer_.fail("expected a tuple after `in`, found a value in parentheses", opened,
                        "a tuple of one value is written (value,)");
        return any_of(tests, negated, item.at);
    }

    operand any_of(std::vector<std::uint32_t> const& tests, bool negated, std::size_t at)
    {
        std::uint32_t any = tests.empty() ? build_.integer(0) : disjunction(tests, 0, tests.size());
        if (negated) any = build_.one(op::logical_not, any);
        return finish(any, at);
    }

    /// item in range(end), range(first, end) or range(first, end, step)
    operand in_range(operand const& item, bool negated)
    {
        std::size_t const at = token_.at;
        require_number(item, "a number");
        advance();
        std::vector<operand> given;
        read_brackets([&] {
            given.push_back(numeric(choice()));
            require_number(given.back(), "a whole number");
        });
        std::int64_t step = 1;
        bool is_right = !given.empty() && given.size() <= 3;
        for (operand const& one : given)
            is_right = is_right && kind_of(one) != value_kind::real;
        if (is_right && given.size() == 3) {
            expression_node const& n = build_.space().nodes[given[2].node];
            step = n.code == op::integer ? n.integer : 0;
        }
        if (!is_right || step == 0)
            lexer_.fail("expected one to three whole numbers of range, the step a constant", at,
                        "x in range(2, 9, 2) is x in (2, 4, 6, 8)");
        operand const zero = finish(build_.integer(0), at);
        operand const first = given.size() == 1 ? zero : given[0];
        operand const end = given.size() == 1 ? given[0] : given[1];
        std::uint32_t all =
            build_.two(op::logical_and,
                       compare(step > 0 ? op::greater_equal : op::less_equal, item, first).node,
                       compare(step > 0 ? op::less : op::greater, item, end).node);
        if ((step != 1 && step != -1) || kind_of(item) == value_kind::real) {
            operand const by = finish(build_.integer(step), at);
            operand const rest =
                arithmetic(op::floor_modulo, arithmetic(op::subtract, item, first), by);
            all = build_.two(op::logical_and, all, compare(op::equal, rest, zero).node);
        }
        return any_of({all}, negated, item.at);
    }

    /// (a, b) in [(1, 2), (3, 4)]
    operand tuple_membership()
    {
        std::size_t const at = token_.at;
        std::vector<operand> items;
        read_brackets([&] { items.push_back(choice()); });
        bool const negated = is_word("not");
        if (negated) advance();
        if (!is_word("in")) unexpected("`in` behind a tuple");
        advance();
        if (!is_sign("(") && !is_sign("[") && !is_sign("{"))
            unexpected("a list of tuples after `in`");
        std::vector<std::uint32_t> tests;
        read_brackets([&] {
            if (!opens_tuple()) unexpected("a tuple, such as (1, 2)");
            std::size_t const opened = token_.at;
            std::vector<operand> values;
            read_brackets([&] { values.push_back(choice()); });
            if (values.size() != items.size())
                lexer_.fail("expected a tuple of " + std::to_string(items.size()) + " values",
                            opened, "give each tuple as many values as the first one has");
            std::uint32_t all = compare(op::equal, items[0], values[0]).node;
            for (std::size_t i = 1; i < items.size(); ++i)
                all =
                    build_.two(op::logical_and, all, compare(op::equal, items[i], values[i]).node);
            tests.push_back(all);
        });
        return any_of(tests, negated, at);
    }

    /// A balanced tree, so that a long list does not become deep.
    std::uint32_t disjunction(std::vector<std::uint32_t> const& tests, std::size_t begin,
                              std::size_t end)
    {
        if (end - begin == 1) return tests[begin];
        std::size_t const middle = begin + (end - begin) / 2;
        std::uint32_t const left = disjunction(tests, begin, middle);
        return build_.two(op::logical_or, left, disjunction(tests, middle, end));
    }

    operand sum()
    {
        operand left = term();
        while (is_sign("+") || is_sign("-")) {
            op const code = is_sign("+") ? op::add : op::subtract;
            advance();
            left = arithmetic(code, left, term());
        }
        return left;
    }

    operand term()
    {
        operand left = factor();
        for (;;) {
            bool const division = is_sign("/");
            op const code = is_sign("*")    ? op::multiply
                            : is_sign("//") ? op::floor_divide
                            : is_sign("%")  ? op::floor_modulo
                                            : op::divide;
            if (code == op::divide && !division) return left;
            advance();
            left = arithmetic(code, left, factor());
        }
    }

    operand factor()
    {
        if (!is_sign("-") && !is_sign("+") && !is_sign("!")) return power();
        nested const guard(*this);
        std::size_t const at = token_.at;
        bool const minus = is_sign("-");
        bool const inverts = is_sign("!");
        if (minus && read_negative_literal()) return power_of(number_atom());
        advance();
        operand const inner = factor();
        require_number(inner, "a number");
        if (inverts) return finish(build_.one(op::logical_not, inner.node), at);
        operand const plain = numeric(inner);
        return minus ? finish(build_.one(op::negate, plain.node), at) : plain;
    }

    operand power() { return power_of(atom()); }

    /// `base ** 0`: 1, but no value if the base has none, as in `(a % 0) ** 0`.
    operand one_where_defined(operand const& base)
    {
        description const& space = build_.space();
        bool may_fail = false;
        walk_expression(space, base.node, [&](expression_node const& n) {
            may_fail = may_fail || operand_count(n.code) > 0;
        });
        if (!may_fail) return finish(build_.integer(1), base.at);
        std::uint32_t const one = build_.integer(1);
        std::uint32_t const same = build_.two(op::equal, base.node, base.node);
        return finish(build_.select(same, one, one), base.at);
    }

    operand power_of(operand base)
    {
        if (!is_sign("**")) return base;
        nested const guard(*this);
        advance();
        std::size_t const at = token_.at;
        operand const exponent = factor();
        expression_node const& n = build_.space().nodes[exponent.node];
        expression_node const& of = build_.space().nodes[base.node];
        if (n.code == op::integer && n.integer > max_exponent && of.code == op::integer) {
            std::int64_t whole = 1;
            bool is_large = n.integer > 63;
            for (std::int64_t i = 0; i < n.integer && !is_large; ++i)
                is_large = __builtin_mul_overflow(whole, of.integer, &whole);
            if (!is_large) return finish(build_.integer(whole), base.at);
        }
        if (n.code != op::integer || n.integer < 0 || n.integer > max_exponent)
            lexer_.fail("expected an exponent that is a constant from 0 to " +
                            std::to_string(max_exponent),
                        at, "give the powers themselves as the values of a parameter");
        std::int64_t const times = n.integer;
        require_number(base, "a number");
        operand out = times == 0 ? one_where_defined(numeric(base)) : numeric(base);
        for (std::int64_t i = 1; i < times; ++i)
            out = arithmetic(op::multiply, out, base);
        return out;
    }
};

} // namespace detail

ATTUNE_INLINE std::uint32_t parse_expression(description& space, std::string_view text)
{
    detail::expression_builder build(space);
    return detail::expression_reader(build, text).root();
}

ATTUNE_INLINE constraint_description parse_constraint(description& space, std::string_view text)
{
    detail::expression_builder build(space);
    return detail::expression_reader(build, text).constraint();
}

} // namespace attune::inline ATTUNE_ABI
