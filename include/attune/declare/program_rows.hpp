// attune/declare/program_rows.hpp - numbers of a program, one row per place where it stores.
// SPDX-License-Identifier: MIT
// tested by search/cost/cost_samples.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What is known of a program before it is compiled. values: rows x width, row-major; rows are the
/// places where the program stores, columns are features.
struct program_rows {
    std::vector<double> values;
    std::size_t width = 0;

    [[nodiscard]] std::size_t count() const noexcept
    {
        return width == 0 ? 0 : values.size() / width;
    }
    /// @pre  at < count()
    [[nodiscard]] std::span<double const> row(std::size_t at) const noexcept
    {
        return std::span<double const>(values).subspan(at * width, width);
    }
    [[nodiscard]] friend bool operator==(program_rows const&, program_rows const&) = default;
};

} // namespace attune::inline ATTUNE_ABI
