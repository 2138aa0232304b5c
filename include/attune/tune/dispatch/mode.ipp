// attune/tune/dispatch/mode.ipp - reads them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/layers.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
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

/// How long the name and the sign of a NAME= or NAME+= are with which `text` begins.
struct begun_value {
    std::size_t name = 0; ///< 0: it begins with none
    std::size_t sign = 0;
};

[[nodiscard]] inline begun_value value_begun_by(std::string_view text)
{
    auto const is_letter = [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::size_t end = 0;
    while (end < text.size() &&
           (is_letter(text[end]) || (end > 0 && text[end] >= '0' && text[end] <= '9')))
        ++end;
    std::string_view const behind = text.substr(end);
    if (end == 0 || !(behind.starts_with('=') || behind.starts_with("+="))) return {};
    return {end, behind.front() == '=' ? 1u : 2u};
}

ATTUNE_INLINE named_texts values_in(std::string_view text)
{
    named_texts out;
    std::string between; // separators behind what is told so far
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t end = from;
        for (int depth = 0; end < text.size(); ++end) {
            if (depth <= 0 && (text[end] == ',' || text[end] == ' ')) break;
            depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        }
        std::string_view const piece = text.substr(from, end - from);
        if (begun_value const begun = value_begun_by(piece); begun.name > 0) {
            out.emplace_back(piece.substr(0, begun.name), piece.substr(begun.name + begun.sign));
            between.clear();
        } else if (!out.empty() && !piece.empty()) {
            out.back().second += between + std::string(piece);
            between.clear();
        }
        if (end < text.size()) between += text[end];
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
                      "', which names no value, such as \"TILE=64 UNROLL=4\": ignored");
    if (call_watch const* const watch = offer_of_program<call_watch>()) {
        for (std::string& said : watch->complaints())
            out.push_back(std::move(said));
    } else {
        for (std::string const name : {"ATTUNE_CAPTURE", "ATTUNE_REPLAY"})
            if (!environment_variable(name.c_str()).empty())
                out.push_back(name +
                              " is set, but this program captures no calls: ignored; a program "
                              "that includes <attune/tune/capture.hpp> and links "
                              "attune::capture does");
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
