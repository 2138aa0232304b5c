// tests/search/cost/boosted_trees.cpp - boosting beside trees found by trying every split of every value.
// SPDX-License-Identifier: MIT
#include <attune/search/cost/boosted_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <span>
#include <vector>

#include "../../laws/cost_model.hpp"
#include "../../support/minimal_cost_model.hpp"

TEST_CASE_TEMPLATE_INVOKE(cost_model_laws, attune::boosted_trees, support::minimal_cost_model);

namespace {

using rows_of_node = std::vector<std::size_t>;

/// Exact greedy boosting, written plainly: every threshold between two values of every column, sums
/// from scratch.
class plain_boosting {
public:
    plain_boosting(std::vector<attune::program_rows> const& programs,
                   std::vector<double> const& scores, attune::boosting_options const& how)
        : how_(how)
        , scores_(scores)
        , predicted(scores.size(), 0.0)
    {
        for (std::size_t p = 0; p < programs.size(); ++p)
            for (std::size_t r = 0; r < programs[p].count(); ++r) {
                auto const row = programs[p].row(r);
                rows_.emplace_back(row.begin(), row.end());
                program_.push_back(p);
            }
    }

    /// One tree more. Each leaf changes its rows at once.
    void round()
    {
        said_.assign(rows_.size(), 0);
        rows_of_node all(rows_.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        (void)grow(all, 0);
        std::vector<double> added(predicted.size(), 0.0);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            added[program_[i]] += said_[i];
        double slope = 0;
        double curvature = 0;
        for (std::size_t p = 0; p < predicted.size(); ++p) {
            slope += scores_[p] * (scores_[p] - predicted[p]) * added[p];
            curvature += scores_[p] * added[p] * added[p];
        }
        double const step = std::min(how_.eta, slope / curvature);
        for (std::size_t p = 0; p < predicted.size(); ++p)
            predicted[p] += step * added[p];
    }

    [[nodiscard]] double gradient_of(std::size_t row) const
    {
        std::size_t const p = program_[row];
        return (predicted[p] - scores_[p]) * scores_[p];
    }

private:
    struct sums {
        double g = 0;
        double h = 0;
    };
    [[nodiscard]] sums of(rows_of_node const& node) const
    {
        sums out;
        for (std::size_t const i : node) {
            out.g += gradient_of(i);
            out.h += scores_[program_[i]];
        }
        return out;
    }
    [[nodiscard]] double quality(rows_of_node const& node) const
    {
        sums const s = of(node);
        return s.g * s.g / (s.h + how_.lambda);
    }
    void settle(rows_of_node const& node)
    {
        sums const s = of(node);
        for (std::size_t const i : node)
            said_[i] = -s.g / (s.h + how_.lambda);
    }
    /// @return  whether it is a leaf
    bool grow(rows_of_node const& node, std::size_t depth)
    {
        settle(node);
        if (depth == how_.max_depth) return true;
        double best = 1e-12;
        rows_of_node left;
        rows_of_node right;
        for (std::size_t c = 0; c < rows_.front().size(); ++c) {
            std::set<double> values;
            for (std::size_t const i : node)
                values.insert(rows_[i][c]);
            for (double const at : values) {
                rows_of_node low;
                rows_of_node high;
                for (std::size_t const i : node)
                    (rows_[i][c] <= at ? low : high).push_back(i);
                if (high.empty()) continue;
                double const gain = quality(low) + quality(high) - quality(node);
                if (gain <= best * (1 + 1e-9)) continue;
                best = gain;
                left = low;
                right = high;
            }
        }
        if (left.empty()) return true;
        bool const left_is_leaf = grow(left, depth + 1);
        bool const right_is_leaf = grow(right, depth + 1);
        if (!left_is_leaf || !right_is_leaf || best >= how_.gamma) return false;
        settle(node);
        return true;
    }

    attune::boosting_options how_;
    std::vector<std::vector<double>> rows_;
    std::vector<std::size_t> program_;
    std::vector<double> scores_;
    std::vector<double> said_;

public:
    std::vector<double> predicted;
};

double loss_of(std::vector<double> const& predicted, std::vector<double> const& scores)
{
    double out = 0;
    for (std::size_t p = 0; p < scores.size(); ++p)
        out += scores[p] * (predicted[p] - scores[p]) * (predicted[p] - scores[p]);
    return out;
}

} // namespace

TEST_CASE("on columns of few values, boosting is exact greedy boosting")
{
    for (double const gamma : {0.0, 0.02}) {
        auto const known = cost_model_law::example(40, 5);
        attune::boosting_options const how{
            .max_depth = 3, .gamma = gamma, .rounds = 6, .max_bins = 256};
        attune::boosted_trees model(how);
        model.learn(known.programs, known.scores);
        plain_boosting plain(known.programs, known.scores, how);
        for (std::size_t i = 0; i < how.rounds; ++i)
            plain.round();
        std::vector<double> const said = model.predict(known.programs);
        for (std::size_t p = 0; p < said.size(); ++p)
            CHECK(said[p] == doctest::Approx(plain.predicted[p]).epsilon(1e-9));
    }
}

TEST_CASE("the gradient of a row is that of the loss of its program's sum, by finite differences")
{
    auto const known = cost_model_law::example(12, 3);
    plain_boosting plain(known.programs, known.scores, {});
    plain.round();
    constexpr double h = 1e-6;
    std::size_t row = 0;
    for (std::size_t p = 0; p < known.programs.size(); ++p)
        for (std::size_t r = 0; r < known.programs[p].count(); ++r, ++row) {
            // A change of any row changes the sum as much.
            auto up = plain.predicted;
            auto down = plain.predicted;
            up[p] += h;
            down[p] -= h;
            double const slope =
                (loss_of(up, known.scores) - loss_of(down, known.scores)) / (2 * h);
            CHECK(2 * plain.gradient_of(row) == doctest::Approx(slope).epsilon(1e-4));
        }
}

TEST_CASE("each tree lowers the training loss, also with many rows per program and whole trees")
{
    std::vector<attune::program_rows> programs;
    std::vector<double> scores;
    attune::random_engine draw(4);
    for (int p = 0; p < 60; ++p) {
        attune::program_rows rows;
        rows.width = 2;
        for (int r = 0; r < 30; ++r) {
            rows.values.push_back(p % 7);
            rows.values.push_back(static_cast<double>(attune::uniform_below(draw, 50)));
        }
        programs.push_back(rows);
        scores.push_back(0.1 + 0.1 * (p % 7));
    }
    attune::boosting_options const how{.gamma = 0, .eta = 1, .rounds = 40};
    attune::boosted_trees model(how);
    model.learn(programs, scores);
    auto const loss = model.training_loss();
    REQUIRE(loss.size() > 3);
    CHECK(loss.size() == model.trees());
    for (std::size_t i = 1; i < loss.size(); ++i)
        CHECK(loss[i] <= loss[i - 1]);
    CHECK(loss.back() < 0.01 * loss.front());
}

TEST_CASE("the score of a program is the sum over its rows")
{
    auto const known = cost_model_law::example(100, 1);
    attune::boosted_trees model;
    model.learn(known.programs, known.scores);
    for (attune::program_rows const& program : known.programs) {
        std::vector<attune::program_rows> single;
        for (std::size_t r = 0; r < program.count(); ++r)
            single.push_back({{program.row(r).begin(), program.row(r).end()}, program.width});
        double sum = 0;
        for (double const s : model.predict(single))
            sum += s;
        CHECK(model.predict(std::span(&program, 1)).front() == doctest::Approx(sum));
    }
}

TEST_CASE("it fits programs that a line cannot tell apart")
{
    auto const known = cost_model_law::example(400, 8);
    attune::boosted_trees model;
    model.learn(known.programs, known.scores);
    std::vector<double> const said = model.predict(known.programs);
    double error = 0;
    double weight = 0;
    for (std::size_t p = 0; p < said.size(); ++p) {
        error += known.scores[p] * (said[p] - known.scores[p]) * (said[p] - known.scores[p]);
        weight += known.scores[p];
    }
    CHECK(std::sqrt(error / weight) < 0.05);
}
