// attune/measure/arrays/compare.hpp - is this result the reference, up to rounding?
// SPDX-License-Identifier: MIT
//
// The root mean square guards sums that cancel to nearly zero, where a bound relative to the
// element alone would refuse every other order of summation
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The first element that differs from the reference.
struct mismatch {
    std::size_t argument = 0; ///< of the kernel, from 0
    std::size_t element = 0;  ///< from 0; counts bytes when the buffer is opaque
    std::string got;          ///< shortest decimal text that gives back the same number
    std::string want;
    std::size_t count = 0;             ///< how many elements differ
    std::size_t elements = 0;          ///< how many there are
    std::size_t target = buffer::none; ///< of an array of pointers: which array of those
    std::string place{};               ///< "row 2, column 5"; "element 17, field 3"; else empty

    /// "argument 2, element 17: got 3.5, reference 3.25", then how many more differ, if any do.
    [[nodiscard]] std::string text() const;
};

/// Compares a buffer with its reference.
///
/// Floating point: |got - want| <= absolute + relative * max(|want|, rms), where rms is the root
/// mean square of all finite elements of the reference; NaN agrees with NaN and an infinity with
/// the same infinity, neither with anything else; 0 agrees with -0. Integers: |got - want| is
/// exact, and the same bound applies (0 by default). Opaque: equal bytes. With any_value all agree.
/// Structures are compared field by field, each field as an array of its own with a tolerance and a
/// root mean square of its own; what lies between fields and between rows is not compared.
///
/// @param got   the result; `got.within` is the tolerance, or that of each of `got.runs`
/// @param want  the reference: content_bytes(got) bytes, any alignment. Another length is a
/// mismatch Errors   bad_alloc Cost     one memcmp when the bytes are equal, else two passes
[[nodiscard]] std::optional<mismatch> compare(buffer const& got, std::span<std::byte const> want);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/compare.ipp>
#endif
