// attune/search/meta/space_structure.ipp - counts the parameters of each kind.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/meta/space_structure.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// Removes and returns the text before `end`; nothing if there is no `end`.
[[nodiscard]] inline std::optional<std::string_view> taken_before(std::string_view& from, char end)
{
    std::size_t const at = from.find(end);
    if (at == from.npos) return {};
    std::string_view const out = from.substr(0, at);
    from.remove_prefix(at + 1);
    return out;
}

/// Decimal digits of a whole number >= 1; 309 above 1.8e308.
[[nodiscard]] inline std::uint32_t digits_of(double number)
{
    return static_cast<std::uint32_t>(std::log10(number) + 1e-12) + 1;
}

/// log10 of the number of parameters of each kind.
[[nodiscard]] inline std::map<std::string_view, double>
magnitudes_by_kind(space_structure const& structure)
{
    std::map<std::string_view, double> out;
    for (space_structure::part const& p : structure.parts)
        out[p.kind] += static_cast<double>(p.count);
    for (auto& [kind, number] : out)
        number = std::log10(number);
    return out;
}

/// Mean digits of the parameters of each kind.
[[nodiscard]] inline std::map<std::string_view, double>
digits_by_kind(space_structure const& structure)
{
    std::map<std::string_view, std::pair<double, double>> sums; // of digits, of parameters
    for (space_structure::part const& p : structure.parts) {
        auto& [digits, parameters] = sums[p.kind];
        digits += static_cast<double>(p.digits) * static_cast<double>(p.count);
        parameters += static_cast<double>(p.count);
    }
    std::map<std::string_view, double> out;
    for (auto const& [kind, sum] : sums)
        out[kind] = sum.first / sum.second;
    return out;
}

} // namespace detail

ATTUNE_INLINE space_structure structure_of(description const& of)
{
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> counts;
    for (attune::detail::named_value const& value : attune::detail::named_values(of)) {
        parameter_description const& p = of.parameters[value.first];
        std::string kind(p.traits().name);
        double values = p.value_count();
        if (value.is_long_order()) {
            kind = attune::detail::traits_of(parameter_kind::permutation).name;
            // The digits have n, n - 1, ..., 2 values: together n! orders.
            values = std::tgamma(value.group->parts() + 1.0);
            if (std::isinf(values)) values = std::numeric_limits<double>::max();
        } else if (value.is_array()) {
            kind = "array_of_" + kind;
        }
        bool const is_interval = p.traits().is_interval;
        ++counts[{kind, is_interval ? 0U : detail::digits_of(values)}];
    }
    space_structure out;
    for (auto const& [part, count] : counts)
        out.parts.push_back({part.first, part.second, count});
    return out;
}

ATTUNE_INLINE std::string structure_text(space_structure const& structure)
{
    std::string out;
    for (space_structure::part const& p : structure.parts) {
        if (!out.empty()) out += ' ';
        out += p.kind + '.' + std::to_string(p.digits) + '*' + std::to_string(p.count);
    }
    return out;
}

ATTUNE_INLINE std::optional<space_structure> read_structure(std::string_view text)
{
    space_structure out;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view part = rest.substr(0, rest.find(' '));
        rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
        auto const kind = detail::taken_before(part, '.');
        auto const digits = detail::taken_before(part, '*');
        if (!kind || kind->empty() || !digits) return {};
        auto const values = attune::detail::parse_number<std::uint32_t>(*digits);
        auto const count = attune::detail::parse_number<std::size_t>(part);
        if (!values || !count || *count == 0) return {};
        out.parts.push_back({std::string(*kind), *values, *count});
    }
    // Only what structure_text() writes: sorted, each part once, one blank between them.
    for (std::size_t i = 1; i < out.parts.size(); ++i) {
        auto const& [before, after] = std::pair(out.parts[i - 1], out.parts[i]);
        if (std::pair(before.kind, before.digits) >= std::pair(after.kind, after.digits)) return {};
    }
    if (structure_text(out) != text) return {};
    return out;
}

ATTUNE_INLINE double structure_distance(space_structure const& own, space_structure const& other)
{
    auto const of_own = detail::magnitudes_by_kind(own);
    auto const of_other = detail::magnitudes_by_kind(other);
    double sum = 0;
    for (auto const& [kind, magnitude] : of_own) {
        auto const at = of_other.find(kind);
        double const difference = at == of_other.end() ? magnitude : magnitude - at->second;
        sum += difference * difference;
    }
    for (auto const& [kind, magnitude] : of_other)
        if (!of_own.contains(kind)) sum += 1;
    return sum;
}

ATTUNE_INLINE double digits_distance(space_structure const& a, space_structure const& b)
{
    auto const of_b = detail::digits_by_kind(b);
    double sum = 0;
    for (auto const& [kind, digits] : detail::digits_by_kind(a))
        if (auto const at = of_b.find(kind); at != of_b.end())
            sum += (digits - at->second) * (digits - at->second);
    return sum;
}

} // namespace attune::inline ATTUNE_ABI::search
