// attune/search/meta/technique.hpp - a search and its name.
// SPDX-License-Identifier: MIT
// tested by search/meta/auc_bandit.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/technique_use.hpp>
#include <attune/search/searcher.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::search {

/// A search by name: what a meta technique chooses among.
struct technique {
    std::string name;
    search_factory make;
};

} // namespace attune::inline ATTUNE_ABI::search
