// attune/search/compose/operators.hpp - operators for parameters of any kind, numbers, booleans, arrays.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Tables 4.3 and 4.4; undefined details as in OpenTuner (Ansel et
//          al. 2014). Own: set_linear of permutations by the swaps that lead from one to another
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operator.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// Leaves the child as its first parent.
struct noop {
    static constexpr std::string_view name = "noop";
    static constexpr std::size_t parents = 1;
    void operator()(gene, other_parents, random_engine&) const {}
};

/// A random value.
struct randomize {
    static constexpr std::string_view name = "randomize";
    static constexpr std::size_t parents = 1;
    void operator()(gene child, other_parents, random_engine& engine) const { child.draw(engine); }
};

/// The value of a random configuration, by `weights`; the first weight is that of the child.
struct stochastic_mix {
    static constexpr std::string_view name = "stochastic_mix";
    static constexpr std::size_t parents = 2;
    std::vector<double> weights{1, 1}; ///< >= 0, not all 0; one per needed configuration

    static void arguments(auto& self, auto const& visit) { visit("weights", self.weights); }
    [[nodiscard]] std::size_t needs() const noexcept { return weights.size(); }
    [[nodiscard]] static stochastic_mix drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// The move of a particle swarm for kinds without a better one: the value of the child, of the
/// first or of the second other parent, by the weights.
struct swarm {
    static constexpr std::string_view name = "swarm";
    static constexpr std::size_t parents = 3;
    double own = 1;      ///< c of the thesis
    double first = 0.5;  ///< c1
    double second = 0.5; ///< c2

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.own);
        visit("c1", self.first);
        visit("c2", self.second);
    }
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// a x1 + b x2 + c x3 of the three other parents; a, b, c are 1, F, -F in differential evolution.
/// Numbers: by their shares, clipped. Tiles: by their logarithms, to the nearest. Permutations: x1,
/// moved by b of the way from x3 to x2: moved_along(). Booleans and categories: x1, or x2 with
/// probability b if x2 and x3 differ. Arrays: element by element.
struct set_linear {
    static constexpr std::string_view name = "set_linear";
    static constexpr std::size_t parents = 4;
    double a = 1;
    double b = 0.7;
    double c = -0.7;

    static void arguments(auto& self, auto const& visit)
    {
        visit("a", self.a);
        visit("b", self.b);
        visit("c", self.c);
    }
    /// 1, F, -F with F uniform in [0.5, 1).
    [[nodiscard]] static set_linear drawn(random_engine& engine);
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// A value near that of the child: numbers move by a normal number of standard deviation `sigma` of
/// their range, reflected at its ends; booleans flip; permutations become random or get small
/// changes, with equal probability; one element of an array moves; selector_move changes a
/// selector; other values become random.
struct normal_mutation {
    static constexpr std::string_view name = "normal_mutation";
    static constexpr std::size_t parents = 1;
    double sigma = 0.1;

    static void settings(auto& self, auto const& visit) { visit("sigma", self.sigma); }
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// `factor` times the value of the child, clipped.
struct scale {
    static constexpr std::string_view name = "scale";
    static constexpr std::size_t parents = 1;
    using of = number_kind;
    double factor = 2;

    static void arguments(auto& self, auto const& visit) { visit("factor", self.factor); }
    /// A factor of 2^u, u uniform in [-1, 1).
    [[nodiscard]] static scale drawn(random_engine& engine);
    void operator()(gene child, other_parents, random_engine&) const
    {
        child.set_value(factor * child.value());
    }
};

/// |x2 - x1| of two other parents, clipped.
struct difference {
    static constexpr std::string_view name = "difference";
    static constexpr std::size_t parents = 3;
    using of = number_kind;
    void operator()(gene child, other_parents others, random_engine&) const;
};

/// The sum of all other parents, clipped.
struct sum {
    static constexpr std::string_view name = "sum";
    static constexpr std::size_t parents = 2;
    using of = number_kind;
    void operator()(gene child, other_parents others, random_engine&) const;
};

/// One move of a particle: v = c v + r1 c1 (x1 - x) + r2 c2 (x2 - x) with r1, r2 uniform in [0, 1).
/// A real number becomes x + v, clipped. A whole number is counted in steps of its table. It
/// becomes sigmoid(v) of its range plus a normal number of standard deviation `sigma` of the range,
/// rounded and clipped.
struct number_swarm {
    static constexpr std::string_view name = "number_swarm";
    static constexpr std::size_t parents = 3;
    using of = number_kind;
    double own = 1;      ///< c: of the velocity, which the base stores
    double first = 0.5;  ///< c1
    double second = 0.5; ///< c2
    double sigma = 0.2;

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.own);
        visit("c1", self.first);
        visit("c2", self.second);
        visit("sigma", self.sigma);
    }
    void operator()(gene child, other_parents others, random_engine& engine,
                    std::span<double> velocity) const;
    /// move() with r1 and r2 given.
    void move(gene child, other_parents others, double r1, double r2, random_engine& engine,
              double& velocity) const;
};

/// The other value.
struct flip {
    static constexpr std::string_view name = "flip";
    static constexpr std::size_t parents = 1;
    using of = boolean_kind;
    void operator()(gene child, other_parents, random_engine&) const
    {
        child.set({1 - child.where().index, 0});
    }
};

/// v as number_swarm, with false 0 and true 1; then true with probability sigmoid(v).
struct boolean_swarm {
    static constexpr std::string_view name = "boolean_swarm";
    static constexpr std::size_t parents = 3;
    using of = boolean_kind;
    double own = 1;
    double first = 0.5;
    double second = 0.5;

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.own);
        visit("c1", self.first);
        visit("c2", self.second);
    }
    void operator()(gene child, other_parents others, random_engine& engine,
                    std::span<double> velocity) const;
    void move(gene child, other_parents others, double r1, double r2, random_engine& engine,
              double& velocity) const;
};

/// The first other parent, with a random section of length `strength` from the second.
struct array_cross {
    static constexpr std::string_view name = "array_cross";
    static constexpr std::size_t parents = 3;
    using of = array_kind;
    double strength = 0.3;

    static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// With probability 1 - c a section of one other parent: of the first with probability c1.
struct array_swarm {
    static constexpr std::string_view name = "array_swarm";
    static constexpr std::size_t parents = 3;
    using of = array_kind;
    double stay = 0.5;  ///< c
    double first = 0.5; ///< c1
    double strength = 0.3;

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.stay);
        visit("c1", self.first);
        visit("strength", self.strength);
    }
    void operator()(gene child, other_parents others, random_engine& engine) const;
};

/// number_swarm or boolean_swarm for each element, with the same r1 and r2 for all; swarm for
/// categories and tiles.
struct array_swarm_parallel {
    static constexpr std::string_view name = "array_swarm_parallel";
    static constexpr std::size_t parents = 3;
    using of = array_kind;
    double own = 1;
    double first = 0.5;
    double second = 0.5;

    static void settings(auto& self, auto const& visit)
    {
        visit("c", self.own);
        visit("c1", self.first);
        visit("c2", self.second);
    }
    void operator()(gene child, other_parents others, random_engine& engine,
                    std::span<double> velocity) const;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/operators.ipp>
#endif
