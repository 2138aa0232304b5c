// attune/remember/record_store.hpp - the concept of a store of tuning results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A store of tuning results.
///
/// find(key)  the record that fits best, and its fit by compare_keys(); empty if none fits. A store
///            may miss near matches. Among equal fits it returns the latest added.
/// add(r)     keeps `r`. If it fails, the store adds a notice and does not throw.
/// notices()  sentences on problems since the last call; each problem is reported once.
template <class S>
concept record_store = requires(S store, record_key const& key, record const& entry) {
    { store.find(key) } -> std::same_as<lookup_result>;
    { store.add(entry) } -> std::same_as<void>;
    { store.notices() } -> std::same_as<std::vector<std::string>>;
};

} // namespace attune::inline ATTUNE_ABI
