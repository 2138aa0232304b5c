// attune/tune/kernel/stated_memory.hpp - the memory that one call needs, against what there is.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds the constraint that the bytes of kernel.memory(...) are at most machine::memory_bytes.
/// @param space   that of the kernel; its inputs need no values
/// @param memory  node of `space`; no_index: nothing is added
void limit_memory(description& space, lowered_formula const& memory);

/// Why one configuration must not run now: it needs more than three quarters of the memory that is
/// free, which is what a trial in a forked child may take. "it needs 12.4 GiB, 8 * TILE * N bytes
/// of kernel.memory(...), and of the 4.1 GiB that are free it may take 3.1 GiB". Empty: it may run,
/// or the kernel states no memory.
/// @param bound  the kernel's space with the values of its inputs
/// @param free   bytes; negative: as the system says now
[[nodiscard]] std::string memory_objection(kernel_description const& kernel,
                                           description const& bound, point const& at,
                                           double free = -1);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/stated_memory.ipp>
#endif
