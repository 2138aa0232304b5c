// attune/tune/kernel/user_functions.ipp - evaluates the formulas of work, and compares lengths with the declared ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/tune/kernel/user_functions.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE work value_of(work_formulas const& formulas, description const& bound,
                            point const& at)
{
    auto const number_of = [&](lowered_formula const& formula, char const* what) {
        std::optional<number> const v = evaluator{bound}.value(formula.root, at);
        if (!v || !(v->as_real() >= 0))
            throw error(std::string("the ") + what + " of kernel.work(...) " +
                            (v ? "are negative or NaN" : "have no value"),
                        formula.text,
                        "check the inputs; where a whole number would pass 2^63, write 2.0 * n");
        return v->as_real();
    };
    return {number_of(formulas.flops, "flops"), number_of(formulas.bytes, "bytes"),
            formulas.double_precision};
}

ATTUNE_INLINE std::vector<std::int64_t> numbers_of(declared_lengths const& lengths,
                                                   call_frame const& frame)
{
    std::vector<std::int64_t> out;
    if (!lengths.numbers) return out;
    frame.with_arguments(frame.addresses(),
                         [&](void const* arguments) { out = lengths.numbers(arguments); });
    return out;
}

ATTUNE_INLINE void require_lengths(std::string const& kernel, declared_lengths const& lengths,
                                   call_frame const& frame)
{
    std::vector<std::int64_t> const numbers = numbers_of(lengths, frame);
    for (std::size_t i = 0; i < frame.arguments.size(); ++i) {
        if (!lengths.says(i)) continue;
        std::int64_t const declared = lengths.of[i](numbers);
        auto const has = static_cast<std::int64_t>((*frame.elements)[frame.arguments[i].buffer]);
        if (has < declared)
            throw error("argument " + std::to_string(i) + " of kernel '" + kernel + "' has " +
                            std::to_string(has) + " elements, and kernel.lengths(...) says " +
                            std::to_string(declared),
                        "a call of the kernel",
                        "pass a longer array, or correct kernel.lengths(...)");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
