// attune/tune/device/cuda/cuda_bench.hpp - the bench of a problem on a CUDA device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/bench.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// A bench in a worker process with its own context. With tuning_options::measuring.protect =
/// `guard` or `none`, a bench in this process on the device's primary context, which a bad variant
/// may destroy. If no worker starts, `automatic` measures in this process too (protection() gives
/// the reason) and `fork` is an error. The user's reference and check run in this process, on
/// copies in host memory.
/// @pre     problem, options and target outlive the result
/// Errors   attune::error: no device, out of memory, no worker for isolation::fork, or a worker
///          that shares a server with this process (CUDA MPS)
[[nodiscard]] std::unique_ptr<bench> make_cuda_bench(tuning_problem const& problem,
                                                     tuning_options const& options,
                                                     cuda_target const& target);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_bench.ipp>
#endif
