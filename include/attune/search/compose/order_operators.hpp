// attune/search/compose/order_operators.hpp - operators for permutations.
// SPDX-License-Identifier: MIT
// tested by search/compose/operators.cpp
// Source   Wu, "DeepTuner", 2015, Table 4.5; strengths as in OpenTuner (Ansel et al. 2014).
//          Own: random_shift, random_reversal, random_move
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/operators.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// Ways to cross two orders: see gene.hpp.
enum class crossover : std::uint8_t { px, pmx, cx, ox1, ox3 };

namespace detail {

inline constexpr std::array<std::string_view, 5> crossover_texts{"px", "pmx", "cx", "ox1", "ox3"};

} // namespace detail

[[nodiscard]] constexpr std::span<std::string_view const> choice_names(crossover) noexcept
{
    return detail::crossover_texts;
}

/// `a` crossed with `b` at random places.
/// @param strength  share of the items in sections of `b`, for PMX, OX1 and OX3
[[nodiscard]] item_order crossed(order_view a, order_view b, crossover how, double strength,
                                 random_engine& engine);

/// Swaps each item with the next one with probability `chance`.
struct small_random_change {
    static constexpr std::string_view name = "small_random_change";
    static constexpr std::size_t parents = 1;
    using of = permutation_kind;
    double chance = 0.25;

    static void settings(auto& self, auto const& visit) { visit("p", self.chance); }
    [[nodiscard]] static small_random_change drawn(random_engine& engine);
    void operator()(gene child, other_parents, random_engine& engine) const
    {
        child.set_order(with_small_changes(child.order(), chance, engine));
    }
};

/// The other parent with two random items swapped.
struct random_swap {
    static constexpr std::string_view name = "random_swap";
    static constexpr std::size_t parents = 2;
    using of = permutation_kind;
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// The other parent with a random section, `strength` of the items, reversed.
struct random_invert {
    static constexpr std::string_view name = "random_invert";
    static constexpr std::size_t parents = 2;
    using of = permutation_kind;
    double strength = 0.3;

    static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
    [[nodiscard]] static random_invert drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// The other parent with a random section moved elsewhere: at least one item, at most `strength` of
/// them, each order of magnitude with equal probability.
struct random_shift {
    static constexpr std::string_view name = "random_shift";
    static constexpr std::size_t parents = 2;
    using of = permutation_kind;
    double strength = 0.1;

    static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
    [[nodiscard]] static random_shift drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// The other parent with the section between two random places reversed.
struct random_reversal {
    static constexpr std::string_view name = "random_reversal";
    static constexpr std::size_t parents = 2;
    using of = permutation_kind;
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// One of three small moves of the other parent, with equal probability: random_shift, random_swap
/// and random_reversal.
struct random_move {
    static constexpr std::string_view name = "random_move";
    static constexpr std::size_t parents = 2;
    using of = permutation_kind;
    double strength = 0.1;

    static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
    [[nodiscard]] static random_move drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// Two other parents crossed; the way is a setting.
struct permutation_cross {
    static constexpr std::string_view name = "permutation_cross";
    static constexpr std::size_t parents = 3;
    using of = permutation_kind;
    crossover how = crossover::ox1;
    double strength = 0.3;

    static void settings(auto& self, auto const& visit)
    {
        visit("crossover", self.how);
        visit("strength", self.strength);
    }
    void operator()(gene child, other_parents others, random_engine& engine) const
    {
        child.set_order(crossed(others[0].order(), others[1].order(), how, strength, engine));
    }
};

namespace detail {

/// Two other parents crossed in one way.
template <crossover How>
struct cross_by {
    static constexpr std::size_t parents = 3;
    using of = permutation_kind;
    void operator()(gene child, other_parents others, random_engine& engine) const
    {
        child.set_order(crossed(others[0].order(), others[1].order(), How, 0, engine));
    }
};
/// Two other parents crossed in one way that has sections.
template <crossover How>
struct cross_sections_by {
    static constexpr std::size_t parents = 3;
    using of = permutation_kind;
    double strength = 0.3;

    static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
    void operator()(gene child, other_parents others, random_engine& engine) const
    {
        child.set_order(crossed(others[0].order(), others[1].order(), How, strength, engine));
    }
};

} // namespace detail

struct px : detail::cross_by<crossover::px> {
    static constexpr std::string_view name = "cross_px";
};
struct pmx : detail::cross_sections_by<crossover::pmx> {
    static constexpr std::string_view name = "cross_pmx";
    [[nodiscard]] static pmx drawn(random_engine& engine);
};
struct cx : detail::cross_by<crossover::cx> {
    static constexpr std::string_view name = "cross_cx";
};
struct ox1 : detail::cross_sections_by<crossover::ox1> {
    static constexpr std::string_view name = "cross_ox1";
    [[nodiscard]] static ox1 drawn(random_engine& engine);
};
struct ox3 : detail::cross_sections_by<crossover::ox3> {
    static constexpr std::string_view name = "cross_ox3";
    [[nodiscard]] static ox3 drawn(random_engine& engine);
};

/// The move of a particle: with probability 1 - c the child is crossed with one other parent, the
/// first with probability c1.
struct permutation_swarm {
    static constexpr std::string_view name = "permutation_swarm";
    static constexpr std::size_t parents = 3;
    using of = permutation_kind;
    double stay = 0.5;  ///< c
    double first = 0.5; ///< c1
    crossover how = crossover::ox1;
    double strength = 0.3;

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.stay);
        visit("c1", self.first);
        visit("crossover", self.how);
        visit("strength", self.strength);
    }
    [[nodiscard]] static permutation_swarm drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/order_operators.ipp>
#endif
