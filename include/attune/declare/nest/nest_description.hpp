// attune/declare/nest/nest_description.hpp - a program's axes, arrays and statements.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A number that the caller gives: an extent, or an operand.
struct nest_input {
    std::string name;                      ///< a C++ identifier
    element_type type = element_type::i32; ///< of the argument; of extents i32 or i64
};

/// Steps of an axis, or elements of an array along one dimension: a constant, or an input's value.
struct nest_extent {
    std::int64_t constant = 0;      ///< >= 0; unused with an input
    std::uint32_t input = no_index; ///< index into `inputs`; no_index: the constant

    [[nodiscard]] friend bool operator==(nest_extent const&, nest_extent const&) = default;
};

/// One loop of the plain nest: 0 <= axis < extent. For a statement it is spatial if its target's
/// index has it, and a reduction otherwise.
struct nest_axis {
    std::string name; ///< a C++ identifier
    nest_extent extent;
};

/// factor * axis
struct affine_term {
    std::uint32_t axis = no_index; ///< index into `axes`
    std::int64_t factor = 1;

    [[nodiscard]] friend bool operator==(affine_term const&, affine_term const&) = default;
};

/// The sum of its terms and the offset. Terms have ascending, different axes and factors other than
/// 0, so that equal functions compare equal.
struct affine_index {
    std::vector<affine_term> terms{};
    std::int64_t offset = 0;

    [[nodiscard]] friend bool operator==(affine_index const&, affine_index const&) = default;
};

/// Who owns an array and what happens to it.
enum class nest_role : std::uint8_t {
    read,      ///< an argument of the kernel that is only read
    written,   ///< an argument whose contents before the call do not count
    updated,   ///< an argument that is read and written
    temporary, ///< made and dropped by each call, and written before it is read
};

/// Elements in C order: the last dimension is contiguous. An argument is a std::span<T> (T const,
/// if it is only read), attune::matrix_view<T> if it has a row stride, or attune::constant_view<T>
/// if it is constant.
struct nest_array {
    std::string name; ///< a C++ identifier
    element_type element{};
    nest_role role{};
    std::vector<nest_extent> extents{};
    bool has_row_stride = false; ///< two dimensions; the call gives the elements from row to row
    bool is_constant = false;    ///< only read, and the same in all calls: forms of it are kept
};

/// One element of an array, as a function of the axes.
struct nest_access {
    std::uint32_t array = no_index;
    std::vector<affine_index> at{}; ///< one per dimension
    bool is_padded = false; ///< outside of the array it reads 0; else it never leaves the array

    [[nodiscard]] friend bool operator==(nest_access const&, nest_access const&) = default;
};

enum class nest_op : std::uint8_t {
    literal,
    access, ///< the element of an access
    axis,   ///< the value of an axis, as a number
    input,  ///< the value of an input
    // of one number
    convert, ///< to the type of the node; to whole numbers as C++ does: toward 0
    negate,
    absolute,
    exponential,
    logarithm,
    square_root,
    hyperbolic_tangent,
    error_function,
    // of two numbers
    add,
    subtract,
    multiply,
    divide,
    minimum, ///< second < first ? second : first
    maximum, ///< first < second ? second : first
    // truths, of two numbers; first operands of select alone
    less,
    less_equal,
    equal,
    select, ///< of three: a truth, the value if true, the value if false
};

/// One operation; its operands are indices of earlier nodes. Its type is that of the value, to
/// which operands are converted; of a truth, that of its operands. Types are i32, u32, i64, u64,
/// f32 and f64: elements of narrower types are converted where they are read. Whole numbers wrap
/// around.
struct nest_node {
    nest_op code{};
    element_type type{};
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    std::uint32_t third = no_index;
    double literal = 0;
    std::uint32_t access = no_index; ///< index into `accesses`
    std::uint32_t axis = no_index;   ///< index into `axes`
    std::uint32_t input = no_index;  ///< index into `inputs`

    [[nodiscard]] friend bool operator==(nest_node const&, nest_node const&) = default;
};

/// How the values of the reduction axes are combined.
enum class reduction : std::uint8_t {
    none, ///< the value is stored; no reduction axis
    sum,
    product,
    maximum,
    minimum,
    argument_of_maximum, ///< the first index at which the value is largest; along one axis
};

/// target = value, or target = the combination of value over the reduction axes: in their order,
/// the last one fastest, beginning with what the target holds (if it continues), else with 0, 1 or
/// the number of the accumulator's type below (above) all others. Statements run one after the
/// other, each over all of its axes; the spatial ones have the extents of the target.
///
/// An array is the target of one statement at most, and neither that statement nor an earlier one
/// reads it. So the order of the spatial axes decides nothing.
struct nest_statement {
    nest_access target{};              ///< each index is one axis alone; never padded
    std::vector<std::uint32_t> axes{}; ///< spatial ones in the order of the target, then reductions
    std::uint32_t spatial_count = 0;   ///< of `axes`
    reduction combine{};
    bool continues = false;         ///< combines with what the target holds: C += ..., or C *= ...,
                                    ///< of a value without reduction axes, too
    element_type accumulator{};     ///< in which the combination is kept; of argument_of_maximum,
                                    ///< that of the values
    std::uint32_t value = no_index; ///< index into `nodes`
};

/// A program: what a nest of loops over arrays computes. Made by attune::nest; loop order, tiles,
/// vectors and copies are no part of it. Arguments of the function are the arrays that are no
/// temporaries, in their order, then the inputs.
struct nest_description {
    std::string name; ///< of the function: a C++ identifier
    std::vector<nest_input> inputs;
    std::vector<nest_axis> axes;
    std::vector<nest_array> arrays;
    std::vector<nest_access> accesses; ///< those that nodes read, each once
    std::vector<nest_node> nodes;      ///< in evaluation order
    std::vector<nest_statement> statements;
};

} // namespace attune::inline ATTUNE_ABI
