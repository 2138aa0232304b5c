// attune/remember/record_line.ipp - the only place that knows JSON.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> [remember]
// In       see record_line.hpp
// Out      its definitions; included by one translation unit
// Source   own
// Depends  nlohmann-json
// Tests    tests/remember/record_line.cpp
#pragma once

#include <attune/core/assert.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_line.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace attune {
namespace detail {

using record_json = nlohmann::ordered_json;

/// Thrown and caught in this file only: why a JSON object is no record.
struct record_json_problem : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr char const* store_header_field = "attune_store";

/// JSON is Unicode; paths and flags are bytes. Text that is not UTF-8 is written as
/// {"bytes": "hexadecimal digits"}.
[[nodiscard]] record_json text_to_json(std::string const& text)
{
    record_json plain = text;
    try {
        static_cast<void>(plain.dump());
        return plain;
    } catch (record_json::type_error const&) {
        std::string digits;
        for (char const c : text) {
            auto const byte = static_cast<unsigned char>(c);
            digits += "0123456789abcdef"[byte >> 4];
            digits += "0123456789abcdef"[byte & 15];
        }
        record_json object = record_json::object();
        object["bytes"] = digits;
        return object;
    }
}

[[nodiscard]] std::string json_to_text(record_json const& json, std::string const& name)
{
    if (json.is_string()) return json.get<std::string>();
    auto const bytes = json.is_object() ? json.find("bytes") : json.end();
    if (bytes == json.end() || !bytes->is_string())
        throw record_json_problem(name + " is not a text");
    std::string const digits = bytes->get<std::string>();
    auto const value = [&](char digit) -> unsigned {
        if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
        if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10U;
        throw record_json_problem(name + " has a wrong hexadecimal digit");
    };
    if (digits.size() % 2 != 0) throw record_json_problem(name + " has half a byte");
    std::string text;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        text += static_cast<char>(value(digits[i]) * 16U + value(digits[i + 1]));
    return text;
}

/// JSON has no infinity and no NaN; they are written as texts.
[[nodiscard]] record_json number_to_json(double value)
{
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
    return value;
}

[[nodiscard]] record_json const& json_field(record_json const& object, char const* name)
{
    auto const at = object.find(name);
    if (at == object.end()) throw record_json_problem(std::string(name) + " is missing");
    return *at;
}

[[nodiscard]] std::string text_field(record_json const& object, char const* name)
{
    return json_to_text(json_field(object, name), name);
}

[[nodiscard]] double number_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (json.is_number()) return json.get<double>();
    if (json == "inf") return std::numeric_limits<double>::infinity();
    if (json == "-inf") return -std::numeric_limits<double>::infinity();
    if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw record_json_problem(std::string(name) + " is not a number");
}

[[nodiscard]] std::uint64_t count_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_number_unsigned())
        throw record_json_problem(std::string(name) + " is not a count");
    return json.get<std::uint64_t>();
}

[[nodiscard]] bool flag_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_boolean()) throw record_json_problem(std::string(name) + " is not true or false");
    return json.get<bool>();
}

/// An object with its members in order; `record.hpp` promises that no name occurs twice.
[[nodiscard]] record_json texts_to_json(named_texts const& texts)
{
    record_json object = record_json::object();
    for (auto const& [name, value] : texts) {
        ATTUNE_ASSERT(!object.contains(name), "a name occurs twice in a record");
        object[name] = text_to_json(value);
    }
    return object;
}

[[nodiscard]] named_texts texts_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_object()) throw record_json_problem(std::string(name) + " is not an object");
    named_texts texts;
    for (auto const& [key, value] : json.items())
        texts.emplace_back(key, json_to_text(value, name));
    return texts;
}

[[nodiscard]] record json_to_record(record_json const& json)
{
    record entry;
    entry.key.kernel = text_field(json, "kernel");
    entry.key.source = text_field(json, "source");
    entry.key.schema = text_field(json, "schema");
    entry.key.compiler = text_field(json, "compiler");
    entry.key.device = text_field(json, "device");
    entry.key.inputs = texts_field(json, "inputs");
    entry.configuration = texts_field(json, "configuration");
    entry.best_s = number_field(json, "best_s");
    entry.default_s = number_field(json, "default_s");
    entry.evaluations = count_field(json, "evaluations");
    entry.failures = count_field(json, "failures");
    entry.seed = count_field(json, "seed");
    entry.when = text_field(json, "when");
    entry.attune = text_field(json, "attune");
    entry.interrupted = flag_field(json, "interrupted");
    return entry;
}

} // namespace detail

std::string header_line()
{
    detail::record_json json = detail::record_json::object();
    json[detail::store_header_field] = store_format;
    return json.dump();
}

std::string record_line(record const& entry)
{
    detail::record_json json;
    json["kernel"] = detail::text_to_json(entry.key.kernel);
    json["source"] = detail::text_to_json(entry.key.source);
    json["schema"] = detail::text_to_json(entry.key.schema);
    json["compiler"] = detail::text_to_json(entry.key.compiler);
    json["device"] = detail::text_to_json(entry.key.device);
    json["inputs"] = detail::texts_to_json(entry.key.inputs);
    json["configuration"] = detail::texts_to_json(entry.configuration);
    json["best_s"] = detail::number_to_json(entry.best_s);
    json["default_s"] = detail::number_to_json(entry.default_s);
    json["evaluations"] = entry.evaluations;
    json["failures"] = entry.failures;
    json["seed"] = entry.seed;
    json["when"] = detail::text_to_json(entry.when);
    json["attune"] = detail::text_to_json(entry.attune);
    json["interrupted"] = entry.interrupted;
    return json.dump();
}

line_content read_line(std::string_view line)
{
    detail::record_json json;
    try {
        json = detail::record_json::parse(line);
    } catch (detail::record_json::parse_error const& problem) {
        return damage{"not JSON (byte " + std::to_string(problem.byte) + ")"};
    } catch (detail::record_json::exception const&) { // a number too large for a double
        return damage{"a number is out of range"};
    }
    if (!json.is_object()) return damage{"not a JSON object"};
    if (auto const format = json.find(detail::store_header_field); format != json.end())
        return store_header{*format == store_format, format->dump(-1, ' ', true)};
    try {
        return detail::json_to_record(json);
    } catch (detail::record_json_problem const& problem) {
        return damage{problem.what()};
    }
}

} // namespace attune
