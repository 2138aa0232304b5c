// attune/space/kept_settings.ipp - settings as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/kept_settings.hpp>

#include <charconv>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::optional<std::uint64_t> setting_list_size(description const& space,
                                                             std::span<std::uint32_t const> scope)
{
    std::uint64_t count = 1;
    for (std::uint32_t const p : scope) {
        std::uint64_t const values = space.parameters[p].value_count(); // 0 for a real one
        if (values == 0 || values > most_numbered_settings / count) return {};
        count *= values;
    }
    return count;
}

ATTUNE_INLINE std::string text_of(kept_settings const& part)
{
    std::string out;
    for (std::uint32_t const p : part.scope)
        out += (out.empty() ? "" : " ") + std::to_string(p);
    char separator = '\n';
    bool is_kept = true;
    for (std::size_t at = 0; at < part.kept.size(); is_kept = !is_kept, separator = ' ') {
        std::size_t const begin = at;
        while (at < part.kept.size() && part.kept[at] == is_kept)
            ++at;
        out += separator + std::to_string(at - begin);
    }
    return out;
}

/// The numbers of a line, separated by single spaces; nothing if the line has anything else.
[[nodiscard]] inline std::optional<std::vector<std::uint64_t>>
whole_numbers_in(std::string_view line)
{
    std::vector<std::uint64_t> out;
    char const* at = line.data();
    char const* const end = at + line.size();
    while (at != end) {
        if (!out.empty() && *at++ != ' ') return {};
        std::uint64_t value = 0;
        auto const [next, problem] = std::from_chars(at, end, value);
        if (problem != std::errc{}) return {};
        out.push_back(value);
        at = next;
    }
    return out;
}

ATTUNE_INLINE std::optional<kept_settings> read_kept_settings(description const& space,
                                                              std::string_view text)
{
    std::size_t const end = text.find('\n');
    if (end == std::string_view::npos) return {};
    auto const scope = whole_numbers_in(text.substr(0, end));
    auto const runs = whole_numbers_in(text.substr(end + 1));
    if (!scope || !runs) return {};
    kept_settings out;
    for (std::uint64_t const p : *scope) {
        bool const ascends = out.scope.empty() || p > out.scope.back();
        if (!ascends || p >= space.parameters.size()) return {};
        out.scope.push_back(static_cast<std::uint32_t>(p));
    }
    std::optional<std::uint64_t> const count = setting_list_size(space, out.scope);
    if (!count) return {};
    bool is_kept = true;
    for (std::uint64_t const run : *runs) {
        if (run > *count - out.kept.size()) return {};
        out.kept.insert(out.kept.end(), run, is_kept);
        is_kept = !is_kept;
    }
    if (out.kept.size() != *count) return {};
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
