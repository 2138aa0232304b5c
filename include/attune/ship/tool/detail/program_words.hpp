// attune/ship/tool/detail/program_words.hpp - the words of a program, with names of parameters in braces.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/space_file.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A part of a program's word: fixed text, or a name in braces.
struct word_part {
    std::string text{};
    bool is_name = false; ///< "" names the whole configuration
};

/// `{{` and `}}` are braces, and so is `${...}` of a shell. A brace without a name stays.
[[nodiscard]] inline std::vector<word_part> parts_of(std::string_view word)
{
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    std::vector<word_part> out{{}};
    std::size_t doubled = 0; // `{{` without a closing `}}`
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::string_view const rest = word.substr(i);
        std::size_t const end = rest.find_first_not_of(letters, 1);
        bool const is_pair = rest[0] == '{' && end != rest.npos && rest[end] == '}';
        if (rest.starts_with("{{")) {
            ++doubled;
            out.back().text += '{';
            ++i;
        } else if (doubled > 0 && rest.starts_with("}}")) {
            --doubled;
            out.back().text += '}';
            ++i;
        } else if (is_pair && i > 0 && word[i - 1] == '$') {
            out.back().text += rest.substr(0, end + 1);
            i += end;
        } else if (is_pair) {
            out.push_back({std::string(rest.substr(1, end - 1)), true});
            out.push_back({});
            i += end;
        } else {
            out.back().text += rest[0];
        }
    }
    return out;
}

/// A command line with the names of parameters and inputs in braces.
struct command_template {
    std::vector<std::string> text{};

    /// The words for a configuration; "{}" is the configuration as JSON.
    [[nodiscard]] std::vector<std::string> filled(description const& space, point const& at) const
    {
        std::vector<std::string> out;
        for (std::string const& word : text) {
            std::string& made = out.emplace_back();
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name)
                    made += part.text;
                else if (part.text.empty())
                    made += line_of(json_of(space, at));
                else if (auto const v = find_value(space, part.text))
                    made += text_at(space, *v, at);
                else
                    made += input_text(space, part.text);
            }
        }
        return out;
    }

    /// Errors  words_error: a parameter without a word; a name in braces that is no parameter
    void check(description const& space) const
    {
        std::vector<std::string_view> names;
        for (named_value const& v : named_values(space))
            names.push_back(v.name);
        std::set<std::string> used;
        for (std::string const& word : text)
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name) continue;
                used.insert(part.text);
                if (part.text.empty() || find_value(space, part.text) ||
                    space.find_input(part.text) != no_index)
                    continue;
                std::string const near = nearest_word(part.text, names);
                throw words_error("minimize: the space has no parameter " + part.text +
                                  (near.empty() ? "" : "; did you mean {" + near + "}?") +
                                  "; write {{" + part.text + "}} for these braces themselves");
            }
        for (std::string_view const name : names)
            if (!used.contains("") && !used.contains(std::string(name)))
                throw words_error("minimize: the program is not told " + std::string(name) +
                                  "; write {" + std::string(name) +
                                  "} in one of its words, or {} for all as JSON");
    }

    /// A word in which {} is only a part, while other words have each parameter; empty: none. Such
    /// a word may be text of Python or of a shell.
    [[nodiscard]] std::string doubtful_braces(description const& space) const
    {
        std::set<std::string> used;
        std::string out;
        for (std::string const& word : text)
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name) continue;
                used.insert(part.text);
                if (part.text.empty() && word != "{}") out = word;
            }
        for (named_value const& v : named_values(space))
            if (!used.contains(std::string(v.name))) return {};
        return out;
    }

private:
    [[nodiscard]] static std::string input_text(description const& space, std::string const& name)
    {
        number const value = space.inputs[space.find_input(name)].value.value();
        return value.is_real ? formatted("%.17g", value.real) : std::to_string(value.integer);
    }
};

} // namespace attune::inline ATTUNE_ABI::detail::tool
