// attune/tune/shape/drawn_calls.hpp - draws calls of other sizes from one call, by formulas for the lengths of arrays.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/user_functions.hpp>
#include <attune/tune/shape/array_contents.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The formula times * (a + beside) * (b + beside) * ... + plus, where a, b, ... are sizes.
struct size_formula {
    std::vector<std::size_t> factors{}; ///< indices of sizes, at most three
    std::int64_t times = 1;
    std::int64_t beside = 0;
    std::int64_t plus = 0;

    /// Returns the value; -1 if it is negative or has more than 62 bits.
    [[nodiscard]] std::int64_t of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] friend bool operator==(size_formula const&, size_formula const&) = default;
};

/// The sizes of a call, and possible formulas of its array lengths.
struct size_relations {
    struct size {
        std::int64_t value = 0;
        bool is_fixed = false; ///< bound to an input: another value would be another problem
        [[nodiscard]] friend bool operator==(size const&, size const&) = default;
    };
    /// A word of the shape that changes with the sizes.
    struct dependent {
        std::size_t word = 0;
        std::vector<size_formula> may_be{}; ///< possible ones, simplest first; empty: no change
        bool is_declared = false;           ///< declared by kernel.lengths()
        [[nodiscard]] friend bool operator==(dependent const&, dependent const&) = default;
    };
    std::vector<size> sizes{};
    std::vector<dependent> words{}; ///< integers first; each integer is one size

    /// Returns true if any size can change.
    [[nodiscard]] bool can_change() const;
    [[nodiscard]] friend bool operator==(size_relations const&, size_relations const&) = default;
};

/// Returns the sizes, and the possible formulas of lengths. Each integer of at least 2 that counts
/// is a size, even if some are equal. Without such integers the common length of all arrays is the
/// only size.
///
/// A length may be a product of up to three sizes, a multiple of such a product, or a size plus 1,
/// 2 or -1. For halos, each factor of a product may be larger or smaller by the same number up
/// to 16. Runs of the default show which of several formulas holds: see variant_proof.hpp.
///
/// @param layout   layout of `key`
/// @param key      shape of a call
/// @param choice   arguments that count
/// @param lengths  declared lengths of the kernel
/// @return  no sizes if arrays overlap
[[nodiscard]] size_relations relations_of(std::span<shape_word const> layout,
                                          std::span<std::int64_t const> key,
                                          shape_choice const& choice,
                                          declared_lengths const& lengths = {});

/// Returns the number of sizes that relations_of() finds; 0 if arrays overlap.
[[nodiscard]] std::size_t sizes_among(std::span<shape_word const> layout,
                                      std::span<std::int64_t const> key,
                                      shape_choice const& choice);

/// A call with other sizes, and with its arrays at other addresses.
struct drawn_call {
    static constexpr std::int64_t unchanged = -1;

    std::vector<std::int64_t> sizes{};  ///< by argument: see call_frame::resized
    std::vector<std::int64_t> places{}; ///< by array: address modulo 64; empty: all unchanged
    std::vector<std::int64_t> key{};    ///< shape of this call
    double work = 0; ///< the larger of two: the product of sizes, the number of elements
    array_contents contents = array_contents::own;
    bool keeps_numbers = false; ///< arrays of one number keep it: kernel.calls(f) made them
};

/// The call, and the facts from which call_draws draws. They outlive it.
struct drawn_from {
    std::vector<shape_word> const& layout;
    std::span<std::int64_t const> key;         ///< shape of the call
    call_frame const& frame;                   ///< frame of the call
    shape_choice const& choice;                ///< arguments that count
    size_relations const& relations;           ///< the first formula of each length holds
    std::span<std::int64_t const> divisors;    ///< numbers among the variant's parameters
    declared_lengths const* lengths = nullptr; ///< null: the kernel declares none
};

/// The largest calls to draw.
struct draw_limits {
    std::size_t most_bytes = std::size_t{32} << 20; ///< all arrays together
    /// Most drawn_call::work, as a multiple of the original call's work. A work of a million is
    /// always allowed.
    double most_work = 1;
};

/// Draws calls. A size is small, near one of the variant's parameters, or up to 16 times the size
/// of the call on a logarithmic scale. Sizes are independent, so that all orders of sizes occur.
class call_draws {
public:
    call_draws(drawn_from from, std::uint64_t seed, draw_limits const& limits = {});

    /// Returns calls with properties that are new to `trust`. Multiples of the call's sizes
    /// come first. Then, of each eight draws, takes the call with the most new properties for its
    /// work. Stops after a thousand draws of which at most two are new.
    /// Cost  some us a draw
    /// @param is_over  returns true if no time is left; may be empty
    [[nodiscard]] std::vector<drawn_call> chosen(shape_trust& trust, std::size_t most,
                                                 std::function<bool()> const& is_over = {});

    [[nodiscard]] bool has_scalars() const noexcept { return !scalars_.empty(); }
    /// Gives most later calls other floating-point numbers: of both signs, of many magnitudes,
    /// powers of two, whole ones and others, but none with a separate class, such as 0 and 1.
    void change_scalars() noexcept { changes_scalars_ = true; }

    /// Returns calls that `trust` covers, three of four short, each with a random mix of
    /// properties. One size may be below 4, equal to another size or about twice as large. Scalars
    /// may differ, and short arrays begin anywhere.
    [[nodiscard]] std::vector<drawn_call> of_proven(shape_trust const& trust, std::size_t most)
    {
        return that_meet(&trust, most);
    }
    /// The same, but all calls are short.
    [[nodiscard]] std::vector<drawn_call> short_of_proven(shape_trust const& trust,
                                                          std::size_t most)
    {
        return that_meet(&trust, most, true);
    }
    /// The same as of_proven() for calls that `trust` may not cover.
    [[nodiscard]] std::vector<drawn_call> any_calls(std::size_t most, bool are_short = false)
    {
        return that_meet(nullptr, most, are_short);
    }

    /// Returns calls that differ from this one in one smaller size: less a half, a quarter, ...,
    /// one. The call with the least work comes first.
    [[nodiscard]] std::vector<drawn_call> smaller(drawn_call const& than) const;

    /// Returns calls of several sizes up to those of the original call, in several orders. The
    /// length `word` has the value of `formula`; each other length is the longest possible one. In
    /// some of these calls a wrong formula makes the default read or write outside of that array.
    [[nodiscard]] std::vector<drawn_call> trials_of(std::size_t word,
                                                    size_formula const& formula) const;

private:
    [[nodiscard]] bool can_afford(drawn_call const& call) const;
    [[nodiscard]] drawn_call call_of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] double work_of(std::span<std::int64_t const> sizes,
                                 std::span<std::int64_t const> key) const;
    /// Returns true if the call writes to no memory: any code would be right.
    [[nodiscard]] bool writes_nothing(drawn_call const& call) const;
    [[nodiscard]] std::vector<drawn_call> that_meet(shape_trust const* trust, std::size_t most,
                                                    bool are_short = false);
    void draw_sizes(std::span<std::int64_t> sizes);
    /// Replaces about half of the sizes by 1 to 16 times those of the call.
    void enlarge(std::span<std::int64_t> sizes);
    /// Makes two sizes equal.
    void tie(std::span<std::int64_t> sizes);
    void draw_places(drawn_call& call);
    /// Draws floating-point numbers of the other sign, larger or smaller, powers of two, or equal
    /// to each other. Keeps 0, 1 and -1, and draws none of them.
    void draw_scalars(drawn_call& call);
    /// Adds calls with one or two sizes of 1, 2, 4, 8 or 16 times those of the call, and the other
    /// sizes 1. Adds each again a little smaller, with arrays at other addresses.
    void add_multiples(std::vector<drawn_call>& to);
    /// Draws calls of about the call's own sizes at other addresses. Short arrays would prove
    /// nothing: code that needs an alignment may work for them at any address.
    void draw_elsewhere(shape_trust& trust, std::size_t most, std::vector<drawn_call>& to);
    void draw_up_to(double work, shape_trust& trust, std::size_t most,
                    std::function<bool()> const& is_over, std::vector<drawn_call>& to);

    drawn_from from_;
    draw_limits limits_;
    double most_work_ = 0;
    std::vector<std::int64_t> numbers_{}; ///< integers of the call, for declared lengths
    struct scalar {
        std::size_t word = 0;
        double value = 0;      ///< value in the call
        bool is_float = false; ///< false: a double
    };
    std::vector<scalar> scalars_{}; ///< scalars that may be drawn
    bool changes_scalars_ = false;
    std::size_t first_place_; ///< index of the first word with places
    call_draw draw_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/drawn_calls.ipp>
#endif
