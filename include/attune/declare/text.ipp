// attune/declare/text.ipp - the spelling of values, and reading it back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
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

/// The whole numbers of "{2, 0, 1}" or "64", spaces already gone; an integer suffix such as `u` or
/// `LL` is allowed. Nothing when `text` is something else.
[[nodiscard]] inline std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text)
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

/// Index of `wanted` in a range without a table.
[[nodiscard]] inline std::optional<std::uint32_t>
index_in_range(parameter_description const& parameter, std::int64_t wanted)
{
    std::int64_t const step = parameter.rule.step;
    std::int64_t const last = parameter.integer_at(parameter.range_count - 1);
    if (wanted < parameter.rule.first || wanted > last) return {};
    std::uint64_t const into =
        static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(parameter.rule.first);
    if (into % static_cast<std::uint64_t>(step) != 0) return {};
    return static_cast<std::uint32_t>(into / static_cast<std::uint64_t>(step));
}

/// Index of the value of a permutation, a tile or a table of whole numbers that is `wanted`.
[[nodiscard]] inline std::optional<std::uint32_t>
index_of_integers(parameter_description const& parameter, std::vector<std::int64_t> const& wanted)
{
    bool const is_list =
        parameter.kind == parameter_kind::permutation || parameter.kind == parameter_kind::tile;
    std::size_t const parts = is_list ? parameter.parts : 1;
    if (wanted.size() != parts) return {};
    if (parameter.kind == parameter_kind::permutation) {
        std::vector<std::int64_t> items = wanted;
        std::sort(items.begin(), items.end());
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items[i] != static_cast<std::int64_t>(i)) return {};
        return permutation_rank(wanted);
    }
    if (parameter.range_count > 0) return index_in_range(parameter, wanted.front());
    for (std::size_t i = 0; i + parts <= parameter.integers.size(); i += parts)
        if (std::equal(wanted.begin(), wanted.end(), &parameter.integers[i]))
            return static_cast<std::uint32_t>(i / parts);
    return {};
}

} // namespace detail

ATTUNE_INLINE std::string text_of(parameter_description const& parameter, coordinate at)
{
    if (parameter.kind != parameter_kind::real && at.index >= parameter.value_count())
        return "(no value " + std::to_string(at.index) + ')';
    switch (parameter.kind) {
    case parameter_kind::real:
        return detail::text_of_real(at.real);
    case parameter_kind::boolean:
        return at.index != 0 ? "true" : "false";
    case parameter_kind::permutation:
    case parameter_kind::tile:
        return detail::text_of_elements(elements_at(parameter, at.index));
    default:
        break;
    }
    if (!parameter.labels.empty()) return parameter.labels[at.index];
    if (!parameter.reals.empty()) return detail::text_of_real(parameter.reals[at.index]);
    return std::to_string(parameter.integer_at(at.index));
}

ATTUNE_INLINE std::optional<coordinate> coordinate_of(parameter_description const& parameter,
                                                      std::string_view text)
{
    std::string const wanted = detail::without_spaces(text);
    if (parameter.kind == parameter_kind::real) {
        std::optional<double> const v = detail::parse_real(wanted);
        if (!v || !(*v >= parameter.low && *v <= parameter.high)) return {}; // nor NaN
        return coordinate{0, *v};
    }
    if (parameter.kind == parameter_kind::boolean) {
        if (wanted == "true" || wanted == "1") return coordinate{1, 0};
        if (wanted == "false" || wanted == "0") return coordinate{0, 0};
        return {};
    }
    if (!parameter.reals.empty()) {
        std::optional<double> const v = detail::parse_real(wanted);
        for (std::uint32_t i = 0; v && i < parameter.reals.size(); ++i)
            if (parameter.reals[i] == *v) return coordinate{i, 0};
        return {};
    }
    if (!parameter.labels.empty()) {
        for (std::uint32_t i = 0; i < parameter.labels.size(); ++i)
            if (parameter.labels[i] == text) return coordinate{i, 0};
        for (std::uint32_t i = 0; i < parameter.labels.size(); ++i)
            if (detail::without_spaces(parameter.labels[i]) == wanted) return coordinate{i, 0};
        return {};
    }
    auto const numbers = detail::parse_integers(wanted);
    auto const index =
        numbers ? detail::index_of_integers(parameter, *numbers) : std::optional<std::uint32_t>{};
    if (!index) return {};
    return coordinate{*index, 0};
}

ATTUNE_INLINE std::string text_of(description const& space, point const& at)
{
    std::string out;
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        if (i > 0) out += ' ';
        // Flags are added to those of the compiler: "FLAGS=-mfma" would read as "without its -O3".
        bool const is_added = space.parameters[i].role == parameter_role::flags;
        out += space.parameters[i].name + (is_added ? "+=" : "=");
        out += i < at.size() ? text_of(space.parameters[i], at[i]) : "(no value)";
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
