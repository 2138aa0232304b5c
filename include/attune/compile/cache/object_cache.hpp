// attune/compile/cache/object_cache.hpp - compiled code on disk, so that nothing is compiled twice.
// SPDX-License-Identifier: MIT
//
// The list of files in place of the preprocessor is the "direct mode" of ccache
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// A folder of files that any number of processes and threads may share. Cheap to copy; copies
/// share their counts. Nothing is touched before the first find() or add().
///
/// Every file is checked against a hash before its content is given out; one that is damaged is
/// removed and was never there. Files appear whole or not at all. The folder has mode 0700; one
/// that another user owns or may write to is refused. No function throws on account of the disk:
/// a cache that cannot be used finds nothing and keeps nothing.
class object_cache {
public:
    explicit object_cache(cache_options options = {});

    /// @param key  32 hexadecimal digits
    /// Cost  one small file, and one stat for every file the bytes depend on
    [[nodiscard]] std::optional<cached_bytes> find(std::string const& key) const;
    /// The same, not counted.
    [[nodiscard]] std::optional<cached_bytes> look(std::string const& key) const;

    /// @return  false when nothing was kept: the cache is off, the disk is full, or a file in
    ///          `inputs` is so new that it may have changed since it was read
    bool add(std::string const& key, std::string_view bytes, cache_inputs const& inputs) const;
    /// Bytes that depend on the same files as others that were found.
    bool add(std::string const& key, std::string_view bytes, std::string const& inputs) const;

    void remove(std::string const& key) const;

    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI
