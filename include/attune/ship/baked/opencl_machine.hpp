// attune/ship/baked/opencl_machine.hpp - the machine of a kernel for OpenCL devices.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/device_calls.hpp>
#include <attune/ship/baked/opencl_launch.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// For the function in a table, in a separate unit.
template <class Signature>
using opencl_machines = launching_machines<Signature, launching::opencl_site>;

} // namespace attune::inline ATTUNE_ABI::detail
