// attune/core/posix/descriptor.ipp - closes a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>

#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void descriptor::close() noexcept
{
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

} // namespace attune::inline ATTUNE_ABI::detail
