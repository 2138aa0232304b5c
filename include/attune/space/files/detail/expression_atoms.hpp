// attune/space/files/detail/expression_atoms.hpp - names, numbers, calls and brackets of an expression.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 6.2
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct operand {
    std::uint32_t node = no_index;
    std::size_t at = 0;
    std::uint32_t deciding = no_index; ///< of `and`, `or`: node of a value that is no boolean
};

/// @tparam Reader  the derived class; has choice()
template <class Reader>
class expression_atoms {
public:
    /// @param build, text  must outlive this object
    expression_atoms(expression_builder& build, std::string_view text)
        : build_(build)
        , lexer_(text)
    {
    }

protected:
    /// Counts open brackets.
    class nested {
    public:
        explicit nested(expression_atoms& of)
            : of_(of)
        {
            if (++of_.nesting_ > max_expression_nesting)
                of_.lexer_.fail("expected at most " + std::to_string(max_expression_nesting) +
                                    " brackets inside each other",
                                of_.token_.at, "split the constraint at its `and`s");
        }
        nested(nested const&) = delete;
        nested& operator=(nested const&) = delete;
        ~nested() { --of_.nesting_; }

    private:
        expression_atoms& of_;
    };

    void advance() { token_ = lexer_.next(); }
    [[nodiscard]] bool is_sign(std::string_view sign) const
    {
        return token_.kind == token_kind::sign && token_.spelling == sign;
    }
    [[nodiscard]] bool is_word(std::string_view word) const
    {
        return token_.kind == token_kind::name && token_.value == word;
    }
    [[noreturn]] void unexpected(std::string const& wanted) const
    {
        std::string const found = token_.kind == token_kind::end
                                      ? "the end"
                                      : '`' + std::string(token_.spelling.substr(0, 40)) + '`';
        lexer_.fail("expected " + wanted + ", found " + found, token_.at, "");
    }

    [[nodiscard]] bool opens_tuple() const { return is_sign("(") && lexer_.has_comma(token_.at); }
    /// Reads (a, b), [a, b] or {a, b} with a call of `read` for each part.
    /// @return  true if a comma is behind the last part
    template <class Read>
    bool read_brackets(Read const& read)
    {
        std::size_t const opened = token_.at;
        std::string const closing = is_sign("[") ? "]" : is_sign("{") ? "}" : ")";
        bool is_comma_last = false;
        advance();
        while (!is_sign(closing)) {
            read();
            is_comma_last = is_sign(",");
            if (is_comma_last)
                advance();
            else if (!is_sign(closing))
                unexpected("`,` or `" + closing + "` for the bracket opened in column " +
                           std::to_string(opened + 1));
        }
        advance();
        return is_comma_last;
    }

    [[nodiscard]] value_kind kind_of(operand const& o) const { return build_.facts(o.node).kind; }

    void require_number(operand const& o, std::string const& what) const
    {
        if (kind_of(o) == value_kind::text)
            lexer_.fail("expected " + what + ", found a text", o.at, "compare it with == or !=");
    }

    /// The value of the operand: Python's `and` and `or` return one of their sides.
    [[nodiscard]] static operand numeric(operand const& o)
    {
        return o.deciding == no_index ? o : operand{o.deciding, o.at};
    }

    [[nodiscard]] operand finish(std::uint32_t node, std::size_t at) const
    {
        node_facts const& f = build_.facts(node);
        if (f.depth > max_expression_depth || f.size > max_expression_size)
            lexer_.fail("expected a shorter expression: at most " +
                            std::to_string(max_expression_depth) + " operations deep and " +
                            std::to_string(max_expression_size) + " in all",
                        at, "split the constraint at its `and`s");
        return {node, at};
    }

    operand arithmetic(op code, operand const& left, operand const& right)
    {
        require_number(left, "a number");
        require_number(right, "a number");
        std::uint32_t const a = numeric(left).node;
        std::uint32_t const b = numeric(right).node;
        return finish(code == op::divide ? build_.true_divide(a, b) : build_.two(code, a, b),
                      left.at);
    }

    /// Reads a negative number at a minus as one token, unless it is the base of a power.
    bool read_negative_literal()
    {
        if (!lexer_.number_follows()) return false;
        expression_lexer ahead = lexer_;
        token number = ahead.next(true);
        token const after = ahead.peek();
        if (after.kind == token_kind::sign && after.spelling == "**") return false;
        lexer_ = ahead;
        token_ = std::move(number);
        return true;
    }

    operand number_atom()
    {
        std::size_t const at = token_.at;
        std::uint32_t const node = token_.kind == token_kind::integer
                                       ? build_.integer(token_.integer)
                                       : build_.real(token_.real);
        advance();
        return finish(node, at);
    }

    operand atom()
    {
        std::size_t const at = token_.at;
        switch (token_.kind) {
        case token_kind::integer:
        case token_kind::real:
            return number_atom();
        case token_kind::text: {
            std::uint32_t const node = build_.text(token_.value);
            advance();
            return finish(node, at);
        }
        case token_kind::name:
            return named(false);
        case token_kind::quoted_name:
            return named(true);
        default:
            break;
        }
        if (!is_sign("(")) unexpected("a value");
        advance();
        operand const inner = static_cast<Reader&>(*this).choice();
        close(")", at);
        return {inner.node, at, inner.deciding};
    }

private:
    void close(char const* bracket, std::size_t opened)
    {
        if (!is_sign(bracket))
            unexpected(std::string("an operator or `") + bracket +
                       "` for the bracket opened in column " + std::to_string(opened + 1));
        advance();
    }

    operand named(bool quoted)
    {
        token const name = std::move(token_);
        advance();
        if (!quoted && is_sign("(")) return call(name);
        std::uint32_t const parameter = build_.space().find_parameter(name.value);
        if (parameter != no_index) return read_parameter(parameter, name);
        std::uint32_t const group = build_.space().find_group(name.value);
        if (group != no_index) return read_element(build_.space().groups[group], name);
        std::uint32_t const input = build_.space().find_input(name.value);
        if (input != no_index)
            return finish(build_.add({.code = op::input, .subject = input}), name.at);
        if (name.value == "True" || name.value == "true") return finish(build_.integer(1), name.at);
        if (name.value == "False" || name.value == "false")
            return finish(build_.integer(0), name.at);
        for (std::string_view const word : {"and", "or", "not", "in", "if", "else"})
            if (!quoted && name.value == word)
                lexer_.fail("expected a value, found `" + name.value + '`', name.at, "");
        lexer_.fail("expected the name of a parameter or input, found `" + name.value + '`',
                    name.at, "check its spelling, or declare it");
    }

    operand read_parameter(std::uint32_t parameter, token const& name)
    {
        parameter_description const& p = build_.space().parameters[parameter];
        if (p.type != value_kind::list)
            return finish(build_.add({.code = op::parameter, .subject = parameter}), name.at);
        if (!is_sign("["))
            lexer_.fail("expected one element of the list " + p.name, name.at, p.name + "[0]");
        std::size_t const opened = token_.at;
        advance();
        std::int64_t const place = whole_number(p.parts);
        close("]", opened);
        return finish(build_.add({.code = op::element, .subject = parameter, .integer = place}),
                      name.at);
    }

    /// An element of an array; each is a parameter.
    operand read_element(group_description const& of, token const& name)
    {
        if (of.traits().is_order)
            lexer_.fail("expected a permutation of at most " +
                            std::to_string(max_permutation_items) + " items, found " + of.name,
                        name.at, "expressions do not read longer ones");
        if (!is_sign("["))
            lexer_.fail("expected one element of the array " + of.name, name.at, of.name + "[0]");
        std::size_t const opened = token_.at;
        advance();
        std::uint32_t const element = of.first + static_cast<std::uint32_t>(whole_number(of.count));
        close("]", opened);
        return finish(build_.add({.code = op::parameter, .subject = element}), name.at);
    }

    std::int64_t whole_number(std::uint32_t below)
    {
        if (token_.kind != token_kind::integer || token_.integer < 0 || token_.integer >= below)
            unexpected("a whole number from 0 to " + std::to_string(below - 1));
        std::int64_t const out = token_.integer;
        advance();
        return out;
    }

    operand call(token const& name)
    {
        std::size_t const opened = token_.at;
        if (name.value == "position") {
            advance();
            return position(name, opened);
        }
        std::vector<operand> args;
        auto const read = [&] {
            args.push_back(static_cast<Reader&>(*this).choice());
            require_number(args.back(), "a number");
        };
        bool const takes_list = name.value == "min" || name.value == "max";
        bool is_list = false; // min([a, b])
        read_brackets([&] {
            is_list = takes_list && args.empty() && (is_sign("[") || is_sign("{") || opens_tuple());
            if (!is_list) return read();
            read_brackets(read);
            if (!is_sign(")")) unexpected("`)` behind the list of " + name.value);
        });
        if (is_list && args.size() == 1) return numeric(args[0]);
        return apply(name, args);
    }

    operand apply(token const& name, std::vector<operand> const& args)
    {
        auto const need = [&](std::size_t count) {
            if (args.size() != count)
                lexer_.fail("expected " + std::to_string(count) + " arguments of " + name.value +
                                ", found " + std::to_string(args.size()),
                            name.at, "");
        };
        if (name.value == "min" || name.value == "max") {
            if (args.size() < 2) need(2);
            operand out = numeric(args[0]);
            for (std::size_t i = 1; i < args.size(); ++i)
                out = arithmetic(name.value == "min" ? op::minimum : op::maximum, out, args[i]);
            return {out.node, name.at};
        }
        if (name.value == "abs") {
            need(1);
            return finish(build_.one(op::absolute, numeric(args[0]).node), name.at);
        }
        if (name.value == "select") {
            need(3);
            return finish(build_.select(args[0].node, numeric(args[1]).node, numeric(args[2]).node),
                          name.at);
        }
        for (auto const& [word, code] :
             {std::pair{"floor_div", op::floor_divide}, std::pair{"floor_mod", op::floor_modulo},
              std::pair{"ceil_div", op::ceil_divide}, std::pair{"trunc_div", op::divide},
              std::pair{"trunc_mod", op::modulo}})
            if (name.value == word) {
                need(2);
                return finish(build_.two(code, numeric(args[0]).node, numeric(args[1]).node),
                              name.at);
            }
        lexer_.fail("expected a function, found `" + name.value + '`', name.at,
                    "there are min, max, abs, select, floor_div, floor_mod, ceil_div, trunc_div, "
                    "trunc_mod and position");
    }

    operand position(token const& name, std::size_t opened)
    {
        std::uint32_t const parameter = build_.space().find_parameter(token_.value);
        if (parameter == no_index || !build_.space().parameters[parameter].traits().is_order)
            unexpected("the name of a permutation");
        std::uint32_t const items = build_.space().parameters[parameter].parts;
        advance();
        if (!is_sign(",")) unexpected("`,` and an item");
        advance();
        std::int64_t const item = whole_number(items);
        close(")", opened);
        return finish(build_.add({.code = op::position, .subject = parameter, .integer = item}),
                      name.at);
    }

protected:
    expression_builder& build_;
    expression_lexer lexer_;
    token token_;
    std::size_t nesting_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
