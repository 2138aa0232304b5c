// attune/core/environment.hpp - the only reader of environment variables.
// SPDX-License-Identifier: MIT
// Source   man pages of secure_getenv and getauxval: AT_SECURE
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if this program has privileges that its caller lacks: by setuid, setgid, file
/// capabilities or a security module. Then attune ignores the caller's variables (one names the
/// cache folder), starts no worker, and opens no library from a variable or a search path.
[[nodiscard]] bool is_privileged_start() noexcept;

/// Value of a variable; empty if the variable is not set, or in a privileged start.
[[nodiscard]] std::string environment_variable(char const* name);

/// The environment of programs that attune starts, as "NAME=value": the environment of this
/// process. In a privileged start it has only PATH, with the system's folders.
[[nodiscard]] std::vector<std::string> environment_of_children();

/// While an object of this class exists, the functions above read a copy of the environment. The
/// first object makes the copy. Threads of a tuning then never read `environ`, which another thread
/// may change by setenv().
class environment_snapshot {
public:
    environment_snapshot();
    ~environment_snapshot();
    environment_snapshot(environment_snapshot const&) = delete;
    environment_snapshot& operator=(environment_snapshot const&) = delete;
};

/// Folders to search for programs if PATH is not set or must be ignored.
inline constexpr char const* system_folders = "/usr/local/bin:/usr/bin:/bin";

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/environment.ipp>
#endif
