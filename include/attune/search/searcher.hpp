// attune/search/searcher.hpp - the interface of a strategy that proposes configurations; strategies with names.
// SPDX-License-Identifier: MIT
//
// The ask/tell split is that of CMA-ES libraries (Collette et al. 2010)
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

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

class cost_samples;
struct past_session;

namespace search {

class technique_history;

/// The gains of a technique in one search.
struct technique_use {
    std::string name;
    std::size_t requests = 0;  ///< outcomes of configurations that it proposed
    std::size_t new_bests = 0; ///< number of these outcomes that were better than all before
};

} // namespace search

/// Proposes configurations and learns from their outcomes.
/// - ask(k): up to k distinct points of the space, all new to ask() and tell(); fewer if few
///   remain; none once the searcher is finished.
/// - tell(p, outcome): in any order, any number of times, also for points that are not from ask().
/// Equal seeds and equal calls give equal points. tests/laws/searcher.hpp checks all this. A
/// searcher may have further members of any_searcher, with the same names and arguments.
template <class S>
concept searcher = requires(S s, std::size_t k, point const& p, outcome const& o) {
    { s.ask(k) } -> std::same_as<std::vector<point>>;
    { s.tell(p, o) } -> std::same_as<void>;
};

namespace detail {

/// A question or a piece of information for a searcher, besides ask() and tell(). It refers to a
/// value, whose type gives the meaning.
class hint {
public:
    template <class T>
    explicit hint(T& what) noexcept
        : kind_(&kind_of<T>)
        , what_(&what)
    {
    }
    /// The value; null if its type is not T.
    template <class T>
    [[nodiscard]] T* as() const noexcept
    {
        return kind_ == &kind_of<T> ? static_cast<T*>(what_) : nullptr;
    }

private:
    template <class T>
    static inline char kind_of = 0; // its address

    void const* kind_;
    void* what_;
};

struct told_bound {
    point const& at;
    double value;
};
struct told_metrics {
    point const& at;
    std::span<double const> numbers;
};
struct told_excess {
    point const& at;
    double value;
    std::span<double const> excess;
};
template <class T>
struct told_all {
    T const& what;
};
struct asked_uses {
    std::vector<search::technique_use> answer{};
};
struct asked_proposer {
    point const& of;
    std::string answer{};
};
struct asked_gain {
    std::optional<double> answer{};
};
struct asked_prediction {
    point const& of;
    std::optional<double> answer{};
};
struct asked_strategy {
    std::string answer{};
};

/// Passes `h` to the matching member of `s`.
/// @return  false if `s` has none, or refuses
template <class S>
bool hand_over(S& s, hint h)
{
    using sessions = std::vector<past_session>;
    // A member that returns void does not refuse.
    auto const is_taken = [](auto const& call) {
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            return true;
        } else {
            return static_cast<bool>(call());
        }
    };
    if constexpr (requires(told_bound& b) { s.tell_bound(b.at, b.value); })
        if (auto const* const b = h.as<told_bound>()) return s.tell_bound(b->at, b->value), true;
    if constexpr (requires(told_metrics& m) { s.tell_metrics(m.at, m.numbers); })
        if (auto const* const m = h.as<told_metrics>())
            return s.tell_metrics(m->at, m->numbers), true;
    if constexpr (requires(told_excess& e) { s.tell_excess(e.at, e.value, e.excess); })
        if (auto const* const e = h.as<told_excess>())
            return s.tell_excess(e->at, e->value, e->excess), true;
    if constexpr (requires(sessions const& past) { s.inform(past); })
        if (auto const* const past = h.as<told_all<sessions>>()) return s.inform(past->what), true;
    if constexpr (requires { typename S::part_type; })
        if (auto const* const to = h.as<told_all<typename S::part_type>>())
            return s.narrow(to->what);
    if constexpr (requires(cost_samples const& others) { s.learn_from(others); })
        if (auto const* const others = h.as<told_all<cost_samples>>())
            return is_taken([&] { return s.learn_from(others->what); });
    if constexpr (requires(search::technique_history const& past) { s.learn_from(past); })
        if (auto const* const past = h.as<told_all<search::technique_history>>())
            return is_taken([&] { return s.learn_from(past->what); });
    if constexpr (requires(asked_uses& q) { q.answer = s.uses(); })
        if (auto* const q = h.as<asked_uses>()) return q->answer = s.uses(), true;
    if constexpr (requires(asked_proposer& q) { q.answer = s.proposer_of(q.of); })
        if (auto* const q = h.as<asked_proposer>()) return q->answer = s.proposer_of(q->of), true;
    if constexpr (requires(asked_gain& q) { q.answer = s.expected_gain(); })
        if (auto* const q = h.as<asked_gain>()) return q->answer = s.expected_gain(), true;
    if constexpr (requires(asked_prediction& q) { q.answer = s.prediction_of(q.of); })
        if (auto* const q = h.as<asked_prediction>())
            return q->answer = s.prediction_of(q->of), true;
    if constexpr (requires(asked_strategy& q) { q.answer = s.strategy(); })
        if (auto* const q = h.as<asked_strategy>()) return q->answer = s.strategy(), true;
    return false;
}

} // namespace detail

/// Any searcher as one value: movable, not copyable. A call that the searcher does not support has
/// no effect, and returns an empty answer.
class any_searcher {
public:
    template <class S>
        requires(!std::same_as<std::remove_cvref_t<S>, any_searcher>)
    any_searcher(S&& inner) // NOLINT: a searcher is an any_searcher
    {
        using held = std::remove_cvref_t<S>;
        static_assert(searcher<held>,
                      "attune::any_searcher(s): 's' is not a searcher; it needs ask(std::size_t) "
                      "-> std::vector<point>, tell(point, outcome) -> void");
        if constexpr (searcher<held>) self_ = std::make_unique<model<held>>(std::forward<S>(inner));
    }

    /// @pre not moved from
    [[nodiscard]] std::vector<point> ask(std::size_t k) { return self_->ask(k); }
    /// @pre not moved from
    void tell(point const& p, outcome const& o) { self_->tell(p, o); }
    /// Tells that the value of `p` is at least `value`, which is worse than the best, so that `p`
    /// is not evaluated. A searcher without tell_bound() gets tell() of `value`.
    /// @pre not moved from
    void tell_bound(point const& p, double value)
    {
        if (!hear(detail::told_bound{p, value})) tell(p, measurement::exact(value));
    }
    /// Continues in `part` of the space; without a part, in all of it. See narrowing_search.
    /// @return  false if the searcher has no such narrow(), or cannot; then it continues as before
    /// @pre     not moved from
    template <class Part>
    bool narrow(std::optional<Part> const& part)
    {
        return hear(detail::told_all<std::optional<Part>>{part});
    }
    /// Passes the code metrics of any point, at any time: a number per description::code_metrics,
    /// NaN if missing.
    /// @pre not moved from
    void tell_metrics(point const& p, std::span<double const> numbers)
    {
        hear(detail::told_metrics{p, numbers});
    }
    /// Passes the distances of measured quantities to their bounds, before tell() of that point:
    /// see bayesian_searcher::tell_excess(). For a searcher without this member, a point beyond a
    /// bound is a failure.
    /// @pre not moved from
    void tell_excess(point const& p, double value, std::span<double const> excess)
    {
        hear(detail::told_excess{p, value, excess});
    }
    /// Passes outcomes of other sessions, before the first ask(). @pre not moved from
    void inform(std::vector<past_session> const& past)
    {
        hear(detail::told_all<std::vector<past_session>>{past});
    }
    /// Passes measured programs of other tasks (cost_samples), or gains of techniques in other
    /// searches (search::technique_history), before the first ask().
    /// @return  false if the searcher has no such learn_from(), or ignores it
    /// @pre     not moved from
    template <class T>
    bool learn_from(T const& others)
    {
        return hear(detail::told_all<T>{others});
    }
    /// Gains of each technique of the searcher; empty for a searcher without techniques.
    /// @pre not moved from
    [[nodiscard]] std::vector<search::technique_use> uses() const
    {
        return answer(detail::asked_uses{});
    }
    /// Name of the technique that proposed a point without an outcome. Empty for a searcher without
    /// techniques, and for a point that no technique proposed.
    /// @pre not moved from
    [[nodiscard]] std::string proposer_of(point const& p) const
    {
        return answer(detail::asked_proposer{p});
    }
    /// The searcher's expected gain, if it has one: see bayesian_searcher::expected_gain().
    /// @pre not moved from
    [[nodiscard]] std::optional<double> expected_gain() { return answer(detail::asked_gain{}); }
    /// The value that the model expected of a point when it chose the point. Nothing after the
    /// outcome, or without a model.
    /// @pre not moved from
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return answer(detail::asked_prediction{p});
    }

    /// The name from which parse_technique() or the program makes this search again, with all
    /// options: the name of set_strategy(), else the searcher's strategy(). Empty: unknown.
    /// @pre not moved from
    [[nodiscard]] std::string strategy() const
    {
        return strategy_.empty() ? answer(detail::asked_strategy{}) : strategy_;
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
        virtual bool hear(detail::hint h) = 0;
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
        bool hear(detail::hint h) override { return detail::hand_over(held, h); }
        S held;
    };

    template <class T>
    bool hear(T told)
    {
        return self_->hear(detail::hint(told));
    }
    template <class T>
    [[nodiscard]] decltype(T::answer) answer(T asked) const
    {
        (void)self_->hear(detail::hint(asked));
        return std::move(asked.answer);
    }

    std::unique_ptr<concept_base> self_;
    std::string strategy_{};
};

/// Makes a searcher from a space and a seed.
using search_factory = std::function<any_searcher(chain_of_trees const&, std::uint64_t seed)>;

namespace detail {

/// `make` with a name: see any_searcher::strategy().
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
/// The constructor of `S` takes (space, seed, options...), or (space, options...) if it makes no
/// random choice. `options` are copied.
template <class S, class... Options>
[[nodiscard]] search_factory search_with(Options const&... options)
{
    constexpr bool takes_seed =
        std::is_constructible_v<S, chain_of_trees const&, std::uint64_t, Options const&...>;
    static_assert(takes_seed ||
                      std::is_constructible_v<S, chain_of_trees const&, Options const&...>,
                  "attune::search_with<S>(options...): 'S' cannot be made from (chain_of_trees, "
                  "std::uint64_t seed, options...), nor from (chain_of_trees, options...)");
    return [options...](chain_of_trees const& searched,
                        [[maybe_unused]] std::uint64_t seed) -> any_searcher {
        if constexpr (takes_seed)
            return S(searched, seed, options...);
        else
            return S(searched, options...);
    };
}

namespace search {

/// A search with a name, which a meta technique can choose.
struct technique {
    std::string name;
    search_factory make;
};

} // namespace search

} // namespace attune::inline ATTUNE_ABI
