// attune/search/optimizer_core.hpp - an optimizer without the types of its space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct logged_session;
struct stop_verdict;

namespace detail {

/// The point with every parameter at its default; nothing unless all have one.
/// Errors   attune::error: the defaults together break a constraint
[[nodiscard]] std::optional<point> default_point(chain_of_trees const& space);

/// Proposes the default configuration first, if any, then asks the searcher; checks outcomes, and
/// logs all calls. A configuration beyond a bound is a failure for searcher, limits and best().
/// `optimizer` documents the functions without a comment.
class optimizer_core {
public:
    /// @param times   values are times: a negative one is an error
    /// @param bounds  on quantities that each evaluation measures
    /// Errors  as default_point() and require_bounds()
    optimizer_core(chain_of_trees space, search_factory const& search, std::uint64_t seed,
                   bool times, search_limits const& limits = {},
                   std::vector<quantity_bound> bounds = {});

    /// Up to `count` points that are new to ask() and tell(); none if a limit is reached or the
    /// space is exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t count);
    /// Sets the outcome of a point of ask().
    /// Errors  attune::error with the point: not in the space, not from ask(), told before; a value
    ///         that is NaN, or a negative time; a measurement without a quantity that has a bound
    void tell(std::optional<point> const& at, evaluation const& seen);
    /// Sets the outcome of any point; replaces an old one.
    /// Errors  attune::error: not in the space, NaN, a negative time, a missing quantity
    void observe(std::optional<point> const& at, evaluation const& seen);

    [[nodiscard]] std::optional<std::pair<point, double>> const& best() const noexcept;
    [[nodiscard]] chain_of_trees const& space() const noexcept;
    [[nodiscard]] std::optional<stop_verdict> const& stopped() const noexcept;
    /// The model's last estimate of the remaining gain, if search_limits::expected_gain needs one.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept;
    [[nodiscard]] std::string shortfall() const;
    [[nodiscard]] std::string summary() const;

    [[nodiscard]] logged_session const& save() const noexcept;
    /// Brings a new optimizer to a saved state.
    /// Errors  attune::error: this one was used already; another space, seed or searcher; a damaged
    ///         session
    void resume(logged_session const& saved);

private:
    struct state;
    owned_state<state> state_;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/optimizer_core.ipp>
#endif
