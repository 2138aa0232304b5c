// attune/ship/tool/detail/best.hpp - attune best: the winner of a problem, for scripts and builds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <algorithm>

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

/// "TILE=64", or "-DTILE=64", as one word of a shell.
/// Errors  attune::error: what it has could be another option, or move a terminal's cursor
[[nodiscard]] inline std::string
shell_word(std::string const& name, std::string const& value, bool is_macro)
{
    auto const is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    bool const is_identifier =
        !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
            return is_letter(c) || (c >= '0' && c <= '9');
        });
    if (is_macro && !is_identifier)
        throw error("this parameter is no name of a macro", printable(name), "use --json");
    std::string const text = name + '=' + value;
    if (printable(text) != text)
        throw error("this text has control characters", printable(text), "use --json");
    return quoted_for_shell((is_macro ? "-D" : "") + text);
}

[[nodiscard]] inline int run_best(words const& given, console& on)
{
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
        std::string line;
        for (auto const& [name, value] : best.configuration)
            line += (line.empty() ? "" : " ") + shell_word(name, value, given.has("--macros"));
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
                    {"--macros", "", "each as a compiler takes it: -DTILE_M=64"},
                    {"--all", "", "of all problems that are meant, a line each"},
                    json_option},
        .more =
            "  attune best sgemm.attune --input N=1024\n"
            "  eval \"c++ -O3 $(attune best sgemm.attune --macros) sgemm.kernel.cpp\"\n\n"
            "It ends with 1 where nothing is known, and with 2 where several problems are meant.\n",
        .least = 1,
        .most = 1,
        .run = run_best,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
