// tests/support/privileged_start.hpp : this program, started with privileges that its caller lacks.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "sanitized.hpp"

namespace attune_test {

/// What a program wrote, standard error too, and its exit status; -1: a signal ended it.
struct ended_program {
    std::string output{};
    int exit_status = -1;
};

/// Starts `file` with exactly this environment; `prepare` is called in the new process before.
template <class Prepare>
[[nodiscard]] ended_program
run_with_environment(std::string const& file, std::vector<std::string> arguments,
                     std::vector<std::string> environment, Prepare const& prepare)
{
    auto const pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (std::string& text : texts)
            out.push_back(text.data());
        out.push_back(nullptr);
        return out;
    };
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return {};
    arguments.insert(arguments.begin(), file);
    // The leak sanitizer traces a program as it ends, which nobody may do to a privileged one.
    if (address_sanitized) environment.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    pid_t const id = ::fork();
    if (id == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        prepare(); // may use 3 and 4 for something else
        ::execve(file.c_str(), pointers(arguments).data(), pointers(environment).data());
        ::_exit(99);
    }
    ::close(ends[1]);
    ended_program run;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(ends[0], block.data(), block.size())) > 0;)
        run.output.append(block.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    if (::waitpid(id, &status, 0) == id && WIFEXITED(status)) run.exit_status = WEXITSTATUS(status);
    return run;
}

/// A copy of this program that belongs to nobody and is setuid: started by root, it has another
/// effective than real user, and the kernel sets AT_SECURE.
class setuid_copy {
public:
    setuid_copy()
    {
        if (::geteuid() != 0) {
            lacking_ = "this user may not give a file to another";
            return;
        }
        std::string name = (std::filesystem::temp_directory_path() / "attune-suid-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            lacking_ = "no temporary folder";
            return;
        }
        folder_ = name;
        std::error_code failed;
        std::filesystem::copy_file("/proc/self/exe", path(), failed);
        struct statvfs where{};
        constexpr uid_t nobody = 65534;
        bool const is_made = !failed && ::chmod(name.c_str(), 0755) == 0 &&
                             ::chown(path().c_str(), nobody, nobody) == 0 &&
                             ::chmod(path().c_str(), 04755) == 0 &&
                             ::statvfs(path().c_str(), &where) == 0;
        if (!is_made)
            lacking_ = "no file can be made setuid";
        else if ((where.f_flag & ST_NOSUID) != 0)
            lacking_ = "the folder for temporary files is mounted nosuid";
    }
    ~setuid_copy()
    {
        std::error_code ignored;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    }
    setuid_copy(setuid_copy const&) = delete;
    setuid_copy& operator=(setuid_copy const&) = delete;

    /// Empty: it can be started.
    [[nodiscard]] std::string const& lacking() const noexcept { return lacking_; }
    [[nodiscard]] std::string path() const { return folder_ + "/program"; }

private:
    std::string folder_{};
    std::string lacking_{};
};

} // namespace attune_test
