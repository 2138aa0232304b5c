// attune/tune/dispatch/mode.ipp - reads it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/mode.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::optional<miss_policy> named_policy(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, miss_policy>, 4> names{{
        {"lookup_only", miss_policy::lookup_only},
        {"tune_if_missing", miss_policy::tune_if_missing},
        {"tune_in_background", miss_policy::tune_in_background},
        {"always", miss_policy::always},
    }};
    for (auto const& [known, policy] : names)
        if (name == known) return policy;
    return {};
}

ATTUNE_INLINE tuning_options with_mode(tuning_options options)
{
    options.on_miss = named_policy(environment_variable("ATTUNE_MODE")).value_or(options.on_miss);
    return options;
}

ATTUNE_INLINE std::string complaint_of_mode()
{
    std::string const name = environment_variable("ATTUNE_MODE");
    if (name.empty() || named_policy(name)) return {};
    return "ATTUNE_MODE is '" + name +
           "', which is none of lookup_only, tune_if_missing, tune_in_background, always: ignored";
}

} // namespace attune::inline ATTUNE_ABI::detail
