// attune/space/files/write_t1.hpp - writes spaces in the FAIR autotuning format.
// SPDX-License-Identifier: MIT
// Source   T1 input schema of the FAIR autotuning format (Kernel Tuner, KTT)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A space as a T1 file. "ConfigurationSpace" is complete; "KernelSpecification" has only
/// "KernelName", the name of the space, and the user must add the rest. Conditions contain the
/// values of inputs. read_t1() gives the same valid configurations. Priors are left out:
/// left_out_of_t1(). Whole-number operations that truncate as in C++ are written as trunc_div and
/// trunc_mod, also ceil_div and select: functions that some readers of the format do not have. The
/// condition of a parameter is written twice: as a member "ActiveIf" of the parameter, which
/// read_t1() reads, and for other readers as a condition with a member "Settles", which read_t1()
/// passes over.
/// @pre    bind_inputs() has made the tables
/// Errors  attune::error for a real parameter, a permutation, a tile, an array, an input without a
///         value, a constraint that is a function: the format has none of these
[[nodiscard]] std::string write_t1(named_space const& space);

/// A sentence for each thing that T1 has no form for and write_t1() leaves out: priors.
[[nodiscard]] std::vector<std::string> left_out_of_t1(description const& space);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_t1.ipp>
#endif
