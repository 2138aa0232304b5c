// tests/support/notices.hpp - what a report says, whatever else the machine does.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/report.hpp>

#include <cstddef>
#include <cstdint>
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

/// What a report says of a tuning that went on from "an interrupted" or "an earlier" one.
inline std::vector<std::string> continuing(std::string const& of, std::size_t known)
{
    return {"continued " + of + " tuning: " + std::to_string(known) + " evaluations were known"};
}

/// How many notices have that part.
inline std::size_t noticed(attune::tuning_report const& report, std::string const& part)
{
    std::size_t out = 0;
    for (std::string const& said : report.notices)
        out += said.find(part) != said.npos ? 1U : 0U;
    return out;
}

inline std::uint32_t failures_at(attune::tuning_report const& report, attune::failure_stage stage)
{
    return report.failures[static_cast<std::size_t>(stage)];
}

/// All notices of a report, each as a line.
inline std::string all_notices(attune::tuning_report const& report)
{
    std::string out;
    for (std::string const& said : report.notices)
        out += said + '\n';
    return out;
}

} // namespace attune_test
