// attune/search/compose/selector_operators.hpp - operators for selectors.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Tables 4.2 and 4.5: those of the permutation of algorithms and of
//          the cut-offs. Own: all others, which keep the algorithm of most sizes
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operator.hpp>

#include <cstddef>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// Moves each cut-off with probability `chance`, at least one cut-off, to another place between its
/// neighbours. The distance is a normal number of standard deviation `sigma` of the table, at least
/// one place. A selector without cut-offs, or without room, stays.
struct cut_off_shift {
    static constexpr std::string_view name = "cut_off_shift";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    double chance = 0.25;
    double sigma = 0.1;

    static void settings(auto& self, auto const& visit)
    {
        visit("p", self.chance);
        visit("sigma", self.sigma);
    }
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// Exchanges the acts of two ranges. A single range stays.
struct range_swap {
    static constexpr std::string_view name = "range_swap";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// Draws one range anew. With probability `chance` the algorithm stays, and only one of its
/// parameters is drawn, if it has any.
struct range_redraw {
    static constexpr std::string_view name = "range_redraw";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    double chance = 0.5;

    static void settings(auto& self, auto const& visit) { visit("p", self.chance); }
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// Adds a cut-off inside a range; the part above or below it gets a random act. A selector with all
/// of its ranges, or all cut-offs, stays.
struct range_split {
    static constexpr std::string_view name = "range_split";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// Removes a cut-off, with the range above or below it. A single range stays.
struct range_removal {
    static constexpr std::string_view name = "range_removal";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// One of the five operators above at random; another one if that changes nothing.
struct selector_move {
    static constexpr std::string_view name = "selector_move";
    static constexpr std::size_t parents = 1;
    using of = selector_kind;
    void operator()(gene child, other_parents, random_engine& engine) const;
};

/// The first other parent for sizes below a random cut-off, the second one for larger sizes.
struct selector_cross {
    static constexpr std::string_view name = "selector_cross";
    static constexpr std::size_t parents = 3;
    using of = selector_kind;
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// With probability 1 - c takes some sizes from one other parent, the first with probability c1:
/// those from a random cut-off on, or those below it.
struct selector_swarm {
    static constexpr std::string_view name = "selector_swarm";
    static constexpr std::size_t parents = 3;
    using of = selector_kind;
    double stay = 0.5;  ///< c
    double first = 0.5; ///< c1

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.stay);
        visit("c1", self.first);
    }
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

namespace detail {

/// Changes a selector as selector_move.
void move_selector(gene const& child, random_engine& engine);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/selector_operators.ipp>
#endif
