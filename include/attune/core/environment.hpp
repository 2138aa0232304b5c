// attune/core/environment.hpp - the one place where attune reads environment variables.
// SPDX-License-Identifier: MIT
// Source   man pages of secure_getenv and getauxval: AT_SECURE
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// True when this program has privileges that its caller lacks: it is setuid or setgid, has file
/// capabilities, or a security module says so. Variables of the caller are then ignored: attune
/// starts no worker, opens no library that a variable or a search path names, and ignores a
/// variable's folder for the cache.
[[nodiscard]] bool is_privileged_start() noexcept;

/// The value of a variable; empty when it is not set, or when is_privileged_start().
[[nodiscard]] std::string environment_variable(char const* name);

/// The environment of programs that attune starts, as "NAME=value": that of this process; in a
/// privileged start only PATH, with the system's folders.
[[nodiscard]] std::vector<std::string> environment_of_children();

/// While one exists, the functions above read a copy of the environment made with the first one.
/// Threads of a tuning then never read `environ`, which another thread may change by setenv().
class environment_snapshot {
public:
    environment_snapshot();
    ~environment_snapshot();
    environment_snapshot(environment_snapshot const&) = delete;
    environment_snapshot& operator=(environment_snapshot const&) = delete;
};

/// Where programs are searched for when PATH is not set, or must be ignored.
inline constexpr char const* system_folders = "/usr/local/bin:/usr/bin:/bin";

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/environment.ipp>
#endif
