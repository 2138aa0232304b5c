// attune/compile/system/process.hpp - runs a program and collects its output; temporary folders.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct process_result {
    int exit_status = -1; ///< 0: success; -1: a signal or the time limit ended it, or unknown
    int signal = 0;       ///< the signal that ended it; 0: none
    bool timed_out = false;
    std::string output; ///< standard output and standard error, in order of arrival
    std::string errors; ///< standard error, if requested separately

    [[nodiscard]] bool succeeded() const noexcept { return exit_status == 0 && !timed_out; }
};

enum class output_streams {
    together,
    apart, ///< standard error separately; at least the last MiB of each
};

/// Runs `arguments` (the first is the program) and waits. The program's input is empty, its locale
/// is C, and its temporary files go to `temporary` if that is not empty. After `limit_s` wall
/// seconds the program and all its children are killed, even if it has closed its output. If this
/// process ignores or handles SIGCHLD, a shell runs the program and reports its exit status. If
/// another thread took an exit status, the program runs again, and from then on a shell runs each
/// program.
/// Errors   attune::error: no process can be started, or the program does not exist
[[nodiscard]] process_result run_process(std::vector<std::string> const& arguments, double limit_s,
                                         std::string const& temporary = {},
                                         output_streams how = output_streams::together);

/// The path of a program as the shell finds it; empty if there is none.
[[nodiscard]] std::string find_program(std::string const& name);

/// A new folder with mode 0700. In the process that made the folder, the destructor removes the
/// folder. A process that is killed, or ends during a compilation, leaves the folder. The next
/// process of this user with a temporary folder removes it.
class temporary_folder {
public:
    /// Errors   attune::error that names the parent folder
    temporary_folder();
    ~temporary_folder();
    temporary_folder(temporary_folder const&) = delete;
    temporary_folder& operator=(temporary_folder const&) = delete;

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Writes a file in the folder and creates subfolders.  @return  the full path
    [[nodiscard]] std::string write(std::string const& name, std::string const& text) const;

private:
    std::string path_;
    int lock_ = -1;  ///< locked during the life of this process
    long owner_ = 0; ///< process id: a forked child does not remove the folder
};

/// Removes temporary folders of this user in `parent` whose processes have ended.
void remove_dead_folders(std::string const& parent) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/process.ipp>
#endif
