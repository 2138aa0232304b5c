// attune/ship/tool/detail/minimize.hpp - attune minimize: the best arguments of any program.
// SPDX-License-Identifier: MIT
// Source   BaCO (Hellsten et al. 2023): the compiler toolchain as a black box that prints a number
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/schema.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/best.hpp>
#include <attune/ship/tool/detail/program_run.hpp>
#include <attune/ship/tool/detail/space_file.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/device_facts.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/minimize.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

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
    out.key.inputs = texts_of_inputs(read.space.describe());
    for (named_value const& v : named_values(read.space.describe()))
        out.parameters.emplace_back(v.name);
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
    std::optional<measurement> standard;
    std::optional<point> const standard_point = default_point(read.space);
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
            if (at == standard_point) standard = *m;
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
        auto const interval = [](measurement const& m) {
            return m.low < m.high ? time_interval{m.low, m.high, m.samples} : time_interval{};
        };
        r.best_interval = interval(*best);
        if (standard) {
            r.default_s = standard->value;
            r.default_interval = interval(*standard);
        }
        r.evaluations = found.evaluations;
        r.failures = total(found.failures);
        r.seed = options.seed;
        r.when = text_of_now();
        r.attune = version;
        r.interrupted = found.interrupted;
        r.ended = found.ended;
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
             {"--repeat",
              "NUMBER",
              "runs each so often; the median counts, of 6 with an interval (1)"},
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
                "writes to standard output has to end in a number; the lowest is best. A run that "
                "ends with another "
                "status than 0, by\n"
                "a signal, or too late has failed, and the search learns from that. SPACE.json is "
                "a space of\n"
                "attune's own form, T1 or NNI's. It ends with 1 where no configuration worked.\n",
        .least = 1,
        .most = 1,
        .run = run_minimize,
        .takes_program = true,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
