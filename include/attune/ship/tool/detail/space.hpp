// attune/ship/tool/detail/space.hpp - attune space: counts, lists, draws and explains configurations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/files/python_json.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/long_work.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/ship/tool/detail/rows.hpp>
#include <attune/ship/tool/detail/space_export.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/query/space_report.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr option part_option{"--part", "K/N", "list: the K-th of N equal parts"};
inline constexpr option format_option{
    "--format", "csv|jsonl|json|t1|nni|smtlib",
    "list: csv or jsonl (csv); export, reduce: the others (json)"};

/// Options without a meaning for some actions.
struct action_option {
    std::string_view name;
    std::string_view actions; ///< between blanks
};
inline constexpr std::array<action_option, 10> action_options{{{"--part", " list "},
                                                               {"--threads", " list "},
                                                               {"--format", " list export reduce "},
                                                               {"--output", " list export reduce "},
                                                               {"--where", " reduce "},
                                                               {"--most", " sample "},
                                                               {"--seed", " sample "},
                                                               {"--curve", " count "},
                                                               {"--limits", " count "},
                                                               {"--json", " count "}}};

/// "3/16" as two numbers, the first from 1 on.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> part_in_text(std::string const& text)
{
    std::pair<std::uint64_t, std::uint64_t> out;
    char const* const end = text.data() + text.size();
    auto const first = std::from_chars(text.data(), end, out.first);
    bool is_right = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
    if (is_right) {
        auto const second = std::from_chars(first.ptr + 1, end, out.second);
        is_right = second.ec == std::errc{} && second.ptr == end;
    }
    if (!is_right || out.first < 1 || out.first > out.second)
        throw words_error("--part takes K/N, K from 1 to N, not '" + text + "'");
    return out;
}

[[nodiscard]] inline int count_space(read_space const& wanted, words const& given, console& on)
{
    if (given.has("--curve")) return write_curves(wanted, given, on);
    if (given.has("--limits")) throw words_error("--limits is for --curve");
    if (!given.has("--json")) {
        on.out << printable_lines(to_text(report_on(wanted.space)));
        return done;
    }
    size_estimate const size = wanted.space.estimated_size();
    tool_json json{
        {"space", wanted.name}, {"log2_valid", size.log2}, {"relative_error", size.relative_error}};
    json["valid"] =
        wanted.space.is_exact() ? tool_json(exact_size(wanted.space).str()) : tool_json();
    on.out << line_of(json) << '\n';
    return done;
}

/// "12.3 million configurations and 250 MB a second".
[[nodiscard]] inline std::string listing_speed(double rows, double bytes, double seconds)
{
    double const s = std::max(seconds, 1e-9);
    return formatted("%.3g million configurations and ", 1e-6 * rows / s) +
           formatted("%.3g MB a second", 1e-6 * bytes / s);
}

/// Writes the rows of a part of the space, into a file completely or not at all.
[[nodiscard]] inline int list_space(read_space const& wanted, words const& given, console& on)
{
    std::string const format = given.value("--format").value_or("csv");
    if (format != "csv" && format != "jsonl")
        throw words_error("space list: --format is csv or jsonl, not '" + format + "'");
    row_format const as = format == "csv" ? row_format::csv : row_format::jsonl;
    auto const [part, parts] = part_in_text(given.value("--part").value_or("1/1"));
    std::uint64_t const threads =
        given.number("--threads", std::max(std::uint64_t{std::thread::hardware_concurrency()},
                                           std::uint64_t{1}));
    if (threads < 1 || threads > 1024) throw words_error("--threads is from 1 to 1024");
    if (wanted.space.has_real_parameters())
        throw error("a space with real parameters has no list of its configurations", wanted.name,
                    "draw some by attune space sample");
    configuration_range const range = part_of(whole_range(wanted.space), part, parts);
    double const rows = static_cast<double>(range.size());
    double done_rows = 0, bytes = 0;
    work_progress progress(on);
    row_blocks blocks(wanted.space, range, as, static_cast<unsigned>(threads));
    std::string const head =
        part == 1 ? row_writer(wanted.space.describe(), as).head() : std::string{};
    auto const tell = [&](std::string_view text, leaf_count more) {
        done_rows += static_cast<double>(more);
        bytes += static_cast<double>(text.size());
        progress.note([&] {
            return formatted("%.3g %% of ", 100 * done_rows / rows) + formatted("%.0f, ", rows) +
                   listing_speed(done_rows, bytes, progress.seconds());
        });
    };
    auto const to = given.value("--output");
    if (!to) {
        on.out << head;
        blocks.run([&](std::string_view text, leaf_count more) {
            on.out.write(text.data(), static_cast<std::streamsize>(text.size()));
            tell(text, more);
            return on.out.good();
        });
        return done;
    }
    refuse_store(*to);
    held_signals const signals;
    bool is_ended = false;
    {
        replaced_file file(*to);
        file.write(head);
        blocks.run([&](std::string_view text, leaf_count more) {
            is_ended = signals.have_come();
            if (is_ended) return false;
            file.write(text);
            tell(text, more);
            return true;
        });
        is_ended = is_ended || signals.have_come();
        if (!is_ended) file.finish();
    }
    if (is_ended) return end_interrupted(signals, to, on);
    if (progress.seconds() >= 2)
        on.err << formatted("%.0f configurations, ", rows) +
                      listing_speed(rows, bytes, progress.seconds())
               << '\n';
    return done;
}

[[nodiscard]] inline int sample_space(read_space const& wanted, words const& given, console& on)
{
    random_engine engine(given.number("--seed", 0));
    work_progress progress(on);
    std::uint64_t const most = given.number("--most", 1);
    for (std::uint64_t i = 0; i < most && on.out.good(); ++i) {
        on.out << line_of(json_of(wanted.space.describe(), wanted.space.sample(engine))) << '\n';
        progress.note([&] { return std::to_string(i + 1) + " of " + std::to_string(most); });
    }
    return done;
}

[[nodiscard]] inline int explain_in_space(read_space const& wanted, words const& given, console& on)
{
    if (given.plain.size() < 3)
        throw words_error("space explain needs a configuration: '{\"NAME\": value, ...}'");
    foreign_json<tool_json> const read = read_foreign_json<tool_json>(given.plain[2]);
    if (!read.problem.empty()) throw words_error("a configuration is no JSON: " + read.problem);
    if (auto const twice = name_twice(given.plain[2]))
        throw words_error("a configuration has a parameter twice: " + std::string(*twice));
    description const& space = wanted.space.describe();
    point at;
    try {
        at = point_of(space, read.value);
    } catch (error const& e) {
        on.out << printable(sentence_of(e) + "; " + e.next()) << '\n';
        return answer_is_no;
    }
    std::vector<broken_constraint> const broken = explain(space, at);
    on.out << (broken.empty() ? std::string("valid\n") : printable_lines(to_text(broken)));
    return broken.empty() ? done : answer_is_no;
}

/// A complete space.json for attune minimize.
inline constexpr std::string_view example_space = R"({
  "name": "example",
  "problem": {"N": 1024},
  "params": [
    {"name": "TILE", "values": [8, 16, 32, 64], "default": 16},
    {"name": "UNROLL", "range": [1, 16], "steps": "doubling"},
    {"name": "LAYOUT", "values": ["rows", "columns"]},
    {"name": "PACK", "values": [false, true], "default": false},
    {"name": "PANEL", "range": [64, "N // 2"], "step": 64, "active_if": "PACK"}
  ],
  "constraints": ["N % TILE == 0", "TILE * UNROLL <= 256", "LAYOUT == 'rows' or PACK"]
}
)";

[[nodiscard]] inline int run_space(words const& given, console& on)
{
    if (given.has("--example")) {
        on.out << example_space;
        return done;
    }
    if (given.plain.size() < 2)
        throw words_error("space: something is missing; it is used as: attune space ACTION FILE, "
                          "and attune space --example prints a file");
    struct action {
        std::string_view name;
        int (*run)(read_space const&, words const&, console&);
    };
    constexpr std::array<action, 6> all{{{"count", count_space},
                                         {"list", list_space},
                                         {"sample", sample_space},
                                         {"explain", explain_in_space},
                                         {"export", export_space},
                                         {"reduce", reduce_space}}};
    std::string const& name = given.plain[0];
    auto const wanted =
        std::find_if(all.begin(), all.end(), [&](action const& a) { return a.name == name; });
    if (wanted == all.end())
        throw words_error(
            "attune space has count, list, sample, explain, export and reduce, not '" + name + "'");
    if (given.plain.size() > 2 && name != "explain")
        throw words_error("space " + name + " takes one file");
    for (action_option const& o : action_options)
        if (given.has(o.name) && o.actions.find(' ' + name + ' ') == o.actions.npos)
            throw words_error(std::string(o.name) + " has no effect in attune space " + name);
    return wanted->run(space_of(given.plain[1], given, on), given, on);
}

[[nodiscard]] inline command space_command()
{
    return {
        .name = "space",
        .usage = "count|list|sample|explain|export|reduce FILE [CONFIGURATION] [options]",
        .what = "What is valid in a space: how much, all of it, draws, why one is not, files for "
                "others.",
        .options = {{"--example", "", "prints a whole space.json"},
                    {"--curve", "", "count: against the limits of the constraints"},
                    {"--limits", "A,B,...", "count: these, of the first constraint with a limit"},
                    part_option,
                    format_option,
                    {"--threads", "NUMBER", "list: that make rows (one for each processor)"},
                    where_option,
                    {"--most", "NUMBER", "sample: so many (1)"},
                    {"--seed", "NUMBER", "sample: equal seeds, equal draws (0)"},
                    output_option,
                    space_option,
                    space_input_option,
                    json_option},
        .more = "  attune space --example > space.json\n"
                "  attune space count sgemm.json --curve --input N=1024\n"
                "  attune space list sgemm.json --part 3/16 -o part3.csv\n"
                "  attune space explain sgemm.json '{\"TILE\": 64}'\n"
                "  attune space reduce sgemm.json --where 'TILE <= 64' --format nni\n\n"
                "--curve says what share of all combinations is valid where one limit is another, "
                "and what\n"
                "share of those that are not valid now would be: which resource to buy.\n"
                "list has a line per configuration, inactive parameters at their one value. A CSV "
                "file begins\n"
                "with a line of names; of parts only the first, so that all parts one after the "
                "other are the\n"
                "whole file. explain ends with 0 for a valid configuration, else 1. FILE is of "
                "attune's own form (the\n"
                "guide and share/attune/space.schema.json describe it), T1 or NNI; export and "
                "reduce write these.\n"
                "reduce leaves out the values that no valid configuration has, and says on the "
                "error stream what\n"
                "went, and for NNI also what that has no form for.\n",
        .most = 3,
        .run = run_space,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
