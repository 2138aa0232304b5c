// attune/tune/shape/shape_trust.hpp - the classes of shapes for which one variant is verified, and verified shapes of the past.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/shapes.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The store's knowledge of the shapes of one variant, and the receivers of new facts.
struct proof_memory {
    std::vector<proven_shape> known{};               ///< oldest first; words as in a call's key
    std::function<void(proven_shape const&)> keep{}; ///< empty: nothing is kept
    /// The variant was never right for these inputs. Until it is verified for a shape itself, no
    /// class of shapes counts, and no shape is served without a check.
    bool is_required = false;
    bool may_be_slower = false; ///< it serves even if the default is faster: ATTUNE_FORCE
    /// Called if the variant is wrong; may be empty. Returns true if the store keeps that, so that
    /// another lookup does not give this variant.
    std::function<bool(failure const&)> refuse{};
};

/// A set of hashes that are already uniform: a lookup is one or two loads.
class hash_set {
public:
    [[nodiscard]] bool contains(std::uint64_t hash) const noexcept
    {
        for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
            if (at_[i] == hash) return true;
            if (at_[i] == 0) return false;
        }
    }
    void insert(std::uint64_t hash)
    {
        if (2 * ++count_ > at_.size()) grow();
        place(hash);
    }

private:
    [[nodiscard]] std::size_t mask() const noexcept { return at_.size() - 1; }
    void place(std::uint64_t hash)
    {
        std::size_t i = hash & mask();
        while (at_[i] != 0 && at_[i] != hash)
            i = (i + 1) & mask();
        if (at_[i] == hash) --count_;
        at_[i] = hash;
    }
    void grow()
    {
        std::vector<std::uint64_t> const old =
            std::exchange(at_, std::vector<std::uint64_t>(2 * at_.size()));
        for (std::uint64_t const hash : old)
            if (hash != 0) place(hash);
    }

    std::vector<std::uint64_t> at_ = std::vector<std::uint64_t>(64); ///< 0: empty
    std::size_t count_ = 0;
};

/// A shape is trusted if each of its properties has occurred in a verified shape. Properties are:
/// - for each size (an integer, or a length that is neither an integer nor a product of integers):
///   the remainder by 64, by every number up to 16 and by every number among the variant's
///   parameters; its half octave; if it is a power of two; and if a size at least as large was
///   verified
/// - for each two sizes: which one is larger; for each two parameters if the sizes are smaller,
///   multiples, or neither; and if a product at least as large was verified, because numbers of 16
///   or 32 bits overflow there
/// - of each floating-point number: sign, half octave, if it is whole, and if it is a power of two;
/// for
///   its sign and for powers of two, each size: if it is odd, and where it lies at each parameter
/// - the alignment of each array to 64 bytes, or to less if the compiler proved that no more
///   counts; and which arrays are aligned alike
/// Booleans, enumerations, overlaps at each distance, 0, 1, -1, NaN and infinities among
/// floating-point numbers, and arguments of other types form separate classes: a verification for
/// one value does not count for another.
///
/// Code that is wrong for a single property (a remainder, a size below a tile, one order of two
/// sizes) is thus found before it serves. Code that is wrong only if two properties meet may serve;
/// bench.tune.shapes counts such cases.
///
/// Not safe for use by several threads at once.
class shape_trust {
public:
    /// @param layout   of the keys below
    /// @param divisors the numbers among the parameters of the variant, in any order
    /// @param modulus  addresses count modulo this power of two: code_facts::address_modulus
    shape_trust(std::vector<shape_word> layout, std::vector<std::int64_t> divisors,
                std::uint32_t modulus = 64);

    /// Returns true if every property of this shape has been verified.
    [[nodiscard]] bool covers(std::span<std::int64_t const> key) const;
    /// The same, also for shapes that are excepted.
    [[nodiscard]] bool has_proven(std::span<std::int64_t const> key) const;
    /// Returns the number of the shape's properties that have not been verified; sizes larger than
    /// all verified ones count too.
    [[nodiscard]] std::size_t news_of(std::span<std::int64_t const> key) const;
    /// Adds a shape for which the variant was right.
    void add(std::span<std::int64_t const> key);

    /// Ends the trust in all classes, after the variant was wrong for a shape.
    void distrust() noexcept { is_distrusted_ = true; }
    [[nodiscard]] bool is_distrusted() const noexcept { return is_distrusted_; }

    /// Excludes a shape that attune made, because no proof shows the variant right for it: its
    /// class never serves it.
    void except(std::span<std::int64_t const> key);
    /// Adds a shape for which the variant was right, but slower than the default. Shapes all of
    /// whose sizes have about as many bits, up to two more or less, are then not trusted. After
    /// many such shapes none is.
    void add_slow(std::span<std::int64_t const> key);

    /// Counts a shape that is served because its class is trusted.
    /// @return true if it must be verified nevertheless: the first, second, fourth, eighth ... call
    [[nodiscard]] bool wants_recheck() noexcept;

private:
    [[nodiscard]] std::vector<int> octaves_of(std::span<std::int64_t const> key) const;
    [[nodiscard]] std::uint64_t hash_without_places(std::span<std::int64_t const> key) const;
    [[nodiscard]] bool is_near_slow(std::span<std::int64_t const> key) const;
    /// Calls f(place, value) for each size, and for the product of each two.
    template <class F>
    void for_each_size(std::span<std::int64_t const> key, F const& f) const;

    std::vector<double> largest_{}; ///< largest verified values, by the places of for_each_size()
    shape_properties properties_;
    hash_set verified_{};
    hash_set excepted_{};
    std::vector<std::vector<int>> slow_{}; ///< octaves of the words of slow shapes; 0: no size
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
