// attune/tune/shape/shape_trust.hpp - the classes of shapes for which one variant is verified.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/shapes.cpp
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A shape is trusted if each of its properties has occurred in a verified shape. Its properties
/// are:
/// - for each size (a length or an integer; equal ones count once; of a length that is a product of
///   integers, its factors count): the remainder by 64, by every number up to 16 and by every
///   number among the variant's parameters; its half octave; whether it is a power of two; and
///   whether a size at least as large was verified
/// - for each two sizes: which one is larger; for each two parameters whether the sizes are
///   smaller, multiples, or neither; and whether a product at least as large was verified, because
///   numbers of 16 or 32 bits overflow there
/// - of each floating-point number: sign, exponent, whether it is whole, and a power of two
/// - the alignment of each array to 64 bytes, or to less where the compiler proved that no more
///   counts; and which arrays are aligned alike
/// Booleans, enumerations, overlaps at each distance, 0, 1, -1, NaN and infinities among
/// floating-point numbers, and arguments of other types form separate classes: a verification for
/// one value does not count for another.
///
/// So code that is wrong for a single property (a remainder, a size below a tile, one order of two
/// sizes) is found before it serves. Code that is wrong only where two properties meet may serve;
/// bench.tune.shapes counts such cases.
///
/// Not safe for use by several threads at once.
class shape_trust {
public:
    /// @param layout   of the keys below
    /// @param divisors the numbers among the parameters of the variant, in any order
    /// @param modulus  addresses count modulo this power of two: code_facts::address_modulus
    shape_trust(std::vector<shape_word> layout,
                std::vector<std::int64_t> divisors,
                std::uint32_t modulus = 64);

    /// Whether every property of this shape has been verified.
    [[nodiscard]] bool covers(std::span<std::int64_t const> key) const;
    /// Adds a shape for which the variant was right.
    void add(std::span<std::int64_t const> key);

    /// Called when the variant was wrong for a shape: from now on no class is trusted.
    void distrust() noexcept { is_distrusted_ = true; }
    [[nodiscard]] bool is_distrusted() const noexcept { return is_distrusted_; }

    /// Called when a shape is served because its class is trusted.
    /// @return whether to verify it all the same: true for the first, second, fourth, eighth ...
    ///          call
    [[nodiscard]] bool wants_recheck() noexcept;

private:
    /// Calls f(product) for each two sizes, in one order.
    template <class F>
    void for_each_product(std::span<std::int64_t const> key, F const& f) const;

    std::vector<std::int64_t> largest_;      ///< largest verified value, by word
    std::vector<double> largest_products_{}; ///< of two sizes, in the order of for_each_product()
    shape_properties properties_;
    std::unordered_set<std::uint64_t> verified_{};
    std::uint64_t by_class_ = 0;
    bool is_distrusted_ = false;
};

/// "argument 0 has 513 elements, argument 2 is 513".
[[nodiscard]] std::string text_of_shape(std::span<shape_word const> layout,
                                        std::span<std::int64_t const> key);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_trust.ipp>
#endif
