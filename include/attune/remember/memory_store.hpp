// attune/remember/memory_store.hpp - remembers until the process ends; nothing reaches a disk.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A record store in memory. Models `record_store`. Copyable; one thread at a time.
class memory_store {
public:
    /// Cost  O(records kept)
    [[nodiscard]] lookup_result find(record_key const& key) const;
    void add(record const& entry);

    /// Always empty: memory needs no file that could fail.
    [[nodiscard]] std::vector<std::string> notices() { return {}; }

    /// Everything kept, oldest first.
    [[nodiscard]] std::vector<record> const& records() const noexcept { return records_; }

private:
    std::vector<record> records_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/memory_store.ipp>
#endif
