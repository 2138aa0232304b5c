// attune/measure/arrays/perturb.hpp - perturbs written arrays, to detect variants that write nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/snapshot.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Changes every element of every writable buffer, deterministically. A floating-point number
/// changes by at least a quarter of the buffer's root mean square, and by more than its tolerance.
/// In integers and opaque bytes the lowest bit flips, so that an index stays near its value; an
/// integer that would exceed its array's maximum becomes smaller by one instead, unless the maximum
/// is 0 or less.
/// @param across  false: floating-point numbers move away from zero. true: all of them cross it,
///                and an array's largest integers become greater by one. An index may be out of
///                range then: run code on such contents where wild accesses are survived
/// @pre  buffers do not overlap
void perturb(std::span<buffer const> buffers, bool across = false);

/// Contents of buffers at some moment: views of bytes elsewhere. For buffers that are not writable
/// the bytes are unspecified.
class contents_view {
public:
    /// @pre  the snapshot, or what the buffers refer to, outlives this object
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

/// True when the kernel's results do not depend on what it overwrites. Each element must be equal
/// after both runs (within its tolerance, and with a change far smaller than the perturbation) or
/// unchanged by both. `y += x` is not accepted, even when the tolerance hides y beside x, unless
/// rounding removes all of y; `y = x` is accepted, even on a part of y. any_value: ignored.
///
/// @pre  both runs used buffers like `buffers`; the second one began with perturbed contents
[[nodiscard]] bool overwrites_all(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

/// For each array whether it is writable, not empty, not any_value, and unchanged by the run.
[[nodiscard]] std::vector<bool> idle_arrays(std::span<buffer const> buffers,
                                            run_contents const& run);

/// True when the perturbed run leaves a NaN or an infinity in an element where the other run leaves
/// a finite number: the code was not made for such contents. Structures count as finite.
[[nodiscard]] bool loses_finite_numbers(std::span<buffer const> buffers, run_contents const& run,
                                        run_contents const& perturbed_run);

/// True when some array is unchanged by the first run and changed by the second: the first run
/// alone could not detect a variant that writes nothing.
[[nodiscard]] bool hides_idleness(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/perturb.ipp>
#endif
