// attune/tune/loop/slot_evaluator.ipp - what an objective throws becomes a failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE guarded_evaluation
evaluate_guarded(std::function<evaluation(point const&)> const& objective, point const& at)
{
    try {
        return {objective(at), false};
    } catch (...) {
        return {failure{failure_stage::crash, text_of_exception()}, true};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
