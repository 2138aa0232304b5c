// attune/ship/tool/detail/minimize.hpp - attune minimize: the best arguments of any program.
// SPDX-License-Identifier: MIT
// Source   BaCO (Hellsten et al. 2023): the compiler toolchain as a black box that prints a number
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/schema.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/best.hpp>
#include <attune/ship/tool/detail/space_file.hpp>
#include <attune/tune/dispatch/session_record.hpp>
#include <attune/tune/kernel/device_facts.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/minimize.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A command line with the names of parameters in braces.
struct command_template {
    std::vector<std::string> text{};

    /// The words for one configuration; "{}" is the configuration as JSON.
    [[nodiscard]] std::vector<std::string> filled(description const& space, point const& at) const
    {
        std::vector<std::string> out = text;
        for (std::string& word : out)
            for (std::size_t from = 0; (from = word.find('{', from)) != word.npos;) {
                std::size_t const end = word.find('}', from);
                if (end == word.npos) break;
                std::string const name = word.substr(from + 1, end - from - 1);
                std::uint32_t const i = space.find_parameter(name);
                if (!name.empty() && i == no_index) {
                    ++from;
                    continue;
                }
                std::string const value = name.empty()
                                              ? line_of(json_of(space, at))
                                              : attune::text_of(space.parameters[i], at[i]);
                word.replace(from, end + 1 - from, value);
                from += value.size();
            }
        return out;
    }

    /// Errors  words_error: a parameter that no word has; a name in braces that is no parameter's
    void check(description const& space) const
    {
        std::string all;
        for (std::string const& word : text)
            all += word + '\n';
        bool const has_whole = all.find("{}") != all.npos;
        std::vector<std::string_view> names;
        for (parameter_description const& p : space.parameters)
            names.push_back(p.name);
        for (std::size_t from = 0; (from = all.find('{', from)) != all.npos; ++from) {
            std::size_t const end = all.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", from + 1);
            if (end == all.npos || all[end] != '}' || end == from + 1) continue;
            std::string const name = all.substr(from + 1, end - from - 1);
            if (space.find_parameter(name) != no_index) continue;
            std::string const near = nearest_word(name, names);
            throw words_error("minimize: the space has no parameter " + name +
                              (near.empty() ? "" : "; did you mean {" + near + "}?"));
        }
        for (parameter_description const& p : space.parameters)
            if (!has_whole && all.find('{' + p.name + '}') == all.npos)
                throw words_error("minimize: the program is not told " + p.name + "; write {" +
                                  p.name + "} in one of its words, or {} for all as JSON");
    }
};

/// The number that ends the last line of an output.
[[nodiscard]] inline std::optional<double> last_number(std::string_view output)
{
    constexpr std::string_view blanks = " \t\r\n";
    std::size_t const end = output.find_last_not_of(blanks);
    if (end == output.npos) return std::nullopt;
    output = output.substr(0, end + 1);
    std::size_t const begin = output.find_last_of(" \t\r\n:=,");
    return real_in_text(output.substr(begin == output.npos ? 0 : begin + 1));
}

[[nodiscard]] inline std::string first_line(std::string_view text)
{
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return "";
    return std::string(
        text.substr(first, std::min(text.find('\n', first) - first, std::size_t{200})));
}

struct run_options {
    double limit_s = 60.0;
    bool takes_wall_time = false;
    std::uint64_t repeats = 1;
};

/// Runs the program once, or several times; the median counts.
[[nodiscard]] inline outcome run_program(std::vector<std::string> const& arguments,
                                         run_options const& how)
{
    std::vector<double> values;
    for (std::uint64_t i = 0; i < how.repeats; ++i) {
        double const begun = steady_seconds();
        process_result const ran = run_process(arguments, how.limit_s);
        double const wall_s = steady_seconds() - begun;
        std::string const said = first_line(ran.output);
        if (ran.timed_out)
            return failure{failure_stage::timeout, "after " + seconds_text(how.limit_s)};
        if (ran.signal != 0)
            return failure{failure_stage::crash,
                           std::string(::strsignal(ran.signal)) +
                               (said.empty() ? "" : ": " + said)};
        if (ran.exit_status != 0)
            return failure{failure_stage::crash,
                           "ended with " + std::to_string(ran.exit_status) + ": " + said};
        auto const value =
            how.takes_wall_time ? std::optional<double>(wall_s) : last_number(ran.output);
        if (value && !std::isfinite(*value))
            return failure{failure_stage::verify, "its last number is not finite: " + said};
        if (!value)
            return failure{failure_stage::verify,
                           "its last line does not end in a number: " + said};
        values.push_back(*value);
    }
    std::sort(values.begin(), values.end());
    measurement out = measurement::exact(values[values.size() / 2]);
    out.low = values.front();
    out.high = values.back();
    out.samples = static_cast<std::uint32_t>(values.size());
    return out;
}

/// What --store keeps outcomes under: the program's words are its source.
[[nodiscard]] inline stored_problem problem_of_program(read_space const& read,
                                                       command_template const& program)
{
    stored_problem out;
    content_hash source;
    for (std::string const& word : program.text)
        source.add(word);
    out.key.kernel = read.name;
    out.key.source = source.hex();
    out.key.compiler = "attune minimize";
    out.key.device = device_name();
    for (input_description const& input : read.space.describe().inputs)
        if (input.value)
            out.key.inputs.emplace_back(input.name,
                                        input.value->is_real
                                            ? text_of_real(input.value->real)
                                            : std::to_string(input.value->integer));
    for (parameter_description const& p : read.space.describe().parameters)
        out.parameters.push_back(p.name);
    out.facts = facts_of_processor();
    return out;
}

[[nodiscard]] inline int run_minimize(words const& given, console& on)
{
    if (given.behind.empty())
        throw words_error(
            "minimize: name the program behind --, as in: attune minimize space.json -- "
            "./run {TILE_M}");
    read_space const read = space_of(given.plain[0], given);
    description const& space = read.space.describe();
    command_template const program{given.behind};
    program.check(space);
    if (program.text[0].find('{') == program.text[0].npos && find_program(program.text[0]).empty())
        throw error("there is no such program", program.text[0], "name a path, or one on PATH");
    run_options how;
    how.limit_s = given.real("--timeout", 60.0);
    how.takes_wall_time = given.has("--wall-time");
    how.repeats = std::max<std::uint64_t>(1, given.number("--repeat", 1));
    search_limits limits = search_limits::usual();
    limits.evaluations =
        given.number("--evaluations", given.has("--seconds") ? search_limits::any_number : 60);
    limits.seconds = given.real("--seconds", search_limits::any_time);
    minimize_options options;
    options.seed = given.number("--seed", 0);
    options.search = search_of(given);
    options.name = read.name;
    options.progress = on.is_live ? terminal_progress() : silent_progress();

    // What was run before is not run again.
    std::optional<store> kept;
    stored_problem const problem = problem_of_program(read, program);
    std::map<value_texts, outcome> known;
    std::vector<std::string> problems;
    if (auto const path = given.value("--store")) {
        kept.emplace(*path);
        for (tried_row const& row : kept->recall(problem).rows)
            known.insert_or_assign(row.values, row.result);
        for (std::string const& notice : kept->notices())
            throw error("the store cannot be used: " + notice, *path, "name another one");
    }
    std::size_t runs = 0;
    std::optional<measurement> best;
    std::optional<measurement> first; // of the default, if all parameters have one
    auto const objective = [&](point const& at) -> outcome {
        value_texts const values = values_of(space, at);
        auto const before = known.find(values);
        outcome const result =
            before != known.end() ? before->second : run_program(program.filled(space, at), how);
        if (before == known.end()) {
            ++runs;
            if (kept) kept->note(problem, {values, result, ""});
        }
        if (auto const* const m = std::get_if<measurement>(&result)) {
            if (!first) first = *m;
            if (!best || m->value < best->value) best = *m;
        }
        return result;
    };
    found_minimum const found = minimize_points(read.space, objective, limits, options);
    if (kept && found.best && best) {
        record r;
        r.key = problem.key;
        r.key.schema = content_hash().add(schema_text(space)).hex();
        value_texts const values = values_of(space, *found.best);
        for (std::size_t i = 0; i < values.size(); ++i)
            r.configuration.emplace_back(problem.parameters[i], values[i]);
        r.best_s = best->value;
        r.best_interval = {best->low, best->high, best->samples};
        r.default_s = first ? first->value : 0;
        r.evaluations = found.evaluations;
        r.failures = total(found.failures);
        r.seed = options.seed;
        r.when = text_of_now();
        r.attune = version;
        r.interrupted = found.interrupted;
        r.ended = found.interrupted ? "interrupted" : "budget";
        r.asked = {limits.evaluations, limits.seconds};
        kept->add(r);
        for (std::string const& notice : kept->notices())
            on.err << "attune: minimize: " << printable(notice) << '\n';
    }
    if (given.has("--json")) {
        tool_json json;
        json["best"] = found.best ? json_of(space, *found.best) : tool_json();
        json["value"] = found.best ? tool_json(found.value) : tool_json();
        json["evaluations"] = found.evaluations;
        json["runs"] = runs;
        json["failures"] = total(found.failures);
        json["interrupted"] = found.interrupted;
        on.out << line_of(json) << '\n';
    } else if (found.best) {
        std::string line;
        for (std::string const& word : program.filled(space, *found.best))
            line += (line.empty() ? "" : " ") + quoted_for_shell(word);
        on.out << formatted("%.9g", found.value) << ": "
               << printable(attune::text_of(space, *found.best)) << '\n'
               << printable(line) << '\n';
    }
    std::string const failures = describe(found.failures);
    on.err << "attune: minimize: " << found.evaluations << " evaluations, " << runs << " runs"
           << (failures.empty() ? "" : ", " + failures) << '\n';
    if (!found.best) on.err << "attune: minimize: no configuration worked\n";
    return found.interrupted ? interrupted : found.best ? done : answer_is_no;
}

[[nodiscard]] inline command minimize_command()
{
    return {
        .name = "minimize",
        .usage = "SPACE.json [options] -- PROGRAM {NAME}...",
        .what = "Searches the arguments with which any program prints the lowest number.",
        .options =
            {space_option,
             space_input_option,
             {"--evaluations", "NUMBER", "so many configurations at most (60)"},
             {"--seconds", "NUMBER", "so long at most; then without a limit of evaluations"},
             {"--timeout", "NUMBER", "seconds of one run (60); one that takes longer failed"},
             {"--repeat", "NUMBER", "runs each configuration so often; the median counts (1)"},
             {"--wall-time", "", "the run's own seconds count, not what it prints"},
             {"--store", "FILE", "keeps outcomes there, as seconds; what it has is not run again"},
             search_option,
             seed_option,
             json_option},
        .more = "  attune minimize space.json -- ./run {TILE_M} {TILE_N}\n"
                "  attune minimize space.json --store run.attune --wall-time -- sh -c 'make "
                "T={TILE} && ./a.out'\n\n"
                "{NAME} becomes the value of a parameter, {} all of them as JSON. The last line "
                "that the program\n"
                "prints has to end in a number; the lowest is best. A run that ends with another "
                "status than 0, by\n"
                "a signal, or too late has failed, and the search learns from that. SPACE.json is "
                "a space of\n"
                "attune's own form or T1. It ends with 1 where no configuration worked.\n",
        .least = 1,
        .most = 1,
        .run = run_minimize,
        .takes_program = true,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
