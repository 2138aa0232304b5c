// attune/declare/nest/nest_description.hpp - a program's axes, arrays, statements and operations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A number that the caller gives: an extent or an operand.
struct nest_input {
    std::string name;                      ///< a C++ identifier
    element_type type = element_type::i32; ///< of the argument; extents have i32 or i64
};

/// Number of steps of an axis, or of elements along one dimension: a constant, or an input's value.
struct nest_extent {
    std::int64_t constant = 0;      ///< >= 0; unused with an input
    std::uint32_t input = no_index; ///< index into `inputs`; no_index: the constant

    [[nodiscard]] friend bool operator==(nest_extent const&, nest_extent const&) = default;
};

/// A loop of the plain nest: 0 <= axis < extent. In a statement, an axis of the target's index is
/// spatial; any other is a reduction axis.
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

/// The sum of the terms and the offset. Terms have different axes in ascending order, and factors
/// other than 0, so that equal functions compare equal.
struct affine_index {
    std::vector<affine_term> terms{};
    std::int64_t offset = 0;

    [[nodiscard]] friend bool operator==(affine_index const&, affine_index const&) = default;
};

/// Origin of an array, and its use.
enum class nest_role : std::uint8_t {
    read,      ///< an argument of the kernel that is only read
    written,   ///< an argument; the call does not read its old contents
    updated,   ///< an argument that is read and written
    temporary, ///< memory of one call, which the call writes before it reads
};

/// Elements in C order: the last dimension is contiguous. An argument is a std::span<T> (T const,
/// if it is only read), attune::matrix_view<T> if it has a row stride, or attune::constant_view<T>
/// if it is constant.
struct nest_array {
    std::string name; ///< a C++ identifier
    element_type element{};
    nest_role role{};
    std::vector<nest_extent> extents{};
    bool has_row_stride = false; ///< two dimensions; the call gives the row distance in elements
    bool is_constant = false;    ///< only read, and equal in all calls, so packed forms stay valid
};

/// One element of an array, as a function of the axes.
struct nest_access {
    std::uint32_t array = no_index;
    std::vector<affine_index> at{}; ///< one per dimension
    bool is_padded = false;         ///< reads 0 outside the array; if false, it is always inside

    [[nodiscard]] friend bool operator==(nest_access const&, nest_access const&) = default;
};

enum class nest_op : std::uint8_t {
    literal,
    access, ///< the element of an access
    axis,   ///< the value of an axis, as a number
    input,  ///< the value of an input
    // one operand
    convert, ///< to the type of the node; from reals to whole numbers toward 0, as in C++
    negate,
    absolute,
    exponential,
    logarithm,
    square_root,
    hyperbolic_tangent,
    error_function,
    // two operands
    add,
    subtract,
    multiply,
    divide,
    minimum, ///< second < first ? second : first
    maximum, ///< first < second ? second : first
    // truths of two operands; only the first operand of select is a truth
    less,
    less_equal,
    equal,
    select, ///< a truth, the value if true, the value if false
};

/// An operation. Operands are indices of earlier nodes, converted to `type`: the type of the value,
/// or for a truth the type of both sides. Types are i32, u32, i64, u64, f32 and f64: reads convert
/// elements of narrower types. Whole numbers wrap around.
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

    /// Literals are equal if their bits are: 0.0 differs from -0.0, and NaN equals itself.
    [[nodiscard]] friend constexpr bool operator==(nest_node const& a, nest_node const& b)
    {
        return a.code == b.code && a.type == b.type && a.first == b.first && a.second == b.second &&
               a.third == b.third && a.access == b.access && a.axis == b.axis &&
               a.input == b.input &&
               std::bit_cast<std::uint64_t>(a.literal) == std::bit_cast<std::uint64_t>(b.literal);
    }
};

/// Ways to combine values over the reduction axes.
enum class reduction : std::uint8_t {
    none, ///< stores the value; no reduction axis
    sum,
    product,
    maximum,
    minimum,
    argument_of_maximum, ///< the first index of the largest value; along one axis
};

/// target = value, or target = the combination of value over the reduction axes, in their order,
/// the last axis fastest. The combination starts with the content of the target if the statement
/// continues, else with the neutral number of the accumulator's type. Statements run one after the
/// other, each over all of its axes. Spatial axes have the extents of the target.
///
/// An array is the target of at most one statement. This statement and earlier statements do not
/// read the array, so the order of spatial axes has no effect.
struct nest_statement {
    nest_access target{};              ///< each index is one axis; never padded
    std::vector<std::uint32_t> axes{}; ///< spatial axes in the target's order, then reduction axes
    std::uint32_t spatial_count = 0;   ///< the first of `axes`
    reduction combine{};
    bool continues = false;     ///< combines with the target's content: C += ..., or C *= ..., also
                                ///< without reduction axes
    element_type accumulator{}; ///< of the combination; of argument_of_maximum: of values
    std::uint32_t value = no_index; ///< index into `nodes`
};

/// A program of attune::nest: the computation of a nest of loops over arrays, without loop order,
/// tiles, vectors and copies. The arguments of its function are the arrays that are no temporaries,
/// in their order, then the inputs.
struct nest_description {
    std::string name; ///< of the function: a C++ identifier
    std::vector<nest_input> inputs;
    std::vector<nest_axis> axes;
    std::vector<nest_array> arrays;
    std::vector<nest_access> accesses; ///< accesses that nodes read, each once
    std::vector<nest_node> nodes;      ///< in evaluation order
    std::vector<nest_statement> statements;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Calls `visit(index, node)` once for each node of a value, those of the first operand first.
template <class Visit>
void for_each_node(nest_description const& nest, std::uint32_t value, Visit const& visit)
{
    std::vector<bool> seen(nest.nodes.size(), false);
    std::vector<std::uint32_t> open{value};
    while (!open.empty()) {
        std::uint32_t const n = open.back();
        open.pop_back();
        if (n == no_index || seen[n]) continue;
        seen[n] = true;
        nest_node const& node = nest.nodes[n];
        visit(n, node);
        open.insert(open.end(), {node.third, node.second, node.first});
    }
}

/// The text of all operations of a group has one form.
enum class nest_group : std::uint8_t {
    literal,
    access,
    axis,
    input,
    conversion,
    negation,
    magnitude,
    function,   ///< of one number, in <cmath>
    arithmetic, ///< of two numbers, with a sign between them
    bound,      ///< of two numbers; the result is one of them
    truth,      ///< of two numbers, with a sign between them
    choice,     ///< of three
};

/// Operations of one kind take about the same time on a processor.
enum class operation_kind : std::uint8_t {
    multiply_add, ///< a product, and the sum that it is added to
    add,
    multiply,
    divide,
    compare,
    function,
    other,
    convert,
    truth,
    selection,
    none, ///< no operation: a literal, or a number in memory
};

/// The properties of one operation of a program.
struct nest_operation_rules {
    nest_op of{};
    nest_group group{};
    std::uint8_t operands = 0;
    std::string_view sign{}; ///< in C++, or the name of a function
    int rank = 5;            ///< precedence in C++; a larger rank binds tighter
    operation_kind kind = operation_kind::none;
    bool is_costly = false; ///< takes longer than a load
};

// clang-format off
inline constexpr enum_table<nest_operation_rules, nest_op::select> nest_operations{{
    {nest_op::literal,            nest_group::literal},
    {nest_op::access,             nest_group::access},
    {nest_op::axis,               nest_group::axis},
    {nest_op::input,              nest_group::input},
    {nest_op::convert,            nest_group::conversion, 1, "cast",   5, operation_kind::convert},
    {nest_op::negate,             nest_group::negation,   1, "-",      4, operation_kind::other},
    {nest_op::absolute,           nest_group::magnitude,  1, "abs",    5, operation_kind::other},
    {nest_op::exponential,        nest_group::function,   1, "exp",    5, operation_kind::function, true},
    {nest_op::logarithm,          nest_group::function,   1, "log",    5, operation_kind::function, true},
    {nest_op::square_root,        nest_group::function,   1, "sqrt",   5, operation_kind::function, true},
    {nest_op::hyperbolic_tangent, nest_group::function,   1, "tanh",   5, operation_kind::function, true},
    {nest_op::error_function,     nest_group::function,   1, "erf",    5, operation_kind::function, true},
    {nest_op::add,                nest_group::arithmetic, 2, "+",      2, operation_kind::add},
    {nest_op::subtract,           nest_group::arithmetic, 2, "-",      2, operation_kind::add},
    {nest_op::multiply,           nest_group::arithmetic, 2, "*",      3, operation_kind::multiply},
    {nest_op::divide,             nest_group::arithmetic, 2, "/",      3, operation_kind::divide, true},
    {nest_op::minimum,            nest_group::bound,      2, "min",    5, operation_kind::compare},
    {nest_op::maximum,            nest_group::bound,      2, "max",    5, operation_kind::compare},
    {nest_op::less,               nest_group::truth,      2, "<",      1, operation_kind::truth},
    {nest_op::less_equal,         nest_group::truth,      2, "<=",     1, operation_kind::truth},
    {nest_op::equal,              nest_group::truth,      2, "==",     1, operation_kind::truth},
    {nest_op::select,             nest_group::choice,     3, "select", 5, operation_kind::selection},
}};
// clang-format on

[[nodiscard]] constexpr nest_operation_rules const& rules_of(nest_op code) noexcept
{
    return nest_operations[code];
}

/// The number that the combination of a reduction starts with.
enum class neutral_number : std::uint8_t { zero, one, lowest, highest };

/// The properties of one way to combine values.
struct reduction_rules {
    reduction of{};
    std::string_view name{};  ///< in a program's text
    nest_op step{};           ///< combines two values; of `none`, the target's content and a value
    neutral_number neutral{}; ///< start of the combination
    /// True if the step also joins combinations of two parts. False for argument_of_maximum, whose
    /// results are places.
    bool joins_parts = false;
};

// clang-format off
inline constexpr enum_table<reduction_rules, reduction::argument_of_maximum> rules_of_reductions{{
    {reduction::none,                "value",   nest_op::add,      neutral_number::zero},
    {reduction::sum,                 "sum",     nest_op::add,      neutral_number::zero,    true},
    {reduction::product,             "product", nest_op::multiply, neutral_number::one,     true},
    {reduction::maximum,             "max",     nest_op::maximum,  neutral_number::lowest,  true},
    {reduction::minimum,             "min",     nest_op::minimum,  neutral_number::highest, true},
    {reduction::argument_of_maximum, "argmax",  nest_op::maximum,  neutral_number::lowest},
}};
// clang-format on

[[nodiscard]] constexpr reduction_rules const& rules_of(reduction combine) noexcept
{
    return rules_of_reductions[combine];
}

/// Number of operations of each kind, on real and on whole numbers.
struct operation_counts {
    static constexpr auto kinds = static_cast<std::size_t>(operation_kind::none);
    std::array<double, kinds> of_reals{};
    std::array<double, kinds> of_wholes{};

    void add(operation_kind kind, bool is_real) noexcept
    {
        if (kind == operation_kind::none) return;
        (is_real ? of_reals : of_wholes)[static_cast<std::size_t>(kind)] += 1;
    }
    /// Operations of one kind, on real and whole numbers.
    [[nodiscard]] double of(operation_kind kind) const noexcept
    {
        return of_reals[static_cast<std::size_t>(kind)] + of_wholes[static_cast<std::size_t>(kind)];
    }
    /// All operations; a multiply-add counts as two.
    [[nodiscard]] double total() const noexcept
    {
        double out = of(operation_kind::multiply_add);
        for (std::size_t k = 0; k < kinds; ++k)
            out += of_reals[k] + of_wholes[k];
        return out;
    }
    /// Operations on real numbers; a multiply-add counts as two, a conversion as none.
    [[nodiscard]] double real_total() const noexcept
    {
        double out = of_reals[static_cast<std::size_t>(operation_kind::multiply_add)] -
                     of_reals[static_cast<std::size_t>(operation_kind::convert)];
        for (double const n : of_reals)
            out += n;
        return out;
    }
};

/// Operations of a statement. A product in a sum is one multiply-add. Shared parts count once.
[[nodiscard]] inline operation_counts operations_of(nest_description const& nest,
                                                    nest_statement const& statement)
{
    operation_counts out;
    bool const is_real = is_real_type(statement.accumulator);
    std::uint32_t fused = no_index; // the product in a sum
    if (statement.combine == reduction::sum && statement.value != no_index &&
        nest.nodes[statement.value].code == nest_op::multiply)
        fused = statement.value;
    if (fused != no_index)
        out.add(operation_kind::multiply_add, is_real);
    else if (statement.combine != reduction::none || statement.continues)
        out.add(rules_of(rules_of(statement.combine).step).kind, is_real);
    if (statement.combine == reduction::argument_of_maximum)
        out.add(operation_kind::selection, false); // selects the place
    for_each_node(nest, statement.value, [&](std::uint32_t n, nest_node const& node) {
        if (n != fused) out.add(rules_of(node.code).kind, is_real_type(node.type));
    });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
