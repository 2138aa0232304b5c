// attune/cuda/cuda.ipp - all of cuda that is not a template.
// SPDX-License-Identifier: MIT
//
// Stage    cuda, beside core: what compile, measure and tune know of a CUDA device
// In       the .ipp files of this folder
// Out      definitions for one translation unit; part of tune.ipp
// Source   own
// Depends  std, POSIX (dlopen); no CUDA
// Tests    tests/cuda
#pragma once

#include <attune/cuda/capture.ipp>
#include <attune/cuda/clocks.ipp>
#include <attune/cuda/device.ipp>
#include <attune/cuda/device_array.ipp>
#include <attune/cuda/driver.ipp>
#include <attune/cuda/limits.ipp>
#include <attune/cuda/loaded_code.ipp>
#include <attune/cuda/occupancy.ipp>
