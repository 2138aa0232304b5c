// attune/measure/arrays/cache.hpp - puts the data of a call out of the caches before it is timed.
// SPDX-License-Identifier: MIT
//
// X86 and ARM flush line by line, which also reaches the caches that cores share; elsewhere a large
// array is read until nothing else can be left
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What a run finds in the caches when it is timed.
enum class cache_state : std::uint8_t {
    warm, ///< what the run before left there: for a kernel called over and over on the same data
    cold, ///< nothing of its arrays: for a kernel whose data come from elsewhere at every call
};

namespace detail {
/// An array of this length pushes everything else out of the caches: twice the last level that the
/// system tells of, 32 to 512 MiB.
[[nodiscard]] std::size_t sweep_bytes() noexcept;
} // namespace detail

/// Makes caches cold. The buffers keep their contents.
class cache_eviction {
public:
    /// @pre the memory behind the buffers outlives this object
    explicit cache_eviction(std::span<buffer const> buffers);

    /// Takes about a nanosecond per line of 64 bytes that is not cached, and more for one that is.
    /// @return  lines it went through: those of every buffer, or of the array that pushes them out
    std::size_t evict() noexcept;

private:
    std::vector<buffer> buffers_;
    std::vector<std::byte> sweep_; ///< empty where lines can be flushed
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/cache.ipp>
#endif
