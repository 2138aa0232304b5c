// attune/ship/baked/device_code.hpp - the code of a kernel for GPUs in a program, and how it is launched.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/launch_number.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// How a launch began.
struct launch_status {
    std::string why{}; ///< one sentence; empty: the kernel was launched
    int error = 0;     ///< of the driver, a CUresult; 0: none of the driver's

    [[nodiscard]] explicit operator bool() const noexcept { return why.empty(); }
};

namespace detail {

/// Code for one architecture: a CUBIN, or PTX, which the driver compiles.
struct baked_image {
    unsigned char const* bytes = nullptr; ///< ends with a zero where it is PTX
    std::size_t count = 0;
    char const* entry = ""; ///< the kernel's symbol
    int architecture = 0;   ///< 90: compute capability 9.0
    bool is_ptx = false;    ///< for this architecture, and later ones
    char const* name = "";  ///< "sm_90", or "PTX sm_80"
};

/// The geometry of one launch: x, y, z.
struct baked_geometry {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::array<std::int64_t, 3> cluster{1, 1, 1};
    std::int64_t shared_bytes = 0;
};

/// Written by attune_bake from the declaration of the kernel.
/// @param in  inputs  @param at  what the formulas read of a configuration
using launch_formula = void (*)(launch_number const* in, launch_number const* at,
                                baked_geometry& out);

/// What the launches of a kernel have in common.
struct baked_launcher {
    launch_formula geometry = nullptr;
    bool is_cooperative = false;
    baked_image const* defaults = nullptr; ///< of the default; CUBINs, the highest first, then PTX
    std::size_t default_count = 0;
    launch_number const* default_numbers = nullptr; ///< what formulas read of it
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
