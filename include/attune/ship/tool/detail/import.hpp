// attune/ship/tool/detail/import.hpp - attune import: outcomes of other programs, into a store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/remember/files/python_json.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/ship/tool/detail/export.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/merge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline std::optional<failure_stage> stage_of_word(std::string const& word)
{
    for (std::size_t i = 0; i < words_of_stages.size(); ++i)
        if (word == words_of_stages[i]) return static_cast<failure_stage>(i);
    return std::nullopt;
}

/// Old stores may have 0 samples.
[[nodiscard]] inline bool is_count_of_samples(double count) noexcept
{
    return count >= 0 && count < 4e9 && count == std::floor(count);
}
[[nodiscard]] inline std::uint32_t count_of_samples(double count) noexcept
{
    return std::max(static_cast<std::uint32_t>(count), 1u);
}

// --- CSV ---------------------------------------------------------------------------------------

/// The inverse of packed(). Empty if a part has no `=`.
[[nodiscard]] inline std::optional<named_texts> unpacked(std::string const& text)
{
    named_texts out;
    bool is_right = true;
    std::string name, part;
    bool has_name = false;
    auto const end = [&] {
        is_right = is_right && (has_name || part.empty());
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
    return is_right ? std::optional(std::move(out)) : std::nullopt;
}

/// Returns true for a column of another program that says what its times are.
[[nodiscard]] inline bool is_about_objective(std::string column)
{
    std::erase_if(column, [](char c) { return c == ' ' || c == '_' || c == '-'; });
    column = in_small_letters(std::move(column));
    for (char const* const one : {"unit", "units", "timeunit", "objective", "objectives",
                                  "higherisbetter", "lowerisbetter"})
        if (column == one) return true;
    return false;
}

/// @return  an entry for each problem of the table
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
    auto const has = [&](char const* column) {
        return std::any_of(rows[0].begin(), rows[0].end(),
                           [&](auto const& cell) { return cell.text == column; });
    };
    // Values of attune minimize may have any sign.
    bool const is_own = has("source") && has("status");
    bool const has_values = is_own && has("value") && has("unit") && !has("seconds");
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
        std::string const& column = rows[0][i].text;
        if (column.empty())
            refuse(0, "column " + std::to_string(i + 1) + " has no name", "name or remove it");
        if (!is_own && is_about_objective(column))
            refuse(0, "column " + column + " is about the objective, and only times are read",
                   "name the unit in the column of times, as time_ms; remove " + column +
                       ", or name a parameter parameter." + column);
        bool const is_new = columns.emplace(column, i).second;
        if (!is_new) refuse(0, "it has two columns " + column, "rename one");
        bool const is_value = has_values && column == "value";
        if (double const unit = is_value ? 1 : unit_of_column(column); unit > 0) {
            if (unit_s > 0)
                refuse(0, "it has two columns of times, " + rows[0][time].text + " and " + column,
                       "remove one");
            unit_s = unit;
            time = i;
        } else if (!has_column(outcome_columns, column) &&
                   !(has_values && has_column(value_columns, column)))
            parameters.emplace_back(column.starts_with("parameter.") ? column.substr(10) : column,
                                    i);
    }
    if (unit_s == 0 || parameters.empty())
        refuse(0, unit_s == 0 ? "it has no column of times" : "it has no column of a parameter",
               "name one seconds, time_ms, time_us or time_ns; all columns but " +
                   std::string("kernel, source, compiler, signature, device, inputs, setting, "
                               "status, low_s, high_s, samples and why are parameters"));
    char const* const low = has_values ? "low" : "low_s";
    char const* const high = has_values ? "high" : "high_s";
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
        auto const pairs = [&](char const* column) {
            auto named = unpacked(cell(column));
            if (!named)
                refuse(i, "'" + printable(cell(column)) + "' is no list of " + column,
                       "write NAME=VALUE;NAME=VALUE");
            return *std::move(named);
        };
        problem.key.setting = pairs("setting");
        problem.key.device = either(of.device, "device");
        problem.key.inputs = of.inputs.empty() ? pairs("inputs") : of.inputs;
        tried_row outcome_of_row;
        for (auto const& [parameter, at] : parameters) {
            if (row[at].text.empty() && !row[at].is_quoted) continue; // belongs to another problem
            problem.parameters.push_back(parameter);
            outcome_of_row.values.push_back(is_own ? row[at].text : usual_spelling(row[at].text));
        }
        if (!is_own && outcome_of_row.values.empty())
            refuse(i, "it has no value of a parameter", "repair that row");
        auto const number = [&](std::size_t at) -> double {
            auto const value = real_in_text(row[at].text);
            if (!value || !std::isfinite(*value))
                refuse(i, "'" + printable(row[at].text) + "' is no number", "repair that row");
            return *value;
        };
        std::string const status = cell("status");
        auto const given = real_in_text(row[time].text);
        bool const is_missing = !is_own && row[time].text.empty(); // NaN, as pandas writes it
        if ((status.empty() || status == "ok") &&
            (is_missing || (given && !std::isfinite(*given)))) {
            outcome_of_row.result =
                failure{failure_stage::crash,
                        "its time is " + (is_missing ? "missing" : printable(row[time].text))};
        } else if (status.empty() || status == "ok") {
            double const value = number(time);
            measurement m = measurement::exact(value * unit_s);
            if (!(m.value > 0) && !is_own) refuse(i, "a time is not positive", "repair that row");
            if (unit_s == 1.0 && !cell(low).empty() && !cell(high).empty()) {
                m.low = number(columns.at(low));
                m.high = number(columns.at(high));
                if (!(m.low <= m.value && m.value <= m.high))
                    refuse(i, "a time is outside of low_s to high_s", "repair that row");
            }
            if (!cell("samples").empty()) {
                double const count = number(columns.at("samples"));
                if (!is_count_of_samples(count))
                    refuse(i, "'" + printable(cell("samples")) + "' is no count of samples",
                           "repair that row");
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

/// A value of a document, and the path to it, for errors.
class export_value {
public:
    export_value(tool_json const& json, std::string_view text, std::string const& name)
        : json_(&json)
        , text_(text)
        , name_(&name)
    {
    }

    [[nodiscard]] bool has(char const* member) const
    {
        return json_->is_object() && json_->contains(member);
    }
    [[nodiscard]] export_value at(std::string const& member) const
    {
        if (!json_->is_object()) refuse("an object");
        if (!json_->contains(member)) refuse("an object with \"" + member + '"');
        return below(json_->at(member), member);
    }
    /// The members of a list.
    [[nodiscard]] std::vector<export_value> list() const
    {
        if (!json_->is_array()) refuse("a list");
        std::vector<export_value> out;
        for (std::size_t i = 0; i < json_->size(); ++i)
            out.push_back(below((*json_)[i], std::to_string(i)));
        return out;
    }
    [[nodiscard]] std::string text() const
    {
        if (!json_->is_string()) refuse("a text");
        return json_->get<std::string>();
    }
    /// Empty where there is no such member.
    [[nodiscard]] std::string text_of(char const* member) const
    {
        return has(member) ? at(member).text() : std::string();
    }
    [[nodiscard]] double number() const
    {
        if (!json_->is_number()) refuse("a number");
        return json_->get<double>();
    }
    [[nodiscard]] named_texts texts() const
    {
        if (!json_->is_object()) refuse("an object");
        named_texts out;
        for (auto const& [name, value] : json_->items())
            out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
        return out;
    }
    [[noreturn]] void refuse(std::string const& wanted) const
    {
        throw error("this is not what attune export writes: expected " + wanted + ", " +
                        place_in(text_, offset_of_value(text_, way_)),
                    *name_, "export it again");
    }

private:
    [[nodiscard]] export_value below(tool_json const& json, std::string step) const
    {
        export_value out = *this;
        out.json_ = &json;
        out.way_.push_back(std::move(step));
        return out;
    }

    tool_json const* json_;
    std::string_view text_;
    std::string const* name_;
    std::vector<std::string> way_{};
};

/// Reads what json_of() wrote.
/// @param document  whose text is `text`
[[nodiscard]] inline std::vector<imported_results> read_json_results(tool_json const& document,
                                                                     std::string_view text,
                                                                     std::string const& name,
                                                                     result_origin const& of)
{
    export_value const root(document, text, name);
    if (std::string const twice = problem_of_names(text); !twice.empty())
        throw error(twice, name, "export it again");
    std::vector<imported_results> out;
    if (document.at("attune_export") != 1)
        throw error("a newer attune exported this", name, "use the attune that wrote it");
    for (export_value const& given : root.at("problems").list()) {
        imported_results one;
        record_key& key = one.problem.key;
        key.kernel = of.kernel.empty() ? given.text_of("kernel") : of.kernel;
        key.device = of.device.empty() ? given.text_of("device") : of.device;
        key.inputs = of.inputs.empty() ? given.at("inputs").texts() : of.inputs;
        key.compiler = given.text_of("compiler");
        key.source = given.text_of("source");
        key.signature = given.text_of("signature");
        key.setting = given.at("setting").texts();
        one.problem.facts = given.at("facts").texts();
        for (export_value const& parameter : given.at("parameters").list())
            one.problem.parameters.push_back(parameter.text());
        for (export_value const& tried : given.at("outcomes").list()) {
            tried_row row;
            export_value const configuration = tried.at("configuration");
            for (std::string const& parameter : one.problem.parameters)
                row.values.push_back(configuration.at(parameter).text());
            row.code = tried.text_of("code");
            if (tried.has("failed")) {
                export_value const failed = tried.at("failed");
                auto const stage = stage_of_word(failed.text());
                if (!stage) failed.refuse("compile, load, launch, crash, timeout or verify");
                row.result = failure{*stage, tried.at("why").text()};
            } else {
                bool const is_seconds = !tried.has("value");
                auto const number = [&](char const* member) {
                    return tried.at(name_of_number(member, is_seconds)).number();
                };
                measurement m{number("seconds"), number("low_s"), number("high_s"), 1};
                double const samples = tried.at("samples").number();
                if (!is_count_of_samples(samples)) tried.at("samples").refuse("a whole number");
                m.samples = count_of_samples(samples);
                if (!(m.low <= m.value && m.value <= m.high))
                    tried.refuse("a value between its low and its high one");
                row.result = m;
            }
            one.rows.push_back(std::move(row));
        }
        one.open = one.rows.size();
        if (given.has("open")) {
            double const open = given.at("open").number();
            if (!(open >= 0) || open > static_cast<double>(one.rows.size()))
                given.at("open").refuse("a count of outcomes");
            one.open = static_cast<std::size_t>(open);
        }
        out.push_back(std::move(one));
    }
    return out;
}

// --- the command -------------------------------------------------------------------------------

/// The texts of values that are known. Another text of the same value becomes the known one, so
/// that no configuration has two texts.
class known_spellings {
public:
    /// Reads the problems of `store` that these results are of.
    void add(store_content& store, std::vector<imported_results> const& of)
    {
        std::set<std::string> ids;
        for (imported_results const& one : of)
            ids.insert(id_of(one.problem));
        for (listed_problem const& one : store.problems())
            if (std::string const id = id_of(one.problem); ids.contains(id))
                for (tried_row const& row : store.history(one).rows)
                    add(id, row.values);
    }
    /// Gives the values of these results known texts, then knows their texts too. A table of attune
    /// has one text of each value; that of another program may have several.
    void apply_to(imported_results& to)
    {
        std::string const id = id_of(to.problem);
        bool const is_foreign = to.problem.key.source == foreign_source;
        for (tried_row& row : to.rows) {
            for (std::size_t i = 0; i < row.values.size(); ++i) {
                auto const known = texts_.find(key_of(id, i, row.values[i]));
                if (known == texts_.end()) continue;
                std::vector<std::string> const& texts = known->second;
                if (std::find(texts.begin(), texts.end(), row.values[i]) == texts.end())
                    row.values[i] = texts.front();
            }
            if (is_foreign) add(id, row.values);
        }
        if (!is_foreign)
            for (tried_row const& row : to.rows)
                add(id, row.values);
    }

private:
    using spelling = std::tuple<std::string, std::size_t, std::string>;

    /// Programs write a truth value as a word or as a number.
    [[nodiscard]] static spelling key_of(std::string const& id, std::size_t parameter,
                                         std::string const& text)
    {
        std::string usual = usual_spelling(text);
        if (usual == "true" || usual == "false") usual = usual == "true" ? "1" : "0";
        return {id, parameter, std::move(usual)};
    }
    void add(std::string const& id, value_texts const& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::vector<std::string>& texts = texts_[key_of(id, i, values[i])];
            if (std::find(texts.begin(), texts.end(), values[i]) == texts.end())
                texts.push_back(values[i]);
        }
    }

    /// By problem, number of the parameter, and usual spelling.
    std::map<spelling, std::vector<std::string>> texts_{};
};

[[nodiscard]] inline std::vector<imported_results> read_results_file(std::string const& path,
                                                                     result_origin const& of)
{
    std::string text = text_of_file(path);
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3); // as Windows writes it
    if (begins_as_store(text)) throw error("this is a store", path, "use attune merge");
    std::string_view const begin = std::string_view(text).substr(behind_blanks(text, 0));
    auto const refuse = [&](std::string const& what, std::string const& next) {
        throw error("the file is " + what + ", neither an object of JSON nor a table", path, next);
    };
    if (begin.starts_with("\x1f\x8b")) refuse("packed by gzip", "unpack it by gunzip");
    if (begin.starts_with("//") || begin.starts_with("/*"))
        refuse("a text with comments", "remove the comments, which JSON does not have");
    std::string_view const inside = begin.substr(behind_blanks(begin, 1));
    if (begin.starts_with('[') && inside.find_first_of("{[]\"-0123456789") == 0)
        refuse("a list of JSON", "give the object that has the results");
    if (!begin.starts_with('{')) return read_csv_results(text, path, of);
    tool_json const root = read_foreign_json<tool_json>(text).value;
    if (root.is_object() && root.contains("attune_export"))
        return read_json_results(root, text, path, of);
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
    known_spellings spellings;
    std::set<std::string> parameters;
    std::size_t rows = 0;
    std::error_code none;
    std::optional<store_content> had_before;
    if (std::filesystem::is_regular_file(path, none)) had_before = store_content::of_file(path);
    for (std::size_t i = 1; i < given.plain.size(); ++i) {
        std::vector<imported_results> all = read_results_file(given.plain[i], of);
        if (had_before) spellings.add(*had_before, all);
        for (imported_results& one : all) {
            spellings.apply_to(one);
            one.put_into(read);
            parameters.insert(one.problem.parameters.begin(), one.problem.parameters.end());
            rows += one.rows.size();
            if (one.left_out > 0)
                on.err << "attune: import: " << printable(given.plain[i]) << ": " << one.left_out
                       << (one.left_out == 1 ? " result is" : " results are")
                       << " left out; of the first: " << printable(one.why_left_out) << '\n';
            if (!one.unread_objectives.empty())
                on.err << "attune: import: " << printable(given.plain[i])
                       << ": only the first objective of a result is read, without "
                       << printable(one.unread_objectives) << '\n';
        }
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
           << " outcomes are new; it has " << text_of(all.kept()) << "; parameters:";
    for (std::string const& name : parameters) // of a table: all columns that have another use
        on.out << ' ' << printable(name);
    on.out << '\n';
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
                "an answer; it starts searches. True and 1.0 of another program are true and 1. "
                "Nothing is written unless all files can be read; "
                "outcomes that\n"
                "the store has are not added twice.\n",
        .least = 2,
        .most = 10000,
        .run = run_import,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
