// attune/compile/detail/opening_library.hpp - forks wait while a library is being opened.
// SPDX-License-Identifier: MIT
//
// The child of a fork amid dlopen() takes a library for open whose constructors never ran.
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <mutex>

namespace attune::inline ATTUNE_ABI::detail {

/// While one exists on a thread, the program's forks on other threads wait. One inside another on
/// the same thread does nothing, and neither does a fork of that thread.
class opening_library {
public:
    opening_library()
    {
        static bool const once = [] {
            watch_forks();
            add_fork_part({.lock =
                               [] {
                                   if (depth() == 0) turn().lock();
                               },
                           .unlock =
                               [] {
                                   if (depth() == 0) turn().unlock();
                               },
                           .in_child = [] {}});
            return true;
        }();
        static_cast<void>(once);
        if (depth() == 0) turn().lock();
        ++depth();
    }
    ~opening_library()
    {
        --depth();
        if (depth() == 0) turn().unlock();
    }
    opening_library(opening_library const&) = delete;
    opening_library& operator=(opening_library const&) = delete;

private:
    /// Never destroyed: a fork may happen at any time.
    [[nodiscard]] static std::mutex& turn()
    {
        static auto* const made = new std::mutex;
        return *made;
    }
    [[nodiscard]] static int& depth() noexcept
    {
        static thread_local int now = 0;
        return now;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
