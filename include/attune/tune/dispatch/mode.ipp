// attune/tune/dispatch/mode.ipp - reads them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/layers.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/dispatch/mode.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct policy_name {
    miss_policy of;
    std::string_view name;
};
inline constexpr enum_table<policy_name, miss_policy::always> policy_names{{
    {miss_policy::lookup_only, "lookup_only"},
    {miss_policy::tune_if_missing, "tune_if_missing"},
    {miss_policy::tune_in_background, "tune_in_background"},
    {miss_policy::online, "online"},
    {miss_policy::always, "always"},
}};

[[nodiscard]] inline std::optional<miss_policy> named_policy(std::string_view name)
{
    for (policy_name const& known : policy_names)
        if (name == known.name) return known.of;
    return {};
}

ATTUNE_INLINE tuning_options with_mode(tuning_options options)
{
    options.on_miss = named_policy(environment_variable("ATTUNE_MODE")).value_or(options.on_miss);
    return options;
}

/// Where the '=' of a NAME= is, with which `text` begins; npos: it does not.
[[nodiscard]] inline std::size_t end_of_name(std::string_view text)
{
    std::size_t const end = text.find('=');
    if (end == 0 || end == std::string_view::npos) return std::string_view::npos;
    auto const is_letter = [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::string_view const name = text.substr(0, end);
    bool const is_name =
        is_letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
            return is_letter(c) || (c >= '0' && c <= '9');
        });
    return is_name ? end : std::string_view::npos;
}

ATTUNE_INLINE named_texts values_in(std::string_view text)
{
    named_texts out;
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t end = from;
        for (int depth = 0; end < text.size() && (text[end] != ',' || depth > 0); ++end)
            depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        std::string_view const piece = text.substr(from, end - from);
        std::size_t const name = end_of_name(piece);
        if (name != std::string_view::npos)
            out.emplace_back(piece.substr(0, name), piece.substr(name + 1));
        else if (!out.empty())
            out.back().second += ',' + std::string(piece);
        from = end + 1;
    }
    return out;
}

ATTUNE_INLINE named_texts forced_values()
{
    return values_in(environment_variable("ATTUNE_FORCE"));
}

/// Whether it has a path.
[[nodiscard]] inline bool names_stores(std::string const& paths)
{
    return paths.find_first_not_of(':') != std::string::npos;
}

ATTUNE_INLINE any_store with_named_stores(any_store own)
{
    std::string const paths = environment_variable("ATTUNE_STORE");
    if (!names_stores(paths)) return own;
    return make_any_store_of(std::make_shared<layers>(layers::of_paths(paths), std::move(own)));
}

ATTUNE_INLINE std::vector<std::string> complaints_of_variables()
{
    std::vector<std::string> out;
    std::string const mode = environment_variable("ATTUNE_MODE");
    if (!mode.empty() && !named_policy(mode)) {
        std::string names;
        for (policy_name const& known : policy_names)
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        out.push_back("ATTUNE_MODE is '" + mode + "', which is none of " + names + ": ignored");
    }
    std::string const force = environment_variable("ATTUNE_FORCE");
    if (!force.empty() && values_in(force).empty())
        out.push_back("ATTUNE_FORCE is '" + force +
                      "', which names no value, such as TILE=64,UNROLL=4: ignored");
    std::string const capture = environment_variable("ATTUNE_CAPTURE");
    if (!capture.empty() && !capture_wish_in(capture))
        out.push_back("ATTUNE_CAPTURE is '" + capture +
                      "', which is not KERNEL, KERNEL:64MiB or KERNEL:64MiB=FILE: ignored");
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
