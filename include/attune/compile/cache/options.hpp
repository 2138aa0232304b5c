// attune/compile/cache/options.hpp - options and statistics of the cache of compiled code.
// SPDX-License-Identifier: MIT
// tested by compile/cache/object_cache.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Where compiled code is kept, and how much.
struct cache_options {
    bool enabled = true;
    /// Empty: the first that is set of $ATTUNE_CACHE, $XDG_CACHE_HOME/attune and ~/.cache/attune.
    /// ATTUNE_CACHE=off turns the cache off, unless `folder` is set.
    std::string folder{};
    std::uint64_t limit_bytes = std::uint64_t{1} << 30; ///< on disk; least recently used goes first
};

/// Counts of lookups of one cache and its copies, in this process.
struct cache_statistics {
    std::uint64_t hits{};
    std::uint64_t misses{};
    std::uint64_t added{};
    std::uint64_t damaged{};   ///< files whose hash was wrong; they are removed
    std::string folder{};      ///< empty when the cache is off
    std::string off_because{}; ///< one sentence when the cache is off; else empty
};

namespace detail {

/// The files and places that a compilation depends on besides its key.
struct cache_inputs {
    /// Files whose content counts, and folders whose list of entries counts; absolute paths.
    std::vector<std::string> read{};
    /// Paths at which nothing may appear; with a slash at the end, a folder must stay there.
    std::vector<std::string> missed{};
    std::vector<std::string> tools{}; ///< programs and libraries, which are not read: their stamp
    std::int64_t began_ns{};          ///< start of the first read; ns of the system clock
    std::string folder{};  ///< the current folder, where a relative path took part; else empty
    bool unlisted = false; ///< there is more than these members tell: nothing is kept
};

/// Bytes found in a cache.
struct cached_bytes {
    std::string bytes{};
    std::string inputs{}; ///< key of the list of files that the bytes depend on, for add()
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
