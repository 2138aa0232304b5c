// attune/measure/arrays/perturb.hpp - perturbs written arrays, to detect variants that write nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Changes every element of every writable buffer, deterministically. A floating-point number
/// changes by at least a quarter of the buffer's root mean square, and by more than its tolerance.
/// In integers and opaque bytes the lowest bit flips, so that an index stays near its value. An
/// integer that would exceed its array's maximum becomes smaller by one instead, if the maximum is
/// above 0.
/// @param across  false: floating-point numbers move away from zero. true: all of them cross zero,
///                and an array's largest integers become greater by one. An index may be out of
///                range then: run code on such contents only if the program survives wild accesses
/// @pre  buffers do not overlap
void perturb(std::span<buffer const> buffers, bool across = false);

/// Contents of buffers at some moment: views of bytes elsewhere. The bytes of read-only buffers are
/// unspecified.
class contents_view {
public:
    /// @pre the viewed bytes outlive this object
    contents_view(snapshot const& kept) // NOLINT(google-explicit-constructor): it is one
    {
        for (std::size_t i = 0; i < kept.size(); ++i)
            bytes_.push_back(kept.saved(i));
    }
    explicit contents_view(std::span<buffer const> buffers)
    {
        for (buffer const& b : buffers)
            bytes_.emplace_back(b.data, b.bytes);
    }

    [[nodiscard]] std::span<std::byte const> saved(std::size_t i) const { return bytes_[i]; }

private:
    std::vector<std::span<std::byte const>> bytes_{};
};

/// The contents of the buffers before and after a run of trusted code.
struct run_contents {
    contents_view before;
    contents_view after;
};

/// Returns true if the kernel's results do not depend on the contents that it overwrites. Each
/// element must be unchanged by both runs, or equal after both. Equal means within its tolerance,
/// and with a change far smaller than the perturbation. Refuses `y += x`, even if the tolerance
/// hides y beside x; accepts it if rounding removes all of y. Accepts `y = x`, also on a part of y.
/// Ignores any_value arrays.
///
/// @pre  both runs used buffers like `buffers`; the second one began with perturbed contents
[[nodiscard]] bool overwrites_all(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

/// Marks each array that is writable, not empty, not any_value, and unchanged within its tolerance.
[[nodiscard]] std::vector<bool> idle_arrays(std::span<buffer const> buffers,
                                            run_contents const& run);

/// Returns true if the perturbed run leaves a NaN or an infinity where the other run leaves a
/// finite number. Such contents are then no valid input of the code. Structures count as finite.
[[nodiscard]] bool loses_finite_numbers(std::span<buffer const> buffers, run_contents const& run,
                                        run_contents const& perturbed_run);

/// Returns true if the first run leaves an array unchanged that the second run changes. The first
/// run alone could then not detect a variant that writes nothing.
[[nodiscard]] bool hides_idleness(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/perturb.ipp>
#endif
