// attune/search/meta/technique_use.hpp - what a technique gained within one search.
// SPDX-License-Identifier: MIT
// tested by search/meta/technique_history.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI::search {

struct technique_use {
    std::string name;
    std::size_t requests = 0;  ///< outcomes of configurations that it proposed
    std::size_t new_bests = 0; ///< those better than all before
};

} // namespace attune::inline ATTUNE_ABI::search
