// attune/core/constant_view.hpp - the name by which programs in stores include constant_array.hpp.
// SPDX-License-Identifier: MIT
// tested by core/constant_array.cpp
#pragma once

#include <attune/core/constant_array.hpp>
