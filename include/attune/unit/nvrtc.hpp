// attune/unit/nvrtc.hpp - the definitions of cuda/ and of NVRTC in compile/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::nvrtc. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/compile/nvrtc.ipp>
#include <attune/compile/nvrtc/cubin.ipp>
#include <attune/compile/nvrtc/library.ipp>
#include <attune/cuda/code.ipp>
#include <attune/cuda/device.ipp>
#include <attune/cuda/device_array.ipp>
#include <attune/cuda/driver.ipp>
