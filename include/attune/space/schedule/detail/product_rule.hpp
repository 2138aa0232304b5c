// attune/space/schedule/detail/product_rule.hpp - register tiles, packing and cache tiles of a reduction.
// SPDX-License-Identifier: MIT
// Source   Goto & van de Geijn 2008 (loops around a micro-kernel, packed panels), for any affine
//          reduction: matrix products, convolutions (strided, padded, depthwise), and a statement
//          that reads their result element by element
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/product_schedule.hpp>
#include <attune/space/schedule/detail/product_space.hpp>
#include <attune/space/schedule/rule.hpp>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline schedule_rule product_rule()
{
    return {"product",
            [](rule_subject const& subject) { return find_product_axes(subject).has_value(); },
            declare_product, schedule_product};
}

} // namespace attune::inline ATTUNE_ABI::detail
