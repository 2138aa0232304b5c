// attune/space/files/write_t1.hpp - spaces for other tuners, in the FAIR autotuning format.
// SPDX-License-Identifier: MIT
// Source   T1 input schema of the FAIR autotuning format (Kernel Tuner, KTT)
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// A space as a T1 file: "ConfigurationSpace" is complete, of "KernelSpecification" there is only
/// "KernelName", the name of the space; what else it must say, the user of the file knows. Inputs
/// stand in the conditions with their values. read_t1() gives the same valid configurations.
/// Whole-number operations that truncate as in C++ are called trunc_div and trunc_mod, ceil_div
/// rounds up and select chooses: functions that not every reader of the format has.
/// @pre    bind_inputs() has made the tables
/// Errors  attune::error for what the format cannot say: a real parameter, a permutation, a tile,
///         an input without a value, a constraint that is a function
[[nodiscard]] std::string write_t1(named_space const& space);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_t1.ipp>
#endif
