// attune/declare/group.ipp - reads and writes values that are one or several parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/order.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<named_value> named_values(description const& d)
{
    std::vector<named_value> out;
    out.reserve(d.parameters.size());
    auto group = d.groups.begin();
    for (std::uint32_t i = 0; i < d.parameters.size();) {
        if (group != d.groups.end() && group->first == i) {
            out.push_back({group->name, i, group->count, &*group});
            ++group;
        } else {
            out.push_back({d.parameters[i].name, i, 1, nullptr});
        }
        i += out.back().count;
    }
    return out;
}

ATTUNE_INLINE std::optional<named_value> find_value(description const& d, std::string_view name)
{
    if (std::uint32_t const g = d.find_group(name); g != no_index)
        return named_value{d.groups[g].name, d.groups[g].first, d.groups[g].count, &d.groups[g]};
    std::uint32_t const i = d.find_parameter(name);
    if (i == no_index) return {};
    return named_value{d.parameters[i].name, i, 1, nullptr};
}

ATTUNE_INLINE bool is_active(description const& d, named_value const& of,
                             std::span<coordinate const> at)
{
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i)
        if (is_active(d, i, at)) return true;
    return false;
}

ATTUNE_INLINE std::string text_at(description const& d, named_value const& of,
                                  std::span<coordinate const> at)
{
    if (of.group == nullptr) return attune::text_of(d.parameters[of.first], at[of.first]);
    if (of.is_long_order()) {
        for (std::uint32_t k = 0; k < of.count; ++k)
            if (at[of.first + k].index >= of.group->parts() - k) return "(no order)";
        return text_of_elements(order_of_digits(at.subspan(of.first, of.count), of.group->parts()));
    }
    std::vector<std::string> parts;
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i)
        parts.push_back(attune::text_of(d.parameters[i], at[i]));
    return text_of_elements(parts);
}

ATTUNE_INLINE std::string accepted_text(group_description const& of)
{
    return of.traits().is_order ? "any order of 0 to " + std::to_string(of.parts() - 1)
                                : "{...} with " + std::to_string(of.parts()) + " values";
}

ATTUNE_INLINE std::optional<std::vector<std::string>> parts_of_list(std::string_view text)
{
    auto const trimmed = [](std::string_view part) {
        constexpr std::string_view blanks = " \t\n";
        std::size_t const from = part.find_first_not_of(blanks);
        if (from == part.npos) return std::string_view{};
        return part.substr(from, part.find_last_not_of(blanks) + 1 - from);
    };
    text = trimmed(text);
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return {};
    text = text.substr(1, text.size() - 2);
    std::vector<std::string> out;
    for (;;) {
        std::size_t const comma = text.find(',');
        out.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == text.npos) return out;
        text.remove_prefix(comma + 1);
    }
}

/// The digits of the order that `text` is; nothing if it is none of `items` items.
[[nodiscard]] inline std::vector<std::uint32_t> digits_of_text(std::string_view text,
                                                               std::size_t items)
{
    auto const order = parse_integers(without_spaces(text));
    if (!order || order->size() != items) return {};
    return digits_of_order(*order);
}

ATTUNE_INLINE bool set_value(description const& d, named_value const& of, std::span<coordinate> at,
                             std::string_view text)
{
    if (of.group == nullptr) {
        std::optional<coordinate> const found = coordinate_of(d.parameters[of.first], text);
        if (found) at[of.first] = *found;
        return found.has_value();
    }
    std::vector<coordinate> made;
    if (of.is_long_order()) {
        for (std::uint32_t const digit : digits_of_text(text, of.group->parts()))
            made.push_back({digit, 0});
        if (made.empty()) return false;
        made.pop_back(); // the last digit is 0 in every order
    } else {
        auto const parts = parts_of_list(text);
        if (!parts || parts->size() != of.count) return false;
        for (std::uint32_t i = 0; i < of.count; ++i) {
            auto const found = coordinate_of(d.parameters[of.first + i], (*parts)[i]);
            if (!found) return false;
            made.push_back(*found);
        }
    }
    std::copy(made.begin(), made.end(), at.begin() + of.first);
    return true;
}

ATTUNE_INLINE std::optional<std::string> default_text_of(description const& d,
                                                         named_value const& of)
{
    if (of.group == nullptr) return d.parameters[of.first].default_text;
    std::vector<std::string> parts;
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i) {
        if (!d.parameters[i].default_text) return {};
        parts.push_back(*d.parameters[i].default_text);
    }
    if (!of.is_long_order()) return text_of_elements(parts);
    std::vector<coordinate> digits;
    for (std::uint32_t i = 0; i < of.count; ++i) {
        auto const digit = coordinate_of(d.parameters[of.first + i], parts[i]);
        if (!digit) return {};
        digits.push_back(*digit);
    }
    return text_of_elements(order_of_digits(digits, of.group->parts()));
}

ATTUNE_INLINE bool set_default_order(description& d, group_description const& of,
                                     std::vector<std::int64_t> const& order)
{
    std::vector<std::uint32_t> const digits = digits_of_order(order);
    if (digits.size() != of.parts()) return false;
    for (std::uint32_t k = 0; k < of.count; ++k)
        d.parameters[of.first + k].default_text = std::to_string(digits[k]);
    return true;
}

ATTUNE_INLINE bool set_default_text(description& d, named_value const& of, std::string_view text)
{
    if (of.group == nullptr) {
        d.parameters[of.first].default_text = std::string(text);
        return true;
    }
    if (of.is_long_order()) {
        auto const order = parse_integers(without_spaces(text));
        return order && set_default_order(d, *of.group, *order);
    }
    auto parts = parts_of_list(text);
    if (!parts || parts->size() != of.count) return false;
    for (std::uint32_t i = 0; i < of.count; ++i)
        d.parameters[of.first + i].default_text = std::move((*parts)[i]);
    return true;
}

ATTUNE_INLINE std::string name_of_element(std::string_view array, std::size_t place)
{
    return std::string(array) + '[' + std::to_string(place) + ']';
}

ATTUNE_INLINE void set_default_order(description& d, int const* order)
{
    group_description const& of = d.groups.back();
    set_default_order(d, of, std::vector<std::int64_t>(order, order + of.parts()));
}

ATTUNE_INLINE void append_elements(description& d, std::string_view name,
                                   parameter_description const& one, std::size_t count)
{
    d.groups.push_back({std::string(name), group_kind::array,
                        static_cast<std::uint32_t>(d.parameters.size()),
                        static_cast<std::uint32_t>(count)});
    for (std::size_t i = 0; i < count; ++i) {
        d.parameters.push_back(one);
        d.parameters.back().name = name_of_element(name, i);
    }
}

ATTUNE_INLINE std::string name_of_digit(std::string_view permutation, std::size_t place)
{
    return std::string(permutation) + ".digit(" + std::to_string(place) + ')';
}

ATTUNE_INLINE void append_digits(description& d, std::string_view name, std::uint32_t items)
{
    d.groups.push_back({std::string(name), group_kind::permutation,
                        static_cast<std::uint32_t>(d.parameters.size()), items - 1});
    parameter_description digit;
    digit.kind = parameter_kind::integer;
    digit.type = value_kind::integer;
    for (std::uint32_t k = 0; k + 1 < items; ++k) {
        digit.name = name_of_digit(name, k);
        digit.range_count = items - k; // a range from 0 in steps of 1, without a table
        d.parameters.push_back(digit);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
