// attune/remember/record_store.hpp - what every memory of tuning results can do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A memory of tuning results.
///
/// find(key)  the best fitting record and how it fits; empty when there is none. A store may answer
///            fewer near matches than it could, never one that is better in name than in fact
///            (`compare_keys` says what each word means). Of equal fits the latest added wins.
/// add(r)     keeps `r`. A store that cannot do so never throws for it; it leaves a notice.
/// notices()  sentences on what went wrong since they were last asked for; each is given once.
template <class S>
concept record_store = requires(S store, record_key const& key, record const& entry) {
    { store.find(key) } -> std::same_as<lookup_result>;
    { store.add(entry) } -> std::same_as<void>;
    { store.notices() } -> std::same_as<std::vector<std::string>>;
};

} // namespace attune::inline ATTUNE_ABI
