// attune/declare/nest/nest_rows.hpp - a program without its types: rows, and the numbers that they use.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
//
// Whatever is done with a program, except to run it, is done with its rows, by code that is
// compiled once and not for each program. Types of a tree write their rows (write_rows), and values
// their numbers (write_numbers), in the same order.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/outline_rows.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// One part of a program, behind the parts that it is made of. A statement is the element of its
/// target, its reductions, its value, and the step.
struct nest_row {
    enum class part : std::uint8_t {
        term,           ///< a multiple of axis `which`
        index,          ///< the sum of the `count` terms before and of an offset
        element,        ///< of array `which` at the `count` indices before
        read,           ///< the number in the element before
        value_of_index, ///< the index before, as a number
        node,           ///< operation `code` on the `count` numbers before; or input `which`
        result,         ///< of the statement's reduction `which`
        over,           ///< axis `which` of the reduction behind
        reduction,      ///< of the number before, over the axes before
        step,           ///< the end of a statement
    };
    static constexpr std::uint16_t no_number = 0xffff;

    part what{};
    nest_op code{};
    element_type type{}; ///< of the value; of a reduction, that of its accumulator
    attune::reduction combine{};
    bool is_padded = false;
    bool is_value = false;    ///< of a reduction: it is the value of its statement
    bool continues = false;   ///< of a reduction: it begins with what the target holds
    element_type of_result{}; ///< of a reduction
    std::uint16_t count = 0;
    std::uint16_t which = 0;
    /// Factor of a term (without: 1), offset of an index (without: 0), literal.
    std::uint16_t number = no_number;
};

/// Takes rows; knows the places of names.
struct nest_row_sink {
    std::span<outline_array const> arrays;
    std::span<outline_axis const> axes;
    std::span<outline_input const> inputs;
    nest_row* to;
    std::uint16_t numbers = 0;

    constexpr void add(nest_row const& row) { *to++ = row; }
    template <class Row>
    [[nodiscard]] static constexpr std::uint16_t place(std::span<Row const> rows,
                                                       std::string_view name)
    {
        std::uint16_t i = 0;
        while (rows[i].name != name)
            ++i;
        return i;
    }
};

/// Takes numbers: whole ones, and the bits of doubles.
struct nest_number_sink {
    std::uint64_t* to;

    template <class T>
    constexpr void add(T number)
    {
        if constexpr (std::is_floating_point_v<T>)
            *to++ = std::bit_cast<std::uint64_t>(static_cast<double>(number));
        else
            *to++ = static_cast<std::uint64_t>(number);
    }
};

/// A program: what its type says, and the numbers of one value of the type.
struct nest_form {
    std::string_view name;
    std::span<outline_array const> arrays;
    std::span<outline_axis const> axes;
    std::span<outline_input const> inputs;
    std::span<nest_row const> rows;
    std::span<std::uint64_t const> numbers;
    /// By argument: which array, or the number of arrays plus which input.
    std::span<std::size_t const> order;

    [[nodiscard]] constexpr std::int64_t factor(nest_row const& term) const
    {
        return term.number == nest_row::no_number ? 1
                                                  : static_cast<std::int64_t>(numbers[term.number]);
    }
    [[nodiscard]] constexpr std::int64_t offset(nest_row const& index) const
    {
        return index.number == nest_row::no_number
                   ? 0
                   : static_cast<std::int64_t>(numbers[index.number]);
    }
    [[nodiscard]] constexpr double literal(nest_row const& node) const
    {
        std::uint64_t const bits = numbers[node.number];
        if (is_real_type(node.type)) return std::bit_cast<double>(bits);
        return node.type == element_type::u64
                   ? static_cast<double>(bits)
                   : static_cast<double>(static_cast<std::int64_t>(bits));
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
