// attune/search/compose/simplex.hpp - searches by simplices: Nelder-Mead and Torczon.
// SPDX-License-Identifier: MIT
// Source   Nelder & Mead, "A simplex method for function minimization", 1965; Torczon,
//          "Multi-directional search", 1989; over all kinds of parameters through unit_embedding;
//          starts as in OpenTuner (Ansel et al. 2014). Own: a vertex that breaks a constraint has
//          the value of the nearest valid configuration; a simplex without new configurations
//          starts again elsewhere
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/closed.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// The first vertices: random ones; a random one, and one along each axis; or a regular simplex
/// around a random one.
enum class simplex_start : std::uint8_t { random, right, regular };

namespace detail {

inline constexpr std::array<std::string_view, 3> simplex_start_texts{"random", "right", "regular"};

/// The d + 1 vertices of a simplex; the first is `at`. Edges have length `edge` along the axes
/// (right) or everywhere (regular). Axes point to the farther side of the unit cube.
/// @param at   d numbers in [0, 1]
/// @param how  not random
/// Source  Spendley, Hext & Himsworth 1962 (regular)
[[nodiscard]] std::vector<std::vector<double>> simplex_at(std::vector<double> const& at,
                                                          simplex_start how, double edge);

} // namespace detail

[[nodiscard]] constexpr std::span<std::string_view const> choice_names(simplex_start) noexcept
{
    return detail::simplex_start_texts;
}

/// Reflects the worst vertex at the centre of the others. Expands the reflection if it is the best,
/// contracts it if it is the worst, and shrinks the simplex if that does not help.
struct nelder_mead {
    static constexpr std::string_view name = "nelder_mead";
    double contraction = 0.5;
    double edge = 0.1; ///< of right and regular starts, as a share of each parameter's range
    double expansion = 2;
    double reflection = 1;
    double shrink = 0.5;
    simplex_start start = simplex_start::random;

    static void settings(auto& self, auto const& visit)
    {
        visit("contraction", self.contraction);
        visit("edge", self.edge);
        visit("expansion", self.expansion);
        visit("reflection", self.reflection);
        visit("shrink", self.shrink);
        visit("start", self.start);
    }
    [[nodiscard]] static search_process run(trials& t, nelder_mead with);
};

/// Reflects all vertices at the best one. Expands the simplex if one is better, or contracts it
/// towards the best one.
struct torczon {
    static constexpr std::string_view name = "torczon";
    double contraction = 0.5;
    double edge = 0.1;
    double expansion = 2;
    simplex_start start = simplex_start::random;

    static void settings(auto& self, auto const& visit)
    {
        visit("contraction", self.contraction);
        visit("edge", self.edge);
        visit("expansion", self.expansion);
        visit("start", self.start);
    }
    [[nodiscard]] static search_process run(trials& t, torczon with);
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/simplex.ipp>
#endif
