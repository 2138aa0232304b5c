// bench/search/technique_file.hpp - techniques that a file names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/compose/technique_text.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// The technique of each line that is not empty.
/// Errors  std::runtime_error: the file cannot be read; attune::error, as parse_technique()
[[nodiscard]] inline std::vector<attune::search::technique> techniques_in(std::string const& path)
{
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::vector<attune::search::technique> out;
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) out.push_back(attune::search::parse_technique(line));
    return out;
}

} // namespace bench
