// attune/tune/shape/size_relations.hpp - how the lengths of a call's arrays may follow from its integers.
// SPDX-License-Identifier: MIT
// tested by tune/shape/drawn_calls.cpp
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/declared_lengths.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// times * (a + beside) * (b + beside) * ... + plus, where a, b, ... are sizes.
struct size_formula {
    std::vector<std::size_t> factors{}; ///< indices of sizes, at most three
    std::int64_t times = 1;
    std::int64_t beside = 0;
    std::int64_t plus = 0;

    /// Its value, or -1 where that is negative or has more than 62 bits.
    [[nodiscard]] std::int64_t of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] friend bool operator==(size_formula const&, size_formula const&) = default;
};

/// The sizes of a call, and what the lengths of its arrays may be of them.
struct size_relations {
    struct size {
        std::int64_t value = 0;
        bool is_fixed = false; ///< bound to an input: other values are another problem
        [[nodiscard]] friend bool operator==(size const&, size const&) = default;
    };
    /// A word of the shape that changes with the sizes.
    struct dependent {
        std::size_t word = 0;
        std::vector<size_formula> may_be{}; ///< simplest first; empty: it stays as it is
        bool is_declared = false;           ///< by kernel.lengths(): it is what that says
        [[nodiscard]] friend bool operator==(dependent const&, dependent const&) = default;
    };
    std::vector<size> sizes{};
    std::vector<dependent> words{}; ///< integers first, each of which is one size

    /// Whether any size can change.
    [[nodiscard]] bool can_change() const;
    [[nodiscard]] friend bool operator==(size_relations const&, size_relations const&) = default;
};

/// The sizes are the integers of at least 2 that are not ignored, each by itself, also where some
/// are equal; without any, the common length of all arrays. A length may be a product of up to
/// three sizes, a multiple of one, one element more or less than a size, or a product of sizes that
/// are each larger or smaller by the same number up to 16, as with halos. What is true of several
/// is known by the default, which reads outside of arrays that are too short: see
/// variant_proof.hpp.
///
/// @param layout  of `key`
/// @param key     the shape of a call
/// @param choice  which arguments count
/// @param lengths what the kernel declares of its lengths
/// @return  no sizes where arrays overlap
[[nodiscard]] size_relations relations_of(std::span<shape_word const> layout,
                                          std::span<std::int64_t const> key,
                                          shape_choice const& choice,
                                          declared_lengths const& lengths = {});

/// How many sizes relations_of() finds.
[[nodiscard]] std::size_t sizes_among(std::span<shape_word const> layout,
                                      std::span<std::int64_t const> key,
                                      shape_choice const& choice);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/size_relations.ipp>
#endif
