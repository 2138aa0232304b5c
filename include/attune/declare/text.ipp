// attune/declare/text.ipp - writes values as text, and reads them back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE std::string text_of_real(double v)
{
    std::array<char, 32> buffer{};
    auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr;
    std::string out(buffer.data(), end);
    if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
    return out;
}

ATTUNE_INLINE std::string text_of_number(number const& v)
{
    return v.is_real ? text_of_real(v.real) : std::to_string(v.integer);
}

ATTUNE_INLINE std::vector<std::pair<std::string, std::string>>
texts_of_inputs(description const& space)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (input_description const& input : space.inputs)
        if (input.value) out.emplace_back(input.name, text_of_number(*input.value));
    return out;
}

ATTUNE_INLINE std::string without_spaces(std::string_view text)
{
    std::string out;
    for (char const c : text)
        if (c != ' ' && c != '\t' && c != '\n') out += c;
    return out;
}

ATTUNE_INLINE std::optional<double> parse_real(std::string_view text)
{
    double v = 0;
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), v);
    bool const suffix = end + 1 == text.data() + text.size() && (*end == 'f' || *end == 'F');
    if (status != std::errc{} || (end != text.data() + text.size() && !suffix)) return {};
    return v;
}

ATTUNE_INLINE std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}')
        text = text.substr(1, text.size() - 2);
    std::vector<std::int64_t> out;
    char const* at = text.data();
    char const* const end = at + text.size();
    for (;;) {
        std::int64_t v = 0;
        auto const [behind, status] = std::from_chars(at, end, v);
        if (status != std::errc{}) return {};
        out.push_back(v);
        at = behind;
        while (at != end && (*at == 'u' || *at == 'U' || *at == 'l' || *at == 'L'))
            ++at;
        if (at == end) return out;
        if (*at++ != ',') return {};
    }
}

} // namespace detail

ATTUNE_INLINE std::string text_of(parameter_description const& parameter, coordinate at)
{
    if (!parameter.traits().is_interval && at.index >= parameter.value_count())
        return "(no value " + std::to_string(at.index) + ')';
    return detail::rules_of(parameter.kind).text(parameter, at);
}

ATTUNE_INLINE std::optional<coordinate> coordinate_of(parameter_description const& parameter,
                                                      std::string_view text)
{
    return detail::rules_of(parameter.kind).parse(parameter, text);
}

ATTUNE_INLINE std::string text_of(description const& space, point const& at)
{
    std::string out;
    for (detail::named_value const& v : detail::named_values(space)) {
        if (!out.empty()) out += ' ';
        // Flags are added to the compiler's own: "FLAGS=-mfma" would hide its -O3.
        bool const is_added = space.parameters[v.first].role == parameter_role::flags;
        out += v.name;
        out += is_added ? "+=" : "=";
        if (v.first + v.count > at.size())
            out += "(no value)";
        else if (at.size() == space.parameters.size() && !detail::is_active(space, v, at))
            out += detail::inactive_text;
        else
            out += detail::text_at(space, v, at);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
