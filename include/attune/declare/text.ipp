// attune/declare/text.ipp - writes values as text, and reads them back; the text of a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/text.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A literal, the name of an input, or an operation with its operands: "(17 N 2)".
[[nodiscard]] inline std::string text_of_bound(description const& space, std::uint32_t node)
{
    expression_node const& n = space.nodes[node];
    if (n.code == op::integer) return std::to_string(n.integer);
    if (n.code == op::real) return text_of_real(n.real);
    if (n.code == op::input) return space.inputs[n.subject].name;
    std::string out = '(' + std::to_string(static_cast<int>(n.code));
    for (std::uint32_t const operand : {n.first, n.second, n.third})
        if (operand != no_index) out += ' ' + text_of_bound(space, operand);
    return out + ')';
}

ATTUNE_INLINE std::string schema_text(description const& space)
{
    std::string out;
    auto const field = [&out](std::string const& text) { out += text + ';'; };
    auto const shape = [&field](parameter_kind kind, value_kind type, scale on,
                                std::uint32_t parts) {
        field(std::to_string(static_cast<int>(kind)) + ' ' +
              std::to_string(static_cast<int>(type)) + ' ' + std::to_string(static_cast<int>(on)) +
              ' ' + std::to_string(parts));
    };
    for (named_value const& one : named_values(space)) {
        field(std::string(one.name));
        if (one.is_long_order()) {
            // The form of a short permutation: how coordinates write an order has no effect.
            shape(parameter_kind::permutation, value_kind::list, scale::linear, one.group->parts());
            out += '\n';
            continue;
        }
        if (one.is_array()) field("array " + std::to_string(one.count));
        parameter_description const& p = space.parameters[one.first]; // elements are alike
        shape(p.kind, p.type, p.on, p.parts);
        if (p.traits().is_interval) field(text_of_real(p.low) + ' ' + text_of_real(p.high));
        if (p.rule.bound_node != no_index) {
            field(std::to_string(static_cast<int>(p.rule.steps)) + ' ' +
                  std::to_string(p.rule.first) + ' ' + std::to_string(p.rule.step) + ' ' +
                  text_of_bound(space, p.rule.bound_node));
        } else {
            for (auto const v : p.integers)
                field(std::to_string(v));
            for (auto const v : p.reals)
                field(text_of_real(v));
            for (auto const& v : p.labels)
                field(std::to_string(v.size()) + ' ' + v); // a label may hold any character
        }
        if (p.role != parameter_role::macro) field(std::to_string(static_cast<int>(p.role)));
        if (p.is_conditional()) field("active_if " + p.active.text);
        for (std::uint32_t i = one.first + 1; i < one.first + one.count; ++i)
            if (std::string const& own = space.parameters[i].active.text; own != p.active.text)
                field("active_if[" + std::to_string(i - one.first) + "] " + own);
        out += '\n';
    }
    for (constraint_description const& c : space.constraints)
        if (c.settles == no_index) out += c.text + '\n';
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

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
    auto const parse = detail::rules_of(parameter.kind).parse;
    if (auto const found = parse(parameter, text)) return found;
    std::string const usual = detail::usual_spelling(text);
    return usual != text ? parse(parameter, usual) : std::nullopt;
}

ATTUNE_INLINE std::string text_of(description const& space, point const& at)
{
    std::string out;
    for (detail::named_value const& v : detail::named_values(space)) {
        if (!out.empty()) out += ' ';
        // Flags follow the compiler's own: "FLAGS=-mfma" would hide its -O3.
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
