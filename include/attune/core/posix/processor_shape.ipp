// attune/core/posix/processor_shape.ipp - the definitions of processor_shape.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor.hpp>
#include <attune/core/posix/processor_shape.hpp>

#include <string>
#include <string_view>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE processor_shape this_processor()
{
    processor_shape shape;
    for (std::string const& line : detail::processor_lines()) {
        std::string const words = ' ' + std::string(detail::processor_value(line)) + ' ';
        auto const has = [&words](std::string_view word) {
            return words.find(' ' + std::string(word) + ' ') != std::string::npos;
        };
        if (line.starts_with("flags")) {
            shape.vector_bytes = has("avx512f") ? 64 : has("avx") ? 32 : 16;
            shape.vector_registers = has("avx512f") ? 32 : 16;
        } else if (line.starts_with("Features")) { // AArch64
            shape.vector_bytes = 16;
            shape.vector_registers = 32;
        }
    }
    auto const cache = [](int name, std::int64_t& bytes) {
        long const found = ::sysconf(name);
        if (found > 0) bytes = found;
    };
    (void)cache;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    cache(_SC_LEVEL1_DCACHE_SIZE, shape.l1_bytes);
    cache(_SC_LEVEL2_CACHE_SIZE, shape.l2_bytes);
    cache(_SC_LEVEL3_CACHE_SIZE, shape.l3_bytes);
#endif
    return shape;
}

} // namespace attune::inline ATTUNE_ABI
