// attune/space/schedule/rule.hpp - a way to schedule some statements, with its own parameters.
// SPDX-License-Identifier: MIT
// tested by space/schedule/derived_space.cpp
#pragma once

#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/space_builder.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The values of one configuration, as text_of() writes them.
struct schedule_choices {
    struct choice {
        std::string name;
        std::string value;
    };
    std::vector<choice> all;

    /// Errors   attune::error: there is no such parameter, or its value is no whole number
    [[nodiscard]] std::string const& text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;
};

/// The values of a point, one coordinate per parameter of `space`.
[[nodiscard]] schedule_choices choices_of(description const& space, std::span<coordinate const> at);

/// What a rule is asked about: statements that are scheduled together, in their order. Each one but
/// the last computes a temporary that only they read.
struct rule_subject {
    nest_description const* nest = nullptr;
    std::vector<std::uint32_t> statements;
    processor_shape processor;
    std::string prefix; ///< of parameter names; empty where the program is one group
};

/// One way to schedule. A rule of a user's own stands before the default ones.
struct schedule_rule {
    std::string name;
    std::function<bool(rule_subject const&)> applies;
    /// Declares the parameters, constraints and features of the subject.
    std::function<void(rule_subject const&, space_builder&)> declare;
    /// Does the steps of one configuration. Blocks have the numbers of their statements.
    std::function<void(rule_subject const&, schedule_choices const&, traced_program&)> schedule;
};

/// The default rules, the first one that applies counts: products (register tiles, packing, cache
/// tiles), rows (statements that share their outer loops), single statements.
[[nodiscard]] std::vector<schedule_rule> default_schedule_rules();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/rule.ipp>
#endif
