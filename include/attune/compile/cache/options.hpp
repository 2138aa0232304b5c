// attune/compile/cache/options.hpp - what a cache of compiled code is told, and what it tells.
// SPDX-License-Identifier: MIT
// tested by compile/cache/object_cache.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Where compiled code is kept, and how much of it.
struct cache_options {
    bool enabled = true;
    /// Empty: $ATTUNE_CACHE, $XDG_CACHE_HOME/attune or ~/.cache/attune, the first that is set.
    /// ATTUNE_CACHE=off turns the cache off, unless a folder is given here.
    std::string folder{};
    std::uint64_t limit_bytes = std::uint64_t{1} << 30; ///< on disk; the least recently used goes
};

/// What became of the lookups of one cache and its copies, in this process.
struct cache_statistics {
    std::uint64_t hits{};
    std::uint64_t misses{};
    std::uint64_t added{};
    std::uint64_t damaged{};   ///< files that were not what was written; they are removed
    std::string folder{};      ///< empty when the cache is off
    std::string off_because{}; ///< one sentence when it is off; else empty
};

/// What a compilation depended on besides its key.
struct cache_inputs {
    std::vector<std::string> read{};   ///< files, absolute paths: their content counts
    std::vector<std::string> missed{}; ///< looked for and not there: they must stay absent
    std::vector<std::string> tools{};  ///< programs and libraries: size and time of change count
    std::int64_t began_ns{};           ///< when the first was read; nanoseconds of the system clock
};

/// Bytes that were found.
struct cached_bytes {
    std::string bytes{};
    std::string inputs{}; ///< names the list of files they depend on, for add()
};

} // namespace attune::inline ATTUNE_ABI
