// attune/remember/problem/claim.ipp - a byte of the lock file for each problem.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/claim.hpp>

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE
problem_claim::problem_claim(std::string const& path, std::string const& identity, double wait_s)
{
    std::error_code ignored; // range_lock reports what cannot be opened
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    std::uint64_t place = 0;
    for (char const c : identity.substr(0, 15))
        place = place << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    lock_ = range_lock::take(path, {place}, wait_s);
}

} // namespace attune::inline ATTUNE_ABI::detail
