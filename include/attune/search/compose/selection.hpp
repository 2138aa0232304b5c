// attune/search/compose/selection.hpp - a selector of one configuration, as ranges of a size.
// SPDX-License-Identifier: MIT
// Source   own; the selector is that of Wu, "DeepTuner", 2015, Sec. 4.2.1
// tested by search/compose/selector_operators.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/compose/gene.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// What a range runs: the algorithm, then each parameter of all algorithms.
using range_act = std::vector<coordinate>;

/// What a selector runs, from the smallest sizes on. What makes one returns a settled one: its
/// cut-offs ascend, neighbouring ranges differ, and parameters of other algorithms stand at their
/// one value.
struct selection {
    std::vector<std::uint32_t> cut_offs; ///< places in the table of cut-offs, one per range after
                                         ///< the first
    std::vector<range_act> acts;         ///< of each range; at least one

    [[nodiscard]] friend bool operator==(selection const&, selection const&) = default;
};

/// The selector of a valid configuration. @pre of.is_selector()
[[nodiscard]] selection selection_of(gene_view const& of);

/// Puts `what` into a configuration. @pre to.is_selector(); `what` is settled and has no more
/// ranges than the selector
void set_selection(gene const& to, selection const& what);

/// The act for sizes from the cut-off at place `cut` to the next one; -1: for sizes below all.
[[nodiscard]] range_act const& act_at(selection const& of, std::int64_t cut);

/// `what` with inactive parameters at their one value and ranges joined that are equal.
/// @param of  of the same space, to know what counts
[[nodiscard]] selection settled_selection(gene_view const& of, selection what);

/// A random act: the algorithm and each of its parameters uniform.
[[nodiscard]] range_act drawn_act(gene_view const& of, random_engine& engine);

/// A random selector: the number of ranges uniform, then cut-offs among all that ascend, then acts.
/// Ranges that happen to be equal are joined.
[[nodiscard]] selection drawn_selection(gene_view const& of, random_engine& engine);

/// `below` for sizes under the cut-off at place `cut`, `from` for the others. Where these are more
/// ranges than a selector has, random cut-offs go, each with the range above or below it.
/// @param of  the selector, for its limits
[[nodiscard]] selection crossed_selection(gene_view const& of, selection const& below,
                                          selection const& from, std::uint32_t cut,
                                          random_engine& engine);

namespace detail {

/// Makes a selector random.
void draw_selector(gene const& to, random_engine& engine);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/selection.ipp>
#endif
