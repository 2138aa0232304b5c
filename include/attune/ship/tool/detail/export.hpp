// attune/ship/tool/detail/export.hpp - attune export: outcomes for other programs, and a model's winners as C++.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/ship/tool/detail/tune.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Columns of a table of outcomes; other columns are parameters. A table with other numbers than
/// times has those of value_columns for seconds, low_s and high_s.
inline constexpr std::array<char const*, 13> outcome_columns{
    "kernel", "source",  "compiler", "signature", "device",  "inputs", "setting",
    "status", "seconds", "low_s",    "high_s",    "samples", "why"};

/// `unit` is "s" for a time.
inline constexpr std::array<char const*, 4> value_columns{"value", "low", "high", "unit"};

template <std::size_t N>
[[nodiscard]] bool has_column(std::array<char const*, N> const& columns, std::string const& name)
{
    return std::find(columns.begin(), columns.end(), name) != columns.end();
}

/// The unit of a column of times, in seconds; 0 for another column. Takes Seconds, TIME_MS, "time
/// (ms)" and "Time [us]" as well.
[[nodiscard]] inline double unit_of_column(std::string name)
{
    name = in_small_letters(std::move(name));
    bool const is_bracketed = (name.starts_with("time (") && name.ends_with(')')) ||
                              (name.starts_with("time [") && name.ends_with(']'));
    if (is_bracketed) name = "time_" + name.substr(6, name.size() - 7);
    if (name == "seconds" || name == "time_s") return 1.0;
    if (name == "time_ms") return 1e-3;
    if (name == "time_us" || name == "time_\u00b5s" || name == "time_\u03bcs") return 1e-6;
    if (name == "time_ns") return 1e-9;
    return 0.0;
}

/// A parameter with the name of a column is called "parameter.NAME".
[[nodiscard]] inline std::string column_of(std::string const& parameter)
{
    bool const is_taken = parameter.starts_with("parameter.") || unit_of_column(parameter) > 0 ||
                          has_column(outcome_columns, parameter) ||
                          has_column(value_columns, parameter);
    return (is_taken ? "parameter." : "") + parameter;
}

/// "N=1024;M=512", with a backslash before a character that would end a name or a value.
[[nodiscard]] inline std::string packed(named_texts const& texts)
{
    std::string out;
    auto const add = [&](std::string const& text) {
        for (char const c : text) {
            if (c == ';' || c == '=' || c == '\\') out += '\\';
            out += c;
        }
    };
    for (auto const& [name, value] : texts) {
        if (!out.empty()) out += ';';
        add(name);
        out += '=';
        add(value);
    }
    return out;
}

/// Exports a value that is not finite as a failure: JSON and tables have no such number.
[[nodiscard]] inline tried_row exported_row(tried_row row)
{
    auto const* const m = std::get_if<measurement>(&row.result);
    if (m != nullptr && !std::isfinite(m->value))
        row.result = failure{failure_stage::verify, "its time is " + text_of_real(m->value)};
    return row;
}

[[nodiscard]] inline std::string csv_of(std::vector<problem_history> const& all)
{
    std::vector<std::string> parameters;
    for (problem_history const& one : all)
        for (std::string const& name : one.problem.parameters)
            if (std::find(parameters.begin(), parameters.end(), name) == parameters.end())
                parameters.push_back(name);
    bool const is_seconds = std::all_of(all.begin(), all.end(), [](problem_history const& one) {
        return objective_of(one.problem.key).is_seconds;
    });
    std::string out;
    for (std::string const column : outcome_columns) {
        bool const is_number = column == "seconds" || column == "low_s" || column == "high_s";
        out += (out.empty() ? "" : ",") + (is_number ? name_of_number(column, is_seconds) : column);
    }
    if (!is_seconds) out += ",unit";
    for (std::string const& name : parameters)
        out += ',' + csv_text(column_of(name));
    out += '\n';
    for (problem_history const& one : all) {
        record_key const& key = one.problem.key;
        problem_objective const objective = objective_of(key);
        std::string const unit =
            is_seconds ? "" : ',' + csv_text(objective.is_seconds ? "s" : objective.unit);
        std::string const begin = csv_text(key.kernel) + ',' + csv_text(key.source) + ',' +
                                  csv_text(key.compiler) + ',' + csv_text(key.signature) + ',' +
                                  csv_text(key.device) + ',' + csv_text(packed(key.inputs)) + ',' +
                                  csv_text(packed(key.setting));
        for (tried_row const& any_row : one.rows) {
            tried_row const row = exported_row(any_row);
            out += begin;
            if (auto const* const m = std::get_if<measurement>(&row.result))
                out += ",ok," + text_of_real(m->value) + ',' + text_of_real(m->low) + ',' +
                       text_of_real(m->high) + ',' + std::to_string(m->samples) + ',';
            else {
                failure const& f = std::get<failure>(row.result);
                out += std::string(",") + word_of(f.stage) + ",,,,," + csv_text(f.reason);
            }
            out += unit;
            for (std::string const& name : parameters) {
                out += ',';
                for (std::size_t i = 0; i < row.values.size(); ++i)
                    if (one.problem.parameters[i] == name) out += csv_text(row.values[i]);
            }
            out += '\n';
        }
    }
    return out;
}

[[nodiscard]] inline std::string json_of(std::vector<problem_history> const& all)
{
    std::string out = "{\"attune_export\":1,\"problems\":[";
    for (std::size_t i = 0; i < all.size(); ++i) {
        problem_history const& one = all[i];
        tool_json json = json_of(one.problem);
        json["best"] = one.best ? json_of(*one.best) : tool_json();
        json["open"] = one.open; // outcomes from this one on belong to an unfinished tuning
        json["outcomes"] = tool_json::array();
        for (tried_row const& row : one.rows)
            json["outcomes"].push_back(json_of(exported_row(row), one.problem.parameters,
                                               objective_of(one.problem.key).is_seconds));
        out += (i == 0 ? "\n" : ",\n") + line_of(json);
    }
    return out + "\n]}\n";
}

/// A name for a file, of letters, digits, '-' and '_'.
[[nodiscard]] inline std::string file_name_of(stored_problem const& problem)
{
    std::string out = problem.key.kernel.substr(0, 64);
    for (char& c : out)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    return out + '-' + id_of(problem) + ".json";
}

/// Writes the winners of a model's layers as C++.
[[nodiscard]] inline int export_code(words const& given, console& on)
{
    auto const folder = given.value("--output");
    if (!folder) throw words_error("export: --code needs a folder: --output FOLDER/");
    std::string const& store = given.plain[0];
    static_cast<void>(read_store(store, on)); // it must be one
    tuned_model const found = tuned_here(given, "export", *given.value("--code"),
                                         {.evaluations = 0, .seconds = 0}, store, on);
    write_codes(found, *folder);
    on.out << printable(*folder) << ": " << found.tasks.size()
           << (found.tasks.size() == 1 ? " layer\n" : " layers\n");
    return done;
}

[[nodiscard]] inline int run_export(words const& given, console& on)
{
    if (given.has("--code")) return export_code(given, on);
    std::string const format = given.value("--format").value_or("json");
    if (format != "json" && format != "csv" && format != "t4")
        throw words_error("export: --format is t4, csv or json, not '" + format + "'");
    store_content store = read_store(given.plain[0], on);
    auto problems = selected(store, selection_of(given));
    std::erase_if(problems, [](listed_problem const& one) { return one.tried == 0; });
    if (problems.empty()) {
        on.err << "attune: export: the store has no outcomes that fit these options; attune show "
                  "lists its problems\n";
        return answer_is_no;
    }
    auto const to = given.value("--output");
    auto const make_folder = [&] {
        if (to && to->ends_with('/')) std::filesystem::create_directories(*to);
    };
    std::vector<problem_history> all;
    std::size_t rows = 0;
    for (listed_problem const& one : problems) {
        all.push_back(store.history(one));
        rows += all.back().rows.size();
    }
    if (format == "t4" && all.size() > 1) {
        if (!to || !to->ends_with('/'))
            throw words_error("export: T4 has one problem in a file; name a folder by --output "
                              "FOLDER/, or one problem: " +
                              too_many(problems));
        std::vector<std::string> texts;
        for (problem_history const& one : all)
            texts.push_back(t4_text(one));
        make_folder();
        for (std::size_t i = 0; i < all.size(); ++i)
            write_output(*to + file_name_of(all[i].problem), texts[i]);
    } else {
        std::string const text = format == "t4"    ? t4_text(all[0])
                                 : format == "csv" ? csv_of(all)
                                                   : json_of(all);
        make_folder();
        if (to)
            write_output(to->ends_with('/') ? *to + file_name_of(all[0].problem) : *to, text);
        else
            on.out << text;
    }
    if (to)
        on.out << printable(*to) << ": " << rows << " outcomes of " << all.size()
               << (all.size() == 1 ? " problem\n" : " problems\n");
    return done;
}

[[nodiscard]] inline command export_command()
{
    return {
        .name = "export",
        .usage = "STORE [options]",
        .what = "Outcomes for other programs: T4 (FAIR auto-tuning results), CSV or JSON.",
        .options = {{"--format", "t4|csv|json", "the format (json)", 'f'},
                    kernel_option,
                    device_option,
                    input_option,
                    setting_option,
                    {"--code", "MODEL.onnx", "the winners of that model's layers, as C++ files"},
                    shape_option,
                    output_option},
        .more =
            "  attune export sgemm.attune --format csv -o sgemm.csv\n"
            "  attune export sgemm.attune --format t4 -o results/\n"
            "  attune export model.attune --code model.onnx --shape x=1x3x48x320 -o kernels/\n\n"
            "CSV has a row for each outcome: what was tuned, its status (ok, compile, load, "
            "launch, crash,\n"
            "timeout, verify), seconds with their interval (value, low, high and unit, where a "
            "number\n"
            "is no time), and a column for each parameter. JSON has the same names, without _s "
            "where a number\n"
            "is no time, and the unit in `objective`. T4 has no\n"
            "kernel, device and inputs and no reasons of failures, CSV no code and no facts of "
            "the device. To\n"
            "have everything, winners and verified shapes too, copy the store or merge it.\n"
            "A text that a spreadsheet would take for a formula, such as =1+1, has an "
            "apostrophe in "
            "front, and\n"
            "what a terminal would obey stands as \\x1b; attune import gives the same values "
            "back.\n",
        .least = 1,
        .most = 1,
        .run = run_export,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
