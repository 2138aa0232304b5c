// tests/space/files/every_assignment.hpp - holds a script to the evaluator, one configuration at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/files/write_smtlib.hpp>

#include <doctest/doctest.h>
#include <map>
#include <string>

#include "smtlib_reference.hpp"

namespace attune_tests {

/// The script of `space`, which is small, is true at every configuration that holds and at no
/// other.
inline void check_every_assignment(attune::description const& space)
{
    smtlib_reference const script(attune::write_smtlib(space));
    attune::detail::evaluator const evaluate(space);
    attune::point at(space.parameters.size());
    int disagreed = 0;
    for (;;) {
        std::map<std::string, double> constants;
        for (std::uint32_t i = 0; i < at.size(); ++i) {
            attune::parameter_description const& p = space.parameters[i];
            if (p.type == attune::value_kind::list) {
                auto const elements = attune::elements_at(p, at[i].index);
                for (std::uint32_t k = 0; k < p.parts; ++k)
                    constants[attune::smtlib_name(space, i, k)] = static_cast<double>(elements[k]);
            } else {
                constants[attune::smtlib_name(space, i)] = attune::number_at(p, at[i]).as_real();
            }
        }
        bool want = true;
        for (attune::constraint_description const& c : space.constraints)
            want = want && evaluate.holds(c, at);
        disagreed += script.holds(constants) == want ? 0 : 1;
        std::size_t i = 0;
        for (; i < at.size() && ++at[i].index == space.parameters[i].value_count(); ++i)
            at[i].index = 0;
        if (i == at.size()) break;
    }
    CHECK(disagreed == 0);
}

} // namespace attune_tests
