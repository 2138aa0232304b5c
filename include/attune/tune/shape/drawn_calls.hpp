// attune/tune/shape/drawn_calls.hpp - calls of other sizes, drawn from one call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/call_draw.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/shape/shape_trust.hpp>
#include <attune/tune/shape/size_relations.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The same call with other sizes, its arrays at other addresses.
struct drawn_call {
    static constexpr std::int64_t unchanged = -1;

    std::vector<std::int64_t> sizes{};  ///< by argument: length of an array, or value of an integer
    std::vector<std::int64_t> places{}; ///< by array: address modulo 64; empty: all unchanged
    std::vector<std::int64_t> key{};    ///< its shape
    double work = 0; ///< product of its sizes, or number of elements: the larger one
};

/// What calls are drawn from; all outlives them.
struct drawn_from {
    std::vector<shape_word> const& layout;
    std::span<std::int64_t const> key;      ///< of the call
    call_frame const& frame;                ///< of the call
    shape_choice const& choice;             ///< which arguments count
    size_relations const& relations;        ///< of the call: the first formula of each length holds
    std::span<std::int64_t const> divisors; ///< numbers among the variant's parameters
    std::uint32_t modulus = 64;             ///< addresses count modulo it
    declared_lengths const* lengths = nullptr; ///< of the kernel; null: none are declared
};

/// Draws calls. Their sizes are small, beside the variant's parameters, or anywhere up to sixteen
/// times the call's, on a logarithmic scale; each size by itself, so that they occur in every
/// order. A call takes at most `most_bytes` of memory, and at most the work of the call that it is
/// drawn from, or a million; work is the product of the sizes.
class call_draws {
public:
    call_draws(drawn_from from, std::uint64_t seed, std::size_t most_bytes = std::size_t{32} << 20);

    /// Calls that show `trust` something new, if it is told that they were right: those of the
    /// largest sizes first, then drawn ones, until of a thousand draws in a row at most two are
    /// new.
    /// Cost  some us a draw
    /// @param is_over  whether there is no time left; empty: there is
    [[nodiscard]] std::vector<drawn_call> chosen(shape_trust& trust, std::size_t most,
                                                 std::function<bool()> const& is_over = {});

    /// Calls of sizes up to those of the call, all different, in several orders. The length `word`
    /// is what `formula` says, each other one the longest that it may be. Where the formula is
    /// wrong the default reads or writes outside of that array in some of them.
    [[nodiscard]] std::vector<drawn_call> trials_of(std::size_t word,
                                                    size_formula const& formula) const;

private:
    [[nodiscard]] bool can_afford(drawn_call const& call) const;
    [[nodiscard]] drawn_call call_of(std::span<std::int64_t const> sizes) const;
    [[nodiscard]] double work_of(std::span<std::int64_t const> sizes,
                                 std::span<std::int64_t const> key) const;
    /// Whether any code would be right.
    [[nodiscard]] bool writes_nothing(drawn_call const& call) const;
    void draw_sizes(std::span<std::int64_t> sizes);
    /// Makes two sizes equal.
    void tie(std::span<std::int64_t> sizes);
    void draw_places(drawn_call& call);
    void add_largest(std::vector<drawn_call>& to) const;
    /// Calls of the call's own sizes at other addresses: code that needs an alignment may work for
    /// short arrays at any address, and would prove it there.
    void draw_elsewhere(shape_trust& trust, std::size_t most, std::vector<drawn_call>& to);
    void draw_up_to(double work, shape_trust& trust, std::size_t most,
                    std::function<bool()> const& is_over, std::vector<drawn_call>& to);

    drawn_from from_;
    std::size_t most_bytes_;
    double most_work_ = 0;
    std::vector<std::int64_t> numbers_{}; ///< of the call, for declared lengths
    std::size_t first_place_;             ///< the first word about places
    call_draw draw_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/drawn_calls.ipp>
#endif
