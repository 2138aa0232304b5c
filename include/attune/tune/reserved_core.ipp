// attune/tune/reserved_core.ipp - affinities, behind reserved_core.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/reserved_core.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#if defined(__linux__)
#include <sched.h>
#endif

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// False where there is no such thing as an affinity.
[[nodiscard]] inline bool run_only_on([[maybe_unused]] std::vector<int> const& processors)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int const p : processors)
        CPU_SET(static_cast<std::size_t>(p), &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
#else
    return false;
#endif
}

/// The hardware threads of the core that has this one, itself included.
[[nodiscard]] inline std::vector<int> hardware_threads_beside(int processor)
{
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                       "/topology/thread_siblings_list");
    std::string list;
    std::getline(file, list);
    std::vector<int> all = processors_of(list);
    if (std::find(all.begin(), all.end(), processor) == all.end()) all.push_back(processor);
    return all;
}

[[nodiscard]] inline std::vector<int> without(std::vector<int> from, std::vector<int> const& these)
{
    std::erase_if(from,
                  [&](int p) { return std::find(these.begin(), these.end(), p) != these.end(); });
    return from;
}

} // namespace detail

std::vector<int> allowed_processors()
{
    std::vector<int> out;
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
    for (int p = 0; p < CPU_SETSIZE; ++p)
        if (CPU_ISSET(static_cast<std::size_t>(p), &set)) out.push_back(p);
#endif
    return out;
}

std::size_t allowed_cores()
{
    std::vector<int> left = allowed_processors();
    std::size_t cores = 0;
    for (; !left.empty(); ++cores)
        left = detail::without(left, detail::hardware_threads_beside(left.front()));
    return std::max<std::size_t>(cores, 1);
}

std::vector<int> processors_of(std::string_view list)
{
    std::vector<int> out;
    char const* at = list.data();
    char const* const end = at + list.size();
    while (at != end) {
        int first = 0;
        auto read = std::from_chars(at, end, first);
        if (read.ec != std::errc{}) return out;
        int last = first;
        if (read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
            if (read.ec != std::errc{}) return out;
        }
        for (int p = first; p <= last; ++p)
            out.push_back(p);
        if (read.ptr == end || *read.ptr != ',') return out;
        at = read.ptr + 1;
    }
    return out;
}

bool reserved_core::hold()
{
    if (is_held()) return true;
#if defined(__linux__)
    std::vector<int> const allowed = allowed_processors();
    int const here = ::sched_getcpu();
    std::vector<int> others = detail::without(allowed, detail::hardware_threads_beside(here));
    if (others.empty()) others = detail::without(allowed, {here});
    if (others.empty() || here < 0 || !detail::run_only_on({here})) return false;
    before_ = allowed;
    others_ = std::move(others);
#endif
    return is_held();
}

void reserved_core::release() noexcept
{
    if (!is_held()) return;
    static_cast<void>(detail::run_only_on(before_));
    others_.clear();
}

bool reserved_core::leave_to_holder() const { return is_held() && detail::run_only_on(others_); }

} // namespace attune::inline ATTUNE_ABI
