// attune/space/schedule/detail/statement_groups.hpp - cuts a program's statements into groups that one rule schedules each.
// SPDX-License-Identifier: MIT
// tested by space/schedule/derived_space.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/row_rule.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using statement_group = std::vector<std::uint32_t>;

/// Cuts the statements of a program into groups. Statements that pass temporaries to each other are
/// one group if a rule applies to all of them. Otherwise each product is a group, with the
/// statement that reads it element by element, and statements between products form rows as far as
/// a rule applies to them. Temporaries then pass from group to group in memory.
class group_cutter {
public:
    /// @param rule_of  returns the name of the rule for these statements together; empty: none
    group_cutter(loop_program const& program, processor_shape const& processor,
                 std::function<std::string_view(statement_group const&)> rule_of)
        : program_(program)
        , processor_(processor)
        , rule_of_(std::move(rule_of))
        , all_(blocks_inside(program, no_index))
    {
        std::sort(all_.begin(), all_.end());
    }

    [[nodiscard]] std::vector<statement_group> groups() const
    {
        std::vector<statement_group> out;
        for (statement_group const& connected : connected_statements()) {
            if (has_rule(connected)) {
                out.push_back(connected);
                continue;
            }
            std::vector<statement_group> cut = parts_of(connected);
            out.insert(out.end(), cut.begin(), cut.end());
        }
        return out;
    }

private:
    [[nodiscard]] nest_description const& nest() const { return program_.nest; }
    [[nodiscard]] bool has_rule(statement_group const& group) const
    {
        std::string_view const rule = rule_of_(group);
        return !rule.empty() && (rule != row_rule_name || group.size() < 2 || are_rows(group));
    }
    [[nodiscard]] std::uint32_t target_of(std::uint32_t s) const
    {
        return nest().statements[s].target.array;
    }
    [[nodiscard]] bool feeds(statement_group const& from, std::uint32_t to) const
    {
        return std::any_of(from.begin(), from.end(), [&](std::uint32_t s) {
            return nest().arrays[target_of(s)].role == nest_role::temporary &&
                   reads_array(nest(), nest().statements[to], target_of(s));
        });
    }

    /// The groups of statements that temporaries connect. A group ends at the first statement whose
    /// array is an argument.
    [[nodiscard]] std::vector<statement_group> connected_statements() const
    {
        std::vector<statement_group> out;
        for (std::uint32_t const s : all_) {
            statement_group joined{s};
            for (std::size_t g = out.size(); g-- > 0;) {
                if (!feeds(out[g], s)) continue;
                joined.insert(joined.begin(), out[g].begin(), out[g].end());
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(g));
            }
            std::sort(joined.begin(), joined.end());
            out.push_back(std::move(joined));
        }
        return out;
    }

    /// Returns true if no statement outside the group reads one of its arrays before its end.
    [[nodiscard]] bool may_run_at_its_end(statement_group const& group) const
    {
        for (std::uint32_t const reader : all_) {
            if (reader > group.back() ||
                std::find(group.begin(), group.end(), reader) != group.end())
                continue;
            if (feeds(group, reader)) return false;
        }
        return true;
    }
    [[nodiscard]] bool is_product(std::uint32_t s) const
    {
        return is_tiled_product(nest(), s, processor_);
    }

    [[nodiscard]] std::vector<statement_group> parts_of(statement_group const& connected) const
    {
        std::vector<statement_group> out;
        for (std::uint32_t const s : connected) {
            if (is_product(s)) {
                out.push_back({s});
                continue;
            }
            if (!joins_product(s, out) && !joins_rows(s, out)) out.push_back({s});
        }
        std::sort(out.begin(), out.end(), [](statement_group const& a, statement_group const& b) {
            return a.back() < b.back();
        });
        return out;
    }

    /// Adds `s` to the last product that `s` alone reads, element by element.
    /// @return  false if there is no such product
    [[nodiscard]] bool joins_product(std::uint32_t s, std::vector<statement_group>& parts) const
    {
        for (std::size_t g = parts.size(); g-- > 0;) {
            if (parts[g].size() != 1 || !is_product(parts[g].front()) || !feeds(parts[g], s))
                continue;
            statement_group joined{parts[g].front(), s};
            bool const is_only = std::count_if(all_.begin(), all_.end(), [&](std::uint32_t reader) {
                                     return feeds(parts[g], reader);
                                 }) == 1;
            if (!is_only || !has_rule(joined)) continue;
            parts[g] = std::move(joined);
            return true;
        }
        return false;
    }

    /// Joins `s` with rows that pass temporaries to it: with all of them if possible, else with the
    /// last ones.
    /// @return  false if `s` joins no rows
    [[nodiscard]] bool joins_rows(std::uint32_t s, std::vector<statement_group>& parts) const
    {
        statement_group joined{s};
        std::vector<std::size_t> taken;
        for (std::size_t g = parts.size(); g-- > 0;) {
            if (is_product(parts[g].front()) || !feeds(parts[g], s)) continue;
            statement_group wider = joined;
            wider.insert(wider.end(), parts[g].begin(), parts[g].end());
            std::sort(wider.begin(), wider.end());
            if (!may_run_at_its_end(wider) || !has_rule(wider)) continue;
            joined = std::move(wider);
            taken.push_back(g);
        }
        if (taken.empty()) return false;
        for (std::size_t const g : taken) // descending
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(g));
        parts.push_back(std::move(joined));
        return true;
    }

    /// Returns true if the statements can be computed in one loop over their rows.
    [[nodiscard]] bool are_rows(statement_group const& group) const
    {
        rule_subject const subject{&program_.nest, group, processor_, {}};
        if (shared_axes(subject).empty()) return false;
        traced_program tried{program_, {}};
        try {
            fuse_rows(subject, tried);
        } catch (error const&) {
            return false;
        }
        return true;
    }

    loop_program const& program_;
    processor_shape processor_;
    std::function<std::string_view(statement_group const&)> rule_of_;
    std::vector<std::uint32_t> all_; ///< blocks, which have the numbers of their statements
};

} // namespace attune::inline ATTUNE_ABI::detail
