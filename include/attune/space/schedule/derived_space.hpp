// attune/space/schedule/derived_space.hpp - the space of a program's schedules, and the program of each.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/schedule/rule.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What rules make of a program: one space, and for each of its configurations the steps to the
/// program that it stands for.
///
/// Temporaries that cost little are computed where they are read. Statements that pass temporaries
/// to each other are one group, which the first rule that applies to it schedules; where none does,
/// each of them is a group. Of several groups, parameter names begin with the array's name: C_ROWS.
class derived_space {
public:
    /// Errors   attune::error: a statement that no rule applies to
    explicit derived_space(nest_description nest,
                           processor_shape const& processor = this_processor(),
                           std::vector<schedule_rule> const& rules = default_schedule_rules());

    /// Its inputs are bound: it has none.
    [[nodiscard]] description const& describe() const noexcept { return space_; }

    /// The steps and the program of one configuration.
    /// Errors   attune::error: a value that is missing, or what a step refuses
    [[nodiscard]] traced_program schedule(schedule_choices const& chosen) const;
    [[nodiscard]] traced_program schedule(point const& at) const;

    /// The names of the rules, in the order of the groups.
    [[nodiscard]] std::vector<std::string> rule_names() const;

private:
    struct group {
        rule_subject subject;
        schedule_rule rule;
    };

    nest_description nest_;
    traced_program start_; ///< with statements inlined
    std::vector<group> groups_;
    description space_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/derived_space.ipp>
#endif
