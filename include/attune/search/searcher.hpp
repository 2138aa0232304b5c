// attune/search/searcher.hpp - the interface of a strategy that proposes configurations.
// SPDX-License-Identifier: MIT
//
// The ask/tell split is that of CMA-ES libraries (Collette et al. 2010)
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Proposes configurations and learns from their outcomes.
/// - ask(k): up to k distinct points of the space, never asked before by this searcher nor told;
///   fewer when few are left; none when it is finished, and then always.
/// - tell(p, outcome): in any order, any number of times, also for points never asked.
/// Equal seeds and equal calls give equal points. tests/laws/searcher.hpp checks all this. A
/// searcher that learns from description::code_metrics also has tell_metrics(p, numbers): one
/// number per name, NaN where missing, at any time, also for points never asked. One that learns
/// where bounds on measured quantities are kept has tell_excess(p, value, numbers), called before
/// tell() of that point, as bayesian_searcher; for all others, what breaks a bound is a failure.
/// One that learns from other sessions also has inform(std::vector<past_session>), one with a model
/// of programs learn_from(cost_samples), one that chooses among techniques
/// learn_from(technique_history); all are called before the first ask(). One that chooses among
/// techniques has uses() and proposer_of(p), too. One that knows the name by which it is made
/// again, with all options, has strategy(). One that expects a value of what it asks also has
/// prediction_of(p), as bayesian_searcher. One that learns from a bound has tell_bound(p, value):
/// `p` is not evaluated, because it is known to be worse than the best, and `value` stands for its
/// own; others are told a measurement of that value.
template <class S>
concept searcher = requires(S s, std::size_t k, point const& p, outcome const& o) {
    { s.ask(k) } -> std::same_as<std::vector<point>>;
    { s.tell(p, o) } -> std::same_as<void>;
};

/// Any searcher as one value: movable, not copyable.
class any_searcher {
public:
    template <class S>
        requires(!std::same_as<std::remove_cvref_t<S>, any_searcher>)
    any_searcher(S&& inner) // NOLINT: a searcher is an any_searcher
    {
        using held = std::remove_cvref_t<S>;
        static_assert(searcher<held>,
                      "attune::any_searcher(s): 's' is not a searcher; it needs "
                      "ask(std::size_t) -> std::vector<point>, tell(point, outcome) -> void");
        if constexpr (searcher<held>) self_ = std::make_unique<model<held>>(std::forward<S>(inner));
    }

    /// @pre not moved from
    [[nodiscard]] std::vector<point> ask(std::size_t k) { return self_->ask(k); }
    /// @pre not moved from
    void tell(point const& p, outcome const& o) { self_->tell(p, o); }
    /// The value of `p` is at least `value`, and `p` is not evaluated: tell() of that value if the
    /// searcher has no tell_bound(). @pre not moved from
    void tell_bound(point const& p, double value) { self_->tell_bound(p, value); }
    /// Goes on in a part of the space; nothing: in all of it. See narrowing_search.
    /// @return  false: the searcher has no narrow(), or cannot, and goes on as before
    /// @pre     not moved from
    bool narrow(std::optional<detail::kept_settings> const& part) { return self_->narrow(part); }
    /// Ignored if the searcher has no tell_metrics(). @pre not moved from
    void tell_metrics(point const& p, std::span<double const> numbers)
    {
        self_->tell_metrics(p, numbers);
    }
    /// bayesian_searcher::tell_excess(). Ignored if the searcher has no tell_excess().
    /// @pre not moved from
    void tell_excess(point const& p, double value, std::span<double const> excess)
    {
        self_->tell_excess(p, value, excess);
    }
    /// Outcomes of other sessions, before the first ask(). Ignored if the searcher has no inform().
    /// @pre not moved from
    void inform(std::vector<past_session> const& past) { self_->inform(past); }
    /// Measured programs of other tasks, before the first ask().
    /// @return  false: the searcher has no learn_from(), and ignores them
    /// @pre     not moved from
    bool learn_from(cost_samples const& others) { return self_->learn_from(others); }
    /// What techniques gained in other searches, before the first ask().
    /// @return  false: the searcher has no learn_from() for it, and ignores it
    /// @pre     not moved from
    bool learn_from(search::technique_history const& past) { return self_->learn_from(past); }
    /// What each technique of the searcher gained; empty for one without techniques.
    /// @pre not moved from
    [[nodiscard]] std::vector<search::technique_use> uses() const { return self_->uses(); }
    /// The technique that proposed a point whose outcome is not told yet, by name; empty for a
    /// searcher without techniques, and for a point that none proposed.
    /// @pre not moved from
    [[nodiscard]] std::string proposer_of(point const& p) const { return self_->proposer_of(p); }
    /// The searcher's expected gain, if it has one: see bayesian_searcher::expected_gain().
    /// @pre not moved from
    [[nodiscard]] std::optional<double> expected_gain() { return self_->expected_gain(); }
    /// The value that the searcher's model expected of a point when it chose it, if it has a model
    /// and the point is not told yet.
    /// @pre not moved from
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return self_->prediction_of(p);
    }

    /// The name by which parse_technique() or the program makes this search again, with all its
    /// options: of set_strategy(), else the searcher's own strategy(). Empty: unknown.
    /// @pre not moved from
    [[nodiscard]] std::string strategy() const
    {
        return strategy_.empty() ? self_->strategy() : strategy_;
    }
    void set_strategy(std::string name) { strategy_ = std::move(name); }

private:
    struct concept_base {
        concept_base() = default;
        concept_base(concept_base const&) = delete;
        concept_base& operator=(concept_base const&) = delete;
        virtual ~concept_base() = default;
        virtual std::vector<point> ask(std::size_t k) = 0;
        virtual void tell(point const& p, outcome const& o) = 0;
        virtual void tell_bound(point const& p, double value) = 0;
        virtual void tell_metrics(point const& p, std::span<double const> numbers) = 0;
        virtual void tell_excess(point const& p, double value, std::span<double const> excess) = 0;
        virtual void inform(std::vector<past_session> const& past) = 0;
        virtual bool learn_from(cost_samples const& others) = 0;
        virtual bool learn_from(search::technique_history const& past) = 0;
        virtual std::vector<search::technique_use> uses() const = 0;
        virtual std::string proposer_of(point const& p) const = 0;
        virtual std::optional<double> expected_gain() = 0;
        virtual std::optional<double> prediction_of(point const& p) const = 0;
        virtual bool narrow(std::optional<detail::kept_settings> const& part) = 0;
        virtual std::string strategy() const = 0;
    };
    template <class S>
    struct model final : concept_base {
        template <class T>
        explicit model(T&& inner)
            : held(std::forward<T>(inner))
        {
        }
        std::vector<point> ask(std::size_t k) override { return held.ask(k); }
        void tell(point const& p, outcome const& o) override { held.tell(p, o); }
        void tell_bound(point const& p, double value) override
        {
            if constexpr (requires { held.tell_bound(p, value); })
                held.tell_bound(p, value);
            else
                held.tell(p, measurement::exact(value));
        }
        bool narrow([[maybe_unused]] std::optional<detail::kept_settings> const& part) override
        {
            if constexpr (requires { held.narrow(part); })
                return held.narrow(part);
            else
                return false;
        }
        void tell_metrics([[maybe_unused]] point const& p,
                          [[maybe_unused]] std::span<double const> numbers) override
        {
            if constexpr (requires { held.tell_metrics(p, numbers); })
                held.tell_metrics(p, numbers);
        }
        void tell_excess([[maybe_unused]] point const& p,
                         [[maybe_unused]] double value,
                         [[maybe_unused]] std::span<double const> excess) override
        {
            if constexpr (requires { held.tell_excess(p, value, excess); })
                held.tell_excess(p, value, excess);
        }
        void inform([[maybe_unused]] std::vector<past_session> const& past) override
        {
            if constexpr (requires { held.inform(past); }) held.inform(past);
        }
        bool learn_from([[maybe_unused]] cost_samples const& others) override
        {
            if constexpr (requires { bool(held.learn_from(others)); }) {
                return held.learn_from(others);
            } else if constexpr (requires { held.learn_from(others); }) {
                held.learn_from(others);
                return true;
            } else
                return false;
        }
        bool learn_from([[maybe_unused]] search::technique_history const& past) override
        {
            if constexpr (requires { bool(held.learn_from(past)); }) {
                return held.learn_from(past);
            } else if constexpr (requires { held.learn_from(past); }) {
                held.learn_from(past);
                return true;
            } else
                return false;
        }
        std::vector<search::technique_use> uses() const override
        {
            if constexpr (requires(S const& s) { std::vector<search::technique_use>(s.uses()); })
                return held.uses();
            else
                return {};
        }
        std::string proposer_of([[maybe_unused]] point const& p) const override
        {
            if constexpr (requires(S const& s) { std::string(s.proposer_of(p)); })
                return held.proposer_of(p);
            else
                return {};
        }
        std::optional<double> expected_gain() override
        {
            if constexpr (requires(S& s) { std::optional<double>(s.expected_gain()); })
                return held.expected_gain();
            else
                return {};
        }
        std::optional<double> prediction_of([[maybe_unused]] point const& p) const override
        {
            if constexpr (requires(S const& s) { std::optional<double>(s.prediction_of(p)); })
                return held.prediction_of(p);
            else
                return {};
        }
        std::string strategy() const override
        {
            if constexpr (requires(S const& s) { std::string(s.strategy()); })
                return held.strategy();
            else
                return {};
        }
        S held;
    };

    std::unique_ptr<concept_base> self_;
    std::string strategy_{};
};

/// Makes a searcher from a space and a seed.
using search_factory = std::function<any_searcher(chain_of_trees const&, std::uint64_t seed)>;

namespace detail {

/// What `make` makes, with a name: see any_searcher::strategy().
[[nodiscard]] inline search_factory named_search(std::string name, search_factory make)
{
    return [name = std::move(name), make = std::move(make)](chain_of_trees const& searched,
                                                            std::uint64_t seed) {
        any_searcher out = make(searched, seed);
        out.set_strategy(name);
        return out;
    };
}

} // namespace detail

/// A factory of searchers of one type: options.search = attune::search_with<my_searcher>(), or with
/// options of the searcher: attune::search_with<attune::annealing>(attune::annealing_options{...}).
/// `S` is made from (space, seed, options...), or from (space, options...) when it makes no random
/// choice. `options` are copied.
template <class S, class... Options>
[[nodiscard]] search_factory search_with(Options const&... options)
{
    constexpr bool takes_seed =
        std::is_constructible_v<S, chain_of_trees const&, std::uint64_t, Options const&...>;
    static_assert(takes_seed ||
                      std::is_constructible_v<S, chain_of_trees const&, Options const&...>,
                  "attune::search_with<S>(options...): 'S' cannot be made from "
                  "(chain_of_trees, "
                  "std::uint64_t seed, options...), nor from (chain_of_trees, options...)");
    return [options...](chain_of_trees const& searched,
                        [[maybe_unused]] std::uint64_t seed) -> any_searcher {
        if constexpr (takes_seed)
            return S(searched, seed, options...);
        else
            return S(searched, options...);
    };
}

} // namespace attune::inline ATTUNE_ABI
