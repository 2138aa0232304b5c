// attune/cuda/limits.hpp - the limits of each architecture.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/device_limits.hpp>
#include <attune/core/version.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The architectures that limits_of_architecture() accepts, ascending: 75, 80, 86, ...
[[nodiscard]] std::vector<int> const& known_architectures();

/// The limits of every device of an architecture; `multiprocessors` is that of the largest such
/// device, memory sizes are 0.
/// Errors   attune::error that lists the accepted architectures
[[nodiscard]] device_limits limits_of_architecture(int architecture);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/limits.ipp>
#endif
