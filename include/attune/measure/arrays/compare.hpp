// attune/measure/arrays/compare.hpp - compares results with a reference, up to rounding.
// SPDX-License-Identifier: MIT
//
// The bound uses the root mean square for sums that cancel to nearly zero: a bound relative to the
// element alone would reject every other order of summation.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The first element that differs from the reference.
struct mismatch {
    std::size_t argument = 0; ///< index of the kernel's argument, from 0
    std::size_t element = 0;  ///< index of the element, from 0; of the byte in an opaque buffer
    std::string got;          ///< shortest decimal text that identifies the number
    std::string want;
    std::size_t count = 0;             ///< number of elements that differ
    std::size_t elements = 0;          ///< number of elements
    std::size_t target = buffer::none; ///< index in an array of pointers
    std::string place{};               ///< "row 2, column 5"; "element 17, field 3"; or empty

    /// "argument 2, element 17: got 3.5, reference 3.25 (3 of 100 differ)".
    [[nodiscard]] std::string text() const;
};

/// Compares a buffer with its reference.
///
/// Floating point: |got - want| <= absolute + relative * max(|want|, rms), where rms is the root
/// mean square of the finite elements of the reference. NaN equals NaN, an infinity equals the same
/// infinity, 0 equals -0. Integers: the same bound (0 by default) with an exact difference. Opaque:
/// equal bytes. any_value: everything is accepted. Structures: each field is compared as an array,
/// with its own tolerance and rms; bytes between fields and between rows are ignored.
///
/// @param got   the result; the tolerance is `got.within`, or that of each of `got.runs`
/// @param want  the reference: content_bytes(got) bytes, any alignment. Another length is a
///              mismatch
/// Errors   bad_alloc
/// Cost     one memcmp when the bytes are equal, else two passes
[[nodiscard]] std::optional<mismatch> compare(buffer const& got, std::span<std::byte const> want);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/compare.ipp>
#endif
