// attune/search/pareto/pareto_search.hpp - searches the configurations that no other one dominates.
// SPDX-License-Identifier: MIT
// Source   Knowles, "ParEGO", IEEE Trans. Evol. Comput. 10(1), 2006: augmented Chebyshev with a new
//          random weight for each configuration; weights uniform over the simplex, as Paria,
//          Kandasamy, Poczos 2019. Own: values are scaled by the ideal and nadir points of the
//          front so far, where ParEGO needs known limits
// Bench    bench/search/pareto.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/pareto/front.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct logged_session;

/// The values of one configuration, or why there are none.
using two_outcome = std::variant<two_values, failure>;

struct pareto_options {
    std::array<goal, 2> goals{goal::lowest, goal::lowest};
    /// Rho of the augmented Chebyshev function, >= 0: prefers, of two configurations with the same
    /// larger weighted value, the one whose other value is better.
    double augmentation = 0.05;
};

/// A configuration of the front and its values, in the unit and sign of the objectives.
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

/// `values` on the scale where the front of all of them is in [0, 1]; an objective without extent
/// on the front has that of all values, else 1.
/// @param values  lower is better, all finite
[[nodiscard]] std::vector<two_values> scaled_to_front(std::span<two_values const> values);

} // namespace detail

/// Ask and tell over two objectives.
///
///   attune::pareto_search search(space, seed);
///   for (auto next = search.ask(1); !next.empty(); next = search.ask(1))
///       search.tell(next.front(), attune::two_values{time(next.front()), joules(next.front())});
///
/// Asks the default configuration first, if there is one. Equal seeds and calls give equal points.
/// Cost   that of one suggestion of the searcher, which reads all outcomes again each time
class pareto_search {
public:
    /// @param search  proposes configurations for one weighted objective after the other: before
    ///                each, it is told the values of all configurations again, with the new weight.
    ///                Empty: a Bayesian search
    /// Errors   attune::error: defaults that break a constraint; an augmentation below 0
    explicit pareto_search(chain_of_trees space, std::uint64_t seed = 0,
                           pareto_options const& options = {}, search_factory const& search = {});
    ~pareto_search();
    pareto_search(pareto_search&&) noexcept;
    pareto_search& operator=(pareto_search&&) noexcept;

    /// Up to `k` points never asked nor told before; fewer when a finite space is nearly exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Tells the values of any point, asked or not; values that are not finite are a failure. One
    /// told again replaces its former values.
    /// Errors  attune::error: the point is not in the space
    void tell(point const& at, two_outcome const& result);

    /// The configurations told so far that no other one dominates, the best first objective first;
    /// of equal values the configuration told first.
    [[nodiscard]] std::vector<pareto_member> front() const;
    /// The area between the front and `reference`, in the unit and sign of the objectives.
    [[nodiscard]] double hypervolume(two_values const& reference) const;
    [[nodiscard]] chain_of_trees const& space() const noexcept;

    /// All calls so far, from which resume() continues bit for bit.
    [[nodiscard]] logged_session const& save() const noexcept;
    /// Brings a new search of the same space, seed, options and searcher to the state of a saved
    /// one.
    /// Errors  attune::error: this one has begun already; another space, seed or searcher; what is
    ///         saved is damaged
    void resume(logged_session const& saved);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/pareto/pareto_search.ipp>
#endif
