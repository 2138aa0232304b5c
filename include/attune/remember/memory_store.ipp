// attune/remember/memory_store.ipp - a linear search for the best match.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/matching.hpp>
#include <attune/remember/memory_store.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE lookup_result memory_store::find(record_key const& key) const
{
    best_match best{key};
    for (record const& entry : records_)
        best.offer(entry);
    return best.result();
}

ATTUNE_INLINE void memory_store::add(record const& entry) { records_.push_back(entry); }

} // namespace attune::inline ATTUNE_ABI
