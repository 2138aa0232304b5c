// attune/tune/shape/shape_trust.hpp - the classes of shapes for which one variant was verified, and the store's proofs.
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

/// The store's proofs of one variant, and the receivers of new ones.
struct proof_memory {
    std::vector<proven_shape> known{};               ///< oldest first; words as in a call's key
    std::function<void(proven_shape const&)> keep{}; ///< empty: no proof is kept
    /// The variant was never verified for these inputs here. Until its first verification no class
    /// counts, and it serves no shape.
    bool is_required = false;
    bool may_be_slower = false; ///< the variant serves even if the default is faster: ATTUNE_FORCE
    /// Receives the failure if the variant is wrong; may be empty. Returns true if the store keeps
    /// the failure, so that another lookup does not find this variant.
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

/// Trusts a shape if each of its properties occurred in a verified shape. Properties are:
/// - for each size (an integer, or a length that is neither an integer nor a product of integers):
///   the remainders by 64, by every number up to 16 and by every number among the variant's
///   parameters; the half octave; whether it is a power of two; whether a size at least as large
///   was verified
/// - for each two sizes: which one is larger; for each two parameters, whether the sizes are
///   smaller, multiples, or neither; whether a product at least as large was verified, because
///   numbers of 16 or 32 bits overflow there
/// - for each floating-point number: sign, half octave, whether it is whole, whether it is a power
///   of two; for its sign and for powers of two, with each size: whether the size is odd, and how
///   it compares with each parameter
/// - for each array: the alignment to 64 bytes, or to fewer if the compiler proved that no more
///   count; for all arrays: which are aligned alike
///
/// Each value of a boolean, an enumeration, an overlap's distance or an argument of another type
/// forms a separate class. So do 0, 1, -1, NaN and infinities of floating-point numbers. A
/// verification for one value does not count for another.
///
/// Code that is wrong for a single property (a remainder, a size below a tile, one order of two
/// sizes) is thus found before it serves. Code that is wrong only where two properties meet may
/// serve; bench.tune.shapes counts such cases.
///
/// One thread at a time.
class shape_trust {
public:
    /// @param layout    layout of the keys below
    /// @param divisors  the numbers among the parameters of the variant, in any order
    /// @param modulus   addresses count modulo this power of two: code_facts::address_modulus
    shape_trust(std::vector<shape_word> layout, std::vector<std::int64_t> divisors,
                std::uint32_t modulus = 64);

    /// Returns true if every property of this shape was verified, and except() did not exclude it.
    [[nodiscard]] bool covers(std::span<std::int64_t const> key) const;
    /// The same, also for shapes that except() excluded.
    [[nodiscard]] bool has_proven(std::span<std::int64_t const> key) const;
    /// Returns the number of the shape's unverified properties, and of its sizes that are larger
    /// than all verified ones.
    [[nodiscard]] std::size_t news_of(std::span<std::int64_t const> key) const;
    /// Adds a shape for which the variant was right.
    void add(std::span<std::int64_t const> key);

    /// Ends the trust in all classes, after the variant was wrong for a shape.
    void distrust() noexcept { is_distrusted_ = true; }
    [[nodiscard]] bool is_distrusted() const noexcept { return is_distrusted_; }

    /// Excludes a shape of a drawn call that did not prove right: its class never covers it.
    void except(std::span<std::int64_t const> key);
    /// Adds a shape for which the variant was right, but slower than the default. Ends the trust in
    /// shapes whose sizes each differ by at most two in their number of bits. After
    /// more than 16 such groups, ends the trust in all classes.
    void add_slow(std::span<std::int64_t const> key);
    /// Returns true if the sizes are about those of a shape that add_slow() has.
    [[nodiscard]] bool is_near_slow(std::span<std::int64_t const> key) const;

    /// Counts a call that the variant serves because of a class.
    /// @return  true: it must be verified, as the first, second, fourth, eighth ... such call
    [[nodiscard]] bool wants_recheck() noexcept;

private:
    [[nodiscard]] std::vector<int> octaves_of(std::span<std::int64_t const> key) const;
    [[nodiscard]] std::uint64_t hash_without_places(std::span<std::int64_t const> key) const;
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

/// Returns for example "argument 0 has 513 elements, argument 2 is 513".
[[nodiscard]] std::string text_of_shape(std::span<shape_word const> layout,
                                        std::span<std::int64_t const> key);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_trust.ipp>
#endif
