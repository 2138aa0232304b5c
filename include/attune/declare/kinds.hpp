// attune/declare/kinds.hpp - the enumerations that a declaration and its run-time form share.
// SPDX-License-Identifier: MIT
// Source   kinds of parameters: BaCO Sec. 3.1 (real, integer, ordinal, categorical, permutation),
//          plus boolean and tile
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <exception>
#include <limits>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// Kind of value of an expression or a parameter.
enum class value_kind : std::uint8_t { boolean, integer, real, text, list };

/// Kind of domain of a parameter.
enum class parameter_kind : std::uint8_t {
    real,        ///< an interval
    integer,     ///< every whole number of a range
    ordinal,     ///< an ascending list of numbers
    categorical, ///< a list without order
    boolean,     ///< false, true
    permutation, ///< every order of N items
    tile,        ///< every way to write an extent as an ordered product of N factors
};

namespace detail {

/// Properties of one kind of parameter; its functions are in kind_rules.hpp.
struct kind_traits {
    parameter_kind of{};
    std::string_view name;    ///< name in files
    bool is_interval = false; ///< every number between two bounds; else counted values
    bool is_ordered = false;  ///< the values are ascending numbers
    bool is_truth = false;    ///< the values are false and true
    bool is_list = false;     ///< a value is several whole numbers
    bool is_order = false;    ///< a list of 0, 1, 2, ... once each, in any order
    bool is_factors = false;  ///< a list of numbers whose product is an extent
};

inline constexpr enum_table<kind_traits, parameter_kind::tile> traits_of_kinds{{
    {.of = parameter_kind::real, .name = "real", .is_interval = true},
    {.of = parameter_kind::integer, .name = "integer", .is_ordered = true},
    {.of = parameter_kind::ordinal, .name = "ordinal", .is_ordered = true},
    {.of = parameter_kind::categorical, .name = "categorical"},
    {.of = parameter_kind::boolean, .name = "boolean", .is_truth = true},
    {.of = parameter_kind::permutation, .name = "permutation", .is_list = true, .is_order = true},
    {.of = parameter_kind::tile, .name = "tile", .is_list = true, .is_factors = true},
}};

[[nodiscard]] constexpr kind_traits const& traits_of(parameter_kind kind) noexcept
{
    return traits_of_kinds[kind];
}

} // namespace detail

/// The form in which the value of a parameter reaches the compiler.
enum class parameter_role : std::uint8_t {
    macro,    ///< a macro of the parameter's name, which the kernel file uses
    flags,    ///< more flags for the compiler
    compiler, ///< the name of one compiler among several
};

/// The scale of distances between values of a parameter.
enum class scale : std::uint8_t { linear, log };

/// The rule by which the values of a range follow each other.
enum class progression : std::uint8_t { linear, doubling, divisors };

/// Distances between two orders of the same items.
enum class order_distance : std::uint8_t {
    spearman, ///< by how far items move; BaCO's default, best in its Sec. 5.3
    kendall,  ///< number of pairs of items whose order differs
    hamming,  ///< number of places with different items
    naive,    ///< 1 for different orders, as for choices without structure
};

/// An operation of an expression. Division and remainder truncate as in C++; the floor_ forms round
/// down, as expressions of Python tools do.
enum class op : std::uint8_t {
    integer,
    real,
    text,
    parameter,
    element,
    position,
    input, // leaves, without operands
    negate,
    logical_not,
    absolute, // one operand
    add,
    subtract,
    multiply,
    divide,
    modulo, // two operands
    floor_divide,
    floor_modulo,
    ceil_divide,
    minimum,
    maximum,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    select, // three operands: condition, value if true, value if false
};

namespace detail {

/// The most items of a permutation that is one coordinate: 12! orders fit 32 bits, 13! do not.
inline constexpr std::uint32_t max_permutation_items = 12;

/// The most items of any permutation, and the most elements of an array.
inline constexpr std::uint32_t max_group_parts = 1024;

} // namespace detail

/// The absent index of a node, a parameter, a text.
inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

/// A declaration with impossible values: a compile error if the declaration is constexpr, this
/// exception at run time.
class declaration_error : public std::exception {
public:
    explicit declaration_error(char const* sentence) noexcept
        : sentence_(sentence)
    {
    }
    [[nodiscard]] char const* what() const noexcept override { return sentence_; }

private:
    char const* sentence_;
};

} // namespace attune::inline ATTUNE_ABI
