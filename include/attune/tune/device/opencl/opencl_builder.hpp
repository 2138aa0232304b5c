// attune/tune/device/opencl/opencl_builder.hpp - builds OpenCL programs in worker processes.
// SPDX-License-Identifier: MIT
// tested by compile/opencl.cpp
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// The name of the build service of workers.
inline constexpr char const opencl_build_service[] = "OpenCL build";

/// Answers a request of a builder from make_opencl_builder(). Runs in a worker.
void serve_opencl_build(message_reader& from, message_writer& to);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/opencl/opencl_builder.ipp>
#endif
