// attune/ship/tool/detail/left_processes.hpp - ends the processes that a program has left behind.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// While an object lives, a process whose parent has ended becomes a child of this process. The
/// destructor ends the processes that a run has left, also those in other process groups, such as a
/// program that timeout(1) has started.
class left_processes {
public:
    left_processes()
        : before_(children())
    {
        ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_, 0UL, 0UL, 0UL);
        ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
    }
    ~left_processes()
    {
        end_all();
        ::prctl(PR_SET_CHILD_SUBREAPER, static_cast<unsigned long>(was_reaper_), 0UL, 0UL, 0UL);
    }
    left_processes(left_processes const&) = delete;
    left_processes& operator=(left_processes const&) = delete;

    /// Spares processes in sessions of their own: a server that the next run may use.
    void spare_services() noexcept { spares_services_ = true; }

private:
    using sessions = std::map<pid_t, pid_t>; ///< by process

    void end_all() noexcept
    try {
        for (int tries = 0; tries < 200; ++tries) { // an ended process leaves children
            sessions const now = children();
            bool is_done = true;
            for (auto const& [id, session] : now) {
                if (before_.contains(id) || (spares_services_ && session != ::getsid(0))) continue;
                is_done = false;
                ::kill(id, SIGKILL);
                ::waitpid(id, nullptr, WNOHANG);
            }
            if (is_done) return;
            ::usleep(1'000);
        }
    } catch (std::exception const&) { // no memory: the processes stay
    }

    [[nodiscard]] static sessions children()
    {
        sessions out;
        siginfo_t about{};
        if (::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
            return out;
        std::error_code no;
        for (std::filesystem::directory_iterator at("/proc", no), end; !no && at != end;
             at.increment(no)) {
            std::string const name = at->path().filename().string();
            if (name.find_first_not_of("0123456789") != name.npos) continue;
            std::ifstream in(at->path() / "stat");
            std::string const stat(std::istreambuf_iterator<char>(in), {});
            std::size_t const behind_name = stat.rfind(')');
            if (behind_name == stat.npos) continue; // it has ended
            std::istringstream fields(stat.substr(behind_name + 1));
            std::string state;
            pid_t parent = 0, group = 0, session = 0;
            fields >> state >> parent >> group >> session;
            if (parent == ::getpid()) out.emplace(static_cast<pid_t>(std::stol(name)), session);
        }
        return out;
    }

    sessions before_;
    bool spares_services_ = false;
    int was_reaper_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail::tool
