// examples/kernels/all.hpp - the kernels that benchmarks and tests go through.
// SPDX-License-Identifier: MIT
//
// Each is a struct: its parameters and `space`, its data, kernel(), call(run), result(), expected()
// by another, plain way in double precision, expert(), as the literature would choose,
// and the cost of one call, which kernel() states: additions and multiplications, and the bytes of
// every element that is read or written, once; comparisons and the arithmetic of places do not
// count. Most costs also say what a configuration needs beyond that, such as loads that no cache
// saves, by which what cannot win is not tried.
#pragma once

#include <cstddef>

#include "batched_gemm.hpp"
#include "convolution2d.hpp"
#include "harris.hpp"
#include "kmeans.hpp"
#include "mttkrp.hpp"
#include "sddmm.hpp"
#include "sgemm.hpp"
#include "spmm.hpp"
#include "spmv.hpp"
#include "stencil2d.hpp"
#include "stencil3d.hpp"
#include "ttv.hpp"

namespace kernels {

/// visit.operator()<Kernel>() for each of them.
void for_each_kernel(auto&& visit)
{
    visit.template operator()<sgemm>();
    visit.template operator()<batched_gemm>();
    visit.template operator()<stencil2d>();
    visit.template operator()<stencil3d>();
    visit.template operator()<convolution2d>();
    visit.template operator()<harris>();
    visit.template operator()<kmeans>();
    visit.template operator()<spmv>();
    visit.template operator()<spmm>();
    visit.template operator()<sddmm>();
    visit.template operator()<ttv>();
    visit.template operator()<mttkrp>();
}

} // namespace kernels
