// attune/unit/energy.hpp - the definitions of measure/energy/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::energy. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/energy/joules_per_call.ipp>
