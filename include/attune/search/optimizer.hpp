// attune/search/optimizer.hpp - ask and tell with typed configurations, over any objective.
// SPDX-License-Identifier: MIT
//
// The interface is the ask/tell of scikit-optimize and Optuna
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/build_pack.hpp>
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

struct optimizer_options {
    std::uint64_t seed = 0; ///< equal seeds and outcomes give equal runs
    search_factory search = default_search();
    std::vector<input_value> inputs{}; ///< one per input of the space: {n(4096)}
    bool times = true;                 ///< values are times; a negative one is an error
    search_limits limits{};            ///< ask() returns nothing after one is reached
    /// Bounds on quantities of each evaluation; a configuration beyond a bound is never best().
    std::vector<quantity_bound> bounds{};
};

/// Minimises the values of tell(). Proposes the default configuration first, if every parameter has
/// a default.
///
/// Example   attune::optimizer opt{space};
///           while (auto c = opt.ask()) opt.tell(*c, cost((*c)[tile]));
/// Errors    attune::error from the constructor: an empty space, a missing input, defaults that
///           break a constraint
template <class Pack>
class optimizer {
public:
    using config_type = typename Pack::config_type;

    explicit optimizer(Pack const& typed, optimizer_options const& options = {})
        : typed_(typed)
        , core_(build(typed, options.inputs), options.search, options.seed, options.times,
                options.limits, options.bounds)
    {
    }

    /// The next configuration to try; nothing if a limit is reached or the space is exhausted.
    [[nodiscard]] std::optional<config_type> ask()
    {
        std::vector<config_type> const batch = ask(1);
        if (batch.empty()) return {};
        return batch.front();
    }

    /// Up to `count` different configurations, which may be tried at once.
    [[nodiscard]] std::vector<config_type> ask(std::size_t count)
    {
        std::vector<config_type> out;
        for (point const& p : core_.ask(count))
            out.push_back(decode(typed_, space().describe(), p));
        return out;
    }

    /// Sets the value of a configuration of ask(); lower is better, infinite is a failure.
    /// Errors   those of the next function
    void tell(config_type const& tried, double value)
    {
        tell(tried, evaluation{measurement::exact(value)});
    }

    /// Sets the outcome of a configuration of ask(): a measurement with its interval, or a failure,
    /// and the quantities that options.bounds names.
    /// Errors   attune::error with the configuration: not of this space, not from ask(), or told
    ///          before; a value that is NaN or a negative time; a measurement without a quantity
    ///          that has a bound
    void tell(config_type const& tried, evaluation const& seen)
    {
        core_.tell(encode(typed_, space().describe(), tried), seen);
    }

    /// Sets a known value of any configuration; replaces an old value.
    /// Errors   attune::error: not of this space, or the value is NaN or a negative time
    void observe(config_type const& known, double value)
    {
        observe(known, evaluation{measurement::exact(value)});
    }
    void observe(config_type const& known, evaluation const& seen)
    {
        core_.observe(encode(typed_, space().describe(), known), seen);
    }

    /// The best configuration so far that keeps all bounds; nothing before the first success.
    [[nodiscard]] std::optional<config_type> best() const
    {
        if (!core_.best()) return {};
        return decode(typed_, space().describe(), core_.best()->first);
    }
    /// The value of best(); nothing before the first success.
    [[nodiscard]] std::optional<double> best_value() const
    {
        if (!core_.best()) return {};
        return core_.best()->second;
    }
    [[nodiscard]] chain_of_trees const& space() const noexcept { return core_.space(); }

    /// The reason why ask() returned nothing; nothing while there is more to try.
    [[nodiscard]] std::optional<stop_verdict> const& stopped() const noexcept
    {
        return core_.stopped();
    }
    /// The model's last estimate of the remaining gain; see search_limits.
    [[nodiscard]] std::optional<double> expected_gain() const { return core_.expected_gain(); }
    /// If configurations succeeded, but none kept all bounds: a sentence with the nearest one. Else
    /// empty.
    [[nodiscard]] std::string shortfall() const { return core_.shortfall(); }
    /// A sentence with the numbers of trials and failures, the best, and the reason for the end.
    [[nodiscard]] std::string summary() const { return core_.summary(); }

    /// All calls so far, from which resume() continues bit for bit. text_of() and read_session() of
    /// <attune/remember/files/event_log.hpp> convert to text and back.
    [[nodiscard]] logged_session const& save() const noexcept { return core_.save(); }
    /// Brings a new optimizer of the same space, options and seed to the saved state. Takes the
    /// time of the saved calls of ask().
    /// Errors   attune::error: this optimizer was used already; space, seed or searcher differ; the
    ///          session is damaged
    void resume(logged_session const& saved) { core_.resume(saved); }

private:
    Pack typed_;
    detail::optimizer_core core_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/optimizer.ipp>
#endif
