// attune/core/environment.ipp - secure_getenv, and a copy of the environment.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/posix/fork_gate.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sys/auxv.h>

extern "C" char** environ;

namespace attune::inline ATTUNE_ABI::detail {

/// A copy of the environment, and the number of snapshots that use it.
struct held_environment {
    std::mutex turn{};
    std::shared_ptr<std::vector<std::string> const> entries{};
    std::size_t holders = 0;
};

/// Never destroyed: another thread may still tune while exit() runs. A fork waits for the lock of
/// this object.
[[nodiscard]] inline held_environment& held_here()
{
    static held_environment& one = *new held_environment;
    static bool const is_known_to_forks = [] {
        add_fork_part({.lock = [] { one.turn.lock(); },
                       .unlock = [] { one.turn.unlock(); },
                       .in_child = [] {}});
        watch_forks();
        return true;
    }();
    static_cast<void>(is_known_to_forks);
    return one;
}

/// Returns null if no snapshot exists.
[[nodiscard]] inline std::shared_ptr<std::vector<std::string> const> held_entries()
{
    held_environment& held = held_here();
    std::scoped_lock const guard(held.turn);
    return held.entries;
}

[[nodiscard]] inline std::vector<std::string> entries_of_environ()
{
    std::vector<std::string> out;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        out.emplace_back(*entry);
    return out;
}

ATTUNE_INLINE bool is_privileged_start() noexcept { return ::getauxval(AT_SECURE) != 0; }

ATTUNE_INLINE std::string environment_variable(char const* name)
{
    if (is_privileged_start()) return {};
    if (auto const held = held_entries()) {
        std::string const start = std::string(name) + '=';
        for (std::string const& entry : *held)
            if (entry.starts_with(start)) return entry.substr(start.size());
        return {};
    }
    char const* const value = ::secure_getenv(name);
    return value != nullptr ? value : "";
}

ATTUNE_INLINE std::vector<std::string> environment_of_children()
{
    if (is_privileged_start()) return {std::string("PATH=") + system_folders};
    if (auto const held = held_entries()) return *held;
    return entries_of_environ();
}

ATTUNE_INLINE environment_snapshot::environment_snapshot()
{
    held_environment& held = held_here();
    std::scoped_lock const guard(held.turn);
    if (held.holders++ == 0)
        held.entries = std::make_shared<std::vector<std::string> const>(entries_of_environ());
}

ATTUNE_INLINE environment_snapshot::~environment_snapshot()
{
    held_environment& held = held_here();
    std::scoped_lock const guard(held.turn);
    if (--held.holders == 0) held.entries.reset();
}

} // namespace attune::inline ATTUNE_ABI::detail
