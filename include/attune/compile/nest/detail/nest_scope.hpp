// attune/compile/nest/detail/nest_scope.hpp - the facts, sums and names at the place where a line of a program is written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if locals of the written texts, C++ or CUDA, have names of this form, or derive
/// such names from those of arrays: `lane_`, `lane`, `A_stride`, `A_memory`, `A_value_at`.
[[nodiscard]] inline bool is_local_name(std::string_view name)
{
    constexpr std::array<std::string_view, 8> words{"lane",     "lanes",    "vec",     "threadIdx",
                                                    "blockIdx", "blockDim", "gridDim", "warpSize"};
    return name.ends_with('_') || name.ends_with("_stride") || name.ends_with("_memory") ||
           name.ends_with("_at") || std::find(words.begin(), words.end(), name) != words.end();
}

/// Returns true if a name of the program has the form of a local's.
[[nodiscard]] inline bool has_local_names(nest_description const& nest)
{
    auto const is_local = [](auto const& named) { return is_local_name(named.name); };
    return std::any_of(nest.arrays.begin(), nest.arrays.end(), is_local) ||
           std::any_of(nest.inputs.begin(), nest.inputs.end(), is_local) ||
           std::any_of(nest.axes.begin(), nest.axes.end(), is_local);
}

/// Adds a number to each such name, so that no local has it: `lane0`, `A_0`. The name of the
/// program itself stays, because its callers look it up.
/// @param taken  further names in the text
[[nodiscard]] inline nest_description without_local_names(nest_description nest,
                                                          std::set<std::string> taken = {})
{
    taken.insert(nest.name);
    auto const each = [&nest](auto const& visit) {
        for (nest_array& array : nest.arrays)
            visit(array.name);
        for (nest_input& input : nest.inputs)
            visit(input.name);
        for (nest_axis& axis : nest.axes)
            visit(axis.name);
    };
    each([&taken](std::string const& name) { taken.insert(name); });
    each([&taken](std::string& name) {
        if (!is_local_name(name)) return;
        int number = 0;
        while (taken.contains(name + std::to_string(number)))
            ++number;
        name += std::to_string(number);
        taken.insert(name);
    });
    return nest;
}

/// factor * variable, with known facts about the variable.
struct index_term {
    std::string variable;
    std::int64_t factor = 1;
    std::int64_t multiple = 1; ///< the variable is a multiple of this
    std::int64_t most = -1;    ///< its largest value; -1: unknown
};

struct index_sum {
    std::vector<index_term> terms;
    std::int64_t constant = 0;

    void add(index_sum const& other, std::int64_t factor)
    {
        for (index_term term : other.terms) {
            term.factor *= factor;
            terms.push_back(std::move(term));
        }
        constant += other.constant * factor;
    }
    [[nodiscard]] bool is_zero() const noexcept { return terms.empty() && constant == 0; }
    [[nodiscard]] bool is_one_word() const noexcept
    {
        return (terms.empty() && constant >= 0) ||
               (terms.size() == 1 && constant == 0 && terms.front().factor == 1);
    }
};

[[nodiscard]] inline std::string text_of(index_sum const& sum)
{
    std::string out;
    for (index_term const& term : sum.terms) {
        std::int64_t const size = term.factor < 0 ? -term.factor : term.factor;
        if (term.factor < 0)
            out += out.empty() ? "-" : " - ";
        else if (!out.empty())
            out += " + ";
        if (size != 1) out += std::to_string(size) + " * ";
        out += term.variable;
    }
    if (out.empty()) return std::to_string(sum.constant);
    if (sum.constant > 0) out += " + " + std::to_string(sum.constant);
    if (sum.constant < 0) out += " - " + std::to_string(-sum.constant);
    return out;
}

/// The sum as an operand of a product.
[[nodiscard]] inline std::string factor_text(index_sum const& sum)
{
    return sum.is_one_word() ? text_of(sum) : '(' + text_of(sum) + ')';
}

/// A product of known numbers and of inputs.
struct nest_size {
    std::int64_t constant = 1;
    std::vector<std::string> inputs;

    [[nodiscard]] bool is_known() const noexcept { return inputs.empty(); }
    void multiply(nest_size const& other)
    {
        constant *= other.constant;
        inputs.insert(inputs.end(), other.inputs.begin(), other.inputs.end());
    }
};

[[nodiscard]] inline std::string text_of(nest_size const& size)
{
    std::string out =
        size.constant == 1 && !size.inputs.empty() ? std::string{} : std::to_string(size.constant);
    for (std::string const& input : size.inputs)
        out += (out.empty() ? "" : " * ") + input;
    return out;
}

/// The size in numbers of 64 bits: extents of 32 bits have larger products.
[[nodiscard]] inline std::string long_text_of(nest_size const& size)
{
    return (size.is_known() ? "" : "1L * ") + text_of(size);
}

/// "sum * size", short if one of them is a number; to add to another text.
[[nodiscard]] inline std::string product_text(index_sum const& sum, nest_size size)
{
    if (size.is_known() && size.constant == 1) return text_of(sum);
    if (sum.terms.empty()) {
        size.constant *= sum.constant;
        return long_text_of(size);
    }
    return factor_text(sum) + " * " + text_of(size);
}

inline void append_sum(std::string& out, std::string const& text)
{
    if (text == "0") return;
    out += (out.empty() ? "" : " + ") + text;
}

/// Number of steps of an axis that remain for the loops further inside.
struct axis_count {
    std::string text;
    std::int64_t most = -1;  ///< -1: unknown
    std::int64_t tail = -1;  ///< the only smaller value that it may have; 0: none; -1: unknown
    bool is_decided = false; ///< the parameter of a tile: the compiler knows it in each instance

    [[nodiscard]] bool is_full() const noexcept { return tail == 0; }
};

/// An axis at a line of the text: its value is the sum of the offsets.
struct axis_place {
    std::vector<index_term> offsets; ///< offsets of the loops over it, outermost first
    axis_count count;
};

/// The entry into the loop of a buffer.
struct buffer_place {
    std::vector<std::size_t> offsets; ///< per axis: number of loops over it further out
    std::vector<axis_count> counts;   ///< per axis
};

/// The vector loop around a line.
struct lane_place {
    std::uint32_t axis = no_index; ///< no_index: none
    std::int64_t lanes = 0;
    std::string count; ///< number of lanes that count; empty: all
};

/// A local variable that holds the target of a reduction.
struct local_target {
    std::string name; ///< empty: none
    bool is_vector = false;
};

/// Returns true for an axis after the statement's spatial axes.
[[nodiscard]] inline bool is_reduction_axis(nest_statement const& statement, std::uint32_t axis)
{
    for (std::size_t i = statement.spatial_count; i < statement.axes.size(); ++i)
        if (statement.axes[i] == axis) return true;
    return false;
}
[[nodiscard]] inline bool is_spatial_axis(nest_statement const& statement, std::uint32_t axis)
{
    for (std::size_t i = 0; i < statement.spatial_count; ++i)
        if (statement.axes[i] == axis) return true;
    return false;
}

class nest_scope {
public:
    explicit nest_scope(loop_program const& of)
        : program(of)
        , locals(of.blocks.size())
        , buffers(of.buffers.size())
    {
        for (nest_array const& array : of.nest.arrays)
            used.insert(array.name);
        for (nest_input const& input : of.nest.inputs)
            used.insert(input.name);
        for (nest_axis const& axis : of.nest.axes) {
            std::int64_t const most = axis.extent.input == no_index ? axis.extent.constant : -1;
            axes.push_back({{}, {text_of_extent(axis.extent), most, most < 0 ? -1 : 0}});
        }
    }

    [[nodiscard]] std::string text_of_extent(nest_extent const& extent) const
    {
        return extent.input == no_index ? std::to_string(extent.constant)
                                        : program.nest.inputs[extent.input].name;
    }
    [[nodiscard]] nest_size size_of(nest_extent const& extent) const
    {
        if (extent.input == no_index) return {extent.constant, {}};
        return {1, {program.nest.inputs[extent.input].name}};
    }
    /// The value of an axis without the lane, from loop `from` over it on.
    [[nodiscard]] index_sum value_of(std::uint32_t axis, std::size_t from = 0) const
    {
        index_sum sum;
        axis_place const& place = axes[axis];
        for (std::size_t i = from; i < place.offsets.size(); ++i)
            sum.terms.push_back(place.offsets[i]);
        return sum;
    }
    [[nodiscard]] index_sum value_of(affine_index const& index) const
    {
        index_sum sum;
        for (affine_term const& term : index.terms)
            sum.add(value_of(term.axis), term.factor);
        sum.constant += index.offset;
        return sum;
    }
    [[nodiscard]] std::int64_t lane_factor(affine_index const& index) const
    {
        for (affine_term const& term : index.terms)
            if (term.axis == lane.axis) return term.factor;
        return 0;
    }
    [[nodiscard]] bool has_lane() const noexcept { return lane.axis != no_index; }

    /// A new name: `wish`, or `wish` with underscores.
    [[nodiscard]] std::string new_name(std::string wish) const
    {
        while (used.contains(wish))
            wish += '_';
        return wish;
    }

    void line(std::string const& text)
    {
        out.append(static_cast<std::size_t>(depth) * 4, ' ');
        out += text;
        out += '\n';
    }
    void open(std::string const& text)
    {
        line(text);
        ++depth;
    }
    void close(std::string const& text = "}")
    {
        --depth;
        line(text);
    }

    loop_program const& program;
    std::vector<axis_place> axes; ///< same order as the axes of the nest
    lane_place lane;
    std::vector<local_target> locals;  ///< per block
    std::vector<buffer_place> buffers; ///< same order as the buffers of the program
    std::set<std::string> used;        ///< names in use
    std::string out;
    int depth = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
