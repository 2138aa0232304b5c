// attune/cuda/extent.hpp - how many bytes follow an address in a device's memory.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, cuMemGetAddressRange and virtual memory management. Memory
//          that cuMemMap joins from pieces (as growing pools of other libraries do) is one array
//          to a program, but the driver reports each piece as an allocation
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// Bytes from an address to the end of its allocation. Of memory in pieces, the pieces without a
/// gap between them are added up until at least `wanted` bytes. Empty when the driver has no
/// answer. Memory of cuMemAlloc is never in pieces: what follows it belongs to another array.
/// @pre  a context of the device is current
[[nodiscard]] inline std::optional<std::size_t> bytes_from(driver const& of, device_pointer at,
                                                           std::size_t wanted) noexcept
{
    device_pointer base = 0;
    std::size_t bytes = 0;
    if (of.memory_get_address_range(&base, &bytes, at) != success || at - base > bytes) return {};
    std::uint64_t is_one_piece = 0; // a boolean; its width depends on the driver
    if (of.pointer_get_attribute(&is_one_piece, of_pointer::is_legacy_ipc_capable, at) != success)
        is_one_piece = 1;
    std::size_t reach = bytes - static_cast<std::size_t>(at - base);
    while (is_one_piece == 0 && reach < wanted) {
        device_pointer const next = at + reach;
        if (of.memory_get_address_range(&base, &bytes, next) != success) break;
        if (next < base || next - base >= bytes) break;
        reach += bytes - static_cast<std::size_t>(next - base);
    }
    return reach;
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda
