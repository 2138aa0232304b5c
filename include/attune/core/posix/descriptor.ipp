// attune/core/posix/descriptor.ipp - closes a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>

#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE descriptor::~descriptor()
{
    if (number_ >= 0) ::close(number_);
}

} // namespace attune::inline ATTUNE_ABI::detail
