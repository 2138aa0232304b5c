// attune/core/environment.hpp - the one place where attune reads environment variables.
// SPDX-License-Identifier: MIT
// Source   man pages of secure_getenv and getauxval: AT_SECURE
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether this program has privileges that its caller lacks: it is setuid or setgid, has file
/// capabilities, or a security module says so. Then the caller's variables decide nothing: attune
/// starts no worker, opens no library that a variable or a search path of the caller names, and
/// keeps no cache where a variable says.
[[nodiscard]] bool is_privileged_start() noexcept;

/// The value of a variable; empty: it is not set, or is_privileged_start().
[[nodiscard]] std::string environment_variable(char const* name);

/// What programs that attune starts have for an environment, as "NAME=value": that of this process;
/// in a privileged start nothing but a PATH of the system's folders.
[[nodiscard]] std::vector<std::string> environment_of_children();

/// While one lives, the functions above say what the environment was when it was made. Threads of a
/// tuning do not read `environ` then, which another thread may change by setenv() at the same time.
class environment_snapshot {
public:
    environment_snapshot();
    ~environment_snapshot();
    environment_snapshot(environment_snapshot const&) = delete;
    environment_snapshot& operator=(environment_snapshot const&) = delete;
};

/// The folders that programs are looked for in where PATH says nothing, or may say nothing.
inline constexpr char const* system_folders = "/usr/local/bin:/usr/bin:/bin";

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/environment.ipp>
#endif
