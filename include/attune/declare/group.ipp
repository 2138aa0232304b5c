// attune/declare/group.ipp - reads and writes values that are one or several parameters; orders from digits and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A set of items 0 .. n - 1 that ranks its members by size. At first all items are members.
class ranked_items {
public:
    /// @pre  items <= max_group_parts
    explicit ranked_items(std::size_t items) noexcept
        : top_(std::bit_floor(items))
        , size_(items)
    {
        for (std::size_t i = 1; i <= items; ++i)
            below_[i] = static_cast<std::uint16_t>(i & (~i + 1)); // members in (i - lowbit, i]
    }
    /// Removes an item, and returns the number of smaller members.
    std::uint32_t take_item(std::size_t item) noexcept
    {
        std::uint32_t smaller = 0;
        for (std::size_t i = item; i > 0; i &= i - 1)
            smaller += below_[i];
        for (std::size_t i = item + 1; i <= size_; i += i & (~i + 1))
            --below_[i];
        return smaller;
    }
    /// Removes and returns the member with `rank` smaller members.
    /// @pre  the set has more than `rank` members
    std::uint16_t take_rank(std::uint32_t rank) noexcept
    {
        std::size_t at = 0;
        for (std::size_t step = top_; step > 0; step /= 2) {
            std::size_t const next = at + step;
            if (next > size_) continue;
            if (below_[next] <= rank) {
                rank -= below_[next];
                at = next;
            } else {
                --below_[next]; // these nodes count the member: the walk did not pass them
            }
        }
        return static_cast<std::uint16_t>(at);
    }

private:
    std::array<std::uint16_t, max_group_parts + 1> below_{};
    std::size_t top_;
    std::size_t size_;
};

ATTUNE_INLINE std::vector<std::uint32_t> digits_of_order(std::span<std::int64_t const> order)
{
    std::size_t const items = order.size();
    if (items > max_group_parts) return {};
    std::array<bool, max_group_parts> is_taken{};
    ranked_items rest(items);
    std::vector<std::uint32_t> out;
    out.reserve(items);
    for (std::int64_t const item : order) {
        if (item < 0 || item >= static_cast<std::int64_t>(items)) return {};
        auto const place = static_cast<std::size_t>(item);
        if (is_taken[place]) return {};
        is_taken[place] = true;
        out.push_back(rest.take_item(place));
    }
    return out;
}

ATTUNE_INLINE std::vector<std::uint16_t> order_of_digits(std::span<coordinate const> digits,
                                                         std::size_t items)
{
    ATTUNE_ASSERT(items >= 1 && items <= max_group_parts && digits.size() + 1 >= items,
                  "an order of n items has n - 1 digits");
    ranked_items rest(items);
    std::vector<std::uint16_t> out(items);
    for (std::size_t place = 0; place < items; ++place) {
        std::uint32_t const digit = place < digits.size() ? digits[place].index : 0;
        ATTUNE_ASSERT(digit < items - place, "digit k of an order is below n - k");
        out[place] = rest.take_rank(digit);
    }
    return out;
}

ATTUNE_INLINE void write_order(coordinate const* digits, int* order, std::size_t items)
{
    std::vector<std::uint16_t> const made = order_of_digits({digits, items - 1}, items);
    std::copy(made.begin(), made.end(), order);
}

ATTUNE_INLINE bool write_digits(int const* order, coordinate* digits, std::size_t items)
{
    std::vector<std::uint32_t> const made =
        digits_of_order(std::vector<std::int64_t>(order, order + items));
    if (made.empty()) return false;
    for (std::size_t k = 0; k + 1 < items; ++k)
        digits[k] = {made[k], 0};
    return true;
}

/// The group of digits that `parameter` belongs to; nullptr if it is no digit.
[[nodiscard]] inline group_description const* digits_with(description const& d,
                                                          std::uint32_t parameter) noexcept
{
    group_description const* const g = d.group_of(parameter);
    return g != nullptr && g->traits().is_order ? g : nullptr;
}

ATTUNE_INLINE bool has_order(description const& d, std::uint32_t parameter) noexcept
{
    return parameter < d.parameters.size() &&
           (d.parameters[parameter].traits().is_order || digits_with(d, parameter) != nullptr);
}

ATTUNE_INLINE std::size_t items_of(description const& d, std::uint32_t parameter) noexcept
{
    group_description const* const g = digits_with(d, parameter);
    return g != nullptr ? g->parts() : d.parameters[parameter].parts;
}

ATTUNE_INLINE std::vector<std::uint16_t> order_of(description const& d, std::uint32_t parameter,
                                                  point const& p)
{
    ATTUNE_ASSERT(has_order(d, parameter), "order_of() reads permutations");
    if (group_description const* const g = digits_with(d, parameter))
        return order_of_digits(std::span(p).subspan(g->first, g->count), g->parts());
    std::array<std::int64_t, max_permutation_items> items{};
    std::span<std::int64_t> const order(items.data(), d.parameters[parameter].parts);
    permutation_at(p[parameter].index, order);
    std::vector<std::uint16_t> out(order.size());
    std::transform(order.begin(), order.end(), out.begin(),
                   [](std::int64_t item) { return static_cast<std::uint16_t>(item); });
    return out;
}

ATTUNE_INLINE void set_order(description const& d, std::uint32_t parameter, point& p,
                             std::span<std::uint16_t const> order)
{
    ATTUNE_ASSERT(has_order(d, parameter), "set_order() writes permutations");
    ATTUNE_ASSERT(order.size() == items_of(d, parameter), "an order has all items of its kind");
    std::vector<std::int64_t> const items(order.begin(), order.end());
    group_description const* const g = digits_with(d, parameter);
    if (g == nullptr) {
        p[parameter] = {permutation_rank(items), 0};
        return;
    }
    std::vector<std::uint32_t> const digits = digits_of_order(items);
    ATTUNE_ASSERT(digits.size() == items.size(), "an order has the items 0 .. n - 1 once each");
    for (std::size_t k = 0; k < g->count; ++k)
        p[g->first + k] = {digits[k], 0};
}

ATTUNE_INLINE std::span<coordinate const> elements_in(description const& d, std::uint32_t parameter,
                                                      point const& p) noexcept
{
    group_description const* const g = d.group_of(parameter);
    ATTUNE_ASSERT(g != nullptr && !g->traits().is_order, "elements_in() reads arrays");
    return std::span(p).subspan(g->first, g->count);
}

ATTUNE_INLINE std::span<coordinate> elements_in(description const& d, std::uint32_t parameter,
                                                point& p) noexcept
{
    group_description const* const g = d.group_of(parameter);
    ATTUNE_ASSERT(g != nullptr && !g->traits().is_order, "elements_in() writes arrays");
    return std::span(p).subspan(g->first, g->count);
}

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
    constexpr std::string_view opening = "{[(", closing = "}])";
    std::size_t const kind = text.size() < 2 ? opening.npos : opening.find(text.front());
    if (kind == opening.npos || text.back() != closing[kind]) return {};
    text = text.substr(1, text.size() - 2);
    std::vector<std::string> out;
    for (;;) {
        std::size_t const comma = text.find(',');
        out.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == text.npos) return out;
        text.remove_prefix(comma + 1);
    }
}

/// The digits of the order with this text; nothing if it is no order of `items` items.
[[nodiscard]] inline std::vector<std::uint32_t> digits_of_text(std::string_view text,
                                                               std::size_t items)
{
    auto const order = parse_integers(without_spaces(usual_spelling(text)));
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
