// tests/emulated_cuda/streams.hpp - work in order: done at once, or recorded while it is captured.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "machine.hpp"

namespace attune_emulated {

/// One piece of a device's work. @return  0, or an error after which nothing works any more
using work = std::function<int(machine&, device_state&)>;

/// Does it now, or notes it when `on` is being captured; after a launch that hangs it is dropped.
/// Is called with the machine's lock. @return  0, or why it cannot be given to this stream; an
/// error of the work itself is the machine's, as every later call says
int submit(void* on, work what);

/// Device nanoseconds to move so many bytes: one for 1000.
[[nodiscard]] constexpr std::uint64_t transfer_ns(std::size_t bytes)
{
    return (bytes + 999) / 1000;
}

} // namespace attune_emulated
