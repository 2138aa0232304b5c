// attune/compile/system/process.hpp - runs another program and takes what it says.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How a program ended.
struct process_result {
    int exit_status = -1; ///< 0 is success; -1 when a signal or the time limit ended it, or unknown
    int signal = 0;       ///< the signal that ended it, or 0
    bool timed_out = false;
    std::string output; ///< standard output and error, in the order in which they arrived

    [[nodiscard]] bool succeeded() const noexcept { return exit_status == 0 && !timed_out; }
};

/// Runs `arguments` (the first is the program) and waits. Input is empty, messages are English, and
/// temporary files of the program go to `temporary` when that is not empty. Past `limit_s` the
/// program and all its children are killed, also one that has closed its output. Where this process
/// ignores SIGCHLD, or waits for any child, a shell runs the program and reports its exit status.
/// Errors   attune::error when no process can be started; a program that does not exist is one
[[nodiscard]] process_result run_process(std::vector<std::string> const& arguments,
                                         double limit_s,
                                         std::string const& temporary = {});

/// The full path of a program as the shell would find it; empty when there is none.
[[nodiscard]] std::string find_program(std::string const& name);

/// A new folder of this process alone (mode 0700), removed with everything in it at the end, by the
/// process that made it. Where that was killed, or ended with a compiler at work, the next process
/// of this user that makes one removes it.
class temporary_folder {
public:
    /// Errors   attune::error that names the folder in which it could not be made
    temporary_folder();
    ~temporary_folder();
    temporary_folder(temporary_folder const&) = delete;
    temporary_folder& operator=(temporary_folder const&) = delete;

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Writes a file into it, with folders as needed.  @return its full path
    [[nodiscard]] std::string write(std::string const& name, std::string const& text) const;

private:
    std::string path_;
    int lock_ = -1;  ///< says that this process lives
    long owner_ = 0; ///< its id: a fork of it leaves the folder alone
};

/// Removes the temporary folders in `parent` that are this user's and whose processes are gone.
void remove_dead_folders(std::string const& parent) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/process.ipp>
#endif
