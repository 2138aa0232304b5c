// attune/unit/onnx.hpp - the definitions of declare/ that need ONNX and protobuf.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::onnx. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/declare/model/onnx/read_onnx.ipp>
