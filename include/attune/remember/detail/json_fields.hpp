// attune/remember/detail/json_fields.hpp - texts, numbers and counts as JSON, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

using record_json = nlohmann::ordered_json;

/// Why a JSON object has not the expected form. Thrown and caught by the readers of lines.
struct record_json_problem : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Text that is UTF-8 becomes a JSON string; other bytes (of paths and flags) become
/// {"bytes": "hexadecimal digits"}.
[[nodiscard]] inline record_json text_to_json(std::string const& text)
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

[[nodiscard]] inline std::string json_to_text(record_json const& json, char const* name)
{
    if (json.is_string()) return json.get<std::string>();
    auto const bytes = json.is_object() ? json.find("bytes") : json.end();
    if (bytes == json.end() || !bytes->is_string())
        throw record_json_problem(std::string(name) + " is not a text");
    std::string const digits = bytes->get<std::string>();
    auto const value = [&](char digit) -> unsigned {
        if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
        if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10U;
        throw record_json_problem(std::string(name) + " has a wrong hexadecimal digit");
    };
    if (digits.size() % 2 != 0) throw record_json_problem(std::string(name) + " has half a byte");
    std::string text;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        text += static_cast<char>(value(digits[i]) * 16U + value(digits[i + 1]));
    return text;
}

/// Infinities and NaN, which JSON lacks, are written as texts.
[[nodiscard]] inline record_json number_to_json(double value)
{
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
    return value;
}

/// Null: the object has no such field.
[[nodiscard]] inline record_json const* field_or_none(record_json const& object, char const* name)
{
    auto const at = object.find(name);
    return at == object.end() ? nullptr : &*at;
}

[[nodiscard]] inline record_json const& json_field(record_json const& object, char const* name)
{
    record_json const* const at = field_or_none(object, name);
    if (at == nullptr) throw record_json_problem(std::string(name) + " is missing");
    return *at;
}

[[nodiscard]] inline std::string text_field(record_json const& object, char const* name)
{
    return json_to_text(json_field(object, name), name);
}

[[nodiscard]] inline double json_to_number(record_json const& json, char const* name)
{
    if (json.is_number()) return json.get<double>();
    if (json == "inf") return std::numeric_limits<double>::infinity();
    if (json == "-inf") return -std::numeric_limits<double>::infinity();
    if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw record_json_problem(std::string(name) + " is not a number");
}

[[nodiscard]] inline double number_field(record_json const& object, char const* name)
{
    return json_to_number(json_field(object, name), name);
}

[[nodiscard]] inline std::uint64_t count_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_number_unsigned())
        throw record_json_problem(std::string(name) + " is not a count");
    return json.get<std::uint64_t>();
}

[[nodiscard]] inline bool flag_field(record_json const& object, char const* name)
{
    record_json const& json = json_field(object, name);
    if (!json.is_boolean()) throw record_json_problem(std::string(name) + " is not true or false");
    return json.get<bool>();
}

[[nodiscard]] inline bool flag_field_or_no(record_json const& object, char const* name)
{
    return object.contains(name) && flag_field(object, name);
}

} // namespace attune::inline ATTUNE_ABI::detail
