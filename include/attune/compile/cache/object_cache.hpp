// attune/compile/cache/object_cache.hpp - a cache of compiled code on disk: options, statistics, keys.
// SPDX-License-Identifier: MIT
//
// The list of files replaces a run of the preprocessor, as in the "direct mode" of ccache.
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// A folder of files that processes and threads share. Copies are cheap and share their counts. The
/// first find() or add() opens the first file.
///
/// Every file is checked against its hash when it is read; a damaged file is removed and counts as
/// absent. Files are written completely or not at all. The folder has mode 0700. No code of another
/// user is loaded: a folder that another user owns or may write to is refused, and such a file
/// counts as damaged. No function throws because of the disk: an unusable cache finds nothing and
/// keeps nothing.
class object_cache {
public:
    explicit object_cache(cache_options options = {});

    /// @param key  32 hexadecimal digits
    /// Cost  reads one small file, and one stat for every file that the bytes depend on
    [[nodiscard]] std::optional<cached_bytes> find(std::string const& key) const;
    /// Like find(), without a change of the statistics.
    [[nodiscard]] std::optional<cached_bytes> look(std::string const& key) const;

    /// @return  false if nothing was kept: the cache is off, the disk is full, or a file in
    ///          `inputs` may have changed after it was read
    bool add(std::string const& key, std::string_view bytes, cache_inputs const& inputs) const;
    /// Adds bytes that depend on the same files as bytes found before.
    /// @param inputs  cached_bytes::inputs of the found bytes
    bool add(std::string const& key, std::string_view bytes, std::string const& inputs) const;

    void remove(std::string const& key) const;

    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// A hash of the process's state that a compilation reads: the variables that compilers read, and
/// the current folder if a relative path matters. The hash leaves out the text, the flags and the
/// files.
///
/// @param kernel  with the compiler's flags before its own
/// @return  32 hexadecimal digits
[[nodiscard]] std::string surroundings_of(kernel_source const& kernel, compile_request const& v);

/// 32 hexadecimal digits that depend on the text, path, include folders, flags, macros, signature,
/// compiler and surroundings_of(), but not on included files: see cache_inputs.
///
/// @param kind      type of the cached bytes: "object", "shared object"
/// @param compiler  everything that identifies the compiler, its flags and the processor
[[nodiscard]] std::string request_key(std::string_view kind, std::string_view compiler,
                                      kernel_source const& kernel, compile_request const& v);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/cache/object_cache.ipp>
#endif
