// attune/search/bayesian.ipp - how the default search chooses.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       see bayesian.hpp
// Out      definitions; included by search.ipp, in one translation unit
// Source   see bayesian.hpp
// Depends  Eigen, LBFGSpp
// Tests    tests/search/bayesian.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/candidates.hpp>
#include <attune/search/expected_improvement.hpp>
#include <attune/search/feasibility.hpp>
#include <attune/search/gp/features.hpp>
#include <attune/search/gp/surrogate.hpp>
#include <attune/search/objective.hpp>
#include <attune/search/unseen.hpp>
#include <attune/search/user_prior.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune {

class bayesian_searcher::state {
public:
    state(chain_of_trees space, std::uint64_t seed, bayesian_options const& options)
        : options_(options)
        , engine_(seed)
        , unseen_(std::move(space))
        , features_(unseen_.space().describe())
        , prior_(unseen_.space().describe())
        , candidates_(unseen_, features_, prior_, {options.max_pool, options.fresh_samples})
        , labels_(label_prior(), {.iterations = 12, .draws = 8, .refined = 1})
    {
    }

    std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out;
        while (out.size() < k && !finished_) {
            std::optional<point> p = next();
            if (!p) {
                finished_ = true;
                break;
            }
            unseen_.mark(*p);
            candidates_.close(*p);
            pending_.push_back(*p);
            out.push_back(std::move(*p));
        }
        return out;
    }

    void tell(point const& p, outcome const& result)
    {
        if (!unseen_.space().contains(p)) return;
        std::erase(pending_, p);
        unseen_.mark(p);
        candidates_.close(p);
        measurement const* const measured = std::get_if<measurement>(&result);
        bool const worked = measured != nullptr && std::isfinite(measured->value);
        observation const seen{p, worked, worked ? measured->value : 0.0};
        auto const [place, is_new] = index_.try_emplace(p, told_.size());
        if (is_new)
            told_.push_back(seen);
        else
            told_[place->second] = seen;
        valid_ = static_cast<std::size_t>(std::count_if(
            told_.begin(), told_.end(), [](observation const& o) { return o.worked; }));
    }

private:
    struct observation {
        point where;
        bool worked;
        double value;
    };

    static gp::hyper_prior label_prior()
    {
        gp::hyper_prior prior;
        prior.log_noise_mean = std::log(1e-2);
        return prior;
    }

    std::optional<point> next()
    {
        std::size_t const asked = told_.size() + pending_.size();
        bool const starting = valid_ + pending_.size() < options_.initial_samples &&
                              asked < 2 * options_.initial_samples;
        if (starting || told_.empty()) return draw();
        return best_candidate();
    }

    /// A random point; where the user stated beliefs, one of 16 in proportion to its weight.
    std::optional<point> draw()
    {
        std::optional<point> chosen = unseen_.draw(engine_);
        if (!chosen || prior_.is_flat()) return chosen;
        double best = perturbed(*chosen);
        for (int i = 0; i < 15; ++i) {
            std::optional<point> other = unseen_.draw(engine_);
            if (!other) break;
            double const score = perturbed(*other);
            if (score <= best) continue;
            best = score;
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

    std::optional<point> best_candidate()
    {
        learn();
        std::vector<point> const around = best_points();
        candidate_set const& set = candidates_.propose(engine_, around);
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
        std::vector<double> score(set.points.size(), 0.0);
        std::vector<char> allowed = set.open;

        if (valid_ > 0) {
            objective_.predict(features_, set.table, mean, variance);
            double const best = scale_.to_model(best_value());
            for (std::size_t i = 0; i < score.size(); ++i) {
                Eigen::Index const row = static_cast<Eigen::Index>(i);
                score[i] = log_expected_improvement(mean[row], variance[row], best);
            }
        }
        if (valid_ < told_.size()) {
            double const limit = draw_feasibility_limit(engine_);
            labels_.predict(features_, set.table, mean, variance);
            for (std::size_t i = 0; i < score.size(); ++i) {
                double const p = feasible_probability(mean[static_cast<Eigen::Index>(i)]);
                score[i] += std::log(p);
                if (p < limit) allowed[i] = 0;
            }
        }
        if (!prior_.is_flat()) {
            double const power = options_.prior_strength / static_cast<double>(told_.size());
            for (std::size_t i = 0; i < score.size(); ++i)
                score[i] += power * set.log_weight[i];
        }
        std::optional<std::size_t> row = highest(score, allowed);
        if (!row) row = highest(score, set.open); // the limit left nothing: do without it
        if (!row) return candidates_.takes_whole_space() ? std::nullopt : draw();
        return set.points[*row];
    }

    /// The open row with the largest score; the first of equals.
    static std::optional<std::size_t> highest(std::span<double const> score,
                                              std::span<char const> open)
    {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < score.size(); ++i)
            if (open[i] != 0 && (!best || score[i] > score[*best])) best = i;
        return best;
    }

    /// Brings both models up to date with told_ and pending_.
    void learn()
    {
        bool refit =
            !fitted_at_ ||
            told_.size() >=
                *fitted_at_ + std::max(options_.refit_after,
                                       static_cast<std::size_t>(options_.refit_growth *
                                                                static_cast<double>(told_.size())));
        gp::feature_table all;
        gp::feature_table working;
        std::vector<double> label;
        std::vector<double> value;
        for (observation const& o : told_) {
            features_.append(o.where, all);
            label.push_back(feasibility_label(o.worked));
            if (!o.worked) continue;
            features_.append(o.where, working);
            value.push_back(o.value);
            refit = refit || !scale_.accepts(o.value) || !objective_.is_fitted();
        }
        if (refit) fitted_at_ = told_.size();
        if (!value.empty()) {
            if (refit) scale_ = objective_scale(value);
            for (double& v : value)
                v = scale_.to_model(v);
            if (refit) objective_.refit(features_, working, value, engine_);
            double const lie = *std::min_element(value.begin(), value.end());
            for (point const& p : pending_) {
                features_.append(p, working);
                value.push_back(lie);
            }
            objective_.condition(features_, std::move(working), value);
        }
        if (valid_ < told_.size()) {
            if (refit || !labels_.is_fitted()) labels_.refit(features_, all, label, engine_);
            labels_.condition(features_, std::move(all), label);
        }
    }

    double best_value() const
    {
        double best = std::numeric_limits<double>::infinity();
        for (observation const& o : told_)
            if (o.worked) best = std::min(best, o.value);
        return best;
    }

    /// The `neighbourhoods` best points, best first.
    std::vector<point> best_points() const
    {
        std::vector<observation const*> order;
        for (observation const& o : told_)
            if (o.worked) order.push_back(&o);
        std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) {
            return a->value != b->value ? a->value < b->value : a < b; // the first told of equals
        });
        std::vector<point> out;
        for (std::size_t i = 0; i < std::min(order.size(), options_.neighbourhoods); ++i)
            out.push_back(order[i]->where);
        return out;
    }

    bayesian_options options_;
    random_engine engine_;
    unseen_points unseen_;
    gp::feature_map features_;
    user_prior prior_;
    candidate_source candidates_;
    gp::surrogate objective_;
    gp::surrogate labels_;
    objective_scale scale_;
    std::vector<observation> told_;
    std::unordered_map<point, std::size_t, point_hash> index_;
    std::vector<point> pending_;
    std::size_t valid_ = 0;
    std::optional<std::size_t> fitted_at_;
    bool finished_ = false;
};

bayesian_searcher::bayesian_searcher(chain_of_trees space,
                                     std::uint64_t seed,
                                     bayesian_options const& options)
    : state_(std::make_unique<state>(std::move(space), seed, options))
{
}
bayesian_searcher::~bayesian_searcher() = default;
bayesian_searcher::bayesian_searcher(bayesian_searcher&&) noexcept = default;
bayesian_searcher& bayesian_searcher::operator=(bayesian_searcher&&) noexcept = default;

std::vector<point> bayesian_searcher::ask(std::size_t k) { return state_->ask(k); }
void bayesian_searcher::tell(point const& p, outcome const& result) { state_->tell(p, result); }

} // namespace attune
