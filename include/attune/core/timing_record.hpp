// attune/core/timing_record.hpp - the single times behind one measurement.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The samples of one measurement.
struct timing_record {
    std::vector<double> times{};            ///< seconds of one run, in the order they were taken
    std::vector<std::uint32_t> disturbed{}; ///< indices in `times` at which another program ran
    std::uint32_t runs = 1;                 ///< runs per sample
    std::uint32_t threads = 1;              ///< threads that one run kept busy
    std::string clock{};                    ///< "thread_cpu", "wall" or "events"; empty: unknown

    [[nodiscard]] friend bool operator==(timing_record const&, timing_record const&) = default;
};

} // namespace attune::inline ATTUNE_ABI
