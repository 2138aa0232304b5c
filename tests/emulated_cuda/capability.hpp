// tests/emulated_cuda/capability.hpp - what a multiprocessor holds, by compute capability.
// SPDX-License-Identifier: MIT
//
// Source   CUDA C++ programming guide 13.0, technical specifications per compute capability
#pragma once

namespace attune_emulated {

struct capability_limits {
    int capability;
    int threads, blocks; ///< resident on a multiprocessor
    int shared_bytes, shared_opt_in_bytes, reserved_bytes;
};

/// The newest that is not newer than `capability`.
[[nodiscard]] inline capability_limits const& limits_of(int capability)
{
    static constexpr int kib = 1024;
    static constexpr capability_limits all[] = {
        {75, 1024, 16, 64 * kib, 64 * kib, 0},      {80, 2048, 32, 164 * kib, 163 * kib, kib},
        {86, 1536, 16, 100 * kib, 99 * kib, kib},   {87, 1536, 16, 164 * kib, 163 * kib, kib},
        {89, 1536, 24, 100 * kib, 99 * kib, kib},   {90, 2048, 32, 228 * kib, 227 * kib, kib},
        {100, 2048, 32, 228 * kib, 227 * kib, kib}, {120, 1536, 24, 100 * kib, 99 * kib, kib}};
    capability_limits const* best = &all[0];
    for (capability_limits const& c : all)
        if (c.capability <= capability) best = &c;
    return *best;
}

} // namespace attune_emulated
