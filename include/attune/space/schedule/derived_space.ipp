// attune/space/schedule/derived_space.ipp - the definitions of derived_space.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/inline_cheap.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/program_features.hpp>
#include <attune/space/schedule/structure.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE derived_space::derived_space(nest_description nest, processor_shape const& processor,
                                           std::vector<schedule_rule> const& rules)
    : nest_(std::move(nest))
    , start_{plain_program(nest_), {}}
{
    detail::inline_cheap(start_);
    nest_description const& now = start_.program.nest;
    std::vector<std::uint32_t> blocks = blocks_inside(start_.program, no_index);
    std::sort(blocks.begin(), blocks.end());
    // Statements that pass temporaries on, from the first to the one whose array is an argument.
    std::vector<std::vector<std::uint32_t>> found;
    for (std::uint32_t const block : blocks) {
        std::vector<std::uint32_t> joined{block};
        for (std::size_t g = found.size(); g-- > 0;) {
            bool feeds = false;
            for (std::uint32_t const member : found[g]) {
                nest_array const& array = now.arrays[now.statements[member].target.array];
                feeds = feeds || (array.role == nest_role::temporary &&
                                  detail::reads_array(now, now.statements[block],
                                                      now.statements[member].target.array));
            }
            if (!feeds) continue;
            joined.insert(joined.begin(), found[g].begin(), found[g].end());
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(g));
        }
        std::sort(joined.begin(), joined.end());
        found.push_back(std::move(joined));
    }
    auto const rule_for = [&rules](rule_subject const& subject) -> schedule_rule const* {
        for (schedule_rule const& rule : rules)
            if (rule.applies(subject)) return &rule;
        return nullptr;
    };
    for (std::vector<std::uint32_t> const& members : found) {
        rule_subject subject{&start_.program.nest, members, processor, {}};
        if (schedule_rule const* const rule = rule_for(subject)) {
            groups_.push_back({std::move(subject), *rule});
            continue;
        }
        for (std::uint32_t const member : members) {
            subject.statements = {member};
            schedule_rule const* const rule = rule_for(subject);
            if (rule == nullptr)
                throw error("no rule schedules a statement",
                            nest_.name + ", " +
                                now.arrays[now.statements[member].target.array].name,
                            "add a rule that applies to it");
            groups_.push_back({subject, *rule});
        }
    }
    space_builder space;
    for (group& one : groups_) {
        std::uint32_t const last = one.subject.statements.back();
        if (groups_.size() > 1)
            one.subject.prefix = now.arrays[now.statements[last].target.array].name + '_';
        one.rule.declare(one.subject, space);
    }
    space_ = space.made();
    space_.row_names = program_feature_names();
    auto const of = std::make_shared<derived_space const>(*this);
    space_.rows = [of, processor](description const& in, std::span<coordinate const> at) {
        return features_of(of->schedule(choices_of(in, at)).program, processor,
                           inputs_of_nest(of->nest_, in));
    };
    space_.structure = [of](description const& in, std::span<coordinate const> at) {
        return structure_of(of->schedule(choices_of(in, at)).program);
    };
}

ATTUNE_INLINE traced_program derived_space::schedule(schedule_choices const& chosen) const
{
    traced_program p = start_;
    for (group const& one : groups_) {
        rule_subject subject = one.subject;
        subject.nest = &start_.program.nest;
        one.rule.schedule(subject, chosen, p);
    }
    return p;
}

ATTUNE_INLINE traced_program derived_space::schedule(point const& at) const
{
    return schedule(choices_of(space_, at));
}

ATTUNE_INLINE std::vector<std::string> derived_space::rule_names() const
{
    std::vector<std::string> out;
    for (group const& one : groups_)
        out.push_back(one.rule.name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI
