// tests/fuzz/onnx.cpp - no bytes crash the reader of ONNX graphs.
// SPDX-License-Identifier: MIT
#include <attune/unit/onnx.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>
#include <attune/unit/networks.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    try {
        static_cast<void>(
            attune::read_onnx(std::string_view(reinterpret_cast<char const*>(data), size)));
    } catch (attune::error const&) {
    }
    return 0;
}
