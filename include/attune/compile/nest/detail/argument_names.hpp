// attune/compile/nest/detail/argument_names.hpp - names of arrays, inputs and axes that no local has.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether locals of the written texts, of C++ or CUDA, have names of this form, or derive such
/// names from those of arrays: `lane_`, `lane`, `A_stride`, `A_memory`, `A_value_at`.
[[nodiscard]] inline bool is_local_name(std::string_view name)
{
    constexpr std::array<std::string_view, 8> words{"lane",     "lanes",    "vec",     "threadIdx",
                                                    "blockIdx", "blockDim", "gridDim", "warpSize"};
    return name.ends_with('_') || name.ends_with("_stride") || name.ends_with("_memory") ||
           name.ends_with("_at") || std::find(words.begin(), words.end(), name) != words.end();
}

/// Whether a name of the program has the form of a local's.
[[nodiscard]] inline bool has_local_names(nest_description const& nest)
{
    auto const is_local = [](auto const& named) { return is_local_name(named.name); };
    return std::any_of(nest.arrays.begin(), nest.arrays.end(), is_local) ||
           std::any_of(nest.inputs.begin(), nest.inputs.end(), is_local) ||
           std::any_of(nest.axes.begin(), nest.axes.end(), is_local);
}

/// The program with a number behind each such name, so that no local has it: `lane0`, `A_0`. The
/// name of the program itself stays: its callers look it up.
/// @param taken  names that the text has besides
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

} // namespace attune::inline ATTUNE_ABI::detail
