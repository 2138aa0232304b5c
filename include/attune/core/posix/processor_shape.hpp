// attune/core/posix/processor_shape.hpp - registers, caches and cores of the processor.
// SPDX-License-Identifier: MIT
// tested by space/schedule/derived_space.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Registers, caches and cores. The defaults are those of a processor with AVX2.
struct processor_shape {
    std::int64_t vector_bytes = 32;
    std::int64_t vector_registers = 16;
    std::int64_t l1_bytes = 32 * 1024; ///< data, of one core
    std::int64_t l2_bytes = 512 * 1024;
    std::int64_t l3_bytes = 8 * 1024 * 1024;
    std::int64_t cores = 1; ///< threads that a program may use

    [[nodiscard]] friend bool operator==(processor_shape const&, processor_shape const&) = default;
};

/// This processor, as far as sysconf() and /proc tell; `cores` stays 1. machine_figures.hpp asks
/// /sys for the caches first: `l3_bytes` here may be the sum over several groups of cores.
[[nodiscard]] processor_shape this_processor();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/processor_shape.ipp>
#endif
