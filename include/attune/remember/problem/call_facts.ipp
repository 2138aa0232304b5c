// attune/remember/problem/call_facts.ipp - facts of calls as texts, written and read.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/matching.hpp>

#include <algorithm>
#include <bit>
#include <charconv>

namespace attune::inline ATTUNE_ABI::detail {

/// Words by shape_part.
inline constexpr std::array<std::string_view, 7> shape_part_words{
    "elements", "number", "flag", "real", "bytes", "overlaps", "places"};

[[nodiscard]] inline std::vector<std::string> split_at(std::string_view text, char separator)
{
    std::vector<std::string> out;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find(separator), text.size());
        if (end > 0) out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

[[nodiscard]] inline std::string joined_by(std::vector<std::string> const& parts, char separator)
{
    std::string out;
    for (std::string const& part : parts)
        out += (out.empty() ? std::string() : std::string(1, separator)) + part;
    return out;
}

[[nodiscard]] inline std::optional<std::size_t> position_in(std::string_view text)
{
    auto const value = parse_number<std::size_t>(text);
    return value && *value <= 1'000 ? value : std::nullopt;
}

/// "N:1"
[[nodiscard]] inline std::optional<std::pair<std::string, std::size_t>>
name_and_position_in(std::string const& text)
{
    std::size_t const colon = text.rfind(':');
    if (colon == std::string::npos) return {};
    auto const position = position_in(std::string_view(text).substr(colon + 1));
    if (!position) return {};
    return std::pair{text.substr(0, colon), *position};
}

/// "0.001:0", or "any"
[[nodiscard]] inline std::string text_of_tolerance(tolerance const& within)
{
    if (within.any) return "any";
    return hexadecimal_text(within.absolute) + ':' + hexadecimal_text(within.relative);
}

/// "2:0.001:0", or "2:any"
[[nodiscard]] inline std::optional<std::pair<std::size_t, tolerance>>
position_and_tolerance_in(std::string_view text)
{
    std::size_t const colon = std::min(text.find(':'), text.size());
    auto const position = position_in(text.substr(0, colon));
    if (!position || colon == text.size()) return {};
    std::string_view const rest = text.substr(colon + 1);
    if (rest == "any") return std::pair{*position, tolerance{0, 0, true}};
    std::size_t const middle = std::min(rest.find(':'), rest.size());
    auto const absolute = real_in_text(rest.substr(0, middle));
    auto const relative = real_in_text(rest.substr(std::min(middle + 1, rest.size())));
    if (!absolute || !relative || !(*absolute >= 0) || !(*relative >= 0)) return {};
    return std::pair{*position, tolerance{*absolute, *relative}};
}

inline void add_launch_facts(named_texts& to, launch_facts const& launch)
{
    std::string formulas;
    for (std::size_t i = 0; i < launch.formulas.size(); ++i)
        formulas += (i == 0 ? "" : ";") + launch.formulas[i];
    to.emplace_back("launch", std::move(formulas));
    to.emplace_back("launch_arguments", joined_by(launch.arguments, '\n'));
    if (!launch.declarations.empty()) to.emplace_back("launch_declarations", launch.declarations);
    if (!launch.reads.empty()) to.emplace_back("launch_reads", joined_by(launch.reads, '\n'));
    if (launch.is_cooperative) to.emplace_back("launch_cooperative", "yes");
    std::vector<std::string> defaults;
    for (auto const& [name, value] : launch.defaults)
        defaults.push_back(name + '=' + value);
    if (!defaults.empty()) to.emplace_back("launch_defaults", joined_by(defaults, '\n'));
}

/// Empty if it is damaged. @pre  the facts have "launch"
[[nodiscard]] inline std::optional<launch_facts> launch_facts_in(named_texts const& facts)
{
    auto const text_at = [&](char const* name) {
        std::string const* const text = value_of(facts, name);
        return text != nullptr ? *text : std::string();
    };
    launch_facts out{.arguments = split_at(text_at("launch_arguments"), '\n'),
                     .declarations = text_at("launch_declarations"),
                     .reads = split_at(text_at("launch_reads"), '\n'),
                     .is_cooperative = value_of(facts, "launch_cooperative") != nullptr};
    std::string const formulas = text_at("launch");
    std::size_t from = 0;
    for (std::size_t i = 0; i < out.formulas.size(); ++i) {
        bool const is_last = i + 1 == out.formulas.size();
        std::size_t const end = formulas.find(';', from);
        if ((end == std::string::npos) != is_last) return {};
        out.formulas[i] = formulas.substr(from, is_last ? end : end - from);
        from = end + 1;
    }
    for (std::string const& one : split_at(text_at("launch_defaults"), '\n')) {
        std::size_t const equals = one.find('=');
        if (equals == std::string::npos) return {};
        out.defaults.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    }
    return out;
}

ATTUNE_INLINE named_texts facts_texts(call_facts const& facts)
{
    named_texts out;
    auto const add = [&](char const* name, std::vector<std::string> const& parts, char separator) {
        if (!parts.empty()) out.emplace_back(name, joined_by(parts, separator));
    };
    std::vector<std::string> words;
    std::size_t arrays = 0; // one text has all words about the places of arrays, as in 0.4
    for (shape_word const& word : facts.layout) {
        if (word.part == shape_part::places) arrays += word.argument;
        if (word.part == shape_part::places || word.part == shape_part::overlaps) continue;
        words.push_back(std::string(shape_part_words[static_cast<std::size_t>(word.part)]) + ':' +
                        std::to_string(word.argument));
    }
    if (arrays > 0) words.push_back("places:" + std::to_string(arrays));
    std::vector<std::string> inputs;
    for (auto const& [name, argument] : facts.inputs)
        inputs.push_back(name + ':' + std::to_string(argument));
    std::vector<std::string> ignored;
    for (std::size_t const argument : facts.ignored)
        ignored.push_back(std::to_string(argument));
    out.emplace_back("call", joined_by(words, ' '));
    add("inputs", inputs, ' ');
    add("ignored", ignored, ' ');
    if (facts.any_shape) out.emplace_back("any_shape", "yes");
    if (facts.any_alignment) out.emplace_back("any_alignment", "yes");
    add("flags", facts.flags, ' ');
    add("compilers", facts.compilers, ' ');
    add("source_flags", facts.source_flags, '\n');
    add("own_names", facts.own_names, ' ');
    std::vector<std::string> tolerances;
    for (auto const& [argument, within] : facts.tolerances)
        tolerances.push_back(std::to_string(argument) + ':' + text_of_tolerance(within));
    add("tolerances", tolerances, ' ');
    if (facts.is_checked) out.emplace_back("checked", "yes");
    if (facts.is_generated) out.emplace_back("generated", "yes");
    if (facts.rules != 0) out.emplace_back("rules", std::to_string(facts.rules));
    if (facts.launch) add_launch_facts(out, *facts.launch);
    return out;
}

ATTUNE_INLINE std::optional<call_facts> call_facts_in(named_texts const& facts)
{
    auto const parts = [&](char const* name, char separator) {
        std::string const* const text = value_of(facts, name);
        return text != nullptr ? split_at(*text, separator) : std::vector<std::string>();
    };
    if (value_of(facts, "call") == nullptr) return {};
    call_facts out;
    for (std::string const& text : parts("call", ' ')) {
        auto const word = name_and_position_in(text);
        if (!word) return {};
        auto const at = std::find(shape_part_words.begin(), shape_part_words.end(), word->first);
        if (at == shape_part_words.end()) return {};
        auto const part = static_cast<shape_part>(at - shape_part_words.begin());
        if (part == shape_part::places)
            add_place_words(out.layout, word->second);
        else
            out.layout.push_back({part, word->second});
    }
    for (std::string const& text : parts("inputs", ' ')) {
        auto input = name_and_position_in(text);
        if (!input) return {};
        out.inputs.push_back(std::move(*input));
    }
    for (std::string const& text : parts("ignored", ' ')) {
        auto const argument = position_in(text);
        if (!argument) return {};
        out.ignored.push_back(*argument);
    }
    for (std::string const& text : parts("tolerances", ' ')) {
        auto const one = position_and_tolerance_in(text);
        if (!one) return {};
        out.tolerances.push_back(*one);
    }
    if (std::string const* const rules = value_of(facts, "rules")) {
        auto const number = parse_number<decltype(out.rules)>(*rules);
        if (!number) return {};
        out.rules = *number;
    }
    if (value_of(facts, "launch") != nullptr) {
        out.launch = launch_facts_in(facts);
        if (!out.launch) return {};
    }
    out.is_checked = value_of(facts, "checked") != nullptr;
    out.is_generated = value_of(facts, "generated") != nullptr;
    out.any_shape = value_of(facts, "any_shape") != nullptr;
    out.any_alignment = value_of(facts, "any_alignment") != nullptr;
    out.flags = parts("flags", ' ');
    out.compilers = parts("compilers", ' ');
    out.source_flags = parts("source_flags", '\n');
    out.own_names = parts("own_names", ' ');
    return out;
}

ATTUNE_INLINE shape_choice shape_choice_of(call_facts const& facts)
{
    shape_choice out{.any_shape = facts.any_shape, .any_alignment = facts.any_alignment};
    auto const mark = [](std::vector<bool>& in, std::size_t argument) {
        if (in.size() <= argument) in.resize(argument + 1);
        in[argument] = true;
    };
    for (std::size_t const argument : facts.ignored)
        mark(out.ignored, argument);
    for (auto const& [name, argument] : facts.inputs)
        mark(out.bound, argument);
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> words_in(std::string_view text)
{
    std::vector<std::int64_t> out;
    char const* at = text.data();
    char const* const end = at + text.size();
    while (at != end) {
        std::int64_t word = 0;
        auto const [stop, problem] = std::from_chars(at, end, word);
        if (problem != std::errc{}) return {};
        out.push_back(word);
        at = stop != end && *stop == ' ' ? stop + 1 : stop;
    }
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> stored_shape(std::span<shape_word const> layout,
                                                     std::vector<std::int64_t> key)
{
    auto const overlaps = std::find_if(layout.begin(), layout.end(), [](shape_word const& word) {
        return word.part == shape_part::overlaps;
    });
    if (overlaps != layout.end() && key.size() + 1 == layout.size()) {
        constexpr std::size_t arrays_in_0_4 = 8; // after their bits, those of overlaps
        bool const overlapped = key.back() >> (place_bits::per_array * arrays_in_0_4) != 0;
        if (overlapped || overlaps->argument > arrays_in_0_4) return {};
        key.insert(key.begin() + (overlaps - layout.begin()), 0);
    }
    if (key.size() != layout.size()) return {};
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (layout[i].part != shape_part::real) continue;
        if (key[i] == 2) return {};
        if (key[i] == 1) key[i] = real_class(std::bit_cast<std::int64_t>(1.0));
    }
    return key;
}

} // namespace attune::inline ATTUNE_ABI::detail
