// attune/search/local/stepwise.hpp - makes a searcher from a coroutine that requests configurations and waits for their values.
// SPDX-License-Identifier: MIT
//
// The base of all searches of this folder, and of a user's strategy.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The body of a search: co_await returns the values of the requested configurations. Owns the
/// coroutine; movable.
class search_process {
public:
    struct promise_type {
        std::exception_ptr thrown{};

        search_process get_return_object()
        {
            return search_process(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { thrown = std::current_exception(); }
    };

    search_process(search_process&& other) noexcept
        : body_(std::exchange(other.body_, {}))
    {
    }
    search_process& operator=(search_process&& other) noexcept
    {
        std::swap(body_, other.body_);
        return *this;
    }
    ~search_process()
    {
        if (body_) body_.destroy();
    }

    [[nodiscard]] bool is_done() const noexcept { return !body_ || body_.done(); }
    /// Runs up to the next suspension, or to the end.  @pre !is_done()
    /// Errors  those of the body, which is done then
    void resume()
    {
        body_.resume();
        if (std::exception_ptr const thrown = std::exchange(body_.promise().thrown, {}))
            std::rethrow_exception(thrown);
    }

private:
    explicit search_process(std::coroutine_handle<promise_type> body) noexcept
        : body_(body)
    {
    }

    std::coroutine_handle<promise_type> body_;
};

/// The value of a configuration that failed.
inline constexpr double failed_value = std::numeric_limits<double>::infinity();

/// A configuration and its value.
struct valued_point {
    point where;
    double value = failed_value;
};

/// Connects an algorithm and its evaluator. The algorithm requests rounds of configurations. Known
/// configurations cost nothing; a round ends when all its values are known.
class trials {
public:
    trials(chain_of_trees space, std::uint64_t seed)
        : unseen_(std::move(space))
        , engine_(seed)
    {
    }
    trials(trials const&) = delete; // a suspended algorithm has a reference to it
    trials& operator=(trials const&) = delete;

    /// co_await returns the value of every configuration of the round, in its order; lower is
    /// better, failed_value for failures.
    struct round {
        trials& asked;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) const noexcept {}
        [[nodiscard]] std::vector<double> await_resume() const { return asked.round_values(); }
    };
    /// co_await returns the value of one configuration.
    struct single {
        trials& asked;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) const noexcept {}
        [[nodiscard]] double await_resume() const { return asked.round_values().front(); }
    };

    // For the algorithm:
    [[nodiscard]] chain_of_trees const& space() const noexcept { return unseen_.space(); }
    [[nodiscard]] unseen_points const& unseen() const noexcept { return unseen_; }
    [[nodiscard]] random_engine& engine() noexcept { return engine_; }
    /// @pre  every configuration is in the space
    [[nodiscard]] round evaluate(std::vector<point> points)
    {
        begin(std::move(points));
        return {*this};
    }
    [[nodiscard]] single evaluate(point p)
    {
        begin(std::vector<point>(1, std::move(p)));
        return {*this};
    }
    /// Number of configurations that the caller can take at once; a smaller round is filled up with
    /// random ones.
    [[nodiscard]] std::size_t batch() const noexcept { return batch_; }
    /// Number of distinct configurations of ask() or tell().
    [[nodiscard]] std::size_t seen_count() const noexcept { return unseen_.seen_count(); }
    [[nodiscard]] bool has_seen(point const& p) const { return unseen_.has_seen(p); }
    /// An unseen configuration; any one if all are seen.
    [[nodiscard]] point fresh()
    {
        std::optional<point> p = unseen_.draw(engine_);
        return p ? std::move(*p) : space().sample(engine_);
    }
    /// All outcomes, in the order of tell().
    [[nodiscard]] std::vector<valued_point> const& told() const noexcept { return told_; }
    /// The best configuration; nothing before the first success.
    [[nodiscard]] std::optional<point> const& best() const noexcept { return best_; }
    [[nodiscard]] double best_value() const noexcept { return best_value_; }
    /// Difference of `b` to `a` (negative: better), in standard deviations of the successful
    /// values, or of their logarithms if all are positive.
    [[nodiscard]] double excess(double a, double b)
    {
        if (a == b) return 0;
        if (std::isinf(a)) return -failed_value;
        if (std::isinf(b)) return failed_value;
        bool const outdated = worked_.size() > scaled_ + scaled_ / 10;
        if (outdated || !scale_.accepts(a) || !scale_.accepts(b)) {
            scale_ = detail::objective_scale(worked_);
            scaled_ = worked_.size();
        }
        return scale_.to_model(b) - scale_.to_model(a);
    }

    // For the evaluator:
    /// @param wanted  points per call of ask(); a round has at most 256
    void set_batch(std::size_t wanted) noexcept { batch_ = std::min<std::size_t>(wanted, 256); }
    /// An unseen configuration of the round, marked as seen.
    [[nodiscard]] std::optional<point> next_of_round()
    {
        while (offered_ < round_.size()) {
            point const& p = round_[offered_++];
            if (unseen_.mark(p)) return p;
        }
        return {};
    }
    [[nodiscard]] bool round_is_known()
    {
        while (known_ < round_.size() && value_.contains(round_[known_]))
            ++known_;
        return known_ == round_.size();
    }
    /// A point outside the round, for a round that waits for values or has no new point; marked as
    /// seen. Every second point is a neighbour of the best, the others are random. Nothing if the
    /// space is exhausted.
    [[nodiscard]] std::optional<point> next_elsewhere()
    {
        if (best_ && uniform_below(engine_, 2) == 0) {
            std::vector<point> const near = space().neighbours(*best_);
            for (int tries = 0; tries < 8 && !near.empty(); ++tries) {
                point const& p = near[uniform_below(engine_, near.size())];
                if (unseen_.mark(p)) return p;
            }
        }
        std::optional<point> out = unseen_.draw(engine_);
        if (out) unseen_.mark(*out);
        return out;
    }
    /// Ignores points outside the space. The first outcome of a configuration counts.
    void tell(point const& p, outcome const& result)
    {
        if (!space().contains(p)) return;
        unseen_.mark(p);
        auto const* const measured = std::get_if<measurement>(&result);
        bool const worked = measured != nullptr && std::isfinite(measured->value);
        double const value = worked ? measured->value : failed_value;
        if (!value_.try_emplace(p, value).second) return;
        told_.push_back({p, value});
        if (worked) worked_.push_back(value);
        if (value < best_value_) {
            best_ = p;
            best_value_ = value;
        }
    }

private:
    void begin(std::vector<point> points)
    {
        round_ = std::move(points);
        offered_ = 0;
        known_ = 0;
    }
    [[nodiscard]] std::vector<double> round_values() const
    {
        std::vector<double> out;
        for (point const& p : round_)
            out.push_back(value_.at(p));
        return out;
    }

    unseen_points unseen_;
    random_engine engine_;
    std::unordered_map<point, double, point_hash> value_;
    std::vector<valued_point> told_;
    std::vector<double> worked_; // successful values, in order
    std::optional<point> best_;
    double best_value_ = failed_value;
    detail::objective_scale scale_;
    std::size_t scaled_ = 0; // size of worked_ when scale_ was made; made again after a tenth more
    std::vector<point> round_;
    std::size_t offered_ = 0; // of round_: number that next_of_round has examined
    std::size_t known_ = 0;   // of round_: number of known values from the front
    std::size_t batch_ = 1;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// One to `count` distinct random configurations, unseen ones if there are any. After 64 draws in a
/// row without a new one it returns fewer.
[[nodiscard]] inline std::vector<point> fresh_points(trials& t, std::size_t count)
{
    std::vector<point> out{t.fresh()};
    std::unordered_set<point, point_hash> taken{out.front()};
    constexpr std::size_t most_vain = 64;
    std::size_t vain = 0; // draws since the last new one
    for (std::size_t tries = 0; out.size() < count && tries / 2 < count && vain < most_vain;
         ++tries) {
        point p = t.fresh();
        bool const is_new = taken.insert(p).second;
        vain = is_new ? 0 : vain + 1;
        if (is_new) out.push_back(std::move(p));
    }
    return out;
}

/// The best of a round; the first of equal ones. @pre the round is not empty
[[nodiscard]] inline valued_point best_of(std::span<point const> round,
                                          std::span<double const> value)
{
    auto const best = std::min_element(value.begin(), value.end()) - value.begin();
    return {round[static_cast<std::size_t>(best)], value[static_cast<std::size_t>(best)]};
}

/// Inserts `one` into `best`, after equal values. `best` ascends, and keeps at most `most`.
inline void keep_best(std::vector<valued_point>& best, valued_point one, std::size_t most)
{
    auto const place =
        std::upper_bound(best.begin(), best.end(), one.value,
                         [](double value, valued_point const& t) { return value < t.value; });
    best.insert(place, std::move(one));
    if (best.size() > most) best.pop_back();
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// A searcher whose algorithm is one coroutine, which asks `trials` for configurations and waits
/// for their values.
///
///   attune::search_process halve(attune::trials& t)
///   {
///       for (;;) {
///           std::vector<double> const values = co_await t.evaluate({t.fresh(), t.fresh()});
///           ...
///       }
///   }
///   struct halving : attune::stepwise_searcher {
///       halving(attune::chain_of_trees space, std::uint64_t seed)
///           : stepwise_searcher(std::move(space), seed, halve)
///       {
///       }
///   };
///   options.search = attune::search_with<halving>();
///
/// - If ask() needs more points than the algorithm has, it adds neighbours of the best and random
///   configurations, and keeps their outcomes.
/// - Outcomes may come in any order. A failure has an infinite value. The first of several outcomes
///   of a configuration counts. Points outside the space are ignored.
/// - The search covers a finite space completely, at the end by random configurations.
/// Cost: microseconds per point, without the neighbours that some algorithms list.
class stepwise_searcher {
public:
    /// Up to `k` different points; none if a finite space is exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);

protected:
    /// @param begin  starts the algorithm; called once, and destroyed before the coroutine runs.
    ///               The coroutine must take all arguments besides `trials` by value
    stepwise_searcher(chain_of_trees space, std::uint64_t seed,
                      std::function<search_process(trials&)> const& begin);

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/stepwise.ipp>
#endif
