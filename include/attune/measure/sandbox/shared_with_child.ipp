// attune/measure/sandbox/shared_with_child.ipp - maps shared pages.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE shared_pages::shared_pages(std::size_t bytes)
    : bytes_(bytes)
    , memory_(::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0))
{
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

ATTUNE_INLINE shared_pages::~shared_pages() { ::munmap(memory_, std::max<std::size_t>(bytes_, 1)); }

} // namespace attune::inline ATTUNE_ABI::detail
