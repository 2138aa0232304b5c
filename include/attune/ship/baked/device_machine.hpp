// attune/ship/baked/device_machine.hpp - the machine of a kernel for CUDA devices.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/cuda_launch.hpp>
#include <attune/ship/baked/device_calls.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// For the function in a table, in a separate unit.
template <class Signature>
using device_machines = launching_machines<Signature, launching::cuda_site>;

} // namespace attune::inline ATTUNE_ABI::detail
