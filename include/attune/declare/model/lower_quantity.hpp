// attune/declare/model/lower_quantity.hpp - converts quantities to nodes of a description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/model/quantity.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Appends the nodes of quantities to one description. Equal formulas share their nodes.
class quantity_lowering {
public:
    /// @param space  has all parameters that the quantities read; must outlive this object
    explicit quantity_lowering(description& space);

    /// The node of a quantity. A common factor of all terms occurs once: BATCH * (a + b).
    /// Errors   attune::error: the quantity reads a parameter that is not in the space, or a
    ///          negative one
    [[nodiscard]] std::uint32_t lower(model::quantity const& from);

    /// Adds the constraint that `holds` is true, and names its two sides, so that explanations show
    /// these names (description::names).
    /// Errors   attune::error: `holds` is no truth; those of lower()
    void constrain(model::quantity const& holds, std::string advice = {});

private:
    using factor_pointers = std::vector<quantity_factor const*>;

    std::uint32_t intern(expression_node node);
    std::uint32_t constant(std::int64_t value);
    std::uint32_t node_of(op code, std::uint32_t first, std::uint32_t second);
    std::uint32_t factor(quantity_factor const& from);
    std::uint32_t leaf(quantity_factor const& from);
    std::uint32_t subject_of(quantity_factor const& from, expression_node& node);
    std::uint32_t product(std::int64_t coefficient, factor_pointers const& of);
    std::uint32_t sum(std::vector<std::pair<std::int64_t, factor_pointers>> const& terms);
    void name_sides(quantity_factor const& comparison);

    description& space_;
    std::unordered_map<std::string, std::uint32_t> factors_;    // key, node
    std::unordered_multimap<std::size_t, std::uint32_t> known_; // hash, node
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/lower_quantity.ipp>
#endif
