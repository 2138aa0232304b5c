// attune/tune/shape/drawn_calls.hpp - calls of other sizes, drawn from one call by formulas for the lengths of its arrays.
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

/// times * (a + beside) * (b + beside) * ... + plus, where a, b, ... are sizes.
struct size_formula {
    std::vector<std::size_t> factors{}; ///< indices of sizes, at most three
    std::int64_t times = 1;
    std::int64_t beside = 0;
    std::int64_t plus = 0;

    /// Returns its value, or -1 if that is negative or has more than 62 bits.
    [[nodiscard]] std::int64_t of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] friend bool operator==(size_formula const&, size_formula const&) = default;
};

/// The sizes of a call, and possible formulas of its array lengths.
struct size_relations {
    struct size {
        std::int64_t value = 0;
        bool is_fixed = false; ///< bound to an input: other values are another problem
        [[nodiscard]] friend bool operator==(size const&, size const&) = default;
    };
    /// A word of the shape that changes with the sizes.
    struct dependent {
        std::size_t word = 0;
        std::vector<size_formula> may_be{}; ///< simplest first; empty: it does not change
        bool is_declared = false;           ///< declared by kernel.lengths()
        [[nodiscard]] friend bool operator==(dependent const&, dependent const&) = default;
    };
    std::vector<size> sizes{};
    std::vector<dependent> words{}; ///< integers first; each integer is one size

    /// Returns true if any size can change.
    [[nodiscard]] bool can_change() const;
    [[nodiscard]] friend bool operator==(size_relations const&, size_relations const&) = default;
};

/// Returns the sizes, which are the integers of at least 2 that are not ignored, each by itself
/// even if some are equal. Without such integers it is the common length of all arrays. A length
/// may be a product of up to three sizes, a multiple of one, or one element more or less than a
/// size. A product may also be of sizes that are each larger or smaller by the same number up to
/// 16, as with halos. The default shows which of several formulas is true, because it reads outside
/// of arrays that are too short: see variant_proof.hpp.
///
/// @param layout  of `key`
/// @param key     the shape of a call
/// @param choice  which arguments count
/// @param lengths declared lengths of the kernel
/// @return  no sizes if arrays overlap
[[nodiscard]] size_relations relations_of(std::span<shape_word const> layout,
                                          std::span<std::int64_t const> key,
                                          shape_choice const& choice,
                                          declared_lengths const& lengths = {});

/// Number of sizes that relations_of() finds; 0 if arrays overlap.
[[nodiscard]] std::size_t sizes_among(std::span<shape_word const> layout,
                                      std::span<std::int64_t const> key,
                                      shape_choice const& choice);

/// The same call with other sizes and its arrays at other addresses.
struct drawn_call {
    static constexpr std::int64_t unchanged = -1;

    std::vector<std::int64_t> sizes{};  ///< by argument: see call_frame::resized
    std::vector<std::int64_t> places{}; ///< by array: address modulo 64; empty: all unchanged
    std::vector<std::int64_t> key{};    ///< its shape
    double work = 0; ///< product of its sizes, or number of elements: the larger one
    array_contents contents = array_contents::own;
};

/// The call and the facts from which calls are drawn; all outlive the draws.
struct drawn_from {
    std::vector<shape_word> const& layout;
    std::span<std::int64_t const> key;      ///< of the call
    call_frame const& frame;                ///< of the call
    shape_choice const& choice;             ///< which arguments count
    size_relations const& relations;        ///< of the call: the first formula of each length holds
    std::span<std::int64_t const> divisors; ///< numbers among the variant's parameters
    declared_lengths const* lengths = nullptr; ///< of the kernel; null: none are declared
};

/// The largest calls to draw.
struct draw_limits {
    std::size_t most_bytes = std::size_t{32} << 20; ///< of all arrays
    /// The product of the sizes, or the number of elements: at most so many times the original's.
    /// A million is always allowed.
    double most_work = 1;
};

/// Draws calls. Sizes are small, near the variant's parameters, or up to sixteen times the call's,
/// on a logarithmic scale. Each size is drawn independently, so that all orders of sizes occur.
class call_draws {
public:
    call_draws(drawn_from from, std::uint64_t seed, draw_limits const& limits = {});

    /// Returns calls that show `trust` something new, if they are right. Calls of the largest sizes
    /// come first, then drawn ones, until of a thousand draws in a row at most two are new. Of some
    /// draws in a row the one that shows most for its work is taken.
    /// Cost  some us a draw
    /// @param is_over  true: no time is left; may be empty
    [[nodiscard]] std::vector<drawn_call> chosen(shape_trust& trust, std::size_t most,
                                                 std::function<bool()> const& is_over = {});

    [[nodiscard]] bool has_scalars() const noexcept { return !scalars_.empty(); }
    /// From now on most calls have other floating-point numbers: of both signs, of many magnitudes,
    /// powers of two, whole ones and others, but none with a class of its own such as 0 and 1.
    void change_scalars() noexcept { changes_scalars_ = true; }

    /// Returns calls that `trust` covers, mostly short ones. In each, properties meet at random:
    /// one size may be below 4, equal to another or about twice it, scalars may be others, and
    /// short arrays begin anywhere.
    [[nodiscard]] std::vector<drawn_call> of_proven(shape_trust const& trust, std::size_t most)
    {
        return that_meet(&trust, most);
    }
    /// The same, of calls that nothing may cover.
    [[nodiscard]] std::vector<drawn_call> any_calls(std::size_t most)
    {
        return that_meet(nullptr, most);
    }

    /// Returns the same call with one size smaller in each: by a half, a quarter, ..., by one. The
    /// calls are sorted by their work.
    [[nodiscard]] std::vector<drawn_call> smaller(drawn_call const& than) const;

    /// Returns different calls of sizes up to those of the call, in several orders. The length
    /// `word` has the value of `formula`, each other length is the longest possible. If the formula
    /// is wrong, the default reads or writes outside of that array in some of them.
    [[nodiscard]] std::vector<drawn_call> trials_of(std::size_t word,
                                                    size_formula const& formula) const;

private:
    [[nodiscard]] bool can_afford(drawn_call const& call) const;
    [[nodiscard]] drawn_call call_of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] double work_of(std::span<std::int64_t const> sizes,
                                 std::span<std::int64_t const> key) const;
    /// Returns true if any code would be right.
    [[nodiscard]] bool writes_nothing(drawn_call const& call) const;
    [[nodiscard]] std::vector<drawn_call> that_meet(shape_trust const* trust, std::size_t most);
    void draw_sizes(std::span<std::int64_t> sizes);
    /// Makes two sizes equal.
    void tie(std::span<std::int64_t> sizes);
    void draw_places(drawn_call& call);
    /// Draws floating-point numbers of the other sign, larger or smaller, powers of two, or equal
    /// to each other. Zero, one and minus one stay, and none is drawn.
    void draw_scalars(drawn_call& call);
    void add_largest(std::vector<drawn_call>& to) const;
    /// Draws calls of about the call's own sizes at other addresses. Code that needs an alignment
    /// may work for short arrays at any address, so short arrays would be a wrong proof.
    void draw_elsewhere(shape_trust& trust, std::size_t most, std::vector<drawn_call>& to);
    void draw_up_to(double work, shape_trust& trust, std::size_t most,
                    std::function<bool()> const& is_over, std::vector<drawn_call>& to);

    drawn_from from_;
    draw_limits limits_;
    double most_work_ = 0;
    std::vector<std::int64_t> numbers_{}; ///< of the call, for declared lengths
    struct scalar {
        std::size_t word = 0;
        double value = 0;      ///< in the call
        bool is_float = false; ///< no double
    };
    std::vector<scalar> scalars_{}; ///< that may be drawn
    bool changes_scalars_ = false;
    std::size_t first_place_; ///< the first word about places
    call_draw draw_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/drawn_calls.ipp>
#endif
