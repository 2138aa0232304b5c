// attune/tune/shape/shape_trust.hpp - the classes of shapes that one variant has proven itself for.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/shapes.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/call_shape.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A shape has properties, and is trusted once each of them has occurred in a shape that was
/// verified. Its properties are:
/// - of each size (a length or an integer; equal ones count once, a length that is a product of
///   integers counts by its factors): the remainder by 64, by every number up to 16 and by every
///   number that the variant's parameters hold, the half octave it lies in, whether it is a
///   power of two, and that a size at least as large was verified
/// - of each two sizes: which one is larger, and for each two parameters whether the sizes are
///   smaller, multiples, or neither
/// - the alignment of each array to 64 bytes, and which arrays are aligned alike
/// Booleans, enumerations, overlaps, 0 and 1 among floating-point numbers, and arguments of other
/// types separate: what was verified for one value says nothing of another.
///
/// So code that is wrong for one property alone (a remainder, a size below a tile, one order of two
/// sizes) is found before it serves; code that is wrong only where two properties meet by chance
/// may serve: bench.tune.shapes counts that.
///
/// Not safe for use by several threads at once.
class shape_trust {
public:
    /// @param layout   of the keys below
    /// @param divisors the numbers among the parameters of the variant, in any order
    shape_trust(std::vector<shape_word> layout, std::vector<std::int64_t> divisors);

    /// Whether every property of this shape has been verified.
    [[nodiscard]] bool covers(std::span<std::int64_t const> key) const;
    /// The variant was right for this shape.
    void add(std::span<std::int64_t const> key);

    /// The variant was wrong for some shape: from now on classes prove nothing.
    void distrust() noexcept { is_distrusted_ = true; }
    [[nodiscard]] bool is_distrusted() const noexcept { return is_distrusted_; }

    /// A shape is served because its class is trusted. @return  whether it is to be verified all
    /// the same: the first, second, fourth, eighth ... is
    [[nodiscard]] bool wants_recheck() noexcept;

private:
    [[nodiscard]] std::vector<std::uint64_t> properties(std::span<std::int64_t const> key) const;
    [[nodiscard]] std::vector<std::size_t> sizes(std::span<std::int64_t const> key) const;

    std::vector<shape_word> layout_;
    std::vector<std::int64_t> tiles_;  ///< of the parameters, at most some, for pairs of sizes
    std::vector<std::int64_t> moduli_; ///< whose remainders count one by one
    std::unordered_set<std::uint64_t> verified_{};
    std::vector<std::int64_t> largest_; ///< verified, by word
    std::uint64_t by_class_ = 0;
    bool is_distrusted_ = false;
};

/// "argument 0 has 513 elements, argument 2 is 513".
[[nodiscard]] std::string text_of_shape(std::span<shape_word const> layout,
                                        std::span<std::int64_t const> key);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_trust.ipp>
#endif
