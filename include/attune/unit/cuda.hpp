// attune/unit/cuda.hpp - all of cuda that is not a template.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/cuda/capture.ipp>
#include <attune/cuda/clocks.ipp>
#include <attune/cuda/device.ipp>
#include <attune/cuda/device_array.ipp>
#include <attune/cuda/driver.ipp>
#include <attune/cuda/limits.ipp>
#include <attune/cuda/loaded_code.ipp>
#include <attune/cuda/occupancy.ipp>
