// attune/unit/opencl.hpp - the definitions of opencl/, of its compiler and of its device.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::opencl. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/compile/opencl.ipp>
#include <attune/compile/opencl/builder.ipp>
#include <attune/opencl/device.ipp>
#include <attune/opencl/driver.ipp>
#include <attune/opencl/library.ipp>
#include <attune/tune/device/opencl/opencl_device.ipp>
