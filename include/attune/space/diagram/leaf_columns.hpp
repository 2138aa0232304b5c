// attune/space/diagram/leaf_columns.hpp - the values of parameters and literals as steps.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/domain.hpp>
#include <attune/space/diagram/slots.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds the leaves of expressions of one description to one table.
class leaf_columns {
public:
    /// @param level_of  level of each parameter; constant_level if it stays as in `base`
    leaf_columns(description const& space, std::vector<domain> const& domains,
                 std::vector<int> const& level_of, point const& base, slot_table& slots)
        : space_(space)
        , domains_(domains)
        , level_of_(level_of)
        , base_(base)
        , slots_(slots)
        , read_(space)
    {
    }

    /// A literal or an input.
    std::uint32_t constant(std::uint32_t root) { return slots_.constant(read_.value(root, base_)); }

    /// The step that holds the index of a parameter's value in its table.
    std::uint32_t index_of(std::uint32_t parameter)
    {
        if (level_of_[parameter] == constant_level)
            return slots_.constant(number::of(std::int64_t{base_[parameter].index}));
        return column(parameter, [](std::uint32_t value) {
            return std::optional(number::of(std::int64_t{value}));
        });
    }

    /// The step of a leaf that reads one parameter.
    std::uint32_t leaf(std::uint32_t root)
    {
        expression_node const& n = space_.nodes[root];
        if (level_of_[n.subject] == constant_level)
            return slots_.constant(read_.value(root, base_));
        for (auto const& [other, made] : leaves_)
            if (space_.nodes[other] == n) return made;
        std::uint32_t made = no_index;
        if (n.code == op::parameter) {
            parameter_description const& parameter = space_.parameters[n.subject];
            made = column(n.subject, [&](std::uint32_t value) {
                return std::optional(number_at(parameter, {value, 0}));
            });
        } else {
            point at = base_;
            made = column(n.subject, [&](std::uint32_t value) {
                at[n.subject].index = value;
                return read_.value(root, at);
            });
        }
        leaves_.emplace_back(root, made);
        return made;
    }

    /// Whether a node is a text.
    [[nodiscard]] bool is_text(std::uint32_t root) const
    {
        expression_node const& n = space_.nodes[root];
        return n.code == op::text ||
               (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text);
    }

    /// The step of a text, as a number that is equal for equal texts.
    std::uint32_t text(std::uint32_t root)
    {
        auto const number_of = [&](std::string_view label) {
            return number::of(
                static_cast<std::int64_t>(texts_.try_emplace(label, texts_.size()).first->second));
        };
        expression_node const& n = space_.nodes[root];
        if (n.code == op::text) return slots_.constant(number_of(space_.texts[n.text]));
        std::vector<std::string> const& labels = space_.parameters[n.subject].labels;
        if (level_of_[n.subject] == constant_level)
            return slots_.constant(number_of(labels[base_[n.subject].index]));
        return column(n.subject,
                      [&](std::uint32_t value) { return std::optional(number_of(labels[value])); });
    }

private:
    template <class Value>
    std::uint32_t column(std::uint32_t parameter, Value const& value)
    {
        domain const& left = domains_[parameter];
        std::vector<std::int64_t> bits(left.size(), 0);
        std::vector<std::uint8_t> failed(left.size(), 0);
        bool real = false;
        for (std::uint32_t i = 0; i < left.size(); ++i) {
            std::optional<number> const v = value(left.value(i));
            failed[i] = v ? 0 : 1;
            if (!v) continue;
            bits[i] = word_of(*v);
            real = v->is_real;
        }
        return slots_.leaf(level_of_[parameter], real, std::move(bits), std::move(failed));
    }

    description const& space_;
    std::vector<domain> const& domains_;
    std::vector<int> const& level_of_;
    point const& base_;
    slot_table& slots_;
    evaluator read_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves_; // node, its step
    std::map<std::string_view, std::size_t> texts_;
};

} // namespace attune::inline ATTUNE_ABI::detail
