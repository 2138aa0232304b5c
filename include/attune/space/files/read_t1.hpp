// attune/space/files/read_t1.hpp - reads spaces in the FAIR autotuning format.
// SPDX-License-Identifier: MIT
// Source   T1 input schema of the FAIR autotuning format (Kernel Tuner, KTT), the members
//          ConfigurationSpace.TuningParameters and ConfigurationSpace.Conditions
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// Reads
///
///     {"ConfigurationSpace": {
///        "TuningParameters": [{"Name": "TILE", "Type": "int", "Values": "[8, 16]", "Default": 8}],
///        "Conditions": [{"Parameters": ["TILE"], "Expression": "TILE % 8 == 0"}]},
///      "KernelSpecification": {"KernelName": "gemm"}}
///
/// "Values" is a JSON list, or a text with one in the notation of JSON or Python: [1, 2] + [4],
/// list(range(1, 9)), [2**i for i in range(6) if i != 3], ('a', 'b'). "Type" is int, uint, float,
/// double, bool or string; values must be of that type. A default may also be a text, or a list of
/// one value; one that is not listed, as in published files, is ignored. "ActiveIf" and "Settles"
/// are of write_t1(). The name of the space is "KernelName", else "BenchmarkName" of "General", if
/// given; other members describe kernels and measurements and are ignored.
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected, line and column
[[nodiscard]] named_space read_t1(std::string_view text, std::string const& source = "");

/// Reads the file at `path`, as above.
/// Errors  attune::error when it cannot be read; syntax_error
[[nodiscard]] named_space read_t1_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/read_t1.ipp>
#endif
