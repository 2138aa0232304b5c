// attune/tune/program/device_source.ipp - the definitions of device_source.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/device/write_device_program.hpp>
#include <attune/compile/nest/nest_text.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/tune/program/configuration_text.hpp>
#include <attune/tune/program/device_source.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The arguments of the kernel as the program declares them.
[[nodiscard]] inline device_program_arguments device_arguments_of_call(program_text const& of)
{
    device_program_arguments out{of.arguments, {}};
    for (std::string const& type : of.signature.arguments)
        out.types.push_back(device_type(type));
    return out;
}

ATTUNE_INLINE device_program_kernel device_kernel_of(program_text const& program,
                                                     std::optional<device_limits> const& device)
{
    auto const space = std::make_shared<device_space const>(program.nest, device);
    device_program_kernel out;
    out.source = {"attune program for a GPU, writer " + std::to_string(device_writer_version) +
                      '\n' + text_of(program.nest),
                  program.nest.name + ".program.cu"};
    out.source.generate = [space, arguments = device_arguments_of_call(program)](description const&,
                                                                                 point const& at) {
        return write_device_program(space->schedule(at), arguments);
    };
    out.space = space->describe();
    out.launch.grid[0] = space->blocks();
    out.launch.block[0] = space->threads();
    out.launch.shared_bytes = space->shared_bytes();
    return out;
}

ATTUNE_INLINE std::string show_device_program(program_text const& program,
                                              std::string_view configuration,
                                              std::optional<device_limits> const& device)
{
    device_space const derived(program.nest, device);
    // A configuration is valid for some sizes where it is for arrays of one element.
    std::vector<input_value> ones;
    for (input_description const& input : derived.describe().inputs)
        ones.emplace_back(input.name, number::of(std::int64_t{1}));
    chain_of_trees const space(bind_inputs(derived.describe(), ones));
    point const at = point_in_text(space, default_schedule_of(space), configuration);
    return as_comment(text_of(program.nest) + "\nSchedule: " + text_of(space.describe(), at)) +
           '\n' + write_device_program(derived.schedule(at), device_arguments_of_call(program));
}

} // namespace attune::inline ATTUNE_ABI::detail
