// attune/tune/kernel/owned_call.hpp - copies of calls, which outlive the caller's data, and their common limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Copies keep their addresses modulo this many bytes: a page, the largest alignment of code.
inline constexpr std::size_t kept_alignment = 4096;

struct call_range {
    std::uintptr_t first;
    std::uintptr_t last; ///< one past the end
    bool on_device = false;
};

/// Returns the ranges of the arrays, sorted; overlapping ranges are merged.
[[nodiscard]] std::vector<call_range> ranges_of(call_frame const& frame);

/// Bytes that an owned_call of this frame takes: whole pages, including gaps between rows.
[[nodiscard]] std::size_t bytes_to_own(call_frame const& frame);

/// A call_frame and the memory it refers to. Copies overlap like the caller's arrays, and their
/// addresses are the same modulo 4096: the copied call has the same shape. Arrays of pointers point
/// to copies. Gaps between rows are not read.
class owned_call {
public:
    /// Copies the arrays.
    /// @param device  of arrays in a device's memory; null: there are none
    /// @param how     where these arrays are, and where their copies shall be
    /// @pre     the frame is complete; its data can be read, and the device does not change it
    /// Errors   std::bad_alloc; errors of device_target::make_array() and copy_array()
    explicit owned_call(call_frame const& frame, device_target const* device = nullptr,
                        array_copy how = array_copy::on_device);

    [[nodiscard]] call_frame const& frame() const noexcept { return frame_; }

private:
    struct memory;
    std::shared_ptr<memory const> memory_; ///< shared with frames from `resized`
    call_frame frame_;
};

/// A copy of a call, or the reason why there is none.
struct call_copy {
    std::shared_ptr<owned_call const> call{}; ///< null: refused
    /// Sentence for a notice; empty: there is no room now, but perhaps later.
    std::string refusal{};
};

/// Makes copies of calls. Any thread may use the object.
class call_copies {
public:
    /// @param most_bytes  of all copies: tuning_limits::copied_bytes
    explicit call_copies(std::size_t most_bytes);

    /// Copies the call. The copy, which may outlive this object, releases its room at its end.
    /// @param device  as in owned_call: its memory takes of the same room
    /// @pre  the frame is complete
    [[nodiscard]] call_copy make(call_frame const& frame,
                                 device_target const* device = nullptr) const;
    /// Returns true if a copy has room while there is no other.
    [[nodiscard]] bool can_ever_make(call_frame const& frame) const;

private:
    struct room;
    struct copy;
    std::shared_ptr<room> room_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/owned_call.ipp>
#endif
