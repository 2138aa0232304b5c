// attune/tune/program/device_source.hpp - a program as the source of a GPU kernel: space, text, launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/device_limits.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/program/program_source.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// What attune::kernel is made of.
struct device_program_kernel {
    kernel_source source; ///< its revision: the statements and the version of the writer
    description space;    ///< with the extents among the inputs
    launch_declaration launch;
};

/// @param device  what it is for; nothing: any device
/// Errors         attune::error: the program is none for a GPU, see device_space
[[nodiscard]] device_program_kernel
device_kernel_of(program_text const& program, std::optional<device_limits> const& device = {});

/// The CUDA text of one configuration, with the statements and the configuration in comments.
/// Errors   attune::error: as above; no such parameter or value; values that exclude each other
[[nodiscard]] std::string show_device_program(program_text const& program,
                                              std::string_view configuration,
                                              std::optional<device_limits> const& device = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/device_source.ipp>
#endif
