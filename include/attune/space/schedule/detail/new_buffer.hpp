// attune/space/schedule/detail/new_buffer.hpp - the name and the layout of a buffer that a program gets.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// `wish`, or with a number behind it where the program has that name.
inline std::string free_name(loop_program const& program, std::string const& wish)
{
    auto const is_taken = [&program](std::string const& name) {
        for (nest_array const& array : program.nest.arrays)
            if (array.name == name) return true;
        for (nest_axis const& axis : program.nest.axes)
            if (axis.name == name) return true;
        for (nest_input const& input : program.nest.inputs)
            if (input.name == name) return true;
        for (program_buffer const& buffer : program.buffers)
            if (buffer.name == name) return true;
        return false;
    };
    std::string name = wish;
    for (int i = 1; is_taken(name); ++i)
        name = wish + '_' + std::to_string(i);
    return name;
}

inline std::vector<layout_digit> plain_layout(std::size_t coordinates)
{
    std::vector<layout_digit> out;
    for (std::uint32_t c = 0; c < coordinates; ++c)
        out.push_back({c, 1});
    return out;
}

inline std::vector<affine_index> identity(std::size_t coordinates)
{
    std::vector<affine_index> out;
    for (std::uint32_t c = 0; c < coordinates; ++c)
        out.push_back({{{c, 1}}, 0});
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
