// attune/search/transfer/warm_start.ipp - the models of other sessions, their portfolio and the opening.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE double agreement(std::span<judged_outcome const> told) noexcept
{
    auto const value = [](judged_outcome const& o) {
        return o.value.value_or(std::numeric_limits<double>::infinity());
    };
    double sum = 0;
    double most = 0;
    for (std::size_t i = 0; i < told.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            double const expected = told[i].expected - told[j].expected;
            double const a = value(told[i]);
            double const b = value(told[j]);
            if (!(a < b || b < a)) continue;
            most += std::abs(expected);
            sum += a < b ? -expected : expected;
        }
    return most > 0 ? sum / most : 0;
}

/// Returns true if expectations differ by opening::contrast.
[[nodiscard]] inline bool has_contrast(std::span<judged_outcome const> told,
                                       std::span<double const> waiting)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    auto const add = [&](double expected) {
        low = std::min(low, expected);
        high = std::max(high, expected);
    };
    for (judged_outcome const& o : told)
        add(o.expected);
    for (double const expected : waiting)
        add(expected);
    return high - low >= opening::contrast;
}

ATTUNE_INLINE opening_step opening::next(std::span<judged_outcome const> told,
                                         std::span<double const> waiting)
{
    opening_step const out = choose(told, waiting);
    if (out == opening_step::session) ++sessions_;
    if (out == opening_step::design) ++designs_;
    return out;
}

ATTUNE_INLINE opening_step opening::choose(std::span<judged_outcome const> told,
                                           std::span<double const> waiting) const
{
    std::size_t const asked = told.size() + waiting.size();
    if (told.size() >= length) return opening_step::model;
    // Without a success the model has nothing to learn from.
    bool const is_blind = std::none_of(told.begin(), told.end(),
                                       [](judged_outcome const& o) { return o.value.has_value(); });
    if (is_blind) return sessions_ <= designs_ ? opening_step::session : opening_step::design;
    if (designs_ < most_designs && !has_contrast(told, waiting)) {
        bool const is_surprised =
            std::any_of(told.begin(), told.end(),
                        [](judged_outcome const& o) { return o.surprise > surprising; });
        if (sessions_ > 0 && (is_surprised || asked >= unsurprised)) return opening_step::design;
    }
    if (sessions_ < starts_ && agreement(told) >= 0) return opening_step::session;
    return opening_step::model;
}

ATTUNE_INLINE std::vector<std::size_t>
greedy_portfolio(std::vector<std::vector<double>> const& slowdown,
                 std::vector<double> const& weight, std::size_t count)
{
    std::vector<std::size_t> out;
    if (slowdown.empty()) return out;
    std::vector<double> covered(slowdown.size(), most_slowdown);
    std::vector<char> taken(slowdown.front().size(), 0);
    while (out.size() < std::min(count, taken.size())) {
        std::size_t next = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t row = 0; row < taken.size(); ++row) {
            if (taken[row] != 0) continue;
            double cost = 0;
            for (std::size_t s = 0; s < slowdown.size(); ++s)
                cost += weight[s] * (portfolio_mean_share * slowdown[s][row] +
                                     std::min(covered[s], slowdown[s][row]));
            if (!(cost < least)) continue;
            least = cost;
            next = row;
        }
        taken[next] = 1;
        out.push_back(next);
        for (std::size_t s = 0; s < slowdown.size(); ++s)
            covered[s] = std::min(covered[s], slowdown[s][next]);
    }
    return out;
}

ATTUNE_INLINE source_model::source_model(feature_map const& features,
                                         translated_session const& session,
                                         objective_options const& objective)
    : values_(features, objective_process())
    , first_(features, objective_process())
{
    feature_table all;
    feature_table working;
    std::vector<double> values;
    std::vector<double> labels;
    for (std::size_t i = 0; i < session.where.size(); ++i) {
        features.append(session.where[i], all);
        labels.push_back(feasibility_label(session.value[i].has_value()));
        if (!session.value[i]) continue;
        features.append(session.where[i], working);
        values.push_back(*session.value[i]);
    }
    objective_options own = objective;
    own.unit = 0;
    objective_scale const scale(values, own);
    unit_ = scale.unit();
    centre_ = scale.centre();
    logarithmic_ = scale.logarithmic();
    for (double& v : values)
        v = scale.to_model(v);
    random_engine none(0); // the options draw nothing
    values_.refit(working, values, {}, none);
    values_.condition(working, values, std::vector<double>(values.size(), discrepancy));
    first_.set_hyper(values_.hyper());
    first_.condition(working, values, std::vector<double>(values.size(), first_discrepancy));
    if (values.size() == labels.size()) return;
    labels_.emplace(features, label_process());
    labels_->refit(all, labels, {}, none);
    labels_->condition(all, labels);
}

ATTUNE_INLINE void source_model::predict(feature_table const& points, Eigen::ArrayXd& mean,
                                         Eigen::ArrayXd& variance) const
{
    values_.predict(points, mean, variance);
    mean *= unit_;
    variance *= unit_ * unit_;
}

ATTUNE_INLINE Eigen::ArrayXd source_model::predict_first(feature_table const& points) const
{
    Eigen::ArrayXd mean;
    Eigen::ArrayXd unused;
    first_.predict(points, mean, unused);
    return mean * unit_;
}

ATTUNE_INLINE Eigen::ArrayXd source_model::chance(feature_table const& points) const
{
    Eigen::Index const count = static_cast<Eigen::Index>(points.points);
    if (!labels_) return Eigen::ArrayXd::Ones(count);
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    labels_->predict(points, mean, variance);
    for (Eigen::Index i = 0; i < count; ++i)
        mean[i] = feasible_probability(mean[i], variance[i]);
    return mean;
}

/// to[i] = (values[i] - mean) / deviation
inline void set_standardised(Eigen::ArrayXd const& values, double mean, double deviation,
                             double* to)
{
    for (Eigen::Index i = 0; i < values.size(); ++i)
        to[i] = (values[i] - mean) / deviation;
}

/// Keeps at most `most` outcomes: the best third of that, and others evenly from the rest.
inline void thin(translated_session& session, std::size_t most)
{
    if (session.where.size() <= most) return;
    std::vector<std::size_t> order(session.where.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const rank = [&](std::size_t i) {
        std::optional<double> const& v = session.value[i];
        return std::tuple(!v.has_value(), v.value_or(0), i);
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    std::size_t const best = most / 3;
    std::size_t const rest = order.size() - best;
    translated_session out{
        .where = {}, .value = {}, .weight = session.weight, .has_level = session.has_level};
    for (std::size_t i = 0; i < most; ++i) {
        std::size_t const from =
            order[i < best ? i : best + (i - best) * rest / std::max<std::size_t>(most - best, 1)];
        out.where.push_back(std::move(session.where[from]));
        out.value.push_back(session.value[from]);
    }
    session = std::move(out);
}

/// The whole space if that is affordable, else a sample and the points of the sessions.
inline std::vector<point> reference_points(chain_of_trees const& space,
                                           std::vector<translated_session> const& sessions,
                                           bayesian_options const& search)
{
    std::vector<point> out;
    std::optional<leaf_count> const size = space.size();
    if (!space.has_real_parameters() && size && *size <= search.max_pool) {
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*size); ++i)
            out.push_back(space.at(i));
        return out;
    }
    std::vector<point> drawn;
    random_engine engine(1);
    draw_uniform(space, search.fresh, engine, drawn);
    std::unordered_set<point, point_hash> taken;
    for (translated_session const& s : sessions)
        for (point const& p : s.where)
            if (taken.insert(p).second) out.push_back(p);
    for (point& p : drawn)
        if (taken.insert(p).second) out.push_back(std::move(p));
    return out;
}

ATTUNE_INLINE
warm_start::warm_start(chain_of_trees const& space, std::vector<past_session> sessions,
                       warm_start_options const& options, bayesian_options const& search)
    : features_(space, search.features)
    , options_(options)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sessions.size(); ++i)
        if (sessions[i].weight > 0 && std::isfinite(sessions[i].weight)) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(-sessions[a].weight, a) < std::tuple(-sessions[b].weight, b);
    });
    std::vector<translated_session> translated;
    for (std::size_t const i : order) {
        past_session const& s = sessions[i];
        if (translated.size() == options.most_sessions) break;
        translated_session t = translate(space, s);
        bool const any = std::any_of(t.value.begin(), t.value.end(),
                                     [](auto const& v) { return v.has_value(); });
        if (!any) continue;
        thin(t, options.most_outcomes);
        translated.push_back(std::move(t));
    }
    if (translated.empty()) return;

    Eigen::Index const count = static_cast<Eigen::Index>(translated.size());
    weights_.resize(count);
    levels_.resize(count);
    for (Eigen::Index s = 0; s < count; ++s) {
        translated_session const& t = translated[static_cast<std::size_t>(s)];
        models_.emplace_back(features_, t, search.objective);
        weights_[s] = t.weight;
        levels_[s] = t.has_level ? t.weight : 0;
        logarithmic_ = logarithmic_ && models_.back().logarithmic();
    }
    weights_ /= weights_.sum();
    if (levels_.sum() > 0) levels_ /= levels_.sum();

    candidates_ = reference_points(space, translated, search);
    for (point const& p : candidates_)
        features_.append(p, table_);
    mean_ = Eigen::VectorXd::Zero(count);
    deviation_ = Eigen::VectorXd::Ones(count);
    expected_.resize(static_cast<Eigen::Index>(candidates_.size()), count);
    hyper_.theta = Eigen::VectorXd::Zero(models_.front().hyper().theta.size());
    for (Eigen::Index s = 0; s < count; ++s) {
        source_model const& model = models_[static_cast<std::size_t>(s)];
        Eigen::ArrayXd expected;
        Eigen::ArrayXd variance;
        model.predict(table_, expected, variance);
        mean_[s] = expected.mean();
        double const explained = (expected - mean_[s]).square().mean();
        double const left = variance.mean() + model.noise();
        deviation_[s] = std::sqrt(explained + left);
        if (!(deviation_[s] > 1e-9)) deviation_[s] = 1;
        unit_ += weights_[s] * deviation_[s];
        slowdown_.push_back(slowdown_of(translated[static_cast<std::size_t>(s)], model));
        set_standardised(expected, mean_[s], deviation_[s], &expected_(0, s));
        double const trusted = weights_[s] * explained / std::max(explained + left, 1e-300);
        hyper_.theta += trusted * model.hyper().theta;
        trust_ += trusted;
    }
    if (trust_ > 0) hyper_.theta /= trust_;
}

ATTUNE_INLINE std::vector<double> warm_start::slowdown_of(translated_session const& session,
                                                          source_model const& model) const
{
    std::unordered_map<point, double, point_hash> worked;
    for (std::size_t i = 0; i < session.where.size(); ++i)
        if (session.value[i]) worked.emplace(session.where[i], *session.value[i]);
    if (worked.size() >= least_modelled) {
        Eigen::ArrayXd const here = model.predict_first(table_);
        Eigen::ArrayXd const slower =
            (here - here.minCoeff() - model.chance(table_).max(0.01).log()).min(most_slowdown);
        return {slower.data(), slower.data() + slower.size()};
    }
    double best = std::numeric_limits<double>::infinity();
    for (auto const& [where, value] : worked)
        best = std::min(best, value);
    std::vector<double> out;
    for (point const& p : candidates_) {
        auto const found = worked.find(p);
        double slower = found != worked.end() && found->second <= best ? 0 : most_slowdown;
        if (found != worked.end() && best > 0)
            slower = std::min(most_slowdown, std::log(found->second / best));
        out.push_back(slower);
    }
    return out;
}

ATTUNE_INLINE opinion warm_start::opinion_of(point const& p) const
{
    feature_table one;
    features_.append(p, one);
    opinion out;
    Eigen::ArrayXd expected;
    Eigen::ArrayXd variance;
    for (Eigen::Index s = 0; s < weights_.size(); ++s) {
        source_model const& model = models_[static_cast<std::size_t>(s)];
        model.predict(one, expected, variance);
        out.deviations += weights_[s] * (expected[0] - mean_[s]) / deviation_[s];
        out.value += levels_[s] * (expected[0] + model.centre());
    }
    return out;
}

ATTUNE_INLINE Eigen::MatrixXd warm_start::prior(feature_table const& points) const
{
    if (points.points == 0) return Eigen::MatrixXd(0, weights_.size());
    // If all points of the space are candidates, they are the reference points.
    if (points.points == table_.points && points.level.size() >= table_.level.size() &&
        std::equal(table_.level.begin(), table_.level.end(), points.level.begin()) &&
        std::equal(table_.real.begin(), table_.real.end(), points.real.begin()))
        return expected_;
    Eigen::MatrixXd out(static_cast<Eigen::Index>(points.points), weights_.size());
    Eigen::ArrayXd expected;
    Eigen::ArrayXd variance;
    for (Eigen::Index s = 0; s < weights_.size(); ++s) {
        models_[static_cast<std::size_t>(s)].predict(points, expected, variance);
        set_standardised(expected, mean_[s], deviation_[s], &out(0, s));
    }
    return out;
}

ATTUNE_INLINE std::vector<point> warm_start::portfolio(std::size_t count) const
{
    std::vector<double> const weight(weights_.data(), weights_.data() + weights_.size());
    std::vector<point> out;
    for (std::size_t const row : greedy_portfolio(slowdown_, weight, count))
        out.push_back(candidates_[row]);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
