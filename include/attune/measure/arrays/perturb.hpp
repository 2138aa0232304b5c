// attune/measure/arrays/perturb.hpp - other contents for the arrays a kernel writes, so that writing nothing shows.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/snapshot.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Gives every element of every writable buffer another value, the same each time for the same
/// contents: floating point moves by a quarter of the buffer's root mean square or more, and past
/// its tolerance; in integers and opaque bytes the lowest bit flips, so that what was near an index
/// stays near it. Buffers must not overlap.
void perturb(std::span<buffer const> buffers);

/// What the buffers of a call hold, or held: bytes that lie elsewhere. Those of a buffer that is
/// not writable are not looked at.
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

/// One run of a trusted variant: what the writable buffers held before and after it.
struct run_contents {
    contents_view before;
    contents_view after;
};

/// Whether the kernel's results owe nothing to what it writes over: each element is either the same
/// after both runs (within the tolerance of its buffer, and by far less than it was moved before),
/// or was left alone in both. `y += x` does not pass, also where the tolerance hides y beside x;
/// but where the sum rounds all of y away it does. `y = x` passes, also when it writes only a part
/// of y. What a buffer of any_value holds does not count.
///
/// @pre  both runs were made on buffers like `buffers`; the second one from perturbed contents
[[nodiscard]] bool overwrites_all(std::span<buffer const> buffers,
                                  run_contents const& run,
                                  run_contents const& perturbed_run);

/// Whether there is an array that the first run happens to leave as it was and the second does not:
/// the first one alone could not tell a variant that writes nothing from a right one.
[[nodiscard]] bool hides_idleness(std::span<buffer const> buffers,
                                  run_contents const& run,
                                  run_contents const& perturbed_run);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/perturb.ipp>
#endif
