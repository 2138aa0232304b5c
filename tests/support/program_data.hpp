// tests/support/program_data.hpp - arrays for programs, and short tunings.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/options.hpp>
#include <attune/tune/progress.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace support {

inline attune::tuning_options few(std::uint64_t evaluations = 3)
{
    attune::tuning_options options;
    options.limits.evaluations = evaluations;
    options.progress = attune::silent_progress();
    return options;
}

/// Numbers from -1.25 to 1.25 that a float holds exactly.
inline std::vector<float> some(std::size_t count)
{
    std::vector<float> out;
    for (std::size_t at = 0; at < count; ++at)
        out.push_back(static_cast<float>(static_cast<int>(at * 7 % 11) - 5) * 0.25f);
    return out;
}

/// Equal but for roundings; says where not, once.
inline void check_close(std::vector<float> const& got, std::vector<float> const& want)
{
    REQUIRE(got.size() == want.size());
    for (std::size_t at = 0; at < got.size(); ++at)
        if (!(std::fabs(got[at] - want[at]) <= 1e-4f * (1 + std::fabs(want[at])))) {
            CAPTURE(at);
            CHECK(got[at] == want[at]);
            return;
        }
}

} // namespace support
