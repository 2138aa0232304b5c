// attune/measure/cuda/device_copies.hpp - the arrays that variants use, and their saved contents.
// SPDX-License-Identifier: MIT
//
// Zones work as the pattern of guarded.hpp, but without a page that faults.
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_layout.hpp>
#include <attune/measure/cuda/device_memory.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// True for memory of one device; managed and pinned memory can be used by every device.
[[nodiscard]] bool is_bound_to_device(cuda::driver const& d, cuda::device_pointer at);

/// Size of the zone on either side of a copy; it contains a pattern that is checked after first
/// runs.
inline constexpr std::size_t zone_bytes = 256;

/// A selection of regions.
enum class region_kind : std::uint8_t {
    written, ///< regions that a kernel may write
    read,    ///< regions that are only read
};

/// Copies of the contents of some regions; empty for the others.
struct saved_contents {
    std::vector<std::optional<device_memory>> of;
};

/// Copies of a call's arrays. Only load() reads the caller's device memory; host memory may be read
/// later too. All functions need the session's context to be current.
class device_copies {
public:
    /// Allocates; load() fills. The caller's memory must outlive this object.
    /// Errors   attune::error: out of memory; an array that is not on this device, or exceeds its
    ///          allocation
    device_copies(std::shared_ptr<device_session> where, device_call const& call);

    /// The address of array `i` for a kernel.
    [[nodiscard]] cuda::device_pointer address(std::size_t i) const noexcept;
    [[nodiscard]] device_layout const& layout() const noexcept { return layout_; }
    /// Bytes of all regions that may be written.
    [[nodiscard]] std::size_t writable_bytes() const noexcept;

    /// Copies the contents of the caller's arrays, after all pending work of the context.
    /// Errors   attune::error: the driver's own
    void load();

    /// Copies some regions, except those for which there is no room.
    /// Errors   attune::error: the driver's own
    [[nodiscard]] saved_contents save(region_kind which, device_clock& clock);
    /// True when all non-empty written regions were saved.
    [[nodiscard]] bool is_whole(saved_contents const& saved) const noexcept;
    /// The address of array `i` in saved contents; 0 when it was not saved.
    [[nodiscard]] cuda::device_pointer address_in(saved_contents const& saved,
                                                  std::size_t i) const noexcept;
    /// Enqueues copying saved contents back, on the clock's stream.
    /// Errors   `stopped`
    void restore(saved_contents const& saved, device_clock& clock);

    /// Enqueues filling the zones, on the clock's stream.
    /// Errors   `stopped`
    void mend_zones(device_clock& clock);
    /// "written up to 4 bytes past the end of argument 2 (it has 80 bytes)"; empty when all zones
    /// are intact.
    /// @pre the device is idle
    /// Errors   `stopped`
    [[nodiscard]] std::string damage();

    /// The contents of array `i`.
    /// @pre the device is idle
    /// Errors   `stopped`
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i);
    /// Sets the contents of a writable array.
    /// @pre bytes.size() is its size
    /// Errors   `stopped`
    void set_contents(std::size_t i, std::span<std::byte const> bytes);

private:
    void require_on_device(std::size_t i) const;
    [[nodiscard]] cuda::device_pointer begin_of(std::size_t region) const noexcept;
    [[nodiscard]] std::vector<bool> written_in(cuda::device_pointer zone, std::size_t bytes);

    std::shared_ptr<device_session> where_;
    std::vector<device_buffer> buffers_;
    device_layout layout_;
    std::vector<device_memory> memory_; ///< of each region, with its zones
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_copies.ipp>
#endif
