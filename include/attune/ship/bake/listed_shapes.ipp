// attune/ship/bake/listed_shapes.ipp - reads shapes from texts, files and the store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/listed_shapes.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail {

/// "2 elements of argument 0, ..." in words.
[[nodiscard]] inline std::string words_of_layout(std::vector<shape_word> const& layout)
{
    std::string out;
    std::size_t last = static_cast<std::size_t>(-1);
    for (shape_word const& word : layout) {
        if (word.part == shape_part::places || word.part == shape_part::overlaps) continue;
        bool const is_array = word.part == shape_part::elements ||
                              (word.argument == last && word.part == shape_part::number);
        out += (out.empty() ? "" : ", ") +
               std::string(!is_array               ? "the value"
                           : word.argument != last ? "the size"
                                                   : "another size or stride") +
               " of argument " + std::to_string(word.argument);
        last = word.argument;
    }
    return out;
}

/// One of the numbers of a shape, as the word of a key.
[[nodiscard]] inline bool word_in(std::string_view text, shape_word const& word,
                                  shape_choice const& choice, std::int64_t& out)
{
    char const* const end = text.data() + text.size();
    if (word.part == shape_part::real) {
        double value = 0;
        auto const [stop, problem] = std::from_chars(text.data(), end, value);
        if (problem != std::errc{} || stop != end || !std::isfinite(value)) return false;
        auto const bits = std::bit_cast<std::int64_t>(value);
        out = choice.is_bound(word.argument) ? bits : real_class(bits);
        return true;
    }
    auto const [stop, problem] = std::from_chars(text.data(), end, out);
    if (problem != std::errc{} || stop != end) return false;
    return word.part != shape_part::elements || out >= 0;
}

[[nodiscard]] inline std::vector<std::int64_t> shape_in(bake_plan const& plan,
                                                        std::string const& text)
{
    std::vector<shape_word> const& layout = plan.facts.layout;
    shape_choice const choice = shape_choice_of(plan.facts);
    std::vector<std::int64_t> out;
    auto const refuse = [&] {
        throw error("this is no shape of a call of " + plan.kernel, text,
                    "give KNOWN, a file, or the numbers of a shape: " + words_of_layout(layout));
    };
    std::string_view rest = text;
    for (shape_word const& word : layout) {
        if (word.part == shape_part::places) {
            out.push_back(several_places);
            continue;
        }
        if (word.part == shape_part::overlaps) {
            out.push_back(0);
            continue;
        }
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        std::string_view const one = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(one.size());
        std::int64_t number = 0;
        if (!word_in(one, word, choice, number)) refuse();
        out.push_back(number);
    }
    if (rest.find_first_not_of(" \t") != rest.npos) refuse();
    return out;
}

/// Of a call, for the order: the sizes one by one.
[[nodiscard]] inline double sum_of_sizes(bake_plan const& plan,
                                         std::vector<std::int64_t> const& shape)
{
    double out = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (is_size(plan.facts.layout[i].part)) out += static_cast<double>(shape[i]);
    return out;
}

ATTUNE_INLINE std::vector<std::vector<std::int64_t>>
listed_shapes(bake_plan const& plan, std::vector<std::string> const& asked)
{
    std::vector<std::vector<std::int64_t>> out;
    for (std::string const& one : asked) {
        std::error_code failed;
        if (one == "KNOWN") {
            if (plan.facts.any_shape || !plan.facts.ignored.empty())
                throw error("the store does not know whole shapes of calls of " + plan.kernel,
                            "kernel.any_shape() or kernel.ignore<i>() leave out some of it",
                            "list the shapes that are to be verified");
            out.insert(out.end(), plan.known_shapes.begin(), plan.known_shapes.end());
        } else if (std::filesystem::is_regular_file(one, failed)) {
            std::ifstream in(one);
            for (std::string line; std::getline(in, line);) {
                line.resize(std::min(line.find('#'), line.size()));
                line.resize(line.find_last_not_of(" \t\r") + 1);
                if (!line.empty()) out.push_back(shape_in(plan, line));
            }
        } else {
            out.push_back(shape_in(plan, one));
        }
    }
    std::sort(out.begin(), out.end(), [&](auto const& a, auto const& b) {
        double const x = sum_of_sizes(plan, a), y = sum_of_sizes(plan, b);
        return x != y ? x < y : a < b;
    });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
