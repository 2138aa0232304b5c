// attune/space/query/steps.hpp - one step away from a value of one parameter.
// SPDX-License-Identifier: MIT
//
// BaCO's local search also uses one swap as the step between permutations
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/scale.hpp>
#include <attune/declare/point.hpp>

#include <memory>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `try_step(coordinate) -> bool` for the values one step from `at`. Integer and ordinal
/// parameters: in each direction until `try_step` returns true. Others: every step, which is each
/// other value (categorical, boolean), each swap of two items (permutation), each move of a prime
/// factor (tile), real_step of the scale up and down (real).
/// @pre  `at` is inside the parameter's table or interval
template <class TryStep>
void for_each_step(parameter_description const& parameter, coordinate at, TryStep&& try_step)
{
    using function = std::remove_reference_t<TryStep>;
    step_taker const taker{
        const_cast<void*>(static_cast<void const*>(std::addressof(try_step))),
        [](void* self, coordinate step) -> bool { return (*static_cast<function*>(self))(step); }};
    rules_of(parameter.kind).steps(parameter, at, taker);
}

} // namespace attune::inline ATTUNE_ABI::detail
