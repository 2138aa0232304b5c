// attune/space/files/detail/value_list.hpp - makes the table of a parameter from a list in a file: of JSON, or in Python's notation.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 6.2.4 and 6.2.5 (displays), 6.7 (arithmetic)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The text of this literal as a value of `p`, as text_of() writes it.
[[nodiscard]] inline std::string text_of_literal(parameter_description const& p,
                                                 json_value const& v)
{
    if (v.kind == json_kind::text) return v.text;
    if (v.kind == json_kind::boolean && p.traits().is_truth)
        return v.integer != 0 ? "true" : "false";
    if (v.kind == json_kind::real || p.type == value_kind::real) return text_of_real(v.real);
    return std::to_string(v.integer);
}

/// Converts a value, or each value of a list: whole numbers to reals, reals without a fraction
/// (Python writes 16.0) to whole numbers, 0 and 1 to booleans.
/// @param said_by  the member that gives the kind: "the type"
inline void to_kind(json_source const& source, json_kind wanted, std::string const& said_by,
                    json_value& v)
{
    if (v.kind == json_kind::list) {
        for (json_value& one : v.items)
            to_kind(source, wanted, said_by, one);
        return;
    }
    if (wanted == json_kind::real && v.kind == json_kind::integer) {
        v.kind = json_kind::real;
        v.text = "0.0";
    }
    if (wanted == json_kind::integer && v.kind == json_kind::real && std::abs(v.real) <= 0x1p53 &&
        v.real == std::floor(v.real)) {
        v.kind = json_kind::integer;
        v.integer = static_cast<std::int64_t>(v.real);
    }
    if (wanted == json_kind::boolean && v.kind == json_kind::integer &&
        (v.integer == 0 || v.integer == 1))
        v.kind = json_kind::boolean;
    if (v.kind != wanted)
        source.wrong_kind(v, std::string(name_of(wanted)) + ", as " + said_by + " says");
}

template <class T>
void sort_and_refuse_repeats(json_source const& source, json_value const& list,
                             std::vector<T>& values, bool keep_order)
{
    std::vector<T> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        auto const first = std::find(values.begin(), values.end(), *twice);
        auto const second = std::find(first + 1, values.end(), *twice);
        source.fail("expected each value once, found one again",
                    list.items[static_cast<std::size_t>(second - values.begin())].at);
    }
    if (!keep_order) values = std::move(sorted);
}

/// Fills `out` from a list of literals of one kind (whole numbers among reals are reals).
/// @param keep_order  numbers are categories, and stay unsorted
inline void set_values(json_source const& source, json_value const& list, bool keep_order,
                       parameter_description& out)
{
    if (list.items.empty()) source.fail("expected at least one value of " + out.name, list.at);
    if (list.items.size() > max_table_values)
        source.fail("expected at most 2^20 values of " + out.name + ", found " +
                        std::to_string(list.items.size()),
                    list.at, "give a range");
    json_kind kind = list.items.front().kind;
    for (json_value const& v : list.items) {
        bool const number = v.kind == json_kind::integer || v.kind == json_kind::real;
        if (!number && v.kind != json_kind::text && v.kind != json_kind::boolean)
            source.wrong_kind(v, "a number, a text, true or false");
        if (v.kind == json_kind::real && v.text.find_first_of(".eE") == std::string::npos)
            source.fail("the number " + v.text + " is too large", v.at,
                        "whole numbers have 64 bits");
        if (v.kind == json_kind::real && kind == json_kind::integer) kind = json_kind::real;
        if (v.kind != kind && !(kind == json_kind::real && v.kind == json_kind::integer))
            source.wrong_kind(v, std::string(name_of(kind)) + " as the values before it");
    }
    out.kind = keep_order ? parameter_kind::categorical : parameter_kind::ordinal;
    if (kind == json_kind::text) {
        out.kind = parameter_kind::categorical;
        out.type = value_kind::text;
        for (json_value const& v : list.items)
            out.labels.push_back(v.text);
        sort_and_refuse_repeats(source, list, out.labels, true);
    } else if (kind == json_kind::real) {
        out.type = value_kind::real;
        for (json_value const& v : list.items)
            out.reals.push_back(v.real);
        sort_and_refuse_repeats(source, list, out.reals, keep_order);
    } else {
        out.type = value_kind::integer;
        for (json_value const& v : list.items)
            out.integers.push_back(v.integer);
        sort_and_refuse_repeats(source, list, out.integers, keep_order);
        if (kind == json_kind::boolean) {
            out.kind = parameter_kind::boolean;
            out.type = value_kind::boolean;
            if (out.integers.size() == 2) out.integers.clear();
        }
    }
}

inline void set_default(json_source const& source, json_value const& v, parameter_description& out)
{
    if (v.kind == json_kind::null) return;
    if (v.kind == json_kind::list) {
        std::vector<std::int64_t> elements;
        for (json_value const& e : v.items)
            elements.push_back(
                source.require(e, json_kind::integer, "an element of \"default\"").integer);
        out.default_text = text_of_elements(elements);
    } else {
        if (v.kind == json_kind::object) source.wrong_kind(v, "a value as the default");
        out.default_text = text_of_literal(out, v);
    }
    bool const table_known = out.rule.bound_node == no_index;
    if (!table_known) return;
    std::optional<coordinate> const at = coordinate_of(out, *out.default_text);
    if (!at)
        source.fail("expected one of the values of " + out.name + " as its default, found " +
                        *out.default_text,
                    v.at);
    out.default_text = attune::text_of(out, *at);
}

/// Refuses a name that belongs to another parameter, group or input.
inline void require_new_name(json_source const& source, std::size_t at, std::string const& name,
                             description const& space)
{
    if (name.empty()) source.fail("expected a name that is not empty", at);
    if (space.find_parameter(name) != no_index || space.find_group(name) != no_index)
        source.fail("expected each parameter once, found " + name + " again", at);
    if (space.find_input(name) != no_index)
        source.fail("expected another name: " + name + " is an input already", at);
}

/// Adds a parameter, unless its name belongs to another parameter, group or input.
inline void add_parameter(json_source const& source, std::size_t at,
                          parameter_description&& parameter, description& space)
{
    require_new_name(source, at, parameter.name, space);
    space.parameters.push_back(std::move(parameter));
}

/// Calls `parse`; converts positions of syntax errors in the text of `v` to positions in the file.
template <class Parse>
auto at_place_in_file(json_source const& source, json_value const& v, Parse const& parse)
{
    try {
        return parse();
    } catch (syntax_error const& e) {
        // After an escape, columns of the file differ from those of the text.
        std::string_view const written = source.text.substr(v.at + 1, e.offset());
        std::size_t const into = written == v.text.substr(0, e.offset()) ? e.offset() + 1 : 0;
        throw syntax_error(e.problem(), source.text, v.at + into, source.name, e.next());
    }
}

/// Reads one text. All values have the position of the text in its file.
class value_list_reader {
public:
    /// @param at  position of the text in the file
    value_list_reader(std::string_view text, std::size_t at)
        : words_(text)
        , at_(at)
    {
        word_ = words_.next();
    }

    /// The whole text as a list.
    [[nodiscard]] json_value list()
    {
        json_value out = sum();
        if (word_.kind != token_kind::end)
            words_.fail("expected `+` or the end after the list", word_.at, "");
        return out;
    }

    /// The whole text as one value.
    [[nodiscard]] json_value value() { return literal(slice({}), {}, 0); }

private:
    /// A part of the text, without the token after it.
    struct piece {
        std::size_t begin;
        std::size_t end;
    };

    /// The next token. A number after a minus may be -2^63.
    [[nodiscard]] static token next(expression_lexer& words, token const& before)
    {
        return words.next(before.kind == token_kind::sign && before.spelling == "-");
    }

    [[nodiscard]] bool is(std::string_view spelling) const
    {
        return (word_.kind == token_kind::sign || word_.kind == token_kind::name) &&
               word_.spelling == spelling;
    }
    void expect(std::string_view spelling)
    {
        if (!is(spelling)) words_.fail("expected `" + std::string(spelling) + '`', word_.at, "");
        word_ = words_.next();
    }

    /// Reads up to the first of `stops` outside all brackets, or to the end.
    [[nodiscard]] piece slice(std::initializer_list<std::string_view> stops)
    {
        piece out{word_.at, word_.at};
        for (int depth = 0; word_.kind != token_kind::end; word_ = next(words_, word_)) {
            for (std::string_view const stop : stops)
                if (depth == 0 && is(stop)) return out;
            depth += is("(") || is("[") ? 1 : is(")") || is("]") ? -1 : 0;
            out.end = word_.at + word_.spelling.size();
        }
        return out;
    }

    [[nodiscard]] json_value sum()
    {
        json_value out = term();
        while (is("+")) {
            word_ = words_.next();
            for (json_value& v : term().items)
                add(out, std::move(v));
        }
        return out;
    }

    [[nodiscard]] json_value term()
    {
        if (++depth_ > 32) words_.fail("expected fewer brackets", word_.at, "");
        json_value out;
        if (is("list") || is("tuple")) {
            word_ = words_.next();
            expect("(");
            out = sum();
            expect(")");
        } else if (is("range")) {
            word_ = words_.next();
            out = range();
        } else if (is("[") || is("(")) {
            std::string_view const closing = is("[") ? "]" : ")";
            word_ = words_.next();
            out = display(closing);
        } else {
            words_.fail("expected a list: [1, 2, 4]", word_.at, "");
        }
        --depth_;
        return out;
    }

    /// Reads after `[`: values separated by commas, or a comprehension.
    [[nodiscard]] json_value display(std::string_view closing)
    {
        json_value out = empty_list();
        while (!is(closing)) {
            piece const item = slice({",", closing, "for"});
            if (is("for")) {
                if (!out.items.empty()) expect(closing);
                comprehension(item, closing, out);
                break;
            }
            add(out, literal(item, {}, 0));
            if (is(closing)) break;
            if (!is(","))
                words_.fail("expected `,` or `" + std::string(closing) + '`', word_.at, "");
            word_ = words_.next();
        }
        expect(closing);
        return out;
    }

    /// Reads at `for`: x in list, optionally `if` with a condition on x.
    void comprehension(piece item, std::string_view closing, json_value& out)
    {
        word_ = words_.next();
        if (word_.kind != token_kind::name)
            words_.fail("expected a name after `for`", word_.at, "");
        std::string const name = word_.value;
        word_ = words_.next();
        expect("in");
        json_value const over = sum();
        std::optional<piece> condition;
        if (is("if")) {
            word_ = words_.next();
            condition = slice({closing});
        }
        for (json_value const& v : over.items) {
            if (v.kind != json_kind::integer)
                words_.fail("expected whole numbers after `in`", item.begin, "");
            if (!condition || literal(*condition, name, v.integer).real != 0)
                add(out, literal(item, name, v.integer));
        }
    }

    /// Reads after `range`: (last), (first, last) or (first, last, step), without `last` itself.
    [[nodiscard]] json_value range()
    {
        std::size_t const begin = word_.at;
        std::vector<std::int64_t> bounds;
        expect("(");
        for (;;) {
            json_value const v = literal(slice({",", ")"}), {}, 0);
            if (v.kind != json_kind::integer)
                words_.fail("expected whole numbers in range()", begin, "");
            bounds.push_back(v.integer);
            if (!is(",")) break;
            word_ = words_.next();
        }
        expect(")");
        std::int64_t const first = bounds.size() > 1 ? bounds[0] : 0;
        std::int64_t const last = bounds.size() > 1 ? bounds[1] : bounds[0];
        std::int64_t const step = bounds.size() > 2 ? bounds[2] : 1;
        if (bounds.size() > 3 || step == 0)
            words_.fail("expected range(first, last, step), the step not 0", begin, "");
        json_value out = empty_list();
        for (std::int64_t v = first; step > 0 ? v < last : v > last;) {
            add(out, integer(v));
            if (__builtin_add_overflow(v, step, &v)) break;
        }
        return out;
    }

    void add(json_value& list, json_value&& v)
    {
        if (list.items.size() >= max_table_values)
            words_.fail("expected at most 2^20 values", word_.at, "");
        list.items.push_back(std::move(v));
    }

    [[nodiscard]] json_value empty_list() const
    {
        json_value out;
        out.kind = json_kind::list;
        out.at = at_;
        return out;
    }
    [[nodiscard]] json_value integer(std::int64_t v, json_kind kind = json_kind::integer) const
    {
        json_value out;
        out.kind = kind;
        out.at = at_;
        out.integer = v;
        out.real = static_cast<double>(v);
        return out;
    }

    /// The value of a part of the text. `name`, unless empty, has the value `value`.
    [[nodiscard]] json_value literal(piece of, std::string const& name, std::int64_t value) const
    {
        std::string_view const text = words_.text().substr(of.begin, of.end - of.begin);
        std::string constant;
        expression_lexer words(text);
        token word = words.next();
        token const first = word;
        int count = 0;
        for (; word.kind != token_kind::end; word = next(words, word), ++count) {
            bool const replaced = !name.empty() && word.value == name;
            constant +=
                replaced ? '(' + std::to_string(value) + ") " : std::string(word.spelling) + ' ';
        }
        if (count == 0) words_.fail("expected a value", of.begin, "");
        if (count == 1 && first.kind == token_kind::text) {
            json_value out = integer(0, json_kind::text);
            out.text = first.value;
            return out;
        }
        if (count == 1 && (first.value == "True" || first.value == "true"))
            return integer(1, json_kind::boolean);
        if (count == 1 && (first.value == "False" || first.value == "false"))
            return integer(0, json_kind::boolean);
        return value_of(constant, of.begin);
    }

    [[nodiscard]] json_value value_of(std::string const& constant, std::size_t at) const
    {
        description nothing;
        std::optional<number> v;
        try {
            v = evaluator(nothing).value(parse_expression(nothing, constant), {});
        } catch (syntax_error const& e) {
            words_.fail(e.problem(), at, e.next());
        }
        if (!v) words_.fail("expected a value, found one that overflows or divides by 0", at, "");
        if (!v->is_real) return integer(v->integer);
        json_value out = integer(0, json_kind::real);
        out.real = v->real;
        out.text = "0.0"; // a real of any size
        return out;
    }

    expression_lexer words_;
    token word_;
    std::size_t at_;
    int depth_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
