// attune/core/posix/spawn.hpp - starts a program with chosen files, signals and process group.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A file that is open in a started program.
struct spawn_file {
    int number = -1; ///< descriptor in the started program
    int from = -1;   ///< descriptor in this process; negative: opens /dev/null
};

struct spawn_request {
    std::string path;                     ///< path of the program; PATH is not searched
    std::vector<std::string> arguments;   ///< the first is argv[0]
    std::vector<std::string> environment; ///< "NAME=value"
    std::vector<spawn_file> files;        ///< opened in this order
    int close_from = -1;                  ///< closes descriptors from this one on (glibc 2.34
                                          ///< and later); negative: none
};

/// The process id, or the reason why no program was started.
struct spawn_outcome {
    int process = -1;
    int error_code = 0; ///< an errno; 0: started
};

/// Starts a program in a separate process group: Ctrl-C does not reach it, and a kill can include
/// its children. In the program no signal is blocked, and all signals have their default actions.
[[nodiscard]] spawn_outcome spawn(spawn_request request);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/spawn.ipp>
#endif
