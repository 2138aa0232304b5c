// attune/tune/capture/call_capture.hpp - writes one call of a kernel to a file: ATTUNE_CAPTURE.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The request of ATTUNE_CAPTURE.
struct capture_wish {
    std::string kernel{};
    std::uint64_t most_bytes = std::uint64_t{256} << 20; ///< of all arrays together
    std::string path{}; ///< empty: kernel.capture, in the working folder
};

/// Parses "sgemm", "sgemm:64MiB", "sgemm:64MiB=one.capture"; empty for another form.
[[nodiscard]] std::optional<capture_wish> capture_wish_in(std::string_view text);

/// Returns a file name: kernel.capture, with the characters that a file name may have.
[[nodiscard]] std::string capture_name_of(std::string_view kernel);

/// The form of an array's elements: "f32", "16 bytes: f64 at 0, i32 at 8".
[[nodiscard]] std::string element_form(buffer const& b);

/// Hash of the facts in which the program of a replay must agree with a captured call, beside the
/// kernel's name. These facts are the signature, sizes and headers of structures, and the arguments
/// that are bound to inputs.
[[nodiscard]] std::string call_schema(kernel_description const& kernel);

/// The description of a call, and pointers to the content of its arrays.
/// @pre  the frame is complete, and its arrays are in host memory
[[nodiscard]] captured_call describe_call(kernel_description const& kernel,
                                          std::vector<number> const& inputs,
                                          call_frame const& frame);
/// Appends the content of all arrays, in the order of describe_call().
void append_content(std::string& to, call_frame const& frame);

/// Captures one call of a dispatch_table to a file, if ATTUNE_CAPTURE names its kernel. Any thread
/// may use the object.
class call_capture final : public watched_calls {
public:
    explicit call_capture(std::string const& kernel);

    /// Returns true until the requested call is captured.
    [[nodiscard]] bool is_due() const noexcept override
    {
        return is_due_.load(std::memory_order_relaxed);
    }
    /// Writes the file. Ignores calls whose arrays are all empty.
    /// @return  the result as a sentence, or why there is no file; empty: nothing happened
    [[nodiscard]] std::string take(dispatched_kernel const& of, std::vector<number> const& inputs,
                                   call_frame const& frame, void* stream) noexcept override;

private:
    [[nodiscard]] std::string write(dispatched_kernel const& of, std::vector<number> const& inputs,
                                    call_frame frame, void* stream) const;

    std::optional<capture_wish> wish_;
    std::atomic<bool> is_due_{false};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/call_capture.ipp>
#endif
