// attune/remember/detail/json_fields.hpp - texts, lists and numbers as JSON, and back; the checksum of a line.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/line_json.hpp>
#include <attune/remember/record.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using record_json = nlohmann::ordered_json;

/// A value to read: any document, or a line in the form that attune writes.
template <class Json>
concept json_like = std::same_as<Json, record_json> || std::same_as<Json, line_value>;

/// Thrown for a JSON object of a wrong form. The readers of lines catch it.
struct record_json_problem : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// UTF-8 text becomes a JSON string. Other bytes (of paths and flags) become {"bytes": "hexadecimal
/// digits"}.
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

/// The field, or null if the object has none of this name.
[[nodiscard]] inline record_json const* field_or_none(record_json const& object, char const* name)
{
    auto const at = object.find(name);
    return at == object.end() ? nullptr : &*at;
}
[[nodiscard]] inline std::optional<line_value> field_or_none(line_value object, char const* name)
{
    return object.member(name);
}

template <json_like Json>
[[nodiscard]] bool has_field(Json const& object, char const* name)
{
    return static_cast<bool>(field_or_none(object, name));
}

template <json_like Json>
[[nodiscard]] std::string json_to_text(Json const& json, char const* name)
{
    if (json.is_string()) return json.template get<std::string>();
    auto const bytes = field_or_none(json, "bytes");
    if (!bytes || !bytes->is_string())
        throw record_json_problem(std::string(name) + " is not a text");
    std::string const digits = bytes->template get<std::string>();
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

/// The field: of a document a reference, of a line a value.
template <json_like Json>
[[nodiscard]] decltype(auto) json_field(Json const& object, char const* name)
{
    auto const at = field_or_none(object, name);
    if (!at) throw record_json_problem(std::string(name) + " is missing");
    if constexpr (std::is_pointer_v<decltype(field_or_none(object, name))>)
        return (*at);
    else
        return Json(*at);
}

template <json_like Json>
[[nodiscard]] std::string text_field(Json const& object, char const* name)
{
    return json_to_text(json_field(object, name), name);
}

template <json_like Json>
[[nodiscard]] double json_to_number(Json const& json, char const* name)
{
    if (json.is_number()) return json.template get<double>();
    std::string const text = json.is_string() ? json.template get<std::string>() : std::string();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw record_json_problem(std::string(name) + " is not a number");
}

template <json_like Json>
[[nodiscard]] double number_field(Json const& object, char const* name)
{
    return json_to_number(json_field(object, name), name);
}

template <json_like Json>
[[nodiscard]] std::uint64_t count_field(Json const& object, char const* name)
{
    auto const& json = json_field(object, name);
    if (!json.is_number_unsigned())
        throw record_json_problem(std::string(name) + " is not a count");
    return json.template get<std::uint64_t>();
}

template <json_like Json>
[[nodiscard]] bool flag_field(Json const& object, char const* name)
{
    auto const& json = json_field(object, name);
    if (!json.is_boolean()) throw record_json_problem(std::string(name) + " is not true or false");
    return json.template get<bool>();
}

template <json_like Json>
[[nodiscard]] bool flag_field_or_no(Json const& object, char const* name)
{
    return has_field(object, name) && flag_field(object, name);
}

inline constexpr std::string_view sum_field = ",\"sum\":\"";
inline constexpr std::size_t sum_digits = 8;
/// ,"sum":"12345678"}
inline constexpr std::size_t sum_tail = sum_field.size() + sum_digits + 2;

[[nodiscard]] inline std::string digits_of(std::uint32_t sum)
{
    std::string out(sum_digits, '0');
    for (std::size_t i = sum_digits; i-- > 0; sum >>= 4)
        out[i] = "0123456789abcdef"[sum & 15u];
    return out;
}

/// The text of an object with its checksum as the last field.
[[nodiscard]] inline std::string with_sum(record_json const& json)
{
    std::string out = json.dump();
    out.pop_back();
    std::string const digits = digits_of(crc32_of(out));
    out += sum_field;
    out += digits;
    return out += "\"}";
}

/// An object with its members in order. `record.hpp` promises that no name occurs twice.
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
