// attune/tune/kernel/stated_work.ipp - evaluates the formulas of work at one configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/tune/kernel/stated_work.hpp>

#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE work value_of(work_formulas const& formulas, description const& bound,
                            point const& at)
{
    auto const number_of = [&](lowered_formula const& formula, char const* what) {
        std::optional<number> const v = evaluator{bound}.value(formula.root, at);
        if (!v || !(v->as_real() >= 0))
            throw error(std::string("the ") + what + " of kernel.work(...) " +
                            (v ? "are negative or no number" : "have no value"),
                        formula.text,
                        "check the inputs; where a whole number would pass 2^63, write 2.0 * n");
        return v->as_real();
    };
    return {number_of(formulas.flops, "flops"), number_of(formulas.bytes, "bytes"),
            formulas.double_precision};
}

} // namespace attune::inline ATTUNE_ABI::detail
