// attune/remember/detail/json_texts.hpp - lists of texts, and texts with names, as JSON, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_json.hpp>
#include <attune/remember/record.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// An object with its members in order; `record.hpp` promises that no name occurs twice.
[[nodiscard]] inline record_json texts_to_json(named_texts const& texts)
{
    record_json object = record_json::object();
    for (auto const& [name, value] : texts) {
        ATTUNE_ASSERT(!object.contains(name), "a name occurs twice in a record");
        object[name] = text_to_json(value);
    }
    return object;
}

template <json_like Json>
[[nodiscard]] named_texts json_to_texts(Json const& json, char const* name)
{
    if (!json.is_object()) throw record_json_problem(std::string(name) + " is not an object");
    named_texts texts;
    if constexpr (std::same_as<Json, line_value>)
        for (line_value const value : json)
            texts.emplace_back(value.name(), json_to_text(value, name));
    else
        for (auto const& [key, value] : json.items())
            texts.emplace_back(key, json_to_text(value, name));
    return texts;
}

template <json_like Json>
[[nodiscard]] named_texts texts_field(Json const& object, char const* name)
{
    return json_to_texts(json_field(object, name), name);
}

[[nodiscard]] inline record_json list_to_json(std::vector<std::string> const& texts)
{
    record_json out = record_json::array();
    for (std::string const& text : texts)
        out.push_back(text_to_json(text));
    return out;
}

template <json_like Json>
[[nodiscard]] std::vector<std::string> json_to_list(Json const& json, char const* name)
{
    if (!json.is_array()) throw record_json_problem(std::string(name) + " is not a list");
    std::vector<std::string> out;
    for (auto const& text : json)
        out.push_back(json_to_text(text, name));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
