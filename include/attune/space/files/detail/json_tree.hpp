// attune/space/files/detail/json_tree.hpp - a JSON text as values with their positions.
// SPDX-License-Identifier: MIT
// Source   RFC 8259, read by nlohmann-json's event parser
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class json_kind : std::uint8_t { null, boolean, integer, real, text, list, object };

[[nodiscard]] inline char const* name_of(json_kind kind)
{
    constexpr char const* names[] = {"null",   "true or false", "a whole number", "a number",
                                     "a text", "a list",        "an object"};
    return names[static_cast<std::size_t>(kind)];
}

struct json_value {
    json_kind kind = json_kind::null;
    std::size_t at = 0;
    std::int64_t integer = 0; ///< the number; also 0 or 1 for a boolean
    double real = 0;          ///< the number; also for an integer
    std::string text{};       ///< the text; for a number, its digits
    std::vector<json_value> items{};
    std::vector<std::pair<std::string, std::size_t>> keys{}; ///< names of an object, with positions

    [[nodiscard]] json_value const* find(std::string_view name) const
    {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i].first == name) return &items[i];
        return nullptr;
    }
};

/// The text and name of a file, and its errors.
struct json_source {
    std::string_view text;
    std::string name;

    [[noreturn]] void fail(std::string const& what, std::size_t at,
                           std::string const& next = "") const
    {
        throw syntax_error(what, text, at, name, next);
    }
    [[noreturn]] void wrong_kind(json_value const& found, std::string const& wanted) const
    {
        fail("expected " + wanted + ", found " + name_of(found.kind), found.at);
    }
    json_value const& require(json_value const& found, json_kind kind, std::string const& of) const
    {
        bool const fits =
            found.kind == kind || (kind == json_kind::real && found.kind == json_kind::integer);
        if (!fits) wrong_kind(found, std::string(name_of(kind)) + " as " + of);
        return found;
    }
    json_value const& member(json_value const& object, char const* of, json_kind kind) const
    {
        json_value const* const found = object.find(of);
        if (found == nullptr)
            fail(std::string("expected a member \"") + of + "\" of this object", object.at);
        return require(*found, kind, std::string("\"") + of + '"');
    }
};

/// Counts the characters that the parser has read.
class counted_characters {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = char const*;
    using reference = char const&;

    counted_characters(char const* at, std::size_t* count)
        : at_(at)
        , count_(count)
    {
    }
    reference operator*() const { return *at_; }
    counted_characters& operator++()
    {
        ++at_;
        ++*count_;
        return *this;
    }
    counted_characters operator++(int)
    {
        counted_characters const before = *this;
        ++*this;
        return before;
    }
    [[nodiscard]] friend bool operator==(counted_characters const& a, counted_characters const& b)
    {
        return a.at_ == b.at_;
    }
    [[nodiscard]] friend bool operator!=(counted_characters const& a, counted_characters const& b)
    {
        return a.at_ != b.at_;
    }

private:
    char const* at_;
    std::size_t* count_;
};

/// Builds the tree from the parser's events; the base class only declares them.
class json_tree_builder {
public:
    json_tree_builder(json_source const& source, std::size_t const& taken)
        : source_(source)
        , taken_(taken)
    {
    }
    [[nodiscard]] json_value& root() noexcept { return root_; }

    bool null() { return add({}); }
    bool boolean(bool v) { return add({.kind = json_kind::boolean, .integer = v}); }
    bool number_integer(std::int64_t v)
    {
        return add({.kind = json_kind::integer,
                    .integer = v,
                    .real = static_cast<double>(v),
                    .text = std::to_string(v)});
    }
    bool number_unsigned(std::uint64_t v)
    {
        if (v <= static_cast<std::uint64_t>(INT64_MAX))
            return number_integer(static_cast<std::int64_t>(v));
        return number_float(static_cast<double>(v), std::to_string(v));
    }
    bool number_float(double v, std::string const& digits)
    {
        return add({.kind = json_kind::real, .real = v, .text = digits});
    }
    bool string(std::string& v) { return add({.kind = json_kind::text, .text = std::move(v)}); }
    template <class Binary>
    bool binary(Binary&)
    {
        return false;
    }
    bool start_object(std::size_t) { return open(json_kind::object); }
    bool start_array(std::size_t) { return open(json_kind::list); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name)
    {
        std::size_t const at = begin();
        for (auto const& [other, place] : open_.back()->keys)
            if (other == name)
                source_.fail("expected each name once, found \"" + name + "\" again", at);
        open_.back()->keys.emplace_back(std::move(name), at);
        behind_ = taken_;
        return true;
    }
    [[noreturn]] bool parse_error(std::size_t position, std::string const&,
                                  nlohmann::json::exception const& problem)
    {
        std::size_t at = std::min(position > 0 ? position - 1 : 0, source_.text.size());
        std::size_t const token = begin();
        bool const is_text = token <= at && source_.text.substr(token, 1) == "\"";
        if (is_text && (at == token || source_.text.substr(at, 1) != "\""))
            source_.fail(at == source_.text.size() || source_.text[at] == '\n'
                             ? "this is no JSON: expected a closing quote of this text"
                             : "this is no JSON: a text has an unknown escape, a control "
                               "character, or bytes that are no UTF-8",
                         at == source_.text.size() ? token : at);
        // At a wrong word or number, the parser stops inside it or at the character after it.
        at = std::min(at, token);
        constexpr std::string_view signs = " \t\r\n,:{}[]\"";
        while (at > 0 && at < source_.text.size() && signs.find(source_.text[at]) == signs.npos &&
               signs.find(source_.text[at - 1]) == signs.npos)
            --at;
        std::string_view const rest = source_.text.substr(at);
        std::string_view const word =
            rest.substr(0, std::min(rest.find_first_of(signs), std::size_t{40}));
        std::string const found =
            rest.empty() ? "the end"
            : is_text    ? "a text"
                         : '`' + std::string(word.empty() ? rest.substr(0, 1) : word) + '`';
        constexpr int number_out_of_range = 406; // of nlohmann-json
        if (problem.id == number_out_of_range)
            source_.fail("the number " + std::string(word) + " is too large", at,
                         "doubles end at 1.8e308");
        bool const is_no_number = word == "NaN" || word == "Infinity" || word == "-Infinity";
        source_.fail("this is no JSON: expected " + expected_at(at) + ", found " + found, at,
                     is_no_number ? "write a number, or leave it out" : "");
    }

private:
    static constexpr std::size_t max_nesting = 32;

    /// Position of the current token, after the previous token and separators.
    [[nodiscard]] std::size_t begin() const
    {
        std::size_t const at = source_.text.find_first_not_of(" \t\r\n,:", behind_);
        return at == std::string_view::npos ? source_.text.size() : at;
    }
    /// The tokens that are allowed at `at`, for an error.
    [[nodiscard]] std::string expected_at(std::size_t at) const
    {
        std::size_t const last = source_.text.substr(0, at).find_last_not_of(" \t\r\n");
        char const before = last == std::string_view::npos ? ' ' : source_.text[last];
        bool const is_object = !open_.empty() && open_.back()->kind == json_kind::object;
        bool const has_name = is_object && open_.back()->keys.size() > open_.back()->items.size();
        if (before == '{') return "a name in quotes or `}`";
        if (before == '[') return "a value or `]`";
        if (before == ',' && is_object) return "a name in quotes";
        if (before == ',' || before == ':' || before == ' ') return "a value";
        if (open_.empty()) return "the end";
        return has_name ? "`:`" : is_object ? "`,` or `}`" : "`,` or `]`";
    }
    bool add(json_value value)
    {
        value.at = begin();
        behind_ = taken_;
        if (open_.empty())
            root_ = std::move(value);
        else
            open_.back()->items.push_back(std::move(value));
        return true;
    }
    bool open(json_kind kind)
    {
        if (open_.size() >= max_nesting)
            source_.fail("expected at most 32 brackets inside each other", begin());
        add({.kind = kind});
        open_.push_back(open_.empty() ? &root_ : &open_.back()->items.back());
        return true;
    }
    bool close()
    {
        open_.pop_back();
        behind_ = taken_;
        return true;
    }

    json_source const& source_;
    std::size_t const& taken_;
    std::size_t behind_ = 0;
    json_value root_;
    std::vector<json_value*> open_; // pointers stay valid: only the last open list grows
};

/// Errors  syntax_error
[[nodiscard]] inline json_value read_json_tree(json_source const& source)
{
    std::size_t taken = 0;
    json_tree_builder events(source, taken);
    char const* const begin = source.text.data();
    nlohmann::json::sax_parse(counted_characters(begin, &taken),
                              counted_characters(begin + source.text.size(), &taken), &events);
    return std::move(events.root());
}

} // namespace attune::inline ATTUNE_ABI::detail
