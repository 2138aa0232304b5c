// tests/space/files/published_spaces.hpp - finds the file of published spaces, where there is one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/files/read_json.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <vector>

namespace attune_tests {

/// $ATTUNE_DATA/spaces.json, or ../shared/data/spaces.json beside the source tree; empty, with a
/// printed reason, when neither is there.
inline std::vector<attune::named_space> published_spaces()
{
    std::string const here = __FILE__;
    std::string const root = here.substr(0, here.rfind("tests/space/"));
    char const* const data = std::getenv("ATTUNE_DATA");
    std::string const file =
        (data != nullptr ? std::string(data) : root + "../shared/data") + "/spaces.json";
    if (!std::ifstream(file).is_open()) {
        MESSAGE("skipped: there is no " << file << "; set ATTUNE_DATA to its directory");
        return {};
    }
    return attune::read_spaces_file(file);
}

} // namespace attune_tests
