// attune/core/posix/spawn.hpp - another program, started with its own files, signals and process group.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A file that a started program has open.
struct spawn_file {
    int number = -1; ///< in the program
    int from = -1;   ///< the same file's number in this process; negative: /dev/null
};

/// A program to start.
struct spawn_request {
    std::string path;                     ///< of the program; PATH is not searched
    std::vector<std::string> arguments;   ///< the first is the program's name for itself
    std::vector<std::string> environment; ///< "NAME=value"
    std::vector<spawn_file> files;        ///< opened in this order
    int close_from = -1;                  ///< files of this number and above are closed, where the
                                          ///< system can do that; negative: none
};

/// Either a process or the reason why there is none.
struct spawn_outcome {
    int process = -1;
    int error_code = 0; ///< an errno; 0: started
};

/// Starts a program: in a process group of its own, so that Ctrl-C is for this process and the
/// program's children can be killed with it; no signal is blocked, and all have their defaults.
[[nodiscard]] spawn_outcome spawn(spawn_request request);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/spawn.ipp>
#endif
