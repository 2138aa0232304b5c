// attune/space/schedule/detail/device_registers.hpp - registers that the threads of a GPU program are expected to take.
// SPDX-License-Identifier: MIT
// tested by space/schedule/device/device_features.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/device_program.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Words of 32 bits that a number has in registers.
[[nodiscard]] inline std::int64_t register_words(std::int64_t bytes)
{
    return std::max<std::int64_t>(bytes / 4, 1);
}

/// Bytes of the largest element of a product's operands.
[[nodiscard]] inline std::int64_t operand_bytes(device_program const& p)
{
    std::int64_t bytes = 1;
    for (device_operand const& operand : p.operands)
        bytes = std::max(bytes, p.element_bytes_of(operand));
    return bytes;
}

/// Words of the largest number that a product's threads keep.
[[nodiscard]] inline std::int64_t device_words(device_program const& p)
{
    return register_words(std::max(operand_bytes(p), static_cast<std::int64_t>(element_bytes(
                                                         p.nest.statements.front().accumulator))));
}

/// Words that a lane has for one number of each line.
[[nodiscard]] inline std::int64_t words_of_lines(device_program const& p,
                                                 std::span<nest_access const> lines)
{
    std::int64_t words = 0;
    for (nest_access const& line : lines)
        words += register_words(
            static_cast<std::int64_t>(element_bytes(p.nest.arrays[line.array].element)));
    return words;
}

/// Registers of a thread; 0: not known, of rows that are no lines.
///
/// Of tiles, which device_space has as a formula of its parameters: sums, one line of the operands,
/// what is on its way to shared memory unless it is copied there; 32 for addresses. Fragments of
/// matrix instructions have 4 words for 16 rows, 4 for 16 columns, twice where those of the next
/// step are on their way. Of lines: a lane's numbers of each, and 32.
[[nodiscard]] inline std::int64_t device_registers(device_program const& p)
{
    constexpr std::int64_t for_addresses = 32;
    if (p.form == device_form::rows)
        return p.line > 0 ? p.kept_by_lane() * words_of_lines(p, p.lines) + for_addresses : 0;
    std::int64_t fragments = p.uses_tensor_cores ? p.thread_rows : 0;
    std::int64_t line = 0;
    for (device_operand const& operand : p.operands) {
        fragments += operand.is_of_rows ? p.thread_rows : p.thread_columns;
        line += p.across(operand);
    }
    if (p.uses_tensor_cores && p.copies_asynchronously()) fragments *= 2;
    std::int64_t const of_all_threads =
        p.threads() * 4 * device_words(p); // bytes of a word of each
    std::int64_t const held =
        p.copies_asynchronously()
            ? 0
            : (p.block_depth * line * operand_bytes(p) + of_all_threads - 1) / of_all_threads;
    return (p.thread_rows * p.thread_columns + fragments + held) * device_words(p) + for_addresses;
}

} // namespace attune::inline ATTUNE_ABI::detail
