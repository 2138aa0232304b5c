// attune/ship/prepare.hpp - compiles the winners of a store for other processors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct prepare_request {
    std::string store{};                     ///< path
    std::string kernel_file{};               ///< path
    std::string kernel{};                    ///< name in the store; empty: the only one
    std::vector<std::string> include_dirs{}; ///< folders of the kernel's headers
    std::vector<std::string> levels{};       ///< "base", "armv8.2-a+sve" ...; none: base
    std::string command = "c++";             ///< a compiler, perhaps for another machine
    std::string folder{};                    ///< folder of the objects; created if it is missing
    double limit_s = 120;                    ///< wall seconds for one object
};

/// Compiles the default and at most ten winners of a kernel for each instruction set, as shared
/// objects for prepared_compiler. A compiler for another machine gets no flag -m of a
/// winner.
/// @return  sentences for the user
/// Errors   attune::error, and nothing is written: see bake(); a missing compiler, or one that
///          cannot compile for an instruction set
std::vector<std::string> prepare(prepare_request const& request);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/prepare.ipp>
#endif
