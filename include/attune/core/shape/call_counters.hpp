// attune/core/shape/call_counters.hpp - counts calls of many threads without a locked instruction.
// SPDX-License-Identifier: MIT-0
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// `Columns` counters, in rows. Each row has a number for each counter, in separate cache lines.
/// The address of a thread's stack decides to which row the thread adds. If two threads share a
/// row, some counts may be lost.
template <std::size_t Columns>
class alignas(64) call_counters {
    static_assert(Columns % 8 == 0, "attune: call_counters<N>: a row fills whole cache lines");

public:
    static constexpr std::size_t columns = Columns;

    /// @return  the calling thread's count
    ATTUNE_ALWAYS_INLINE std::uint64_t add(std::size_t column) noexcept
    {
        std::atomic<std::uint64_t>& mine = rows_[row_of_thread() * Columns + column];
        std::uint64_t const now = mine.load(std::memory_order_relaxed) + 1;
        mine.store(now, std::memory_order_relaxed);
        return now;
    }
    /// The calling thread's count.
    [[nodiscard]] std::uint64_t own(std::size_t column) const noexcept
    {
        return rows_[row_of_thread() * Columns + column].load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t sum(std::size_t column) const noexcept
    {
        std::uint64_t out = 0;
        for (std::size_t row = 0; row < rows; ++row)
            out += rows_[row * Columns + column].load(std::memory_order_relaxed);
        return out;
    }

private:
    static constexpr std::size_t rows = 16;

    /// Stacks of threads are often 8 MiB apart, and smaller ones at least 128 KiB.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE static std::size_t row_of_thread() noexcept
    {
        char const here = 0;
        auto const at = reinterpret_cast<std::uintptr_t>(&here);
        return ((at >> 23) ^ (at >> 17)) % rows;
    }

    std::atomic<std::uint64_t> rows_[rows * Columns]{};
};

} // namespace attune::inline ATTUNE_ABI::detail
