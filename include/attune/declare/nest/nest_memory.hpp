// attune/declare/nest/nest_memory.hpp - where an argument lies, and which ones overlap.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// The rows of an array, in bytes; one row where they have no gaps, none where it is a number.
struct nest_memory {
    std::uintptr_t first = 0;
    std::size_t rows = 0;
    std::size_t row = 0;
    std::size_t row_stride = 0;

    template <class T>
    [[nodiscard]] static nest_memory of(T const& given)
    {
        if constexpr (std::is_arithmetic_v<T>) {
            return {};
        } else {
            constexpr std::size_t width = sizeof(*given.data());
            auto const at = reinterpret_cast<std::uintptr_t>(given.data());
            if constexpr (requires { given.rows(); })
                return {at, given.rows(), given.columns() * width, given.row_stride() * width};
            else
                return {at, 1, given.size() * width, given.size() * width};
        }
    }

    [[nodiscard]] constexpr bool is_empty() const { return rows == 0 || row == 0; }
    [[nodiscard]] constexpr std::uintptr_t last() const
    {
        return first + (rows - 1) * row_stride + row;
    }
};

/// Whether they share a byte; false for rows that lie side by side in one matrix.
[[nodiscard]] constexpr bool do_overlap(nest_memory const& a, nest_memory const& b)
{
    if (a.is_empty() || b.is_empty()) return false;
    if (a.first > b.first) return do_overlap(b, a);
    if (a.last() <= b.first) return false;
    if (a.row_stride != b.row_stride) return true;
    std::size_t const into = (b.first - a.first) % a.row_stride;
    return into < a.row || into + b.row > a.row_stride;
}

} // namespace attune::inline ATTUNE_ABI::detail
