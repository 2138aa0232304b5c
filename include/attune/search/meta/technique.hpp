// attune/search/meta/technique.hpp - a search and its name.
// SPDX-License-Identifier: MIT
// tested by search/meta/auc_bandit.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/searcher.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// A search by name: what a meta technique chooses among.
struct technique {
    std::string name;
    search_factory make;
};

/// What a technique gained within one search.
struct technique_use {
    std::string name;
    std::size_t requests = 0;  ///< outcomes of configurations that it proposed
    std::size_t new_bests = 0; ///< those better than all before
};

} // namespace attune::inline ATTUNE_ABI::search
