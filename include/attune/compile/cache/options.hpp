// attune/compile/cache/options.hpp - options and statistics of the cache of compiled code.
// SPDX-License-Identifier: MIT
// tested by compile/cache/object_cache.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Place and size of the cache of compiled code.
struct cache_options {
    bool enabled = true;
    /// Empty: $ATTUNE_CACHE, else $XDG_CACHE_HOME/attune, else ~/.cache/attune. ATTUNE_CACHE=off
    /// turns the cache off, unless `folder` is set.
    std::string folder{};
    std::uint64_t limit_bytes =
        std::uint64_t{1} << 30; ///< size on disk; the least recently used code is removed first
};

/// Counts of lookups of one cache and its copies, in this process.
struct cache_statistics {
    std::uint64_t hits{};
    std::uint64_t misses{};
    std::uint64_t added{};
    std::uint64_t damaged{};   ///< files whose hash was wrong; they are removed
    std::string folder{};      ///< empty if the cache is off
    std::string off_because{}; ///< a sentence if the cache is off; else empty
};

namespace detail {

/// The files and places that a compilation depends on besides its key.
struct cache_inputs {
    /// Files that count by content, and folders that count by their list of entries; absolute
    /// paths.
    std::vector<std::string> read{};
    /// Paths that must stay absent. With a slash at the end: a folder that must stay one.
    std::vector<std::string> missed{};
    std::vector<std::string> tools{}; ///< programs and libraries; they count by their stamp, unread
    std::int64_t began_ns{};          ///< start of the first read; ns of the system clock
    std::string folder{};             ///< the current folder if a relative path matters; else empty
    bool unlisted = false;            ///< true: these members are incomplete, so nothing is kept
};

/// Bytes found in a cache.
struct cached_bytes {
    std::string bytes{};
    std::string inputs{}; ///< key of the list of files that the bytes depend on, for add()
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
