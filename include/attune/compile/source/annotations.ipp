// attune/compile/source/annotations.ipp - parses ATTUNE_TUNABLE and declarations in kernel text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/annotations.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr char const* annotation_form =
    "write it as ATTUNE_TUNABLE(NAME, default), for example ATTUNE_TUNABLE(TILE_M, 64)";

[[nodiscard]] inline std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && code_cursor::is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && code_cursor::is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

/// The text up to a comma (if `stop_at_comma`) or closing parenthesis at depth 0. The cursor ends
/// at that character, or at the end of the text.
[[nodiscard]] inline std::string_view annotation_part(std::string_view text, code_cursor& cursor,
                                                      bool stop_at_comma)
{
    std::size_t const begin = cursor.position();
    int depth = 0;
    while (!cursor.at_end()) {
        char const c = cursor.peek();
        if (code_cursor::is_word(c)) {
            cursor.word();
            continue;
        }
        if (depth == 0 && (c == ')' || (stop_at_comma && c == ','))) break;
        depth += (c == '(' || c == '[' || c == '{') ? 1 : 0;
        depth -= (c == ')' || c == ']' || c == '}') ? 1 : 0;
        cursor.step();
    }
    return trimmed(text.substr(begin, cursor.position() - begin));
}

/// Reads an annotation; `cursor` is at its opening parenthesis.
[[nodiscard]] inline annotation read_annotation(std::string_view text, code_cursor& cursor,
                                                std::size_t line, std::string const& file)
{
    std::string const where = file + ':' + std::to_string(line);
    cursor.step();
    cursor.skip_spaces();
    std::string const name(annotation_part(text, cursor, true));
    if (!is_identifier(name))
        throw error("'" + name.substr(0, 40) + "' cannot name a tunable parameter", where,
                    annotation_form);
    if (cursor.peek() != ',')
        throw error("ATTUNE_TUNABLE(" + name + ") has no default", where, annotation_form);
    cursor.step();
    cursor.skip_spaces();
    std::string const value(annotation_part(text, cursor, false));
    if (cursor.at_end())
        throw error("ATTUNE_TUNABLE(" + name + ", ... is not closed", where, annotation_form);
    return {name, value, line, file};
}

/// The uses of parameter names in a text, besides annotations.
struct name_uses {
    std::set<std::string, std::less<>> annotated{}; ///< initialised with ATTUNE_TUNABLE
    std::set<std::string, std::less<>> declared{};  ///< after a type: `int TILE`
    std::set<std::string, std::less<>> defined{};   ///< by #define
    std::set<std::string, std::less<>> asked{};     ///< in #ifdef, #ifndef, #undef, defined()
    std::map<std::string, std::size_t, std::less<>> computed{}; ///< in #if; value: line number
    bool knows_attune = false; ///< the text mentions ATTUNE_COMPILES_VARIANT
};

class name_reader {
public:
    name_reader(std::string_view text, std::set<std::string, std::less<>> const& names)
        : cursor_(text)
        , names_(names)
    {
    }

    [[nodiscard]] name_uses read()
    {
        bool line_start = true;
        while (!cursor_.at_end()) {
            char const c = cursor_.peek();
            if (code_cursor::is_word(c)) {
                std::size_t const line = cursor_.line();
                take(cursor_.word(), line);
            } else {
                cursor_.step();
                depth_ += (c == '(' || c == '[' || c == '{') ? 1 : 0;
                depth_ -= (c == ')' || c == ']' || c == '}') ? 1 : 0;
                if (c == '#' && line_start)
                    begin_directive();
                else if (c == '\n' && !directive_.empty())
                    end_directive();
                else if (c == ';' || c == ')' || c == ']' || c == '}')
                    end_statement(c == ';' ? depth_ : depth_ + 1);
                else if (c != '*' && c != '&' && !code_cursor::is_space(c))
                    after_type_ = false;
                if (c != '(' && c != '{' && !code_cursor::is_space(c)) opened_.clear();
            }
            line_start = c == '\n' || (line_start && code_cursor::is_space(c));
        }
        return std::move(uses_);
    }

private:
    void begin_directive()
    {
        cursor_.skip_blanks();
        directive_ = cursor_.word();
        is_first_ = true;
        outside_ = std::exchange(depth_, 0);
        pending_.clear();
        after_type_ = false;
    }
    void end_directive()
    {
        directive_ = {};
        end_statement(0);
        pending_.clear();
        depth_ = outside_;
    }
    /// Ends the statements whose bracket depth is at least `depth`.
    void end_statement(int depth)
    {
        is_asked_ = after_type_ = false;
        std::erase_if(pending_, [&](auto const& one) { return one.second >= depth; });
        if (typedef_depth_ < depth) return;
        typedef_depth_ = -1;
        of_typedef_.clear();
    }

    void take(std::string_view word, std::size_t line)
    {
        if (word == "ATTUNE_TUNABLE") return take_annotation();
        if (word == "ATTUNE_COMPILES_VARIANT") uses_.knows_attune = true;
        if (word == "typedef") typedef_depth_ = depth_;
        if (names_.contains(word)) take_name(std::string(word), line);
        is_first_ = false;
        is_asked_ = word == "defined";
        constexpr std::array types{"int",   "bool",   "float",    "double",   "char",
                                   "auto",  "size_t", "class",    "typename", "struct",
                                   "union", "enum",   "namespace"};
        constexpr std::array with_types{"const", "constexpr", "static", "inline", "volatile"};
        auto const is_in = [&](auto const& list) {
            return std::find(list.begin(), list.end(), word) != list.end();
        };
        after_type_ = is_in(types) || (after_type_ && is_in(with_types));
    }

    void take_annotation()
    {
        cursor_.skip_spaces();
        if (cursor_.peek() == '(') {
            cursor_.step();
            ++depth_;
        }
        cursor_.skip_spaces();
        std::string const name(cursor_.word());
        if (pending_.contains(name) || name == opened_) uses_.annotated.insert(name);
        if (typedef_depth_ >= 0) of_typedef_.insert(name);
        after_type_ = false;
        opened_.clear();
    }

    void take_name(std::string name, std::size_t line)
    {
        if (directive_ == "if" || directive_ == "elif") {
            if (is_asked_)
                uses_.asked.insert(name);
            else
                uses_.computed.emplace(name, line);
            return;
        }
        if (directive_ == "ifdef" || directive_ == "ifndef" || directive_ == "undef" ||
            directive_ == "elifdef" || directive_ == "elifndef") {
            uses_.asked.insert(name);
            return;
        }
        if (directive_ == "define" && is_first_) {
            uses_.defined.insert(name);
            pending_.emplace(name, -1); // to the end of the line
            return;
        }
        code_cursor ahead = cursor_;
        auto const skip = [&] { directive_.empty() ? ahead.skip_spaces() : ahead.skip_blanks(); };
        skip();
        if (after_type_ && !is_scope(ahead)) uses_.declared.insert(name);
        if (ahead.peek() == '(' || ahead.peek() == '{') opened_ = name;
        while (ahead.peek() == '[') {
            while (!ahead.at_end() && ahead.peek() != ']')
                ahead.step();
            ahead.step();
            skip();
        }
        if (ahead.peek() == '=') {
            ahead.step();
            if (ahead.peek() != '=') pending_.emplace(name, depth_);
        }
        if (ahead.peek() == ';' && of_typedef_.contains(name)) uses_.annotated.insert(name);
    }

    [[nodiscard]] static bool is_scope(code_cursor at)
    {
        bool const one = at.peek() == ':';
        at.step();
        return one && at.peek() == ':';
    }

    code_cursor cursor_;
    std::set<std::string, std::less<>> const& names_;
    name_uses uses_{};
    std::string_view directive_{};                      ///< "define"; empty in other code
    std::map<std::string, int, std::less<>> pending_{}; ///< followed by `=`; value: bracket depth
    std::set<std::string, std::less<>> of_typedef_{};   ///< annotated since `typedef`
    int depth_ = 0;                                     ///< open brackets
    int outside_ = 0;                                   ///< open brackets before the directive
    std::string opened_{};                              ///< the name directly before `(` or `{`
    bool is_first_ = false;                             ///< no word has followed the directive yet
    int typedef_depth_ = -1;                            ///< bracket depth of a typedef; -1: none
    bool is_asked_ = false;                             ///< after `defined`
    bool after_type_ = false;
};

ATTUNE_INLINE std::vector<annotation> find_annotations(std::string_view text,
                                                       std::string const& file)
{
    std::vector<annotation> found;
    detail::code_cursor cursor(text);
    std::string_view before;
    while (!cursor.at_end()) {
        if (!detail::code_cursor::is_word(cursor.peek())) {
            cursor.step();
            continue;
        }
        std::size_t const line = cursor.line();
        std::string_view const word = cursor.word();
        bool const is_use = word == "ATTUNE_TUNABLE" && before != "define" && before != "undef" &&
                            before != "ifdef" && before != "ifndef" && before != "defined";
        before = word;
        if (!is_use) continue;
        cursor.skip_spaces();
        if (cursor.peek() == '(') found.push_back(read_annotation(text, cursor, line, file));
    }
    return found;
}

ATTUNE_INLINE std::vector<annotation> find_annotations(kernel_source const& kernel)
{
    std::vector<annotation> found;
    if (kernel.generator) return found;
    for (source_part const& part : source_parts(kernel))
        for (annotation& next : find_annotations(part.text, part.path)) {
            auto const same = std::find_if(found.begin(), found.end(), [&](annotation const& a) {
                return a.name == next.name;
            });
            if (same != found.end() && same->default_text != next.default_text)
                throw error("tunable parameter '" + next.name + "' has two defaults, " +
                                same->default_text + " and " + next.default_text,
                            same->file + ':' + std::to_string(same->line) + " and " + next.file +
                                ':' + std::to_string(next.line),
                            "give it one default, or name it once and use a constant after that");
            found.push_back(std::move(next));
        }
    return found;
}

ATTUNE_INLINE std::vector<std::string> own_names(kernel_source const& kernel,
                                                 std::vector<annotation> const& found)
{
    std::set<std::string, std::less<>> names;
    for (annotation const& a : found)
        names.insert(a.name);
    std::vector<std::pair<std::string, name_uses>> files;
    for (source_part const& part : source_parts(kernel))
        files.emplace_back(part.path, name_reader(part.text, names).read());

    std::vector<std::string> own;
    for (std::string const& name : names) {
        bool annotated = false;
        bool declared = false;
        bool defined = false;
        bool asked = false;
        bool knows_attune = false;
        std::string computed;
        for (auto const& [path, uses] : files) {
            annotated = annotated || uses.annotated.contains(name);
            declared = declared || uses.declared.contains(name);
            defined = defined || uses.defined.contains(name);
            asked = asked || uses.asked.contains(name);
            knows_attune = knows_attune || uses.knows_attune;
            auto const at = uses.computed.find(name);
            if (at != uses.computed.end() && computed.empty())
                computed = path + ':' + std::to_string(at->second);
        }
        // If the preprocessor tests a name, the name may have to be a macro.
        bool const is_asked = defined || asked || !computed.empty();
        if (knows_attune || !(annotated || (declared && !is_asked))) continue;
        if (!defined && !computed.empty())
            throw error("an #if reads the tunable parameter '" + name +
                            "', which the kernel file also declares as a constant",
                        computed,
                        "write #if ATTUNE_TUNABLE(" + name +
                            ", default) there: the preprocessor cannot see a constant");
        own.push_back(name);
    }
    return own;
}

} // namespace attune::inline ATTUNE_ABI::detail
