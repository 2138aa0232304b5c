// attune/search/pareto_search.hpp - a search with two objectives: the configurations that no other one dominates.
// SPDX-License-Identifier: MIT
// Source   Knowles, "ParEGO", IEEE Trans. Evol. Comput. 10(1), 2006: augmented Chebyshev with a new
//          random weight for each configuration; weights uniform over the simplex, as Paria,
//          Kandasamy, Poczos 2019. Own: values are scaled by the ideal and nadir points of the
//          front so far, where ParEGO needs known limits
// Source   hypervolume: Zitzler & Thiele 1998, the measure of what a front dominates, exact in two
//          dimensions by a sweep
// Bench    bench/search/pareto.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The values of two objectives at one configuration.
using two_values = std::array<double, 2>;

/// Returns true if `a` is nowhere worse than `b` and somewhere better (lower). False for NaN.
[[nodiscard]] constexpr bool dominates(two_values const& a, two_values const& b) noexcept
{
    return a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
}

/// The places of the values that no other dominates, the lowest first objective first; of equal
/// values the first place. Values that are not finite are left out.
/// @param values  n, lower is better
/// Cost     n log n
[[nodiscard]] std::vector<std::size_t> non_dominated(std::span<two_values const> values);

/// The area that is dominated by some of `values` and dominates `reference`; 0 if no value is below
/// the reference in both objectives.
/// @param values     n, lower is better; dominated values have no effect
/// @param reference  finite
/// Cost     n log n
[[nodiscard]] double hypervolume(std::span<two_values const> values, two_values const& reference);

struct logged_session;

/// The values of one configuration, or its failure.
using two_outcome = std::variant<two_values, failure>;

struct pareto_options {
    std::array<goal, 2> goals{goal::lowest, goal::lowest};
    /// Rho of the augmented Chebyshev function, >= 0. Of two configurations with the same larger
    /// weighted value, it prefers the one with the better other value.
    double augmentation = 0.05;
};

/// A configuration of the front, and its values in the unit and sign of the objectives.
struct pareto_member {
    point where;
    two_values values{};

    friend bool operator==(pareto_member const&, pareto_member const&) = default;
};

namespace detail {

/// Augmented Chebyshev: the larger of weight * first and (1 - weight) * second, plus rho times
/// their sum.
/// @param values  lower is better; scaled so that the front is in [0, 1]
/// @param weight  of the first objective, in [0, 1]
[[nodiscard]] double chebyshev(two_values const& values, double weight,
                               double augmentation) noexcept;

/// Scales `values` so that their front is in [0, 1]. The divisor is an objective's extent on the
/// front; if that is 0, its extent over all values; if that is 0, 1.
/// @param values  lower is better, all finite
[[nodiscard]] std::vector<two_values> scaled_to_front(std::span<two_values const> values);

} // namespace detail

/// Ask and tell over two objectives.
///
///   attune::pareto_search search(space, seed);
///   for (auto next = search.ask(1); !next.empty(); next = search.ask(1))
///       search.tell(next.front(), attune::two_values{time(next.front()), joules(next.front())});
///
/// Proposes the default configuration first, if any. Equal seeds and calls give equal points.
/// Cost   one suggestion of the searcher, which first receives all outcomes again
class pareto_search {
public:
    /// @param search  proposes configurations for one weighted objective after the other. Before
    ///                each, it receives the values of all configurations again, with the new
    ///                weight. Empty: a Bayesian search
    /// Errors   attune::error: defaults that break a constraint; an augmentation below 0
    explicit pareto_search(chain_of_trees space, std::uint64_t seed = 0,
                           pareto_options const& options = {}, search_factory const& search = {});

    /// Up to `k` points that are new to ask() and tell(); fewer if the space is nearly exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Sets the values of any point; values that are not finite are a failure. New values of a
    /// point replace its old ones.
    /// Errors  attune::error: the point is not in the space
    void tell(point const& at, two_outcome const& result);

    /// The configurations so far that no other one dominates, the best first objective first; of
    /// equal values the earlier configuration.
    [[nodiscard]] std::vector<pareto_member> front() const;
    /// The area between the front and `reference`, in the unit and sign of the objectives.
    [[nodiscard]] double hypervolume(two_values const& reference) const;
    [[nodiscard]] chain_of_trees const& space() const noexcept;

    /// All calls so far, from which resume() continues bit for bit.
    [[nodiscard]] logged_session const& save() const noexcept;
    /// Brings a new search of the same space, seed, options and searcher to a saved state.
    /// Errors  attune::error: this search has begun already; another space, seed or searcher; a
    ///         damaged session
    void resume(logged_session const& saved);

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/pareto_search.ipp>
#endif
