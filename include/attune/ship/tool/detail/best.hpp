// attune/ship/tool/detail/best.hpp - attune best: the winner of a problem, for scripts and builds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A text that a shell takes as one word.
[[nodiscard]] inline std::string quoted_for_shell(std::string const& text)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=-+.,/:%@";
    if (!text.empty() && text.find_first_not_of(plain) == text.npos) return text;
    std::string out = "'";
    for (char const c : text)
        out += c == '\'' ? std::string("'\\''") : std::string{c};
    return out + '\'';
}

/// "TILE=64": one value of a configuration.
/// Errors  attune::error: it could move a terminal's cursor
[[nodiscard]] inline std::string setting_text(std::string const& name, std::string const& value)
{
    std::string const text = name + '=' + value;
    if (printable(text) != text)
        throw error("this text has control characters", printable(text), "use --json");
    return text;
}

/// The program that is to read the words of --macros.
enum class word_reader : std::uint8_t { shell, make, cmake };

/// A text as one word where `reader` reads it.
[[nodiscard]] inline std::string quoted_for(word_reader reader, std::string const& text)
{
    std::string out;
    if (reader == word_reader::cmake) { // a quoted argument, and one element of a list
        for (char const c : text)
            out += std::string_view("\\\"$;").find(c) != std::string_view::npos
                       ? std::string{'\\', c}
                       : std::string{c};
        return '"' + out + '"';
    }
    std::string const word = quoted_for_shell(text);
    if (reader == word_reader::shell) return word;
    for (char const c : word) // make reads it, then the shell of a recipe
        out += c == '$' ? "$$" : c == '#' ? "\\#" : std::string{c};
    return out;
}

/// The options that compile the kernel file with a configuration: macros, and flags of the kernel
/// and of the configuration. A compiler that a parameter names is not among them.
/// Errors  attune::error: a parameter is no name of a macro, or has control characters
[[nodiscard]] inline std::vector<std::string> compiler_words(stored_problem const& problem,
                                                             named_texts const& configuration)
{
    // An older release, or another tuner, has no facts: then each parameter is a macro.
    call_facts const facts = call_facts_in(problem.facts).value_or(call_facts{});
    if (facts.is_generated)
        throw error("the program writes the text of this kernel for each configuration",
                    printable(problem.key.kernel),
                    "attune bake writes the winner's text; --json has the configuration");
    auto const has = [](std::vector<std::string> const& names, std::string const& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    compile_request request;
    for (auto const& [name, value] : configuration) {
        static_cast<void>(setting_text(name, value));
        if (has(facts.compilers, name)) continue;
        if (has(facts.flags, name)) {
            std::vector<std::string> const more = split_flags(value);
            request.flags.insert(request.flags.end(), more.begin(), more.end());
            continue;
        }
        if (!is_identifier(name))
            throw error("this parameter is no name of a macro", printable(name), "use --json");
        request.macros.push_back({name, value, has(facts.own_names, name)});
    }
    std::vector<std::string> out = facts.source_flags;
    out.emplace_back(variant_flag);
    for (std::vector<std::string> const& more : {macro_flags(request), request.flags})
        out.insert(out.end(), more.begin(), more.end());
    return out;
}

[[nodiscard]] inline word_reader reader_of(words const& given)
{
    std::string const name = given.value("--for").value_or("sh");
    if (given.has("--for") && !given.has("--macros"))
        throw words_error("--for says who reads the words of --macros");
    if (name == "sh") return word_reader::shell;
    if (name == "make") return word_reader::make;
    if (name == "cmake") return word_reader::cmake;
    throw words_error("--for is sh, make or cmake, not '" + name + "'");
}

[[nodiscard]] inline int run_best(words const& given, console& on)
{
    word_reader const reader = reader_of(given);
    store_content store = read_store(given.plain[0], on);
    auto problems = selected(store, selection_of(given));
    std::erase_if(problems, [](listed_problem const& one) { return one.best.empty(); });
    if (problems.empty()) {
        on.err << "attune: best: no winner is known of what is meant; attune show lists what is\n";
        return answer_is_no;
    }
    if (problems.size() > 1 && !given.has("--all"))
        throw words_error("best: " + too_many(problems));
    std::vector<tool_json> list;
    for (listed_problem const& one : problems) {
        record const& best = *latest_winner(one);
        if (given.has("--json")) {
            tool_json json = json_of(one.problem);
            json["best"] = json_of(best);
            list.push_back(std::move(json));
            continue;
        }
        if (given.has("--all")) on.out << name_of(one.problem) << ": ";
        std::vector<std::string> words_of_best;
        if (given.has("--macros"))
            for (std::string const& word : compiler_words(one.problem, best.configuration))
                words_of_best.push_back(quoted_for(reader, word));
        else
            for (auto const& [name, value] : best.configuration)
                words_of_best.push_back(quoted_for_shell(setting_text(name, value)));
        std::string line;
        for (std::string const& word : words_of_best)
            line += (line.empty() ? "" : " ") + word;
        on.out << line << '\n';
    }
    if (given.has("--json")) {
        if (given.has("--all"))
            write_list(on.out, list);
        else
            on.out << line_of(list[0]) << '\n';
    }
    return done;
}

[[nodiscard]] inline command best_command()
{
    return {
        .name = "best",
        .usage = "STORE [options]",
        .what = "The best configuration of one problem, as words for a shell.",
        .options = {kernel_option,
                    device_option,
                    input_option,
                    {"--macros", "",
                     "what compiles the kernel file with it: -D of its macros, and its flags"},
                    {"--for", "sh|make|cmake", "who reads the words of --macros (sh)"},
                    {"--all", "", "of all problems that are meant, a line each"},
                    json_option},
        .more =
            "  attune best sgemm.attune --input N=1024\n"
            "  eval \"c++ -std=c++20 -O3 -c $(attune best sgemm.attune --input N=1024 --macros) "
            "sgemm.kernel.cpp\"\n"
            "  attune best sgemm.attune --input N=1024 --macros --for cmake\n\n"
            "--macros has the flags that the kernel was declared with, and those of the "
            "configuration; the\n"
            "optimiser's level is yours. For make the words stand in a makefile, in a variable or "
            "a "
            "recipe; for\n"
            "cmake they are arguments of a command such as target_compile_options.\n"
            "It ends with 1 where nothing is known, and with 2 where several problems are meant.\n",
        .least = 1,
        .most = 1,
        .run = run_best,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
