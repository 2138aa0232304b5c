// attune/space/files/detail/value_list.hpp - reads a text with a list of values in Python's notation.
// SPDX-License-Identifier: MIT
// Source   Python language reference, Sec. 6.2.4 and 6.2.5 (displays), 6.7 (arithmetic)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Reads one text. All values get the position of the text in its file.
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
            words_.fail("expected `+` or the end behind the list", word_.at, "");
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

    /// A number behind a minus may be -2^63.
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

    /// After `[`: values separated by commas, or a comprehension.
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

    /// At `for`: x in list, optionally `if` with a condition on x.
    void comprehension(piece item, std::string_view closing, json_value& out)
    {
        word_ = words_.next();
        if (word_.kind != token_kind::name)
            words_.fail("expected a name behind `for`", word_.at, "");
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
                words_.fail("expected whole numbers behind `in`", item.begin, "");
            if (!condition || literal(*condition, name, v.integer).real != 0)
                add(out, literal(item, name, v.integer));
        }
    }

    /// After `range`: (last), (first, last) or (first, last, step), without `last` itself.
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

    /// The value of a part of the text in which `name`, unless empty, has the value `value`.
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
