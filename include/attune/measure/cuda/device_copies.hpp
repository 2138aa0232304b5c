// attune/measure/cuda/device_copies.hpp - the arrays that variants work on, and what they held.
// SPDX-License-Identifier: MIT
//
// The technique of the zones is that of guarded.hpp, without a page that faults
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

namespace attune::inline ATTUNE_ABI {

namespace detail {
/// Whether memory is one device's own: managed and pinned memory serve every device.
[[nodiscard]] bool is_bound_to_device(cuda::driver const& d, cuda::device_pointer at);
} // namespace detail

/// On either side of a copy; a pattern, which is looked at after first runs.
inline constexpr std::size_t zone_bytes = 256;

/// Which regions are meant.
enum class region_kind : std::uint8_t {
    written, ///< those that a kernel may write
    read,    ///< those that are only read
};

/// What some of the regions held at some moment. Nothing for the others.
struct saved_contents {
    std::vector<std::optional<device_memory>> of;
};

/// Copies of a call's arrays. Only load() reads the caller's memory of the device; what the host
/// holds may be read later too. All functions need the session's context to be current.
class device_copies {
public:
    /// Allocates; load() fills. The caller's memory outlives this object.
    /// Errors   attune::error: out of memory; an array that is not on this device, or is longer
    ///          than what is allocated there
    device_copies(std::shared_ptr<device_session> where, device_call const& call);

    /// The address that a kernel gets for array `i`.
    [[nodiscard]] cuda::device_pointer address(std::size_t i) const noexcept;
    [[nodiscard]] device_layout const& layout() const noexcept { return layout_; }
    /// Of all that may be written.
    [[nodiscard]] std::size_t writable_bytes() const noexcept;

    /// Takes over what the caller's arrays hold now, after all the context's pending work.
    /// Errors   attune::error: the driver's own
    void load();

    /// A copy of some regions; without those there is no room for.
    /// Errors   attune::error: the driver's own
    [[nodiscard]] saved_contents save(region_kind which, device_clock& clock);
    /// Whether all of those that are written were saved.
    [[nodiscard]] bool is_whole(saved_contents const& saved) const noexcept;
    /// Where array `i` lies in saved contents; 0 when they do not have it.
    [[nodiscard]] cuda::device_pointer address_in(saved_contents const& saved,
                                                  std::size_t i) const noexcept;
    /// Puts saved contents back, on the clock's stream; does not wait.
    /// Errors   `stopped`
    void restore(saved_contents const& saved, device_clock& clock);

    /// Fills the zones, on the clock's stream; does not wait. Errors  `stopped`
    void mend_zones(device_clock& clock);
    /// "written up to 4 bytes past the end of argument 2 (it has 80 bytes)"; empty when all zones
    /// are intact.
    /// @pre nothing runs  Errors  `stopped`
    [[nodiscard]] std::string damage();

    /// What array `i` holds.  @pre nothing runs  Errors  `stopped`
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i);
    /// Gives a writable array other contents.  @pre bytes.size() is its size  Errors  `stopped`
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_copies.ipp>
#endif
