// tests/space/files/published_spaces.hpp - finds the file of published spaces, where there is one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/files/read_json.hpp>

#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <vector>

#include "../../support/data_folder.hpp"

namespace attune_tests {

/// $ATTUNE_DATA/spaces.json, or ../shared/data/spaces.json beside the source tree; empty, with a
/// printed reason, when neither is there.
inline std::vector<attune::named_space> published_spaces()
{
    std::string const file = data_folder() + "/spaces.json";
    if (!std::ifstream(file).is_open()) {
        MESSAGE("skipped: there is no " << file << "; set ATTUNE_DATA to its directory");
        return {};
    }
    return attune::read_spaces_file(file);
}

} // namespace attune_tests
