// attune/compile/cache/detail/entry_file.hpp - the format of a file in the cache.
// SPDX-License-Identifier: MIT
//
// FNV-1a detects every change of a single byte, because each of its steps is a bijection. It takes
// 1.6 ms per megabyte. A second run reads 30 KB of entries in 0.05 ms; the parsed headers of
// clang_compiler, 2 MB, are read only before a compilation. A quicker hash would save less than
// 0.1 ms of a second run.
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view cache_entry_magic = "attune cache 1\n";
inline constexpr std::size_t cache_key_length = 32;

struct cache_entry {
    std::string inputs; ///< key of the input list, 32 digits
    std::string bytes;
};

/// "attune cache 1", the hash of all that follows, the key, the input list's key, the bytes.
[[nodiscard]] inline std::string cache_entry_text(std::string_view key, std::string_view inputs,
                                                  std::string_view bytes)
{
    std::string rest;
    rest.reserve(bytes.size() + 3 * cache_key_length);
    rest.append(key).append(inputs).append(bytes);
    return std::string(cache_entry_magic) + content_hash{}.add_raw(rest).hex() + rest;
}

/// @return  empty when `text` is no intact entry of `key`
[[nodiscard]] inline std::optional<cache_entry> parse_cache_entry(std::string_view key,
                                                                  std::string_view text)
{
    if (!text.starts_with(cache_entry_magic)) return {};
    text.remove_prefix(cache_entry_magic.size());
    if (text.size() < 3 * cache_key_length) return {};
    std::string_view const digest = text.substr(0, cache_key_length);
    text.remove_prefix(cache_key_length);
    if (content_hash{}.add_raw(text).hex() != digest || !text.starts_with(key)) return {};
    text.remove_prefix(cache_key_length);
    return cache_entry{std::string(text.substr(0, cache_key_length)),
                       std::string(text.substr(cache_key_length))};
}

} // namespace attune::inline ATTUNE_ABI::detail
