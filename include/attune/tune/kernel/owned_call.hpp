// attune/tune/kernel/owned_call.hpp - a call on copies of its arrays, which outlives the caller's data.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes that an owned_call of this frame takes: whole pages, gaps between rows included.
[[nodiscard]] std::size_t bytes_to_own(call_frame const& frame);

/// A call_frame and the memory it refers to. Arrays that overlap do so in the copies as well, and
/// addresses are the same modulo 4096: the shape of the call is that of the caller's. Arrays of
/// pointers point to copies. Gaps between rows are not read.
class owned_call {
public:
    /// Copies the arrays. @pre  the frame is complete; its data can be read
    /// Errors   std::bad_alloc
    explicit owned_call(call_frame const& frame);

    [[nodiscard]] call_frame const& frame() const noexcept { return frame_; }

private:
    struct memory;
    std::shared_ptr<memory const> memory_; ///< shared with frames that were made smaller
    call_frame frame_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/owned_call.ipp>
#endif
