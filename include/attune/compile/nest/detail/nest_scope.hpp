// attune/compile/nest/detail/nest_scope.hpp - what is known where a line of a program is written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/index_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How many steps of an axis are left to the loops further inside.
struct axis_count {
    std::string text;
    std::int64_t most = -1;  ///< -1: unknown
    std::int64_t tail = -1;  ///< the one smaller value that it may have; 0: none; -1: unknown
    bool is_decided = false; ///< the parameter of a tile: the compiler knows it in each instance

    [[nodiscard]] bool is_full() const noexcept { return tail == 0; }
};

/// An axis where a line is written: its value is the sum of the offsets.
struct axis_place {
    std::vector<index_term> offsets; ///< of the loops over it, outermost first
    axis_count count;
};

/// Where the loop of a buffer was entered.
struct buffer_place {
    std::vector<std::size_t> offsets; ///< per axis: how many loops over it are further out
    std::vector<axis_count> counts;   ///< per axis
};

/// The vector loop that a line is in.
struct lane_place {
    std::uint32_t axis = no_index; ///< no_index: none
    std::int64_t lanes = 0;
    std::string count; ///< of lanes that count; empty: all
};

/// A local variable that holds the target of a reduction.
struct local_target {
    std::string name; ///< empty: none
    bool is_vector = false;
};

/// A statement's reduction axes are those after the spatial ones.
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
    /// The value of an axis without the lane; of the loops inside a buffer's only, where given.
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

    /// A name that nothing else has: `wish`, or `wish` with underscores.
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
    std::vector<axis_place> axes; ///< as those of the nest
    lane_place lane;
    std::vector<local_target> locals;  ///< per block
    std::vector<buffer_place> buffers; ///< as those of the program
    std::set<std::string> used;        ///< names
    std::string out;
    int depth = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
