// attune/ship/prepare.hpp - the winners of a store are compiled for processors that are not here.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What is compiled ahead, and for what.
struct prepare_request {
    std::string store{};                     ///< path
    std::string kernel_file{};               ///< path
    std::string kernel{};                    ///< its name in the store; empty: the only one
    std::vector<std::string> include_dirs{}; ///< where the kernel's headers are
    std::vector<std::string> levels{};       ///< "base", "x86-64-v2" ...; none: base
    std::string command = "c++";             ///< a compiler; one for another machine, too
    std::string folder{};                    ///< of the objects; made where it is missing
    double limit_s = 120;                    ///< wall seconds for one object
};

/// Compiles the default and at most ten winners of a kernel for each instruction set, as shared
/// objects for prepared_compiler. A compiler for another machine than x86-64 gets no flag -m of a
/// winner.
/// @return  sentences for the user
/// Errors   attune::error, and nothing is written: as bake(); a compiler that is not there, or that
///          cannot compile for an instruction set
std::vector<std::string> prepare(prepare_request const& request);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/prepare.ipp>
#endif
