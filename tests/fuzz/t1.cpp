// tests/fuzz/t1.cpp - no file crashes the reader of T1; what it reads can be built or is refused.
// SPDX-License-Identifier: MIT
#include <attune/space/files/t1.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    try {
        static_cast<void>(
            attune::read_t1(std::string_view(reinterpret_cast<char const*>(data), size)));
    } catch (attune::syntax_error const&) {
    }
    return 0;
}
