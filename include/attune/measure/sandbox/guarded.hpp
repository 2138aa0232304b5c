// attune/measure/sandbox/guarded.hpp - copies of the arguments between inaccessible pages.
// SPDX-License-Identifier: MIT
//
// The technique is that of Electric Fence (Perens, 1987)
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/sandbox/child_process.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The addresses of a copy and of the inaccessible pages around it. Plain data.
struct guarded_place {
    address_range mapping{}; ///< with the inaccessible pages
    address_range usable{};  ///< between the inaccessible pages
    address_range array{};
    std::size_t argument = 0;
    std::size_t target = buffer::none; ///< as buffer::target
    bool writable = false;
};

/// "4 bytes past the end of argument 2 (it has 80 bytes)"; "in argument 0, which is only to be
/// read"; empty for an address that is not near a copy.
[[nodiscard]] std::string explain_address(std::span<guarded_place const> places,
                                          std::uintptr_t address);

/// The end of a copy that is beside an inaccessible page.
enum class guarded_end : std::uint8_t {
    last,  ///< an access past the end faults
    first, ///< an access before the start faults
};

/// Copies of arrays. An access past the end of a copy faults; with guarded_end::first, an access
/// before its start. Each copy has its original's alignment; with guarded_end::first it begins a
/// page. Up to 63 bytes between its end and the inaccessible page, and 64 bytes before its
/// start, contain a pattern that is checked. Read-only arrays are on read-only pages. Arrays that
/// overlap a written one, or begin where another does, stay together between one pair of
/// inaccessible pages. Gaps between rows are not copied and contain the pattern. Pointers to arrays
/// point to their copies.
class guarded_copies {
public:
    /// Copies the arrays now.
    /// @param alignment  a power of two up to 64: a copy keeps its original's address modulo this,
    ///                   and ends less than this before an inaccessible page
    /// Errors   attune::error: no memory for the copies
    explicit guarded_copies(std::span<buffer const> originals,
                            guarded_end faults = guarded_end::last, std::size_t alignment = 64);

    /// Copies writable arrays again and restores the pattern around them.
    /// @pre  the originals still exist
    void refill() const;

    /// The originals, in their order, with the addresses of the copies.
    [[nodiscard]] std::span<buffer const> buffers() const noexcept { return copies_; }
    /// The addresses of the copies, in the originals' order.
    [[nodiscard]] std::span<std::byte* const> addresses() const noexcept { return addresses_; }

    /// explain_address() of these copies.
    [[nodiscard]] std::string explain(std::uintptr_t address) const;
    /// The places of the copies, for explain_address() in another process.
    [[nodiscard]] std::vector<guarded_place> places() const;
    /// The first array with a changed pattern around it, as text; empty when there is none. Faults
    /// where an array is no longer mapped.
    [[nodiscard]] std::string damage() const;
    /// The memory of all copies, with inaccessible pages.
    [[nodiscard]] std::vector<address_range> ranges() const;
    /// Restores the pattern around the arrays.
    void mend() const;

private:
    struct region;
    std::vector<std::shared_ptr<region const>> regions_;
    std::vector<buffer> copies_;
    std::vector<std::byte*> addresses_;
};

/// Returns true if no written array overlaps another array.
[[nodiscard]] bool are_apart(std::span<buffer const> originals);

/// Returns true if arrays are apart, at most 4,096, and together at most `most_bytes`; a byte of a
/// gap between rows counts as seventeen.
[[nodiscard]] bool can_guard(std::span<buffer const> originals, std::size_t most_bytes);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/guarded.ipp>
#endif
