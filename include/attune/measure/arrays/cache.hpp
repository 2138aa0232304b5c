// attune/measure/arrays/cache.hpp - evicts the data of a call from the caches before it is timed.
// SPDX-License-Identifier: MIT
//
// On x86 and ARM each line is flushed, from shared caches too. On other processors, writes to a
// large array replace the contents of all caches.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The state of the caches at the start of a timed run.
enum class cache_state : std::uint8_t {
    warm, ///< as after the former run: for kernels that are called again on the same data
    cold, ///< without the call's arrays: for kernels that get new data at each call
};

namespace detail {

/// Bytes of an array that replaces all contents of the caches: twice the last level that the system
/// reports, from 32 to 512 MiB.
[[nodiscard]] std::size_t sweep_bytes() noexcept;

/// Evicts buffers from the caches, without a change of their contents.
class cache_eviction {
public:
    /// @pre the memory behind the buffers outlives this object
    explicit cache_eviction(std::span<buffer const> buffers);

    /// Cost  about 1 ns per line of 64 bytes that is not cached, more for a cached line
    /// @return  number of lines: of all buffers, or of the large array
    std::size_t evict() noexcept;

private:
    std::vector<buffer> buffers_;
    std::vector<std::byte> sweep_; ///< the large array; empty if lines can be flushed
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/cache.ipp>
#endif
