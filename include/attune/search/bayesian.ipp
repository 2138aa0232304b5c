// attune/search/bayesian.ipp - ask and tell of every Bayesian search, and the parts of the default one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/model/bound_models.hpp>
#include <attune/search/bayes/model/forecast.hpp>
#include <attune/search/bayes/model/search_models.hpp>
#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/history.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_process.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

class bayesian_loop::state {
public:
    state(chain_of_trees space, std::uint64_t seed, bayesian_options const& options,
          std::unique_ptr<search_parts> parts)
        : options_(options)
        , parts_(std::move(parts))
        , engine_(seed)
        , unseen_(std::move(space))
        , prior_(unseen_.space().describe())
        , metrics_(unseen_.space().describe().code_metrics.size())
    {
    }
    // The parts hold references to each other.
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    std::vector<point> ask(std::size_t k)
    {
        read_past();
        std::vector<point> out;
        for (; out.size() < k && !ahead_.empty(); ahead_.pop_front())
            out.push_back(std::move(ahead_.front()));
        while (out.size() < k && !finished_) {
            std::optional<point> p = start();
            if (!p && !history_.told().empty()) break;
            if (!p) p = draw();
            finished_ = !p;
            if (p) take(std::move(*p), out);
        }
        if (out.size() < k && !finished_) choose(std::max(k, at_once()), out);
        for (; out.size() > k; out.pop_back())
            ahead_.push_front(std::move(out.back()));
        return out;
    }

    void tell(point const& p, outcome const& result)
    {
        if (!unseen_.space().contains(p)) return;
        std::optional<double> const beyond =
            succeeded(result) ? std::nullopt : bounds_.value_beyond(p);
        auto const [place, is_new] = history_.tell(p, result, beyond);
        std::erase(ahead_, p); // another search evaluated it
        unseen_.mark(p);
        if (models_) models_->rows().close(p);
        if (models_ && !is_new) models_->forget_all();
        predictions_.observe(p, history_.told()[place]);
        if (parts_->observes()) {
            observation const& seen = history_.told()[place];
            parts_->observe(p, seen.worked ? seen.value : median());
        }
    }

    void tell_metrics(point const& p, std::span<double const> numbers)
    {
        if (unseen_.space().contains(p)) metrics_.set(p, numbers);
    }

    void tell_excess(point const& p, double value, std::span<double const> excess)
    {
        if (unseen_.space().contains(p)) bounds_.tell(p, value, excess);
    }

    void inform(std::vector<past_session> const& past)
    {
        if (!has_begun_) options_.past.insert(options_.past.end(), past.begin(), past.end());
    }

    std::optional<double> expected_gain()
    {
        read_past();
        if (history_.worked() == 0 || is_starting()) return {};
        prepare();
        any_model& model = models_->objective();
        scored_candidates const view = models_->view(history_.told().size(), best());
        std::vector<scored_row> const rows = best_rows(view, gain_candidates);
        Eigen::Index const q = static_cast<Eigen::Index>(rows.size());
        Eigen::VectorXd mean(q);
        Eigen::MatrixXd covariance(q, q);
        std::vector<double> chance;
        Eigen::ArrayXd column;
        for (Eigen::Index i = 0; i < q; ++i) {
            std::size_t const row = rows[static_cast<std::size_t>(i)].row;
            mean[i] = view.mean[row];
            chance.push_back(chance_of(view, row));
            model.covariance(row, column);
            for (Eigen::Index j = 0; j < q; ++j)
                covariance(j, i) =
                    column[static_cast<Eigen::Index>(rows[static_cast<std::size_t>(j)].row)];
        }
        random_engine own(history_.told().size()); // its draws change no suggestion
        return remaining_gain(mean, std::move(covariance), chance, history_.best()->value,
                              models_->scale(), own);
    }

    [[nodiscard]] std::optional<double> prediction_error() const { return predictions_.error(); }
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return predictions_.expected_of(p);
    }

private:
    static constexpr std::size_t gain_candidates = 48;
    static constexpr std::size_t finish_from = 40;
    static constexpr double least_trust = 0.1; ///< sessions of noise are at 0.02, others at 0.4
    static constexpr double probable = 0.6;    ///< least chance where failures are avoided

    /// Reads other sessions before the first suggestion.
    void read_past()
    {
        if (!has_begun_ && options_.believes_expectation && unseen_.space().describe().expected)
            options_.past.push_back(session_of_expectation(unseen_.space()));
        has_begun_ = true;
        if (options_.past.empty()) return;
        auto const read = std::make_shared<warm_start>(
            unseen_.space(), std::exchange(options_.past, {}), options_.warm_start, options_);
        if (read->empty()) return;
        known_ = read;
        std::size_t starts = options_.warm_start.starts;
        // A model whose prior comes from the sessions finds other good points.
        if (expects_past()) starts = std::min(starts, (read->size() + 1) / 2);
        if (starts > 0) opening_.emplace(starts);
        // The rest replace starting points that fail.
        if (starts > 0) first_ = read->portfolio(opening::length);
        bool const is_believing = options_.warm_start.believe_until > 0 && is_informative();
        if (is_believing && read->logarithmic()) options_.objective.unit = read->unit();
    }

    [[nodiscard]] bool is_starting() const
    {
        if (opening_) return history_.told().size() < opening::unsurprised;
        std::size_t const asked = history_.told().size() + history_.pending().size();
        return ran() + history_.pending().size() < options_.initial_samples &&
               asked < initial_attempts();
    }
    /// Number of configurations that ran, also those beyond a bound: a model learns from all.
    [[nodiscard]] std::size_t ran() const noexcept
    {
        return history_.worked() + history_.exceeded();
    }
    [[nodiscard]] std::size_t initial_attempts() const noexcept
    {
        return options_.initial_attempts > 0 ? options_.initial_attempts
                                             : 2 * options_.initial_samples;
    }

    /// The next point before there is a model; nothing once the model chooses.
    std::optional<point> start()
    {
        if (opening_) return open();
        if (!is_starting()) return {};
        return design(ran(), history_.pending().size());
    }
    /// start() if there are other sessions.
    std::optional<point> open()
    {
        if (history_.told().size() >= opening::length) return {};
        opening_step const step = opening_->next(judged(), waiting());
        std::size_t const hoped = ran() + history_.pending().size();
        if (step == opening_step::model && (expects_past() || hoped >= options_.initial_samples))
            return {};
        while (step == opening_step::session && tried_first_ < first_.size()) {
            point const& p = first_[tried_first_++];
            if (!unseen_.has_seen(p)) return p;
        }
        std::optional<point> p = design(0, 0); // earlier successes were no part of the design
        return p ? p : draw();
    }
    /// The next point of the initial design; nothing once it is complete.
    std::optional<point> design(std::size_t worked, std::size_t pending)
    {
        if (!prior_.is_flat()) return draw(); // a user prior replaces spread
        if (!parts_->has_plan()) {
            design_options wanted;
            wanted.working = options_.initial_samples;
            wanted.attempts = initial_attempts();
            parts_->plan(unseen_.space(), std::move(wanted), engine_);
        }
        return parts_->next(unseen_, worked, pending, engine_);
    }

    /// Returns true if the model's prior comes from the sessions, so that it needs no design.
    [[nodiscard]] bool expects_past() const
    {
        return parts_->expects_sessions() && options_.warm_start.believe_until > 0 &&
               is_informative();
    }
    /// Returns true if the sessions' models explain outcomes. Sessions of noise, or of a single
    /// outcome, only give a starting point.
    [[nodiscard]] bool is_informative() const { return known_->trust() >= least_trust; }
    /// The outcomes, with the predictions of the sessions.
    [[nodiscard]] std::vector<judged_outcome> judged()
    {
        std::vector<judged_outcome> out;
        for (observation const& o : history_.told()) {
            opinion const& said = opinion_of(o.where);
            judged_outcome one{.expected = said.deviations};
            one.surprise = o.worked ? 0 : std::numeric_limits<double>::infinity();
            if (o.worked) one.value = o.value;
            if (o.worked && o.value > 0 && known_->logarithmic())
                // Without a known level of values, values cannot separate right sessions from wrong
                // ones.
                one.surprise = known_->has_level() ? std::log(o.value) - said.value
                                                   : std::numeric_limits<double>::infinity();
            out.push_back(one);
        }
        return out;
    }
    [[nodiscard]] std::vector<double> waiting()
    {
        std::vector<double> out;
        for (point const& p : history_.pending())
            out.push_back(opinion_of(p).deviations);
        return out;
    }
    opinion const& opinion_of(point const& p)
    {
        auto const found = opinions_.find(p);
        return found != opinions_.end() ? found->second
                                        : opinions_.emplace(p, known_->opinion_of(p)).first->second;
    }

    /// A random point; with a user prior, one of 16 random points in proportion to its weight.
    std::optional<point> draw()
    {
        std::optional<point> chosen = unseen_.draw(engine_);
        if (!chosen || prior_.is_flat()) return chosen;
        double most = perturbed(*chosen);
        for (int i = 0; i < 15; ++i) {
            std::optional<point> other = unseen_.draw(engine_);
            if (!other) break;
            double const score = perturbed(*other);
            if (score <= most) continue;
            most = score;
            chosen = std::move(other);
        }
        return chosen;
    }
    /// log weight + Gumbel noise: its maximum is a draw in proportion to the weights.
    double perturbed(point const& p)
    {
        double const u = std::max(uniform_unit(engine_), 0x1.0p-53);
        return prior_.log_weight(p) - std::log(-std::log(u));
    }

    /// Number of points per choice, see bayesian_options::many_pending.
    [[nodiscard]] std::size_t at_once() const noexcept
    {
        std::size_t const pending = history_.pending().size();
        return pending < options_.many_pending ? 1 : std::max<std::size_t>(1, pending / 8);
    }

    void take(point p, std::vector<point>& out)
    {
        unseen_.mark(p);
        if (models_) models_->rows().close(p);
        history_.wait_for(p);
        out.push_back(std::move(p));
    }

    /// Updates models and candidates.
    void prepare()
    {
        if (!models_) {
            bool const is_told = known_ && is_informative();
            models_.emplace(unseen_, prior_, options_, *parts_, &metrics_,
                            is_told ? known_ : decltype(known_)(), &bounds_);
        }
        models_->update(history_, engine_);
    }
    /// The best value in model units; 0 before the first success.
    [[nodiscard]] double best() const
    {
        return history_.best() != nullptr ? models_->scale().to_model(history_.best()->value) : 0;
    }

    /// Adds candidates to `out` until there are k.
    void choose(std::size_t k, std::vector<point>& out)
    {
        prepare();
        double const target = best();
        if (!models_->rows().takes_whole_space()) {
            bool const climbs = options_.climbs > 0;
            if (climbs && history_.best() != nullptr && history_.best()->where != near_what_) {
                near_what_ = history_.best()->where;
                near_ = unseen_.space().neighbours(near_what_);
                models_->offer(near_);
            }
            bool const is_long = history_.told().size() > options_.memory_limit;
            if (climbs)
                climb(*models_, unseen_.space(), history_.told().size(), target,
                      is_long ? 1 : std::max(options_.climbs, k - out.size()),
                      is_long ? 1 : options_.climb_rounds);
        }
        for (point const& p : history_.pending())
            models_->push(p, target);
        while (out.size() < k && !finished_) {
            std::optional<point> p = best_candidate(target);
            finished_ = !p;
            if (!p) break;
            take(std::move(*p), out);
            parts_->chose(out.back());
            if (out.size() < k) models_->push(out.back(), target);
        }
        models_->pop_all();
    }

    std::optional<point> best_candidate(double target)
    {
        scored_candidates candidates = models_->view(history_.told().size(), target);
        std::vector<char> const close = close_rows();
        if (!close.empty()) candidates.open = close;
        if (options_.feasibility_limit && history_.failed() > 0)
            candidates.feasibility_limit = draw_feasibility_limit(engine_);
        if (options_.failure_share < 1 && history_.told().size() >= 30 &&
            history_.failures_of_last(20) >= options_.failure_share)
            candidates.feasibility_limit = std::max(candidates.feasibility_limit, probable);
        if (parts_->is_prepared()) parts_->prepare(candidates, progress());
        std::vector<scored_row> const rows = parts_->best_rows(candidates, 1);
        if (!rows.empty()) {
            std::size_t const row = rows.front().row;
            point p = models_->rows().at(row);
            if (!candidates.mean.empty())
                predictions_.expect(p, candidates.mean[row], models_->scale());
            return p;
        }
        if (models_->rows().takes_whole_space()) return {};
        return draw();
    }

    /// Marks the rows that are open neighbours of the best point (near_). Empty if no step to a
    /// neighbour is due, or no such row exists.
    [[nodiscard]] std::vector<char> close_rows()
    {
        std::size_t const asked = history_.told().size() + history_.pending().size();
        bool const is_due = options_.finish_every > 0 && asked % options_.finish_every == 0;
        if (models_->rows().takes_whole_space() || !is_due || asked < finish_from) return {};
        std::vector<char> out(models_->rows().size(), 0);
        bool any = false;
        for (point const& p : near_)
            if (std::optional<std::size_t> const row = models_->rows().row_of(p);
                row && models_->rows().open()[*row] != 0)
                out[*row] = any = true;
        if (!any) out.clear();
        return out;
    }

    [[nodiscard]] search_progress progress() const
    {
        search_progress out;
        if (history_.worked() == 0) return out;
        for (observation const& o : history_.told())
            if (o.worked) out.mean_of_values += o.value / static_cast<double>(history_.worked());
        out.best = history_.best()->value;
        if (!models_->scale().logarithmic()) out.unit = models_->scale().unit();
        return out;
    }
    [[nodiscard]] double median() const
    {
        std::vector<std::size_t> const order = history_.best_places(history_.worked());
        return order.empty() ? 0 : history_.told()[order[order.size() / 2]].value;
    }

    bayesian_options options_;
    std::unique_ptr<search_parts> parts_;
    random_engine engine_;
    unseen_points unseen_;
    user_prior prior_;
    search_history history_;
    prediction_record predictions_;
    code_metrics metrics_;
    bound_history bounds_;
    bool has_begun_ = false;                                  ///< past sessions were read
    std::shared_ptr<warm_start const> known_;                 ///< null: no other session is known
    std::optional<opening> opening_;                          ///< set if sessions suggest a start
    std::vector<point> first_;                                ///< good points of the sessions
    std::size_t tried_first_ = 0;                             ///< number of tried points of first_
    std::unordered_map<point, opinion, point_hash> opinions_; ///< of the sessions on these
    std::optional<search_models> models_;
    std::vector<point> near_; ///< neighbours of near_what_, the best point of a huge space
    point near_what_;
    std::deque<point> ahead_; ///< chosen but not yet returned; also pending
    bool finished_ = false;
};

ATTUNE_INLINE bayesian_loop::bayesian_loop(chain_of_trees space, std::uint64_t seed,
                                           bayesian_options const& options,
                                           std::unique_ptr<search_parts> parts)
    : state_(make_state<state>(std::move(space), seed, options, std::move(parts)))
{
}

ATTUNE_INLINE std::vector<point> bayesian_loop::ask(std::size_t k) { return state_->ask(k); }
ATTUNE_INLINE void bayesian_loop::tell(point const& p, outcome const& result)
{
    state_->tell(p, result);
}
ATTUNE_INLINE void bayesian_loop::tell_metrics(point const& p, std::span<double const> numbers)
{
    state_->tell_metrics(p, numbers);
}
ATTUNE_INLINE void bayesian_loop::tell_excess(point const& p, double value,
                                              std::span<double const> excess)
{
    state_->tell_excess(p, value, excess);
}
ATTUNE_INLINE void bayesian_loop::inform(std::vector<past_session> const& past)
{
    state_->inform(past);
}
ATTUNE_INLINE std::optional<double> bayesian_loop::expected_gain()
{
    return state_->expected_gain();
}
ATTUNE_INLINE std::optional<double> bayesian_loop::prediction_error() const
{
    return state_->prediction_error();
}
ATTUNE_INLINE std::optional<double> bayesian_loop::prediction_of(point const& p) const
{
    return state_->prediction_of(p);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE
bayesian_searcher::bayesian_searcher(chain_of_trees space, std::uint64_t seed,
                                     bayesian_options const& options)
    : bayesian_loop(
          std::move(space), seed, options,
          std::make_unique<detail::search_parts_of<detail::warm_process, gaussian_feasibility,
                                                   expected_improvement_rule, spread_design>>(
              expected_improvement_rule(), surrogate_settings<detail::warm_process>()))
{
}

} // namespace attune::inline ATTUNE_ABI
