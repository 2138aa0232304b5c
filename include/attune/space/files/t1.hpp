// attune/space/files/t1.hpp - reads and writes spaces in the FAIR autotuning format.
// SPDX-License-Identifier: MIT
// Source   T1 input schema of the FAIR autotuning format (Kernel Tuner, KTT), the members
//          ConfigurationSpace.TuningParameters and ConfigurationSpace.Conditions
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A space as a T1 file, from which read_t1() makes the same valid configurations.
///
/// - "ConfigurationSpace" is complete. "KernelSpecification" has only "KernelName", the name of the
///   space; the user must add the other members.
/// - Conditions contain the values of inputs. Some readers of the format lack the functions
///   trunc_div and trunc_mod, which truncate as C++, ceil_div and select.
/// - The condition of a parameter is in two places. The member "ActiveIf" of the parameter is for
///   read_t1(). A condition with a member "Settles" is for other readers; read_t1() ignores it.
/// - Priors are left out, see left_out_of_t1().
/// @pre    bind_inputs() has made the tables
/// Errors  attune::error: a real parameter, a permutation, a tile, an array, an input without a
///         value, a constraint that is a function: the format has none of these
[[nodiscard]] std::string write_t1(named_space const& space);

/// A sentence for each part that write_t1() leaves out: priors.
[[nodiscard]] std::vector<std::string> left_out_of_t1(description const& space);

/// Reads
///
///     {"ConfigurationSpace": {
///        "TuningParameters": [{"Name": "TILE", "Type": "int", "Values": "[8, 16]", "Default": 8}],
///        "Conditions": [{"Parameters": ["TILE"], "Expression": "TILE % 8 == 0"}]},
///      "KernelSpecification": {"KernelName": "gemm"}}
///
/// "Values" is a JSON list, or a text that has a list in the notation of JSON or Python: [1, 2] +
/// [4], list(range(1, 9)), [2**i for i in range(6) if i != 3], ('a', 'b'). "Type" is int, uint,
/// float, double, bool or string; values must be of that type. A default may also be a text, or a
/// list of one value. The function ignores a default outside "Values", which published files have.
/// The name of the space is "KernelName", else "BenchmarkName" of "General", if the file has it.
/// The function reads "ActiveIf" and "Settles" of write_t1(), and ignores other members, which
/// describe kernels and measurements, unless a name is almost that of a member above.
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected, line and column
[[nodiscard]] named_space read_t1(std::string_view text, std::string const& source = "");

/// Reads the file at `path`, as read_t1().
/// Errors  attune::error: the file cannot be read; syntax_error
[[nodiscard]] named_space read_t1_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/t1.ipp>
#endif
