// attune/ship/tool/detail/best.hpp - attune best: the winner of a problem, for scripts and builds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

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
            line += (line.empty() ? "" : " ") +
                    quoted_for_shell((given.has("--macros") ? "-D" : "") + name + '=' + value);
        on.out << (given.has("--all") ? printable(line) : line) << '\n';
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
            "  c++ -O3 $(attune best sgemm.attune --macros) sgemm.kernel.cpp\n\n"
            "It ends with 1 where nothing is known, and with 2 where several problems are meant.\n",
        .least = 1,
        .most = 1,
        .run = run_best,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
