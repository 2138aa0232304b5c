// attune/ship/tool/detail/import.hpp - attune import: outcomes of other programs, into a store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/ship/tool/detail/export.hpp>
#include <attune/ship/tool/detail/merge.hpp>
#include <attune/ship/tool/detail/output_file.hpp>
#include <attune/ship/tool/detail/text_file.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline std::optional<failure_stage> stage_of_word(std::string const& word)
{
    for (std::size_t i = 0; i < words_of_stages.size(); ++i)
        if (word == words_of_stages[i]) return static_cast<failure_stage>(i);
    return std::nullopt;
}

[[nodiscard]] inline std::uint32_t count_of_samples(double count) noexcept
{
    return count >= 1 && count < 4e9 ? static_cast<std::uint32_t>(count) : 1u;
}

// --- CSV ---------------------------------------------------------------------------------------

/// What packed() made.
[[nodiscard]] inline named_texts unpacked(std::string const& text)
{
    named_texts out;
    std::string name, part;
    bool has_name = false;
    auto const end = [&] {
        if (has_name) out.emplace_back(std::move(name), std::move(part));
        name.clear();
        part.clear();
        has_name = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
            part += text[++i];
        else if (text[i] == '=' && !has_name) {
            name = std::exchange(part, {});
            has_name = true;
        } else if (text[i] == ';')
            end();
        else
            part += text[i];
    }
    end();
    return out;
}

/// @return  one entry for each problem that the table has
[[nodiscard]] inline std::vector<imported_results>
read_csv_results(std::string const& text, std::string const& name, result_origin const& of)
{
    std::vector<csv_row> const rows = read_csv(text, name);
    auto const refuse = [&](std::size_t row, std::string const& why, std::string const& next) {
        throw error("the table is not one of outcomes: " + why,
                    name + (row == 0 ? "" : ", row " + std::to_string(row + 1)), next);
    };
    if (rows.empty()) refuse(0, "it is empty", "name a table with a head");
    std::map<std::string, std::size_t> columns;
    std::vector<std::pair<std::string, std::size_t>> parameters;
    double unit_s = 0;
    std::size_t time = 0;
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
        std::string const& column = rows[0][i].text;
        bool const is_new = columns.emplace(column, i).second;
        if (!is_new) refuse(0, "it has two columns " + column, "rename one");
        if (double const unit = unit_of_column(column); unit > 0) {
            if (unit_s > 0)
                refuse(0, "it has two columns of times, " + rows[0][time].text + " and " + column,
                       "remove one");
            unit_s = unit;
            time = i;
        } else if (std::find(outcome_columns.begin(), outcome_columns.end(), column) ==
                   outcome_columns.end())
            parameters.emplace_back(column.starts_with("parameter.") ? column.substr(10) : column,
                                    i);
    }
    if (unit_s == 0 || parameters.empty())
        refuse(0, unit_s == 0 ? "it has no column of times" : "it has no column of a parameter",
               "name one seconds, time_ms, time_us or time_ns; all columns but " +
                   std::string("kernel, source, compiler, signature, device, inputs, setting, "
                               "status, low_s, high_s, samples and why are parameters"));
    // What attune minimize measured may have any sign.
    bool const is_own = columns.contains("source") && columns.contains("status");
    std::vector<imported_results> out;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        csv_row const& row = rows[i];
        auto const cell = [&](char const* column) {
            auto const at = columns.find(column);
            return at == columns.end() ? std::string() : row[at->second].text;
        };
        auto const either = [&](std::string const& given, char const* column) {
            return given.empty() ? cell(column) : given;
        };
        stored_problem problem;
        problem.key.kernel = either(of.kernel, "kernel");
        if (problem.key.kernel.empty()) refuse(i, "it names no kernel", "say which by --kernel");
        problem.key.source = either("", "source");
        if (problem.key.source.empty()) problem.key.source = foreign_source;
        problem.key.compiler = cell("compiler");
        problem.key.signature = cell("signature");
        problem.key.setting = unpacked(cell("setting"));
        problem.key.device = either(of.device, "device");
        problem.key.inputs = of.inputs.empty() ? unpacked(cell("inputs")) : of.inputs;
        tried_row outcome_of_row;
        for (auto const& [parameter, at] : parameters) {
            if (row[at].text.empty() && !row[at].is_quoted) continue; // another problem's
            problem.parameters.push_back(parameter);
            outcome_of_row.values.push_back(row[at].text);
        }
        auto const number = [&](std::size_t at) -> double {
            auto const value = real_in_text(row[at].text);
            if (!value || !std::isfinite(*value))
                refuse(i, "'" + printable(row[at].text) + "' is no number", "repair that row");
            return *value;
        };
        std::string const status = cell("status");
        if (status.empty() || status == "ok") {
            double const value = number(time);
            measurement m = measurement::exact(value * unit_s);
            if (!(m.value > 0) && !is_own) refuse(i, "a time is not positive", "repair that row");
            if (unit_s == 1.0 && !cell("low_s").empty() && !cell("high_s").empty()) {
                m.low = number(columns.at("low_s"));
                m.high = number(columns.at("high_s"));
            }
            if (!cell("samples").empty()) {
                double const count = number(columns.at("samples"));
                m.samples = count_of_samples(count);
            }
            if (is_own || value < time_of_failure)
                outcome_of_row.result = m;
            else
                outcome_of_row.result = failure{failure_stage::crash, "its time is 1e20"};
        } else if (auto const stage = stage_of_word(status)) {
            outcome_of_row.result = failure{*stage, cell("why")};
        } else {
            refuse(i, "there is no status '" + printable(status) + "'",
                   "say ok, compile, load, launch, crash, timeout or verify");
        }
        auto const same = std::find_if(out.begin(), out.end(), [&](imported_results const& one) {
            return one.problem == problem;
        });
        imported_results& to = same != out.end() ? *same : out.emplace_back(problem);
        to.rows.push_back(std::move(outcome_of_row));
    }
    return out;
}

// --- JSON --------------------------------------------------------------------------------------

[[nodiscard]] inline named_texts texts_of(tool_json const& json)
{
    named_texts out;
    for (auto const& [name, value] : json.items())
        out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    return out;
}

/// Reads what json_of() wrote.
[[nodiscard]] inline std::vector<imported_results>
read_json_results(tool_json const& root, std::string const& name, result_origin const& of)
{
    std::vector<imported_results> out;
    try {
        if (root.at("attune_export") != 1)
            throw error("a newer attune exported this", name, "use the attune that wrote it");
        for (tool_json const& json : root.at("problems")) {
            imported_results one;
            record_key& key = one.problem.key;
            auto const text = [&](char const* field) { return json.value(field, std::string()); };
            key.kernel = of.kernel.empty() ? text("kernel") : of.kernel;
            key.device = of.device.empty() ? text("device") : of.device;
            key.inputs = of.inputs.empty() ? texts_of(json.at("inputs")) : of.inputs;
            key.compiler = text("compiler");
            key.source = text("source");
            key.signature = text("signature");
            key.setting = texts_of(json.at("setting"));
            one.problem.facts = texts_of(json.at("facts"));
            one.problem.parameters = json.at("parameters").get<std::vector<std::string>>();
            for (tool_json const& outcome_json : json.at("outcomes")) {
                tried_row row;
                for (std::string const& parameter : one.problem.parameters)
                    row.values.push_back(
                        outcome_json.at("configuration").at(parameter).get<std::string>());
                row.code = outcome_json.value("code", std::string());
                if (outcome_json.contains("failed")) {
                    auto const stage = stage_of_word(outcome_json.at("failed").get<std::string>());
                    if (!stage) throw error("there is no such failure", name, "export it again");
                    row.result = failure{*stage, outcome_json.at("why").get<std::string>()};
                } else {
                    row.result =
                        measurement{outcome_json.at("seconds").get<double>(),
                                    outcome_json.at("low_s").get<double>(),
                                    outcome_json.at("high_s").get<double>(),
                                    count_of_samples(outcome_json.at("samples").get<double>())};
                }
                one.rows.push_back(std::move(row));
            }
            one.open = json.value("open", one.rows.size());
            out.push_back(std::move(one));
        }
    } catch (tool_json::exception const&) {
        throw error("this is not what attune export writes: a field is missing or of another kind",
                    name, "export it again");
    }
    return out;
}

// --- the command -------------------------------------------------------------------------------

[[nodiscard]] inline std::vector<imported_results> read_results_file(std::string const& path,
                                                                     result_origin const& of)
{
    std::string const text = text_of_file(path);
    if (begins_as_store(text)) throw error("this is a store", path, "use attune merge");
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') return read_csv_results(text, path, of);
    tool_json const root = tool_json::parse(text, nullptr, false);
    if (root.is_object() && root.contains("attune_export"))
        return read_json_results(root, path, of);
    try {
        return {read_t4(text, of)};
    } catch (error const& e) {
        throw error(e.what_alone() + ": " + e.where(), path,
                    "give a T4 file, a cache of Kernel Tuner, "
                    "or what attune export writes; --kernel says what they are results of");
    }
}

[[nodiscard]] inline int run_import(words const& given, console& on)
{
    std::string const& path = given.plain[0];
    result_origin const of{given.value("--kernel").value_or(""),
                           given.value("--device").value_or(""), pairs_of(given, "--input")};
    memory_store read;
    std::size_t rows = 0;
    for (std::size_t i = 1; i < given.plain.size(); ++i)
        for (imported_results const& one : read_results_file(given.plain[i], of)) {
            one.put_into(read);
            rows += one.rows.size();
            if (one.left_out > 0)
                on.err << "attune: import: " << printable(given.plain[i]) << ": " << one.left_out
                       << (one.left_out == 1 ? " result is" : " results are")
                       << " left out; of the first: " << printable(one.why_left_out) << '\n';
        }
    store_lines all;
    all.add(read.text(), "the results");
    std::size_t had = 0;
    if (!create_file(path, all.text()))
        rewrite_store(path, [&](std::string const& now) {
            store_lines before;
            before.add(now, path);
            had = before.kept().outcomes;
            add_undamaged(all, now, path);
            return all.text();
        });
    on.out << printable(path) << ": " << all.kept().outcomes - had << " of " << rows
           << " outcomes are new; it has " << text_of(all.kept()) << '\n';
    return rows > 0 ? done : answer_is_no;
}

[[nodiscard]] inline command import_command()
{
    return {
        .name = "import",
        .usage = "STORE FILE... [options]",
        .what = "Outcomes of other programs, into a store: T4, Kernel Tuner's caches, CSV, JSON.",
        .options = {{"--kernel", "NAME", "what they are results of, as the program names it"},
                    {"--device", "NAME", "where they were measured"},
                    {"--input", "NAME=VALUE", "for this value of an input; may be repeated"}},
        .more = "  attune import sgemm.attune results.json --kernel sgemm --input N=4096\n"
                "  attune import sgemm.attune table.csv --kernel sgemm\n\n"
                "A CSV needs a head, a column of times (seconds, time_ms, time_us or time_ns) and "
                "one for each\n"
                "parameter; what attune export writes is read as it is. What another tuner "
                "measured is never\n"
                "an answer; it starts searches. Nothing is written unless all files can be read; "
                "outcomes that\n"
                "the store has are not added twice.\n",
        .least = 2,
        .most = 10000,
        .run = run_import,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
