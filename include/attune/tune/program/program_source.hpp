// attune/tune/program/program_source.hpp - a program as a kernel's source, on processors and GPUs: options, space, text, launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/element.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The options of program.kernel(options).
struct program_options {
    /// The rules that make the space: the first rule that applies to a statement schedules it. Put
    /// your own rules before default_schedule_rules(). Empty: the default rules.
    std::vector<schedule_rule> rules{};
    /// Target of the schedules; empty: this processor, one thread. With `cores` above 1 loops may
    /// be parallel, and the kernel is compiled with -fopenmp.
    std::optional<processor_shape> processor{};
    /// Allowed difference of a result from the plain nest's; empty: see program_tolerance().
    std::optional<tolerance> within{};
    /// True: attune tunes for each value of the inputs that are extents. False: the winner of the
    /// first call serves all sizes, once it is verified for them.
    bool tune_each_size = true;
    /// Target of a program for a GPU; empty: any device. The program's blocks may use all that the
    /// device allows, and the default uses tensor cores if it has them; see device_space. A tuning
    /// leaves out configurations that the compiler's device cannot launch. Devices of other limits
    /// have separate records.
    ///
    /// Example  layer.device_kernel({.device = compiler.target().limits})
    std::optional<device_limits> device{};
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the defaults of the rules, or the nearest valid configuration if the defaults exclude
/// each other.
/// Errors   attune::error: the space has no configuration
[[nodiscard]] point default_schedule_of(chain_of_trees const& space);

/// Returns the configuration that a text of a report or of known_choice names: "C_ROWS=8
/// C_COLUMNS=2".
/// @param at  has the values of parameters that the text does not name
/// Errors   attune::error: no such parameter or value, or values that exclude each other
[[nodiscard]] point point_in_text(chain_of_trees const& space, point at,
                                  std::string_view configuration);

/// A program without its types.
struct program_text {
    nest_description nest;
    compile_request signature; ///< of the kernel: types of the arguments
    /// By argument: index of an array, or the number of arrays plus index of an input.
    std::vector<std::size_t> arguments;
};

/// @param signature  of the kernel
/// @param form       form of the same program, with the order of the arguments
[[nodiscard]] program_text text_of_program(nest_description nest, compile_request signature,
                                           nest_form const& form);

struct program_kernel {
    kernel_source source; ///< its revision: the statements, the rules, the version of the writer
    description space;    ///< with the extents among the inputs, unless one tuning serves all sizes
};

/// Errors   attune::error: no rule schedules a statement
[[nodiscard]] program_kernel kernel_of(program_text const& program, program_options const& options);

/// Returns a generator that writes `more` after each text of `own`: another function, which the
/// kernel calls. Readers get both, without facts of the program.
[[nodiscard]] std::shared_ptr<text_generator const>
with_appended(std::shared_ptr<text_generator const> own, std::string more);

/// Returns the C++ text of a configuration with comments: the statements, the configuration, the
/// steps that lead to it. The text includes nothing and has one C function: see write_program().
/// @param configuration  "C_ROWS=8 C_COLUMNS=2", as in reports and known_choice; parameters that it
///                       does not name have their defaults
/// Errors   errors of kernel_of(); attune::error: no such parameter or value, or values that
///          exclude each other
[[nodiscard]] std::string show_program(program_text const& program, std::string_view configuration,
                                       program_options const& options);

/// Returns the text with `//` before each line.
[[nodiscard]] std::string as_comment(std::string_view text);

/// A program as the source of a GPU kernel: space, text, launch.
struct device_program_kernel {
    kernel_source source; ///< its revision: the statements and the version of the writer
    description space;    ///< with the extents among the inputs
    launch_declaration launch;
};

/// @param device  target of the kernel; empty: any device
/// Errors         attune::error: the program cannot run on a GPU, see device_space
[[nodiscard]] device_program_kernel
device_kernel_of(program_text const& program, std::optional<device_limits> const& device = {});

/// Returns the CUDA text of one configuration, with statements and configuration in comments.
/// Errors   errors of device_kernel_of(); attune::error: no such parameter or value, or values that
///          exclude each other
[[nodiscard]] std::string show_device_program(program_text const& program,
                                              std::string_view configuration,
                                              std::optional<device_limits> const& device = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/program_source.ipp>
#endif
