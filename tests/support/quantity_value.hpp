// tests/support/quantity_value.hpp - what a quantity is at given values of its parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/model/lower_quantity.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune_tests {

using parameter_values = std::vector<std::pair<std::string, std::int64_t>>;

/// By its nodes in a description; nothing where it has no value.
inline std::optional<std::int64_t> try_value_of(attune::model::quantity const& formula,
                                                parameter_values const& values)
{
    attune::description space;
    for (auto const& [name, value] : values) {
        attune::parameter_description p;
        p.name = name;
        p.kind = attune::parameter_kind::ordinal;
        p.type = attune::value_kind::integer;
        p.integers = {value};
        space.parameters.push_back(p);
    }
    std::uint32_t const root = attune::detail::quantity_lowering(space).lower(formula);
    attune::point const at(values.size());
    auto const found = attune::detail::evaluator(space).value(root, at);
    if (!found) return {};
    return found->integer;
}

inline std::int64_t value_of(attune::model::quantity const& formula, parameter_values const& values)
{
    return try_value_of(formula, values).value();
}

} // namespace attune_tests
