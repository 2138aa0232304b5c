// examples/kernels/cuda/all_cuda.hpp - the GPU kernels that benchmarks and tests go through.
// SPDX-License-Identifier: MIT
//
// Each is a struct: its parameters and `space`, kernel(), its data for the `size` of the problem it
// is made with - usual_size, or tested_size where a plain reference has to keep up -, call(run),
// result(), expected() by another, plain way in double precision, `tolerance` of the one against
// the other as difference() takes it, 0 where every right result is the same, expert() where the
// literature names a configuration, and library(), the routine of a library that does the same, or
// nothing.
#pragma once

#include "convolution2d.hpp"
#include "histogram.hpp"
#include "hotspot.hpp"
#include "point_in_polygon.hpp"
#include "reduction.hpp"
#include "sgemm.hpp"
#include "softmax.hpp"
#include "transpose.hpp"

namespace kernels {

/// visit.operator()<Kernel>() for each of them.
void for_each_cuda_kernel(auto&& visit)
{
    visit.template operator()<cuda::sgemm>();
    visit.template operator()<cuda::convolution2d>();
    visit.template operator()<cuda::point_in_polygon>();
    visit.template operator()<cuda::hotspot>();
    visit.template operator()<cuda::reduction>();
    visit.template operator()<cuda::transpose>();
    visit.template operator()<cuda::histogram>();
    visit.template operator()<cuda::softmax>();
}

} // namespace kernels
