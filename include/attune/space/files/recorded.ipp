// attune/space/files/recorded.ipp - reads recordings, and makes spaces of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/json_nesting.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/detail/recording.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/recorded.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A recorded configuration: the text of each value, and its time if it succeeded.
struct recorded_row {
    std::vector<std::string> values;
    double time_ms = -1;  ///< not positive: failed
    std::string status{}; ///< "ok", or the kind of failure
};

/// The content of a file, before it becomes a space.
struct recorded_text {
    std::vector<std::string> parameters;          ///< names, one per value of a row
    std::vector<std::vector<std::string>> values; ///< in the order of the file; empty: as in rows
    std::vector<std::string> constraints;         ///< Python-like expressions
    std::vector<recorded_row> rows;
};

/// The cells of one CSV line; quoted cells may hold commas and doubled quotes.
[[nodiscard]] inline std::vector<std::string> cells_of(std::string_view line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (c == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"')
                out.back() += line[++i];
            else
                quoted = !quoted;
        } else if (c == ',' && !quoted)
            out.emplace_back();
        else if (c != '\r')
            out.back() += c;
    }
    return out;
}

/// The number in `text`; NaN if `text` is no number.
[[nodiscard]] inline double number_in(std::string_view text)
{
    return parse_number<double>(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Errors  syntax_error, with line and column
[[nodiscard]] inline nlohmann::ordered_json recorded_json(std::string_view text,
                                                          std::string const& where)
{
    bool const is_deep = place_of_deep_bracket(text) < text.size();
    auto out = is_deep ? nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded)
                       : nlohmann::ordered_json::parse(text, nullptr, false);
    if (out.is_discarded()) static_cast<void>(read_json_tree({text, where})); // throws
    return out;
}

[[nodiscard]] inline std::string text_of_json(nlohmann::json const& v)
{
    return v.is_string() ? v.get<std::string>() : v.dump();
}

/// Reads a line "# key: value".
/// @param columns_known  true: the names of the columns are above this line
inline void read_header_line(std::string_view line, std::string const& where, bool columns_known,
                             recorded_text& out)
{
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::size_t const begin = line.find_first_not_of("# ");
    std::string const key(line.substr(begin, colon - begin));
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (key != "parameters" && key != "constraints") return;
    if (columns_known)
        throw error("\"# " + key + "\" is below the names of the columns", where,
                    "write it above the names, and each recording into its own file");
    if (key == "parameters") {
        if (!out.parameters.empty())
            throw error("a recording has \"# parameters\" twice", where, "remove one of the lines");
        auto const parameters = recorded_json(value, where);
        for (auto const& [name, list] : parameters.items()) {
            out.parameters.push_back(name);
            out.values.emplace_back();
            for (auto const& v : list)
                out.values.back().push_back(text_of_json(v));
        }
        return;
    }
    for (auto const& v : recorded_json(value, where))
        out.constraints.push_back(text_of_json(v));
}

struct recorded_columns {
    std::size_t cells = 0;
    std::vector<std::size_t> parameters;
    std::size_t time = 0;
    std::size_t status = 0;
};

[[nodiscard]] inline recorded_columns columns_of(std::vector<std::string> const& header,
                                                 std::string const& where, recorded_text& out)
{
    recorded_columns columns{.cells = header.size(), .parameters = {}};
    auto const place = [&](std::string const& name) {
        auto const found = std::find(header.begin(), header.end(), name);
        if (found == header.end())
            throw error("the recording has no column " + name, where,
                        "name the parameters, time_ms and status in the first line");
        if (std::find(found + 1, header.end(), name) != header.end())
            throw error("the recording has two columns " + name, where,
                        "give each column another name");
        return static_cast<std::size_t>(found - header.begin());
    };
    columns.time = place("time_ms");
    columns.status = place("status");
    if (out.parameters.empty())
        for (std::size_t c = 0; c < header.size(); ++c)
            if (c != columns.time && c != columns.status) out.parameters.push_back(header[c]);
    for (std::string const& name : out.parameters)
        columns.parameters.push_back(place(name));
    return columns;
}

[[nodiscard]] inline recorded_text recorded_csv(std::string const& path, std::string const& text)
{
    recorded_text out;
    std::optional<recorded_columns> columns;
    std::size_t line_number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find('\n', begin), text.size());
        std::string_view const line(text.data() + begin, end - begin);
        begin = end + 1;
        ++line_number;
        if (line.empty() || line == "\r") continue;
        std::string const where = path + ":" + std::to_string(line_number);
        if (line[0] == '#') {
            read_header_line(line, where, columns.has_value(), out);
            continue;
        }
        std::vector<std::string> const cells = cells_of(line);
        if (!columns) {
            columns = columns_of(cells, where, out);
            continue;
        }
        if (cells.size() != columns->cells)
            throw error("a row has " + std::to_string(cells.size()) + " cells, expected " +
                            std::to_string(columns->cells),
                        where, "write a cell for each column of the first line");
        if (cells[columns->time] == "time_ms" && cells[columns->status] == "status")
            throw error("a recording has the names of the columns twice", where,
                        "write each recording into its own file");
        recorded_row row;
        for (std::size_t const c : columns->parameters)
            row.values.push_back(cells[c]);
        row.status = cells[columns->status];
        double const ms = number_in(cells[columns->time]);
        if (row.status == "ok" && std::isfinite(ms) && ms > 0) row.time_ms = ms;
        out.rows.push_back(std::move(row));
    }
    return out;
}

/// Milliseconds per unit of a measurement. A measurement without a unit has milliseconds if its
/// name is that of a time, as Kernel Tuner writes it.
///
/// Errors  attune::error: the measurement is no time, such as a rate, whose best value is the
///         highest
[[nodiscard]] inline double milliseconds_in(std::string const& unit, std::string const& name,
                                            std::string const& path)
{
    std::string const u = in_small_letters(unit);
    if (u == "s" || u == "sec" || u == "second" || u == "seconds") return 1e3;
    if (u == "ms" || u == "msec" || u == "millisecond" || u == "milliseconds") return 1;
    if (u == "us" || u == "usec" || u == "microsecond" || u == "microseconds") return 1e-3;
    if (u == "ns" || u == "nsec" || u == "nanosecond" || u == "nanoseconds") return 1e-6;
    if (u.empty() && in_small_letters(name).find("time") != std::string::npos) return 1;
    throw error("the objective " + name + " is no time: " +
                    (unit.empty() ? std::string("it has no unit") : "its unit is " + unit),
                path, "name a time as the objective, with the unit s, ms, us or ns");
}

[[nodiscard]] inline recorded_text recorded_t4(nlohmann::ordered_json const& root,
                                               std::string const& path)
{
    recorded_text out;
    for (auto const& result : root.at("results")) {
        auto const& configuration = result.at("configuration");
        if (out.parameters.empty())
            for (auto const& [name, value] : configuration.items())
                out.parameters.push_back(name);
        recorded_row row;
        for (std::string const& name : out.parameters)
            row.values.push_back(text_of_json(configuration.at(name)));
        row.status = result.value("invalidity", std::string("correct"));
        std::string objective = "time";
        if (result.contains("objectives") && !result["objectives"].empty())
            objective = text_of_json(result["objectives"][0]);
        for (auto const& m : result.value("measurements", nlohmann::ordered_json::array())) {
            if (text_of_json(m.at("name")) != objective || row.status != "correct") continue;
            if (!m.at("value").is_number()) continue;
            double const ms = milliseconds_in(m.value("unit", std::string()), objective, path) *
                              m.at("value").get<double>();
            if (std::isfinite(ms) && ms > 0) row.time_ms = ms;
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

[[nodiscard]] inline bool is_csv_name(std::string_view path)
{
    return path.ends_with(".csv") || path.ends_with(".csv.gz");
}
[[nodiscard]] inline bool is_json_name(std::string_view path)
{
    return path.ends_with(".json") || path.ends_with(".json.gz");
}

[[nodiscard]] inline recorded_text read_recording(std::string const& path)
{
    char const* const forms = "give a .csv or .json file, or one packed as .gz, of the form in "
                              "attune/space/files/recorded.hpp";
    if (!is_csv_name(path) && !is_json_name(path)) throw error("not a recording", path, forms);
    std::string const text = unpacked_file(path);
    try {
        return is_csv_name(path) ? recorded_csv(path, text)
                                 : recorded_t4(recorded_json(text, path), path);
    } catch (nlohmann::json::exception const&) {
        throw error("not a recording: a field is missing or of another kind", path, forms);
    }
}

/// True, true, 1 and 1.0 are the same value.
[[nodiscard]] inline double truth_or_number(std::string const& text)
{
    if (text == "true" || text == "True") return 1;
    if (text == "false" || text == "False") return 0;
    return number_in(text);
}

/// An ordinal of numbers, or a category of anything else. The list holds each value once.
[[nodiscard]] inline parameter_description
recorded_parameter(std::string const& name, std::vector<std::string> const& values)
{
    parameter_description p;
    p.name = name;
    bool const numeric = std::none_of(values.begin(), values.end(), [](std::string const& v) {
        return std::isnan(truth_or_number(v));
    });
    if (!numeric) {
        p.kind = parameter_kind::categorical;
        p.type = value_kind::text;
        p.labels = values;
        return p;
    }
    p.kind = parameter_kind::ordinal;
    for (std::string const& v : values)
        p.reals.push_back(truth_or_number(v));
    std::sort(p.reals.begin(), p.reals.end());
    bool const whole = std::all_of(p.reals.begin(), p.reals.end(), [](double v) {
        return v == std::floor(v) && std::abs(v) < 1e15;
    });
    p.type = whole ? value_kind::integer : value_kind::real;
    if (whole) {
        for (double const v : p.reals)
            p.integers.push_back(static_cast<std::int64_t>(v));
        p.reals.clear();
    }
    return p;
}

/// The shortest text that reads back as `v`; equal for 0 and -0.
[[nodiscard]] inline std::string canonical_number(double v)
{
    std::array<char, 32> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), v == 0 ? 0.0 : v).ptr;
    return {text.data(), end};
}

/// One text for all spellings of a value.
[[nodiscard]] inline std::string canonical_value(std::string const& text)
{
    double const v = truth_or_number(text);
    return std::isnan(v) ? text : canonical_number(v);
}

/// Canonical text -> place in the table of a parameter.
using recorded_places = std::unordered_map<std::string, std::uint32_t>;

[[nodiscard]] inline recorded_places places_in(parameter_description const& p)
{
    recorded_places out;
    auto const add = [&](std::string const& value) {
        out.emplace(value, static_cast<std::uint32_t>(out.size()));
    };
    for (std::string const& label : p.labels)
        add(canonical_value(label));
    for (double const v : p.reals)
        add(canonical_number(v));
    for (std::int64_t const v : p.integers)
        add(canonical_number(static_cast<double>(v)));
    return out;
}

[[nodiscard]] inline description recorded_parameters(recorded_text const& from)
{
    description out;
    for (std::size_t c = 0; c < from.parameters.size(); ++c) {
        std::vector<std::string> values;
        std::unordered_set<std::string> taken;
        auto const offer = [&](std::string const& v) {
            if (taken.insert(canonical_value(v)).second) values.push_back(v);
        };
        if (!from.values.empty())
            for (std::string const& v : from.values[c])
                offer(v);
        for (recorded_row const& row : from.rows)
            offer(row.values[c]);
        out.parameters.push_back(recorded_parameter(from.parameters[c], values));
    }
    return out;
}

/// The space with exactly the configurations in `known`, by the file's constraints where possible.
[[nodiscard]] inline chain_of_trees recorded_space(description space, recorded_text const& from,
                                                   std::shared_ptr<recorded_points const> known,
                                                   std::vector<std::string>& notes)
{
    for (std::string const& text : from.constraints) {
        description const before = space;
        try {
            space.constraints.push_back(parse_constraint(space, text));
        } catch (error const& e) {
            space = before;
            notes.push_back("constraint not used: " + text + ": " + e.what());
        }
    }
    std::optional<chain_of_trees> chain;
    try {
        chain.emplace(space);
        bool const all_inside = std::all_of(known->begin(), known->end(),
                                            [&](point const& p) { return chain->contains(p); });
        if (!all_inside) {
            notes.emplace_back("the constraints are left out: some rows break them");
            space.constraints.clear();
            chain.reset();
        }
    } catch (error const& e) {
        notes.push_back(std::string("the constraints are left out: ") + e.what());
        space.constraints.clear();
    }
    if (!chain || chain->size() != leaf_count{known->size()}) {
        only_recorded(space, std::move(known));
        chain.emplace(space);
    }
    return std::move(*chain);
}

[[nodiscard]] inline std::string recording_name(std::string const& path)
{
    std::string name = path.substr(path.find_last_of('/') + 1);
    for (std::string_view const end : {".gz", ".csv", ".json"})
        if (name.ends_with(end)) name.resize(name.size() - end.size());
    return name;
}

} // namespace detail

struct recorded::state {
    std::string name;
    std::vector<std::string> notes;
    outcome_table outcomes;
    double best = std::numeric_limits<double>::infinity();
    std::size_t failures = 0;
    chain_of_trees space;

    explicit state(std::string const& path)
        : name(detail::recording_name(path))
        , space(made(detail::read_recording(path), path))
    {
    }

private:
    /// Makes the space, and fills the other members.
    [[nodiscard]] chain_of_trees made(detail::recorded_text const& from, std::string const& path)
    {
        description const parameters = detail::recorded_parameters(from);
        auto const known = std::make_shared<detail::recorded_points>();
        std::vector<detail::recorded_places> places;
        for (parameter_description const& p : parameters.parameters)
            places.push_back(detail::places_in(p));
        std::size_t repeated = 0;
        for (detail::recorded_row const& row : from.rows) {
            point p;
            for (std::size_t c = 0; c < row.values.size(); ++c) {
                auto const found = places[c].find(detail::canonical_value(row.values[c]));
                if (found == places[c].end())
                    throw error("the parameter " + from.parameters[c] + " has no value " +
                                    row.values[c],
                                path, "name it in \"# parameters\"");
                p.push_back({found->second, 0});
            }
            if (!known->insert(p).second) {
                ++repeated;
                continue;
            }
            if (row.time_ms > 0) {
                best = std::min(best, row.time_ms);
                outcomes.emplace(std::move(p), measurement::exact(row.time_ms));
                continue;
            }
            ++failures;
            bool const compile = row.status == "compile";
            outcomes.emplace(
                std::move(p),
                failure{compile ? failure_stage::compile : failure_stage::launch, row.status});
        }
        if (repeated > 0)
            notes.push_back(std::to_string(repeated) +
                            (repeated == 1 ? " row repeats" : " rows repeat") +
                            " a configuration; its first row counts");
        if (failures == outcomes.size())
            throw error("no configuration of the recording worked", path,
                        "give a recording with a row whose time is a positive number");
        return detail::recorded_space(parameters, from, known, notes);
    }
};

ATTUNE_INLINE recorded::recorded(std::string const& path)
    : state_(std::make_shared<state const>(path))
{
}
ATTUNE_INLINE std::string const& recorded::name() const noexcept { return state_->name; }
ATTUNE_INLINE chain_of_trees const& recorded::space() const noexcept { return state_->space; }
ATTUNE_INLINE outcome recorded::operator()(point const& p) const
{
    auto const found = state_->outcomes.find(p);
    if (found != state_->outcomes.end()) return found->second;
    return failure{failure_stage::launch, "this configuration was not recorded"};
}
ATTUNE_INLINE recorded::outcome_table const& recorded::outcomes() const noexcept
{
    return state_->outcomes;
}
ATTUNE_INLINE double recorded::best() const noexcept { return state_->best; }
ATTUNE_INLINE std::size_t recorded::failures() const noexcept { return state_->failures; }
ATTUNE_INLINE std::vector<std::string> const& recorded::notes() const noexcept
{
    return state_->notes;
}

ATTUNE_INLINE bool is_recording(std::string const& path)
{
    if (detail::is_csv_name(path)) return true;
    if (!detail::is_json_name(path)) return false;
    auto const root = nlohmann::json::parse(detail::unpacked_file(path), nullptr, false);
    return root.is_object() && root.contains("results");
}

} // namespace attune::inline ATTUNE_ABI
