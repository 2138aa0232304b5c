// attune/remember/memory_store.hpp - a record store in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A record store in memory. Models `record_store`. Copyable; for one thread at a time.
class memory_store {
public:
    /// Cost  O(number of records)
    [[nodiscard]] lookup_result find(record_key const& key) const;
    void add(record const& entry);

    /// Always empty.
    [[nodiscard]] std::vector<std::string> notices() { return {}; }

    /// All records, oldest first.
    [[nodiscard]] std::vector<record> const& records() const noexcept { return records_; }

private:
    std::vector<record> records_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/memory_store.ipp>
#endif
