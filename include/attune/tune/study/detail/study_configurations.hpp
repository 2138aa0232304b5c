// attune/tune/study/detail/study_configurations.hpp - the configurations of a space as lines of a study have them.
// SPDX-License-Identifier: MIT
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/study/study_line.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Each configuration is the texts of its values.
class study_configurations {
public:
    /// @pre  the space outlives this object
    study_configurations(chain_of_trees const& space, std::vector<quantity_bound> bounds)
        : space_(&space)
        , bounds_(std::move(bounds))
    {
        for (named_value const& v : named_values(space.describe()))
            names_.emplace_back(v.name);
    }

    [[nodiscard]] value_texts values_at(point const& at) const
    {
        return values_of(space_->describe(), at);
    }
    /// Nothing where they are none of the space.
    [[nodiscard]] std::optional<point> point_at(value_texts const& values) const
    {
        if (values.size() != names_.size()) return {};
        std::optional<point> out = point_of(names_, values, *space_);
        // A configuration has one text only.
        if (out && values_at(*out) != values) out.reset();
        return out;
    }
    /// As study_board::objection.
    [[nodiscard]] std::string objection_to(value_texts const& values, evaluation const* told) const
    {
        if (!point_at(values)) return "its configuration is not in the space";
        if (told == nullptr) return {};
        try {
            static_cast<void>(bounded_numbers(bounds_, *told));
            return {};
        } catch (error const& thrown) {
            return thrown.what_alone();
        }
    }

private:
    chain_of_trees const* space_;
    std::vector<quantity_bound> bounds_;
    std::vector<std::string> names_{}; ///< of the values of a configuration
};

} // namespace attune::inline ATTUNE_ABI::detail
