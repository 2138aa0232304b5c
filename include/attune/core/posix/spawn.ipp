// attune/core/posix/spawn.ipp - posix_spawn().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/spawn.hpp>

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Pointers to `texts`, then a null pointer.
[[nodiscard]] inline std::vector<char*> spawn_pointers(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

class spawn_settings {
public:
    explicit spawn_settings(spawn_request const& request)
    {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
        for (spawn_file const& file : request.files)
            if (file.from >= 0)
                ::posix_spawn_file_actions_adddup2(&files, file.from, file.number);
            else
                ::posix_spawn_file_actions_addopen(&files, file.number, "/dev/null",
                                                   file.number == 0 ? O_RDONLY : O_WRONLY, 0);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        if (request.close_from >= 0)
            ::posix_spawn_file_actions_addclosefrom_np(&files, request.close_from);
#endif
#endif
        sigset_t signals;
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&attributes, &signals);
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes, &signals);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        ::posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF |
                                                                   POSIX_SPAWN_SETSIGMASK |
                                                                   POSIX_SPAWN_SETPGROUP));
    }
    ~spawn_settings()
    {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    spawn_settings(spawn_settings const&) = delete;
    spawn_settings& operator=(spawn_settings const&) = delete;

    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
};

ATTUNE_INLINE spawn_outcome spawn(spawn_request request)
{
    std::vector<char*> const arguments = spawn_pointers(request.arguments);
    std::vector<char*> const environment = spawn_pointers(request.environment);
    spawn_settings const settings(request);
    pid_t id = -1;
    int const refused = ::posix_spawn(&id, request.path.c_str(), &settings.files,
                                      &settings.attributes, arguments.data(), environment.data());
    return {refused == 0 ? id : -1, refused};
}

} // namespace attune::inline ATTUNE_ABI::detail
