// attune/remember/record_line.ipp - records as lines of JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_line.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr char const* store_header_field = "attune_store";

/// An object with its members in order.
[[nodiscard]] ATTUNE_INLINE record_json texts_to_json(named_texts const& texts)
{
    record_json object = record_json::object();
    for (auto const& [name, value] : texts) {
        ATTUNE_ASSERT(!object.contains(name), "a name occurs twice in a record");
        object[name] = text_to_json(value);
    }
    return object;
}

[[nodiscard]] ATTUNE_INLINE named_texts texts_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_object()) throw record_json_problem(std::string(name) + " is not an object");
    named_texts texts;
    for (auto const& [key, value] : json.items())
        texts.emplace_back(key, json_to_text(value, name));
    return texts;
}

[[nodiscard]] ATTUNE_INLINE record json_to_record(record_json const& json)
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
    if (json.contains("disturbed")) entry.disturbed = flag_field(json, "disturbed");
    if (json.contains("least_s")) {
        entry.least_s = number_field(json, "least_s");
        entry.memory_bound = flag_field(json, "memory_bound");
    }
    if (json.contains("shape")) entry.shape = text_field(json, "shape");
    return entry;
}

ATTUNE_INLINE std::string header_line()
{
    record_json json = record_json::object();
    json[store_header_field] = store_format;
    return json.dump();
}

ATTUNE_INLINE std::string record_line(record const& entry)
{
    record_json json;
    json["kernel"] = text_to_json(entry.key.kernel);
    json["source"] = text_to_json(entry.key.source);
    json["schema"] = text_to_json(entry.key.schema);
    json["compiler"] = text_to_json(entry.key.compiler);
    json["device"] = text_to_json(entry.key.device);
    json["inputs"] = texts_to_json(entry.key.inputs);
    json["configuration"] = texts_to_json(entry.configuration);
    json["best_s"] = number_to_json(entry.best_s);
    json["default_s"] = number_to_json(entry.default_s);
    json["evaluations"] = entry.evaluations;
    json["failures"] = entry.failures;
    json["seed"] = entry.seed;
    json["when"] = text_to_json(entry.when);
    json["attune"] = text_to_json(entry.attune);
    json["interrupted"] = entry.interrupted;
    if (entry.disturbed) json["disturbed"] = true;
    if (entry.least_s > 0) {
        json["least_s"] = number_to_json(entry.least_s);
        json["memory_bound"] = entry.memory_bound;
    }
    if (!entry.shape.empty()) json["shape"] = text_to_json(entry.shape);
    return json.dump();
}

ATTUNE_INLINE line_content read_line(std::string_view line)
{
    record_json json;
    try {
        json = record_json::parse(line);
    } catch (record_json::parse_error const& problem) {
        return damage{"not JSON (byte " + std::to_string(problem.byte) + ")"};
    } catch (record_json::exception const&) { // a number too large for a double
        return damage{"a number is out of range"};
    }
    if (!json.is_object()) return damage{"not a JSON object"};
    if (auto const format = json.find(store_header_field); format != json.end())
        // Only a primitive value is shown: printing a deeply nested one would overflow the stack.
        return store_header{*format == store_format,
                            format->is_primitive() ? format->dump(-1, ' ', true) : "unknown"};
    try {
        return json_to_record(json);
    } catch (record_json_problem const& problem) {
        return damage{problem.what()};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
