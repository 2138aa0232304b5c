// attune/remember/detail/line_form.hpp - what a line is, by its first bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The text between two texts, both as attune writes them; empty: they are not there.
[[nodiscard]] inline std::string_view text_between(std::string_view line, std::string_view before,
                                                   std::string_view after) noexcept
{
    if (!line.starts_with(before)) return {};
    line.remove_prefix(before.size());
    std::size_t const end = line.find(after);
    return end == line.npos ? std::string_view() : line.substr(0, end);
}

[[nodiscard]] inline std::string_view trimmed_line(std::string_view line) noexcept
{
    constexpr std::string_view blanks = " \t\r";
    std::size_t const first = line.find_first_not_of(blanks);
    if (first == line.npos) return {};
    return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

enum class line_kind : std::uint8_t {
    unknown, ///< not in the form that attune writes: it has to be parsed
    problem,
    tried,
    won,
    proven,
    over,
    later, ///< of a problem, of a kind that a later release writes
};

struct line_form {
    line_kind kind = line_kind::unknown;
    std::string_view id{}; ///< of the problem
};

/// What a line whose checksum is right is.
[[nodiscard]] inline line_form form_of(std::string_view line) noexcept
{
    constexpr std::size_t id_length = 25; // "9f3c0011aabbccdd-1f2e3d4c"
    constexpr std::string_view at = "{\"at\":\"", problem = "{\"problem\":\"";
    if (std::string_view const id = text_between(line, at, "\",\""); id.size() == id_length) {
        std::string_view const rest = line.substr(at.size() + id_length + 3);
        if (rest.starts_with("try\":[")) return {line_kind::tried, id};
        if (rest.starts_with("won\":[")) return {line_kind::won, id};
        if (rest.starts_with("shape\":[")) return {line_kind::proven, id};
        if (rest.starts_with("over\":")) return {line_kind::over, id};
        return {line_kind::later, id};
    }
    std::string_view const id = text_between(line, problem, "\",\"kernel\":");
    if (id.size() == id_length) return {line_kind::problem, id};
    return {};
}

/// Whether a proven line says that a variant was wrong. A line that attune writes has its verdict
/// behind all else but its checksum.
[[nodiscard]] inline bool is_refutation(std::string_view line) noexcept
{
    constexpr std::string_view verdict = "\"right\":false,";
    constexpr std::size_t behind = std::string_view("\"sum\":\"00000000\"}").size();
    return line.size() >= verdict.size() + behind &&
           line.substr(line.size() - verdict.size() - behind).starts_with(verdict);
}

} // namespace attune::inline ATTUNE_ABI::detail
