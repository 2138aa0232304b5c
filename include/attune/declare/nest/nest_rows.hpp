// attune/declare/nest/nest_rows.hpp - a program without its types: rows, their numbers, the rules for them, faults, and the description made of them.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
//
// Only the code that runs a program reads its types; all other code reads its rows, and is compiled
// once for all programs. Types of a tree write their rows (write_rows), and values their numbers
// (write_numbers), in the same order.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// The first fault of a program that its types show.
enum class nest_fault : std::uint8_t {
    none,
    too_large,
    same_name,
    reserved_name,
    other_shape,
    target_of_no_axes,
    free_axis,
    reduced_target,
    nested_reduction,
    partial_reduction,
    written_twice,
    read_before_written,
    read_and_written,
    no_result,
    unknown_extent,
    extents_differ,
    target_not_whole,
};

/// A constant, or the value of an input; `deduced`: not yet computed.
struct outline_extent {
    enum class source : std::uint8_t { deduced, constant, input };
    source from = source::deduced;
    std::int64_t value = 0; ///< the constant, or the number of the input

    [[nodiscard]] constexpr bool is_known() const { return from != source::deduced; }
    [[nodiscard]] constexpr bool is_constant() const { return from == source::constant; }
    [[nodiscard]] friend constexpr bool operator==(outline_extent const&,
                                                   outline_extent const&) = default;
};

struct outline_axis {
    static constexpr std::uint8_t no_array = 255;

    std::string_view name{};
    outline_extent extent{};
    bool has_own_extent = false;
    std::uint8_t from = no_array; ///< number of the array that determines the extent
};

struct outline_array {
    static constexpr std::size_t never = ~std::size_t{0};

    std::string_view name{};
    element_type element{};
    std::size_t rank = 0;
    std::array<outline_extent, 8> extents{};
    bool is_temporary = false;
    bool is_constant = false;
    bool has_row_stride = false;
    bool continues = false;         ///< the step that writes it starts with its content
    std::size_t written_by = never; ///< number of the step
    std::size_t read_by = never;    ///< number of the last step that reads it
    std::size_t first_read = never;

    [[nodiscard]] constexpr nest_role role() const
    {
        if (is_temporary) return nest_role::temporary;
        if (written_by == never) return nest_role::read;
        return continues ? nest_role::updated : nest_role::written;
    }
};

struct outline_input {
    std::string_view name{};
    element_type type{};
};

/// The axes that are single indices of one element; `none`: another index.
struct outline_use {
    static constexpr std::uint8_t none = 255;
    std::uint8_t array = 0;
    std::array<std::uint8_t, 8> axis{};
    bool is_target = false;
};

template <std::size_t N, class T>
using outline_list = std::array<T, (N == 0 ? 1 : N)>;

/// Words that cannot name a variable in C++, and words that generated code uses.
inline constexpr std::string_view reserved_words[] = {
    "alignas",   "alignof",      "and",           "and_eq",
    "asm",       "auto",         "bitand",        "bitor",
    "bool",      "break",        "case",          "catch",
    "char",      "char8_t",      "char16_t",      "char32_t",
    "class",     "co_await",     "co_return",     "co_yield",
    "compl",     "concept",      "const",         "const_cast",
    "consteval", "constexpr",    "constinit",     "continue",
    "decltype",  "default",      "delete",        "do",
    "double",    "dynamic_cast", "else",          "enum",
    "explicit",  "export",       "extern",        "false",
    "float",     "for",          "friend",        "goto",
    "if",        "inline",       "int",           "long",
    "main",      "mutable",      "namespace",     "new",
    "noexcept",  "not",          "not_eq",        "nullptr",
    "operator",  "or",           "or_eq",         "private",
    "protected", "public",       "register",      "reinterpret_cast",
    "requires",  "return",       "short",         "signed",
    "sizeof",    "static",       "static_assert", "static_cast",
    "std",       "attune",       "struct",        "switch",
    "template",  "this",         "thread_local",  "throw",
    "true",      "try",          "typedef",       "typeid",
    "typename",  "union",        "unsigned",      "using",
    "virtual",   "void",         "volatile",      "wchar_t",
    "while",     "xor",          "xor_eq"};

[[nodiscard]] constexpr bool is_reserved_word(std::string_view name)
{
    if (name.starts_with('_') || name.find("__") != name.npos) return true;
    if (name.size() < 2) return false; // no reserved word is shorter
    for (std::string_view const word : reserved_words)
        if (word.size() == name.size() && word[0] == name[0] && word == name) return true;
    return false;
}

/// These functions return the first fault that they find.
[[nodiscard]] constexpr nest_fault fault_of_names(std::span<std::string_view const> names)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (is_reserved_word(names[i])) return nest_fault::reserved_name;
        for (std::size_t k = 0; k < i; ++k)
            if (names[i] == names[k]) return nest_fault::same_name;
    }
    return nest_fault::none;
}

/// An axis that indexes two arrays with other extents there.
struct extent_conflict {
    std::uint8_t axis = 0;
    std::uint8_t array = 0; ///< the other array is outline_axis::from
    outline_extent extent{};
};

/// Sets the extents of axes: given ones, else those of targets, else those of arrays that are read.
[[nodiscard]] constexpr nest_fault deduce_extents(std::span<outline_axis> axes,
                                                  std::span<outline_array const> arrays,
                                                  std::span<outline_use const> uses,
                                                  extent_conflict& conflict)
{
    for (bool const targets : {true, false})
        for (outline_use const& use : uses)
            for (std::size_t d = 0; use.is_target == targets && d < arrays[use.array].rank; ++d) {
                if (use.axis[d] == outline_use::none) continue;
                outline_axis& at = axes[use.axis[d]];
                outline_extent const extent = arrays[use.array].extents[d];
                if (!at.extent.is_known()) {
                    at.extent = extent;
                    at.from = use.array;
                }
                if (at.extent == extent) continue;
                if (at.has_own_extent && targets) return nest_fault::target_not_whole;
                conflict = {use.axis[d], use.array, extent};
                return nest_fault::extents_differ;
            }
    for (outline_axis const& axis : axes)
        if (!axis.extent.is_known()) return nest_fault::unknown_extent;
    return nest_fault::none;
}

[[nodiscard]] constexpr nest_fault fault_of_order(std::span<outline_array const> arrays)
{
    bool has_result = false;
    for (outline_array const& of : arrays) {
        bool const is_written = of.written_by != outline_array::never;
        bool const is_read = of.first_read != outline_array::never;
        has_result = has_result || (is_written && !of.is_temporary);
        if (of.is_temporary &&
            (!is_written || of.continues || (is_read && of.first_read <= of.written_by)))
            return nest_fault::read_before_written;
        if (is_written && is_read && of.first_read <= of.written_by)
            return nest_fault::read_and_written;
    }
    return has_result ? nest_fault::none : nest_fault::no_result;
}

/// One part of a program. The parts that it contains precede it. A statement is the element of its
/// target, its reductions, its value, and the step.
struct nest_row {
    enum class part : std::uint8_t {
        term,           ///< a multiple of axis `which`
        index,          ///< the sum of the `count` preceding terms and an offset
        element,        ///< of array `which` at the `count` preceding indices
        read,           ///< the number in the preceding element
        value_of_index, ///< the preceding index, as a number
        node,           ///< operation `code` on the `count` preceding numbers; or input `which`
        result,         ///< result of reduction `which` of the statement
        over,           ///< axis `which` of the following reduction
        reduction,      ///< of the preceding number, over the preceding axes
        step,           ///< the end of a statement
    };
    static constexpr std::uint16_t no_number = 0xffff;

    part what{};
    nest_op code{};
    element_type type{}; ///< of the value; of a reduction: of its accumulator
    attune::reduction combine{};
    bool is_padded = false;
    bool is_value = false;    ///< the reduction is the statement's value
    bool continues = false;   ///< the reduction starts with the target's content
    element_type of_result{}; ///< of a reduction
    std::uint16_t count = 0;
    std::uint16_t which = 0;
    /// Factor of a term (default 1), offset of an index (default 0), or literal.
    std::uint16_t number = no_number;
    /// The extent in attune::prefix(), of a term. A constant is the place of its number.
    outline_extent stated{};
};

/// Receives rows, and finds the places of names.
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

/// Receives numbers: whole ones, and the bits of doubles.
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

/// A program: the rows of its type, and the numbers of one value of the type.
struct nest_form {
    std::string_view name;
    std::span<outline_array const> arrays;
    std::span<outline_axis const> axes;
    std::span<outline_input const> inputs;
    std::span<nest_row const> rows;
    std::span<std::uint64_t const> numbers;
    /// By argument: the number of an array, or the number of arrays plus that of an input.
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

/// Adds a term to a sum; terms stay ascending, and none is 0.
void add_term(affine_index& to, std::uint32_t axis, std::int64_t factor);

struct nest_builder {
    nest_description out;

    /// The index of the node; appends a new node.
    [[nodiscard]] std::uint32_t add_node(nest_node const& wanted);
    [[nodiscard]] std::uint32_t add_access(nest_access const& wanted);
    /// The node that computes the value of an index, in i32.
    [[nodiscard]] std::uint32_t add_index(affine_index const& index);
    /// Adds an array with the extents of `target` for the result of a reduction: "C_sum".
    [[nodiscard]] std::uint32_t add_temporary(std::uint32_t target, reduction combine,
                                              element_type element);
};

/// The description of a program. Equal parts occur once. Reductions inside a formula become
/// statements, whose results are temporaries.
[[nodiscard]] nest_description describe_form(nest_form const& program);

template <class Declaration>
[[nodiscard]] nest_description describe_nest(Declaration const& program)
{
    auto const numbers = program.numbers();
    return describe_form(Declaration::form(numbers));
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/nest_rows.ipp>
#endif
