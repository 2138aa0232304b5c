// attune/ship/tool/detail/problems.hpp - the problems that a command selects, as text and as JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/tune/progress.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

using tool_json = nlohmann::ordered_json;

// --- for people --------------------------------------------------------------------------------

/// "N=1024 M=512"; "-" for none.
[[nodiscard]] inline std::string text_of(named_texts const& texts)
{
    std::string out;
    for (auto const& [name, value] : texts)
        out += (out.empty() ? "" : " ") + printable(name) + '=' + printable(value);
    return out.empty() ? "-" : out;
}

[[nodiscard]] inline std::string text_of(value_texts const& values,
                                         std::vector<std::string> const& names)
{
    named_texts out;
    for (std::size_t i = 0; i < values.size() && i < names.size(); ++i)
        out.emplace_back(names[i], values[i]);
    return text_of(out);
}

/// "7.51x": the winner's factor over the default; empty if one value is unknown.
[[nodiscard]] inline std::string text_of_gain(record const& best)
{
    double const gain = objective_of(best.key).gain(best.best_s, best.default_s);
    return gain > 0 ? formatted("%.2fx", gain) : "";
}

[[nodiscard]] inline record const* latest_winner(listed_problem const& of)
{
    return of.best.empty() ? nullptr : &of.best.back();
}

// --- JSON --------------------------------------------------------------------------------------

/// A line; replaces bytes that are not UTF-8.
[[nodiscard]] inline std::string line_of(tool_json const& json)
{
    return json.dump(-1, ' ', false, tool_json::error_handler_t::replace);
}

/// A list with an element on each line.
inline void write_list(std::ostream& to, std::vector<tool_json> const& list)
{
    to << '[';
    for (std::size_t i = 0; i < list.size(); ++i)
        to << (i == 0 ? "\n" : ",\n") << line_of(list[i]);
    to << (list.empty() ? "]\n" : "\n]\n");
}

[[nodiscard]] inline tool_json json_of(named_texts const& texts)
{
    tool_json out = tool_json::object();
    for (auto const& [name, value] : texts)
        out[name] = value;
    return out;
}

[[nodiscard]] inline tool_json json_of(value_texts const& values,
                                       std::vector<std::string> const& names)
{
    tool_json out = tool_json::object();
    for (std::size_t i = 0; i < values.size() && i < names.size(); ++i)
        out[names[i]] = values[i];
    return out;
}

/// The words of a store's file, by failure_stage.
inline constexpr std::array<char const*, failure_stage_count> words_of_stages{
    "compile", "load", "launch", "crash", "timeout", "verify", "bound"};

[[nodiscard]] inline char const* word_of(failure_stage stage)
{
    return words_of_stages[static_cast<std::size_t>(stage)];
}

/// The name of a member or column of a number: "seconds" and "low_s" of times, else "value" and
/// "low".
[[nodiscard]] inline std::string name_of_number(std::string name, bool is_seconds)
{
    if (is_seconds) return name;
    return name == "seconds" ? "value" : name.substr(0, name.size() - 2);
}

[[nodiscard]] inline tool_json json_of(tried_row const& row, std::vector<std::string> const& names,
                                       bool is_seconds)
{
    tool_json out;
    out["configuration"] = json_of(row.values, names);
    if (auto const* const m = std::get_if<measurement>(&row.result)) {
        out[name_of_number("seconds", is_seconds)] = m->value;
        out[name_of_number("low_s", is_seconds)] = m->low;
        out[name_of_number("high_s", is_seconds)] = m->high;
        out["samples"] = m->samples;
    } else {
        failure const& f = std::get<failure>(row.result);
        out["failed"] = word_of(f.stage);
        out["why"] = f.reason;
    }
    if (!row.code.empty()) out["code"] = row.code;
    return out;
}

[[nodiscard]] inline tool_json json_of(record const& r)
{
    bool const is_seconds = objective_of(r.key).is_seconds;
    auto const name = [&](char const* of) { return name_of_number(of, is_seconds); };
    tool_json out;
    out["configuration"] = json_of(r.configuration);
    out[name("seconds")] = r.best_s;
    if (r.best_interval.low_s < r.best_interval.high_s) {
        out[name("low_s")] = r.best_interval.low_s;
        out[name("high_s")] = r.best_interval.high_s;
        out["samples"] = r.best_interval.samples;
    }
    out[name("default_s")] = has_default(r) ? tool_json(r.default_s) : tool_json();
    if (r.default_interval.low_s < r.default_interval.high_s) {
        out[name("default_low_s")] = r.default_interval.low_s;
        out[name("default_high_s")] = r.default_interval.high_s;
    }
    if (r.baseline_s > 0) out[name("baseline_s")] = r.baseline_s;
    out["evaluations"] = r.evaluations;
    out["failures"] = r.failures;
    out["ties"] = r.ties;
    out["ended"] = r.ended;
    out["interrupted"] = r.interrupted;
    out["disturbed"] = r.disturbed;
    if (r.least_s > 0) out["least_s"] = r.least_s;
    out["schema"] = r.key.schema;
    out["seed"] = r.seed;
    out["when"] = r.when;
    out["attune"] = r.attune;
    return out;
}

/// Null without calls.
[[nodiscard]] inline tool_json json_of(past_calls const& calls)
{
    call_coverage const& of = calls.coverage;
    if (of.calls == 0) return {};
    tool_json out;
    out["calls"] = of.calls;
    out["by_winner"] = of.by_winner;
    out["seconds"] = of.seconds;
    out["winner_s"] = of.winner_s;
    out["from_s"] = calls.from_s;
    out["to_s"] = calls.to_s;
    out["rest"] = tool_json::array();
    for (uncovered_calls const& one : of.rest)
        out["rest"].push_back({{"shape", one.shape},
                               {"why", one.why},
                               {"calls", one.calls},
                               {"seconds", one.seconds}});
    out["more_shapes"] = of.more_shapes;
    return out;
}

[[nodiscard]] inline tool_json json_of(stored_problem const& problem)
{
    tool_json out;
    out["kernel"] = problem.key.kernel;
    out["inputs"] = json_of(problem.key.inputs);
    out["device"] = problem.key.device;
    out["compiler"] = problem.key.compiler;
    out["source"] = problem.key.source;
    out["signature"] = problem.key.signature;
    out["setting"] = json_of(problem.key.setting);
    if (problem_objective const of = objective_of(problem.key); !of.is_seconds)
        out["objective"] = {{"unit", of.unit},
                            {"better", of.is_higher_better ? "higher" : "lower"}};
    out["facts"] = json_of(problem.facts);
    out["parameters"] = problem.parameters;
    return out;
}

inline constexpr option kernel_option{"--kernel", "NAME", "the problems of this kernel alone"};
inline constexpr option device_option{"--device", "TEXT",
                                      "those on a device or processor whose name has this text"};
inline constexpr option input_option{"--input", "NAME=VALUE",
                                     "those for this value of an input; may be repeated"};
inline constexpr option setting_option{
    "--setting", "NAME=VALUE",
    "those with this setting, as unit=GFLOP/s or better=higher; may be repeated"};
inline constexpr option json_option{"--json", "", "as JSON"};

/// Number of the last pairs of settings_of(), which are no settings of a key.
inline constexpr std::size_t rare_settings = 4;

/// The properties of a problem that --setting selects: its settings, unit and direction also if
/// they are the usual ones, and other differences of problems.
[[nodiscard]] inline named_texts settings_of(stored_problem const& problem)
{
    record_key const& key = problem.key;
    named_texts out = key.setting;
    problem_objective const of = objective_of(key);
    if (value_of(out, "better") == nullptr)
        out.emplace_back("better", of.is_higher_better ? "higher" : "lower");
    if (value_of(out, "unit") == nullptr) out.emplace_back("unit", of.is_seconds ? "s" : of.unit);
    std::string parameters;
    for (std::string const& name : problem.parameters)
        parameters += (parameters.empty() ? "" : ",") + name;
    out.emplace_back("parameters", parameters);
    out.emplace_back("compiler", key.compiler);
    out.emplace_back("signature", key.signature);
    out.emplace_back("source", key.source);
    return out;
}

struct selection {
    std::string kernel{};
    std::string device{};
    named_texts inputs{};
    named_texts settings{}; ///< an empty value: the usual one

    [[nodiscard]] bool is_empty() const
    {
        return kernel.empty() && device.empty() && inputs.empty() && settings.empty();
    }
    [[nodiscard]] bool fits(stored_problem const& problem) const
    {
        named_texts const have = settings.empty() ? named_texts{} : settings_of(problem);
        return (kernel.empty() || problem.key.kernel == kernel) &&
               problem.key.device.find(device) != std::string::npos &&
               std::all_of(inputs.begin(), inputs.end(),
                           [&](auto const& wanted) {
                               std::string const* const value =
                                   value_of(problem.key.inputs, wanted.first);
                               return value != nullptr && *value == wanted.second;
                           }) &&
               std::all_of(settings.begin(), settings.end(), [&](auto const& wanted) {
                   std::string const* const value = value_of(have, wanted.first);
                   return (value != nullptr ? *value : std::string()) == wanted.second;
               });
    }
};

/// The pairs in the values "NAME=VALUE" of an option.
[[nodiscard]] inline named_texts pairs_of(words const& given, std::string_view option)
{
    named_texts out;
    for (std::string const& text : given.values(option)) {
        std::size_t const at = text.find('=');
        if (at == 0 || at == text.npos)
            throw words_error(std::string(option) + " takes NAME=VALUE, not '" + text + "'");
        if (value_of(out, text.substr(0, at)) != nullptr)
            throw words_error(std::string(option) + " is given twice for " + text.substr(0, at));
        out.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return out;
}

[[nodiscard]] inline selection selection_of(words const& given)
{
    return {given.value("--kernel").value_or(""), given.value("--device").value_or(""),
            pairs_of(given, "--input"), pairs_of(given, "--setting")};
}

/// Reads a store, and reports damaged lines and other possible writers.
[[nodiscard]] inline store_content read_store(std::string const& path, console& on)
{
    store_content out = store_content::of_file(path);
    if (!out.damage().empty()) on.err << "attune: " << printable(out.damage()) << '\n';
    if (!out.by_others().empty())
        on.err << "attune: " << printable(path)
               << ": another user may write it: " << printable(out.by_others()) << '\n';
    return out;
}

/// In the order of their last lines.
/// @param with_called  also problems that have calls alone
[[nodiscard]] inline std::vector<listed_problem>
selected(store_content& from, selection const& meant, bool with_called = false)
{
    std::vector<listed_problem> out =
        from.problems(std::numeric_limits<std::size_t>::max(), with_called);
    std::erase_if(out, [&](listed_problem const& one) { return !meant.fits(one.problem); });
    return out;
}

/// "sgemm N=1024 on AMD EPYC".
[[nodiscard]] inline std::string name_of(stored_problem const& problem)
{
    std::string out = printable(problem.key.kernel);
    if (!problem.key.inputs.empty()) out += ' ' + text_of(problem.key.inputs);
    if (!problem.key.setting.empty()) out += " (" + text_of(problem.key.setting) + ')';
    return out + " on " + printable(problem.key.device);
}

/// "--setting unit=GB/s or --setting unit=s".
/// @param option  such as "--setting unit="
[[nodiscard]] inline std::string options_text(std::string const& option,
                                              std::set<std::string> const& values)
{
    constexpr std::size_t most = 4;
    std::size_t const begin = option.find(' ') + 1;
    std::size_t shown = 0;
    std::string out;
    for (std::string const& value : values) {
        if (shown++ == most) return out + " or ...";
        out += (shown > 1 ? " or " : "") + option.substr(0, begin) +
               printable(quoted_for_shell(option.substr(begin) + value));
    }
    return out;
}

/// The options that tell these problems apart, with their values: "--setting unit=GB/s or --setting
/// unit=s". An option that tells apart no more than those before it is left out.
[[nodiscard]] inline std::string options_for(std::vector<listed_problem> const& all)
{
    std::vector<named_texts> have; // by problem: an option with its name, and its value
    std::vector<std::string> names, rare;
    for (listed_problem const& one : all) {
        named_texts& of = have.emplace_back();
        of.emplace_back("--kernel ", one.problem.key.kernel);
        for (auto const& [name, value] : one.problem.key.inputs)
            of.emplace_back("--input " + name + '=', value);
        of.emplace_back("--device ", one.problem.key.device);
        named_texts const settings = settings_of(one.problem);
        std::size_t const usual = of.size() + settings.size() - rare_settings;
        for (auto const& [name, value] : settings)
            of.emplace_back("--setting " + name + '=', value);
        for (std::size_t i = 0; i < of.size(); ++i) {
            std::vector<std::string>& to = i < usual ? names : rare;
            if (std::find(to.begin(), to.end(), of[i].first) == to.end()) to.push_back(of[i].first);
        }
    }
    names.insert(names.end(), rare.begin(), rare.end());
    std::string out;
    std::vector<std::string> told(all.size());
    for (std::string const& name : names) {
        std::set<std::string> values;
        std::vector<std::string> now = told;
        for (std::size_t i = 0; i < have.size(); ++i) {
            std::string const* const value = value_of(have[i], name);
            values.insert(value != nullptr ? *value : std::string());
            now[i] += '\0' + (value != nullptr ? *value : std::string());
        }
        auto const kinds = [](std::vector<std::string> const& of) {
            return std::set<std::string>(of.begin(), of.end()).size();
        };
        if (kinds(now) == kinds(told)) continue;
        told = std::move(now);
        out += (out.empty() ? "" : ", ") + options_text(name, values);
    }
    return out;
}

/// Asks the user to select one of several fitting problems, and names the options for that.
[[nodiscard]] inline std::string too_many(std::vector<listed_problem> const& all)
{
    std::string out = std::to_string(all.size()) + " problems are meant (";
    for (std::size_t i = 0; i < all.size() && i < 3; ++i)
        out += (i == 0 ? "" : "; ") + name_of(all[i].problem);
    return out + (all.size() > 3 ? "; ...)" : ")") + "; say which by " + options_for(all);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
