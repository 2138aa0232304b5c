// attune/cuda/capture.ipp - asks the driver about captures.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/capture.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail::cuda {

ATTUNE_INLINE bool is_captured(driver const& of, stream on) noexcept
{
    if (of.stream_is_capturing == nullptr) return false;
    int state = 0;
    result const got = of.stream_is_capturing(on, &state);
    return got == capture_implicit || (got == success && state != 0);
}

ATTUNE_INLINE void require_no_capture(driver const& of, std::string const& doing)
{
    if (!is_captured(of, nullptr)) return;
    throw error(doing + " would end a capture", "a stream of the same context is being captured",
                "do it before the capture begins, or after it has ended");
}

ATTUNE_INLINE void synchronize_context(driver const& of, std::string const& doing)
{
    require_no_capture(of, doing);
    require_success(of, of.context_synchronize(), doing);
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda
