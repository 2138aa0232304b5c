// attune/tune/device/devices.hpp - the devices that a kernel can be tuned for: one line each.
// SPDX-License-Identifier: MIT
//
// Each line declares make_device_target(target) for the result type of its compilers' target().
// tested by tune/device_problem.cpp
#pragma once

#include <attune/tune/device/cuda/cuda_device.hpp>
