// attune/remember/detail/event_line.hpp - events as lines of JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/remember/detail/json_fields.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr unsigned event_format = 1;
inline constexpr char const* session_field = "attune_events";
/// Field name of an event's points, by event_kind.
inline constexpr std::array<char const*, 11> event_names{
    "asked",    "compiled", "first_run", "sampled", "told",    "chosen",
    "revealed", "observed", "informed",  "pruned",  "narrowed"};

/// [3, 0, [0, 1.5]]: one index per parameter; for a real parameter the index and the value.
[[nodiscard]] inline record_json point_to_json(point const& at)
{
    record_json out = record_json::array();
    for (coordinate const& c : at)
        if (c.real == 0)
            out.push_back(c.index);
        else
            out.push_back({c.index, number_to_json(c.real)});
    return out;
}

/// Errors   record_json_problem: `count` does not fit into 32 bits
[[nodiscard]] inline std::uint32_t narrow_count(std::uint64_t count, char const* name)
{
    if (count > std::numeric_limits<std::uint32_t>::max())
        throw record_json_problem(std::string(name) + " is too large");
    return static_cast<std::uint32_t>(count);
}

[[nodiscard]] inline point json_to_point(record_json const& json)
{
    if (!json.is_array()) throw record_json_problem("a point is not a list");
    point out;
    for (record_json const& c : json) {
        bool const has_real = c.is_array() && c.size() == 2 && c[1].is_number();
        record_json const& index = has_real ? c[0] : c;
        if (!index.is_number_unsigned()) throw record_json_problem("a coordinate is no index");
        out.push_back({narrow_count(index.get<std::uint64_t>(), "an index"),
                       has_real ? c[1].get<double>() : 0.0});
    }
    return out;
}

inline void add_outcome(record_json& json, outcome const& result)
{
    if (auto const* m = std::get_if<measurement>(&result)) {
        json["value"] = number_to_json(m->value);
        json["low"] = number_to_json(m->low);
        json["high"] = number_to_json(m->high);
        json["samples"] = m->samples;
        return;
    }
    failure const& f = std::get<failure>(result);
    json["failed"] = static_cast<unsigned>(f.stage);
    json["reason"] = text_to_json(f.reason);
    if (!f.log.empty()) json["log"] = text_to_json(f.log);
}

[[nodiscard]] inline std::optional<outcome> outcome_in(record_json const& json)
{
    if (json.contains("failed")) {
        std::uint64_t const stage = count_field(json, "failed");
        if (stage >= failure_stage_count) throw record_json_problem("failed is no stage");
        std::string log = json.contains("log") ? text_field(json, "log") : std::string{};
        return failure{static_cast<failure_stage>(stage), text_field(json, "reason"),
                       std::move(log)};
    }
    if (!json.contains("value")) return {};
    return measurement{number_field(json, "value"), number_field(json, "low"),
                       number_field(json, "high"),
                       narrow_count(count_field(json, "samples"), "samples")};
}

inline void add_quantities(record_json& json, std::vector<quantity> const& measured)
{
    if (measured.empty()) return;
    json["quantities"] = record_json::array();
    for (quantity const& one : measured)
        json["quantities"].push_back({text_to_json(one.name), number_to_json(one.value)});
}

[[nodiscard]] inline std::vector<quantity> quantities_in(record_json const& json)
{
    std::vector<quantity> out;
    if (!json.contains("quantities")) return out;
    record_json const& all = json["quantities"];
    if (!all.is_array()) throw record_json_problem("quantities are no list");
    for (record_json const& one : all) {
        if (!one.is_array() || one.size() != 2) throw record_json_problem("a quantity is no pair");
        out.push_back({json_to_text(one[0], "a name"), json_to_number(one[1], "a quantity")});
    }
    return out;
}

inline void add_timing(record_json& json, timing_record const& timing)
{
    json["times"] = record_json::array();
    for (double const t : timing.times)
        json["times"].push_back(number_to_json(t));
    if (!timing.disturbed.empty()) json["disturbed"] = timing.disturbed;
    json["runs"] = timing.runs;
    json["threads"] = timing.threads;
    if (!timing.clock.empty()) json["clock"] = timing.clock;
}

/// Errors   record_json_problem: no times; `disturbed` is not a list of ascending indices of times
[[nodiscard]] inline timing_record timing_in(record_json const& json)
{
    timing_record out;
    record_json const& times = json_field(json, "times");
    if (!times.is_array() || times.empty()) throw record_json_problem("times are missing");
    for (record_json const& t : times) {
        if (!t.is_number()) throw record_json_problem("a time is no number");
        out.times.push_back(t.get<double>());
    }
    record_json const disturbed = json.value("disturbed", record_json::array());
    if (!disturbed.is_array()) throw record_json_problem("disturbed times are no list");
    for (record_json const& at : disturbed) {
        bool const after =
            at.is_number_unsigned() && at.get<std::uint64_t>() < out.times.size() &&
            (out.disturbed.empty() || at.get<std::uint32_t>() > out.disturbed.back());
        if (!after) throw record_json_problem("a disturbed time is none of the times");
        out.disturbed.push_back(at.get<std::uint32_t>());
    }
    out.runs = narrow_count(count_field(json, "runs"), "runs");
    out.threads = narrow_count(count_field(json, "threads"), "threads");
    if (json.contains("clock")) out.clock = text_field(json, "clock");
    return out;
}

/// Numbers of a list; null means NaN.
[[nodiscard]] inline std::vector<double> numbers_in(record_json const& json)
{
    record_json const& numbers = json_field(json, "numbers");
    if (!numbers.is_array()) throw record_json_problem("numbers are no list");
    std::vector<double> out;
    for (record_json const& v : numbers) {
        if (!v.is_number() && !v.is_null()) throw record_json_problem("one of the numbers is none");
        out.push_back(v.is_null() ? std::nan("") : v.get<double>());
    }
    return out;
}

/// The number of a session in its file. Each line of the session has it; lines of earlier versions
/// have none.
using session_tag = std::optional<std::uint32_t>;
inline constexpr char const* tag_field = "session";

[[nodiscard]] inline session_tag tag_in(record_json const& json)
{
    if (!json.contains(tag_field)) return {};
    return narrow_count(count_field(json, tag_field), tag_field);
}

[[nodiscard]] inline std::string event_line(event const& e, session_tag tag = {})
{
    record_json json = record_json::object();
    record_json points = record_json::array();
    for (point const& p : e.points)
        points.push_back(point_to_json(p));
    json[event_names[static_cast<std::size_t>(e.kind)]] = std::move(points);
    if (e.kind == event_kind::asked) json["wanted"] = e.wanted;
    if (e.seconds > 0) json["seconds"] = number_to_json(e.seconds);
    if (e.expected > 0) json["expected"] = number_to_json(e.expected);
    if (!e.by.empty()) json["by"] = text_to_json(e.by);
    if (!e.text.empty()) json["text"] = text_to_json(e.text);
    if (e.result) add_outcome(json, *e.result);
    if (e.timing) add_timing(json, *e.timing);
    for (double const v : e.numbers)
        json["numbers"].push_back(std::isfinite(v) ? number_to_json(v) : record_json(nullptr));
    add_quantities(json, e.quantities);
    if (tag) json[tag_field] = *tag;
    return json.dump() + '\n';
}

/// The first line of a session.
struct session_start {
    std::string key;
    std::uint64_t seed = 0;
    std::optional<std::uint64_t> events{}; ///< number of events that follow; empty: unknown
    session_tag tag{};
};
struct logged_event {
    event what;
    session_tag tag{};
};

[[nodiscard]] inline std::string session_line(std::string const& key, std::uint64_t seed,
                                              std::optional<std::uint64_t> events = {},
                                              session_tag tag = {})
{
    record_json json = record_json::object();
    json[session_field] = event_format;
    json["key"] = text_to_json(key);
    json["seed"] = seed;
    if (events) json["count"] = *events;
    if (tag) json[tag_field] = *tag;
    return json.dump() + '\n';
}

/// Returns true if an unreadable line still shows that it is an event.
[[nodiscard]] inline bool names_event(std::string_view line)
{
    return std::any_of(event_names.begin(), event_names.end(), [&](std::string const& name) {
        return line.find('"' + name + '"') != line.npos;
    });
}

/// A session's first line, or an event.
/// Errors   record_json_problem or an exception of nlohmann: the line is neither
[[nodiscard]] inline std::variant<session_start, logged_event>
read_event_line(std::string_view line)
{
    record_json const json = record_json::parse(line);
    if (!json.is_object()) throw record_json_problem("not a JSON object");
    if (json.contains(session_field)) {
        if (count_field(json, session_field) != event_format)
            throw record_json_problem("written by a newer attune");
        session_start start{text_field(json, "key"), count_field(json, "seed")};
        if (json.contains("count")) start.events = count_field(json, "count");
        start.tag = tag_in(json);
        return start;
    }
    for (std::size_t i = 0; i < event_names.size(); ++i) {
        auto const found = json.find(event_names[i]);
        if (found == json.end()) continue;
        event out;
        out.kind = static_cast<event_kind>(i);
        if (!found->is_array()) throw record_json_problem("points are no list");
        for (record_json const& p : *found)
            out.points.push_back(json_to_point(p));
        bool const is_of_none =
            out.kind == event_kind::informed || out.kind == event_kind::narrowed;
        if (out.kind == event_kind::asked)
            out.wanted = count_field(json, "wanted");
        else if (out.points.size() != (is_of_none ? 0 : 1))
            throw record_json_problem("the event is not about one point");
        if (json.contains("seconds")) out.seconds = number_field(json, "seconds");
        if (json.contains("expected")) out.expected = number_field(json, "expected");
        // Earlier logs have the expected value in the other field.
        if (out.kind == event_kind::told && out.seconds > 0)
            out.expected = std::exchange(out.seconds, 0.0);
        bool const is_proposed =
            out.kind == event_kind::told || out.kind == event_kind::pruned; // a single point
        if (is_proposed && json.contains("by")) out.by = text_field(json, "by");
        if (json.contains("text")) out.text = text_field(json, "text");
        out.result = outcome_in(json);
        if (out.kind == event_kind::code_metrics || json.contains("numbers"))
            out.numbers = numbers_in(json);
        out.quantities = quantities_in(json);
        if (out.kind == event_kind::sampled) out.timing = timing_in(json);
        if ((out.kind == event_kind::told || out.kind == event_kind::observed) && !out.result)
            throw record_json_problem("nothing was told");
        return logged_event{std::move(out), tag_in(json)};
    }
    throw record_json_problem("no event that is known");
}

} // namespace attune::inline ATTUNE_ABI::detail
