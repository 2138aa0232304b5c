// tests/support/shared_store.hpp - one memory for several tunings.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/memory_store.hpp>
#include <attune/remember/record.hpp>

#include <memory>
#include <string>
#include <vector>

namespace attune_test {

/// A store that several `tuned` share.
struct shared_store {
    std::shared_ptr<attune::memory_store> records = std::make_shared<attune::memory_store>();

    attune::lookup_result find(attune::record_key const& key) { return records->find(key); }
    void add(attune::record const& r) { records->add(r); }
    std::vector<std::string> notices() { return {}; }
};

} // namespace attune_test
