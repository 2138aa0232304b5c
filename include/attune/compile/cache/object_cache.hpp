// attune/compile/cache/object_cache.hpp - compiled code on disk, so that nothing is compiled twice.
// SPDX-License-Identifier: MIT
//
// The list of files in place of the preprocessor is the "direct mode" of ccache
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A folder of files that any number of processes and threads may share. Cheap to copy; copies
/// share their counts. Nothing is touched before the first find() or add().
///
/// Every file is checked against a hash before its content is given out. A damaged file is removed
/// and counts as absent. Files appear whole or not at all. The folder has mode 0700; a folder that
/// another user owns or may write to is refused. No function throws on account of the disk:
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
    /// The same for bytes that depend on the same files as others, which were found.
    /// @param inputs  cached_bytes::inputs of those others
    bool add(std::string const& key, std::string_view bytes, std::string const& inputs) const;

    void remove(std::string const& key) const;

    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/cache/object_cache.ipp>
#endif
