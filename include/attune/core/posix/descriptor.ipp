// attune/core/posix/descriptor.ipp - closes a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void descriptor::close() noexcept
{
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

ATTUNE_INLINE bool has_free_descriptors(int count) noexcept
{
    std::array<descriptor, 16> held;
    bool all = true;
    for (int i = 0; i < std::min(count, static_cast<int>(held.size())) && all; ++i) {
        held[static_cast<std::size_t>(i)] = descriptor(::open("/", O_RDONLY | O_CLOEXEC));
        all = held[static_cast<std::size_t>(i)].is_open();
    }
    return all;
}

} // namespace attune::inline ATTUNE_ABI::detail
