// attune/ship/tool/detail/best.hpp - attune best, attune explain: a problem's winner, and facts about it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/report/problem_report.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/ship/tool/detail/program_problem.hpp>
#include <attune/tune/progress.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// "TILE=64": a value of a configuration.
/// Errors  attune::error: it could move a terminal's cursor
[[nodiscard]] inline std::string setting_text(std::string const& name, std::string const& value)
{
    std::string const text = name + '=' + value;
    if (printable(text) != text)
        throw error("this text has control characters", printable(text), "use --json");
    return text;
}

/// The program that reads the words of --macros.
enum class word_reader : std::uint8_t { shell, make, cmake };

/// The text as a single word for `reader`.
/// Errors  attune::error: CMake has no such word
[[nodiscard]] inline std::string quoted_for(word_reader reader, std::string const& text)
{
    std::string out;
    if (reader == word_reader::cmake) { // a quoted argument, and one element of a list
        if (text.ends_with('\\'))
            throw error("a list of CMake has no text that ends in a backslash", printable(text),
                        "use --json");
        for (char const c : text)
            out += std::string_view("\\\"$;").find(c) != std::string_view::npos
                       ? std::string{'\\', c}
                       : std::string{c};
        return '"' + out + '"';
    }
    std::string const word = quoted_for_shell(text);
    if (reader == word_reader::shell) return word;
    // make reads it, then the shell of a recipe. A backslash before # helps in a variable alone.
    for (char const c : word)
        out += c == '$' ? "$$" : c == '#' ? "$(shell printf '\\043')" : std::string{c};
    return out;
}

/// The options that compile the kernel file with a configuration: macros, and flags of the kernel
/// and of the configuration. Leaves out a compiler that a parameter names.
/// Errors  attune::error: a parameter is no name of a macro, or has control characters
[[nodiscard]] inline std::vector<std::string> compiler_words(stored_problem const& problem,
                                                             named_texts const& configuration)
{
    // An older release, or another tuner, wrote no facts: each parameter is a macro then.
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

/// Removes the problems of attune minimize that differ from a later one only in the program's text.
/// @param problems  in the order of their last lines
inline void keep_latest_programs(std::vector<listed_problem>& problems)
{
    auto const key_without_source = [](listed_problem const& one) {
        record_key key = one.problem.key;
        key.source.clear();
        key.schema.clear();
        std::erase_if(key.setting, [](auto const& s) { return s.first == changes_name; });
        return key;
    };
    for (std::size_t i = problems.size(); i-- > 0;) {
        record_key const key = key_without_source(problems[i]);
        auto const later = problems.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        if (key.compiler == minimize_compiler &&
            std::any_of(later, problems.end(), [&](listed_problem const& other) {
                return key_without_source(other) == key;
            }))
            problems.erase(later - 1);
    }
}

[[nodiscard]] inline int run_best(words const& given, console& on)
{
    word_reader const reader = reader_of(given);
    store_content store = read_store(given.plain[0], on);
    selection meant = selection_of(given);
    auto problems = selected(store, meant);
    std::erase_if(problems, [](listed_problem const& one) { return one.best.empty(); });
    if (!given.has("--all")) keep_latest_programs(problems);
    if (problems.empty()) {
        named_texts const asked = std::exchange(meant.settings, {});
        std::vector<listed_problem> const others = selected(store, meant);
        std::string known;
        for (auto const& [name, none] : asked) {
            std::set<std::string> values;
            for (listed_problem const& other : others) {
                named_texts const have = settings_of(other.problem);
                if (std::string const* const value = value_of(have, name)) values.insert(*value);
            }
            if (values.empty()) continue;
            known += (known.empty() ? "" : ", ") + options_text("--setting " + name + '=', values);
        }
        if (!asked.empty() && known.empty()) known = options_for(others);
        on.err << "attune: best: no winner is known of what is meant; attune show lists what is"
               << (known.empty() ? "" : "; there is " + known) << '\n';
        return answer_is_no;
    }
    if (problems.size() > 1 && !given.has("--all"))
        throw words_error("best: " + too_many(problems) + "; --all shows all");
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
        if (given.has("--macros") && !call_facts_in(one.problem.facts))
            for (auto const& [name, value] : best.configuration)
                if (value.size() > 1 && value[0] == '-' && !real_in_text(value))
                    on.err << "attune: best: the store does not say which parameters are flags; "
                           << printable(name) << " is a macro here. If it is a flag, add "
                           << printable(value) << '\n';
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
                    setting_option,
                    {"--macros", "",
                     "what compiles the kernel file with it: -D of its macros, and its flags"},
                    {"--for", "sh|make|cmake", "who reads the words of --macros (sh)"},
                    {"--all", "", "of all problems that are meant, a line each"},
                    json_option},
        .more =
            "  attune best sgemm.attune --input N=1024\n"
            "  eval \"c++ -std=c++20 -O3 -c $(attune best sgemm.attune --input N=1024 --macros) "
            "sgemm.kernel.cpp\"\n"
            "  attune best sgemm.attune --input N=1024 --macros --for cmake\n"
            "  attune best sgemm.attune --setting better=higher --setting unit=GFLOP/s\n\n"
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

/// "2.92 ms, 2.90 ms to 2.94 ms in 95 % of cases (24 samples)".
[[nodiscard]] inline std::string text_of_interval(problem_objective const& of, double value,
                                                  time_interval const& in)
{
    std::string out = of.text(value);
    if (in.low_s < in.high_s)
        out += ", between " + of.text(in.low_s) + " and " + of.text(in.high_s) + " (" +
               std::to_string(in.samples) + " samples)";
    return out;
}

/// Facts of a winner: a name and a clause each.
[[nodiscard]] inline named_texts facts_of_winner(record const& r)
{
    named_texts out;
    out.emplace_back("best", text_of(r.configuration));
    problem_objective const of = objective_of(r.key);
    out.emplace_back(of.word(), text_of_interval(of, r.best_s, r.best_interval) +
                                    (of.is_higher_better ? "; the highest is best" : ""));
    std::string own = text_of_interval(of, r.default_s, r.default_interval);
    if (is_default_best(r, {}))
        own += ": the default is the best";
    else if (double const gain = of.gain(r.best_s, r.default_s); gain > 0)
        own += ": the best is " + speed_text(gain, of.is_seconds);
    if (has_default(r)) out.emplace_back("default", own);
    if (double const gain = of.gain(r.best_s, r.baseline_s); gain > 0)
        out.emplace_back("your own", text_of_interval(of, r.baseline_s, r.baseline_interval) +
                                         ": the best is " +
                                         speed_text(gain, of.is_seconds, "your own code"));
    for (value_texts const& tie : r.ties) {
        std::string values;
        for (std::size_t i = 0; i < tie.size() && i < r.configuration.size(); ++i)
            values += (values.empty() ? "" : " ") + printable(r.configuration[i].first) + '=' +
                      printable(tie[i]);
        out.emplace_back("tie", values + " could not be told from it");
    }
    if (of.is_seconds && r.least_s > 0)
        out.emplace_back("bound",
                         "no call takes less than " + of.text(r.least_s) + ", by " +
                             (r.memory_bound ? "memory" : "arithmetic") + ": " +
                             formatted("%.0f %% of what is possible", 100 * r.least_s / r.best_s));
    if (std::string const said = text_of_addresses(r.address_modulus); !said.empty())
        out.emplace_back("addresses", said.substr(said.find(' ') + 1));
    std::string how = count_text(r.evaluations, "evaluation") + ", " + std::to_string(r.failures) +
                      " of them failed";
    if (r.asked.evaluations > 0 && r.asked.evaluations < 1'000'000'000)
        how += "; at most " + std::to_string(r.asked.evaluations) + " were allowed";
    if (!r.ended.empty()) how += "; ended by: " + printable(r.ended);
    if (r.interrupted) how += "; interrupted, so a faster one may exist";
    if (r.disturbed) how += "; disturbed by other programs, so a faster one may exist";
    out.emplace_back("found", how);
    out.emplace_back("when", printable(r.when) + ", by attune " + printable(r.attune) + ", seed " +
                                 std::to_string(r.seed));
    return out;
}

/// Kinds of failures, and the most frequent reason.
[[nodiscard]] inline named_texts facts_of_rows(problem_history const& past)
{
    named_texts out;
    failure_counts counts{};
    std::map<std::string, std::size_t> reasons;
    for (tried_row const& row : past.rows)
        if (auto const* const f = std::get_if<failure>(&row.result)) {
            ++counts[static_cast<std::size_t>(f->stage)];
            ++reasons[f->reason];
        }
    std::string text = std::to_string(past.rows.size()) + " outcomes are kept";
    if (past.is_open())
        text +=
            ", " + std::to_string(past.rows.size() - past.open) + " of a tuning that is not over";
    if (total(counts) > 0) text += "; " + describe(counts);
    out.emplace_back("outcomes", text);
    auto const most = std::max_element(reasons.begin(), reasons.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (most != reasons.end())
        out.emplace_back("failures", "most often (" + std::to_string(most->second) + " times): " +
                                         printable(most->first.substr(0, most->first.find('\n'))));
    return out;
}

/// The problem of the command's words, in the store or not: like the latest one of the kernel, with
/// these inputs and this device.
[[nodiscard]] inline std::optional<stored_problem> wanted_problem(store_content& store,
                                                                  selection const& meant)
{
    selection of_kernel;
    of_kernel.kernel = meant.kernel;
    of_kernel.settings = meant.settings;
    auto const all = selected(store, of_kernel);
    if (all.empty()) return std::nullopt;
    for (listed_problem const& one : all)
        if (one.problem.key.kernel != all[0].problem.key.kernel)
            throw words_error("explain: the store has several kernels; name one by --kernel");
    stored_problem const* like = &all.back().problem;
    for (listed_problem const& one : all)
        if (one.problem.key.device.find(meant.device) != std::string::npos) like = &one.problem;
    for (listed_problem const& one : all)
        if (meant.fits(one.problem)) like = &one.problem;
    stored_problem out = *like;
    if (out.key.device.find(meant.device) == std::string::npos) {
        out.key.device = meant.device;
        out.facts.clear();
    }
    for (auto const& [name, value] : meant.inputs) {
        auto const at = std::find_if(out.key.inputs.begin(), out.key.inputs.end(),
                                     [&](auto& one) { return one.first == name; });
        if (at == out.key.inputs.end())
            throw words_error("explain: " + printable(out.key.kernel) + " has no input " + name +
                              "; it has " + text_of(out.key.inputs));
        at->second = value;
    }
    return out;
}

[[nodiscard]] inline int run_explain(words const& given, console& on)
{
    store_content store = read_store(given.plain[0], on);
    auto const wanted = wanted_problem(store, selection_of(given));
    if (!wanted) {
        on.err << "attune: explain: nothing is known of this kernel; attune show lists what is\n";
        return answer_is_no;
    }
    // Leaves out the problem itself among near ones.
    std::uint64_t const most = std::min<std::uint64_t>(given.number("--most", 8), 1'000'000);
    auto near = store.related(*wanted, most + 1);
    bool const has_own = !near.empty() && near[0].how.how == problem_difference::none;
    if (!has_own && near.size() > most) near.pop_back();
    if (given.has("--json")) {
        tool_json out;
        out["wanted"] = json_of(*wanted);
        out["known"] = tool_json::array();
        for (related_problem const& one : near) {
            tool_json json = json_of(one.past.problem);
            json["distance"] = one.how.distance;
            json["why"] = one.how.why;
            json["best"] = one.past.best ? json_of(*one.past.best) : tool_json();
            json["outcomes"] = one.past.rows.size();
            out["known"].push_back(std::move(json));
        }
        on.out << line_of(out) << '\n';
        return done;
    }
    on.out << painted(on, colour::bold, name_of(*wanted)) << '\n';
    auto const write = [&](named_texts const& facts) {
        for (auto const& [name, value] : facts)
            on.out << "  " << name << std::string(name.size() < 10 ? 10 - name.size() : 1, ' ')
                   << value << '\n';
    };
    bool const is_exact = has_own && near[0].past.best;
    write(
        {{"compiler", printable(wanted->key.compiler)}, {"source", printable(wanted->key.source)}});
    if (is_exact)
        write(facts_of_winner(*near[0].past.best));
    else
        on.out
            << "  nothing was tuned for exactly this; what is near is verified before it serves\n";
    if (has_own) {
        write(facts_of_rows(near[0].past));
        if (is_exact && !near[0].past.best->code.empty()) {
            std::size_t right = 0, wrong = 0;
            for (auto const& one : store.proofs(*wanted, near[0].past.best->code))
                ++(one.is_right ? right : wrong);
            if (right + wrong > 0)
                write({{"shapes", "verified for " + std::to_string(right) +
                                      " shapes of calls, wrong for " + std::to_string(wrong)}});
        }
    }
    text_table table{{">DISTANCE", ">BEST", "CONFIGURATION", "WHY IT IS NOT THE SAME"}};
    for (std::size_t i = has_own ? 1 : 0; i < near.size(); ++i) {
        related_problem const& one = near[i];
        bool const is_named = one.how.how != problem_difference::none;
        table.rows.push_back(
            {formatted("%.2f", one.how.distance),
             one.past.best ? objective_of(one.past.problem.key).text(one.past.best->best_s) : "",
             one.past.best ? text_of(one.past.best->configuration) : "-",
             is_named ? printable(one.how.why) : "other parameters or facts"});
    }
    if (!table.rows.empty()) {
        on.out << "near problems of this kernel\n";
        table.write(on);
    }
    return done;
}

[[nodiscard]] inline command explain_command()
{
    return {
        .name = "explain",
        .usage = "STORE [options]",
        .what = "What is known of a problem, how it was found, how sure it is, and what is near.",
        .options = {kernel_option,
                    device_option,
                    {"--input", "NAME=VALUE", "for this value of an input, tuned or not"},
                    setting_option,
                    {"--most", "NUMBER", "so many near problems (8)"},
                    json_option},
        .more =
            "  attune explain sgemm.attune --input N=700\n\n"
            "What is not said (compiler, source, other inputs) is that of the problem tuned last.\n"
            "A distance is the sum over inputs of |log ratio|; .1 for another compiler, .25 for\n"
            "another source; 1 to 3 for another device.\n",
        .least = 1,
        .most = 1,
        .run = run_explain,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
