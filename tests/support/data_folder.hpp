// tests/support/data_folder.hpp - where published spaces and recordings are, if they are there.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>

#include "source_folder.hpp"

namespace attune_tests {

/// $ATTUNE_DATA, or ../shared/data beside the source tree; whether it exists is not looked at.
inline std::string data_folder()
{
    if (char const* const data = std::getenv("ATTUNE_DATA"); data != nullptr) return data;
    return support::source_folder() + "../shared/data";
}

} // namespace attune_tests
