// attune/remember/problem/claim.ipp - a byte of the lock file for each problem.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/checked_open.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/claim.hpp>

#include <cerrno>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE
problem_claim::problem_claim(std::string const& path, std::string const& identity, double wait_s)
{
    // A folder at the end of another user's link has no locks. range_lock reports all else.
    if (create_folders_of(path, 0755) == EACCES) return;
    std::uint64_t place = 0;
    for (char const c : identity.substr(0, 15))
        place = place << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    lock_ = range_lock::take(path, {place}, wait_s);
}

} // namespace attune::inline ATTUNE_ABI::detail
