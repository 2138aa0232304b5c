// attune/compile/clang/detail/memory_room.hpp - whether the limits of this process leave memory for LLVM.
// SPDX-License-Identifier: MIT
//
// LLVM is built without exceptions: where memory runs out inside it, it ends the process. So attune
// asks before it enters LLVM.
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes that `ulimit -v` and `ulimit -d` still allow this process; infinity without such a limit,
/// or where the system does not tell the memory in use.
[[nodiscard]] inline double allowed_bytes()
{
    constexpr double none = std::numeric_limits<double>::infinity();
    auto const limit_of = [](auto which) {
        rlimit limit{};
        bool const is_set = ::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
        return is_set ? static_cast<double>(limit.rlim_cur) : none;
    };
    double const addresses = limit_of(RLIMIT_AS);
    double const data = limit_of(RLIMIT_DATA);
    if (!(addresses < none) && !(data < none)) return none;
    unsigned long all = 0;
    unsigned long written = 0; // data and stack: sixth of the numbers, in pages
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return none;
    bool const is_read = std::fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &written) == 2;
    std::fclose(file);
    if (!is_read) return none;
    auto const page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return std::min(addresses - page * static_cast<double>(all),
                    data - page * static_cast<double>(written));
}

/// Returns a sentence if fewer than `bytes` are allowed, else an empty text.
/// @param what  "to link a variant"
[[nodiscard]] inline std::string lack_of_memory(double bytes, std::string const& what)
{
    double const left = allowed_bytes();
    if (left >= bytes) return {};
    auto const mib = [](double b) {
        return std::to_string(static_cast<long>(std::max(b, 0.0) / (1 << 20))) + " MiB";
    };
    return "the memory limit of this process (ulimit -v, ulimit -d) leaves " + mib(left) +
           ", and " + mib(bytes) + " are needed " + what;
}

} // namespace attune::inline ATTUNE_ABI::detail
