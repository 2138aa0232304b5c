// tests/support/source_folder.hpp - where attune's sources are: tests run in a folder of the build.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace support {

/// The absolute folder that holds include/ and tests/, with a slash at its end.
inline std::string source_folder()
{
    std::string const here = std::filesystem::absolute(__FILE__).string();
    return here.substr(0, here.rfind("/tests/") + 1);
}

} // namespace support
