// attune/cuda/capture.hpp - driver calls beside streams that other threads capture.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, cuThreadExchangeStreamCaptureMode and cuStreamIsCapturing
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/numbers.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// While one exists, the calling thread may allocate memory, load modules and copy, whatever other
/// threads capture. In a thread's initial mode such a call fails beside a capture that was begun in
/// the default mode, and the capture is lost: the driver assumes that a graph depends on the call.
/// No graph depends on attune's calls.
class relaxed_thread {
public:
    /// @param of  outlives this object
    explicit relaxed_thread(driver const& of) noexcept
        : driver_(of)
        , is_changed_(of.exchange_capture_mode != nullptr &&
                      of.exchange_capture_mode(&mode_) == success)
    {
    }
    ~relaxed_thread()
    {
        if (is_changed_) driver_.exchange_capture_mode(&mode_);
    }
    relaxed_thread(relaxed_thread const&) = delete;
    relaxed_thread& operator=(relaxed_thread const&) = delete;

private:
    driver const& driver_;
    int mode_ = flag::capture_relaxed; ///< after the exchange: the former mode
    bool is_changed_;
};

/// True when waiting for `on` would end a capture in any mode: `on` is captured, or `on` is null
/// (the legacy stream) and some captured stream was made without cudaStreamNonBlocking.
/// @pre  for null a context is current
[[nodiscard]] bool is_captured(driver const& of, stream on) noexcept;

/// Call it before work on the legacy stream, such as a synchronous copy.
/// @param doing  a sentence's subject: "copying an array to the device"
/// Errors   attune::error: the work would end a capture; the capture goes on
void require_no_capture(driver const& of, std::string const& doing);

/// Waits for all work of the current context.
/// Errors   as require_no_capture(); the driver's own
void synchronize_context(driver const& of, std::string const& doing);

} // namespace attune::inline ATTUNE_ABI::detail::cuda

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/capture.ipp>
#endif
