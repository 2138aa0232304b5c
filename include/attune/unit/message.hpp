// attune/unit/message.hpp - the definitions of measure/message/, which need JSON.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::message. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/message/message_values.ipp>
