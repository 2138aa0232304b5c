// attune/cuda/extent.hpp - how far memory of a device reaches from an address on.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, cuMemGetAddressRange, virtual memory management. Memory that
//          cuMemMap has put together of pieces (as growing pools of other libraries do) is one
//          array to a program, but each piece is an allocation of its own to the driver
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::cuda {

/// Bytes from an address on to the end of its allocation; of memory in pieces, to the end of the
/// last one without a gap, or as far as `wanted` at least. Nothing: the driver does not know.
/// What cuMemAlloc gives is never in pieces, and what follows it there is another array.
/// @pre  a context of the device is current
[[nodiscard]] inline std::optional<std::size_t>
bytes_from(driver const& of, device_pointer at, std::size_t wanted) noexcept
{
    device_pointer base = 0;
    std::size_t bytes = 0;
    if (of.memory_get_address_range(&base, &bytes, at) != success || at - base > bytes) return {};
    std::uint64_t is_one_piece = 0; // a boolean, of whatever width the driver has
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

} // namespace attune::inline ATTUNE_ABI::cuda
