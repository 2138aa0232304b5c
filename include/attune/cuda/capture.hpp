// attune/cuda/capture.hpp - working beside streams that other threads capture.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, cuThreadExchangeStreamCaptureMode and cuStreamIsCapturing
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/numbers.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::cuda {

/// While this lives, the calling thread may ask for memory, load modules and copy, whatever other
/// threads capture. In the mode that every thread begins in, such calls fail beside a capture that
/// was begun in the default mode, and the capture is lost: the driver cannot know that no graph
/// depends on them. Of attune's own none does.
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
    int mode_ = flag::capture_relaxed; ///< then the one before
    bool is_changed_;
};

/// Whether waiting for a stream would end a capture, in any mode: its own, or for null (the legacy
/// stream) one of a stream that it waits for. Streams made with cudaStreamNonBlocking are not such.
/// @pre  for null a context is current
[[nodiscard]] bool is_captured(driver const& of, stream on) noexcept;

/// For what is done on the legacy stream, as synchronous copies are.
/// @param doing  a sentence's subject: "copying an array to the device"
/// Errors   attune::error: a capture would be lost; it goes on
void require_no_capture(driver const& of, std::string const& doing);

/// Waits for all work of the current context.
/// Errors   as above; the driver's own
void synchronize_context(driver const& of, std::string const& doing);

} // namespace attune::inline ATTUNE_ABI::cuda

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/capture.ipp>
#endif
