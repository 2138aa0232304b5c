// attune/measure/sandbox/guarded.hpp - copies of the arguments between pages that no code may touch.
// SPDX-License-Identifier: MIT
//
// The technique is that of Electric Fence (Perens, 1987)
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/sandbox/fork_exclusions.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Where one copy, and the forbidden pages around it, are. Plain data.
struct guarded_place {
    address_range mapping{}; ///< with the forbidden pages
    address_range usable{};  ///< without them
    address_range array{};
    std::size_t argument = 0;
    std::size_t target = buffer::none; ///< as buffer::target
    bool writable = false;
};

/// "4 bytes past the end of argument 2 (it has 80 bytes)"; "in argument 0, which is only to be
/// read"; empty for an address near none of the copies.
[[nodiscard]] std::string explain_address(std::span<guarded_place const> places,
                                          std::uintptr_t address);

/// A first run on these copies that reads or writes past the end of an array faults at once,
/// instead of reading whatever lies there. Each copy keeps its alignment to 64 bytes; the up to 63
/// bytes this leaves before the forbidden page, and as many before the start, hold a pattern that
/// is checked. An array that is only read lies on pages that cannot be written. Arrays that overlap
/// one that is written keep their places relative to each other, between one pair of forbidden
/// pages. The gaps between the rows of an array are not copied: they hold the pattern too. Pointers
/// to arrays point to the copies of those.
class guarded_copies {
public:
    /// Copies now.
    /// Errors   attune::error when there is no memory for the copies
    explicit guarded_copies(std::span<buffer const> originals);

    /// Copies again what may be written, and makes what is around the arrays intact.
    /// @pre  the originals are still there
    void refill() const;

    /// Same order, sizes, types and tolerances; other addresses.
    [[nodiscard]] std::span<buffer const> buffers() const noexcept { return copies_; }
    /// The addresses alone, as call_frame::call takes them.
    [[nodiscard]] std::span<std::byte* const> addresses() const noexcept { return addresses_; }

    /// explain_address() of these copies.
    [[nodiscard]] std::string explain(std::uintptr_t address) const;
    /// Where the copies are, for explain_address() in another process.
    [[nodiscard]] std::vector<guarded_place> places() const;
    /// The first array around which something was written, as text; empty when all are intact.
    [[nodiscard]] std::string damage() const;
    /// The memory of all copies.
    [[nodiscard]] std::vector<address_range> ranges() const;
    /// Makes what is around the arrays intact again.
    void mend() const;

private:
    struct region;
    std::vector<std::shared_ptr<region const>> regions_;
    std::vector<buffer> copies_;
    std::vector<std::byte*> addresses_;
};

/// Whether no array that is written overlaps another one.
[[nodiscard]] bool are_apart(std::span<buffer const> originals);

/// Whether arrays are apart, at most 4,096, and together take at most `most_bytes`; a byte of a gap
/// between rows counts as sixteen.
[[nodiscard]] bool can_guard(std::span<buffer const> originals, std::size_t most_bytes);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/guarded.ipp>
#endif
