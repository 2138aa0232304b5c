// tests/support/notices.hpp - what a report says, whatever else the machine does.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/report.hpp>

#include <string>
#include <vector>

namespace attune_test {

/// The notices of a report, without those that a busy machine adds.
inline std::vector<std::string> notices_but_noise(attune::tuning_report const& report)
{
    std::vector<std::string> out;
    for (std::string const& said : report.notices)
        if (!said.starts_with("the machine")) out.push_back(said);
    return out;
}

} // namespace attune_test
