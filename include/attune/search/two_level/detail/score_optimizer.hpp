// attune/search/two_level/detail/score_optimizer.hpp - Bayesian optimization of scores in one group; its space and its window.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Sec. 3.3.1 (the index in the sorted list of all tiles) and 3.5. Own: instead
//          of climbing in the box and rounding, the best of random configurations and of steps from
//          the best is suggested.
// Source   domain_reduction: Stander and Craig 2002 (sequential domain reduction) as the package
//          bayesian-optimization has it, which Rocke 2024 Sec. 3.3.1 uses
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/two_level/detail/score_process.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How the window around the best narrows as the best settles.
struct reduction_constants {
    double oscillation = 0.7; ///< gamma_osc: factor of the window if the best oscillates
    double panning = 1.0;     ///< gamma_pan: if the best moves on in one direction
    double zoom = 0.9;        ///< eta: if the best stays
};

/// One window per parameter, in ranks: 0 to `largest`.
class domain_reduction {
public:
    explicit domain_reduction(std::vector<double> largest, reduction_constants constants = {})
        : constants_(constants)
        , largest_(std::move(largest))
    {
        for (double const most : largest_)
            sides_.push_back({most / 2, most, 0});
    }

    /// Moves the windows to the best: one rank per parameter.
    void move_to(std::span<double const> best)
    {
        for (std::size_t k = 0; k < sides_.size(); ++k) {
            side& s = sides_[k];
            // d_k, c, gamma and lambda of the paper.
            double const step = s.width > 0 ? 2 * (best[k] - s.centre) / s.width : 0;
            double const product = step * s.step;
            double const turn = std::copysign(std::sqrt(std::abs(product)), product);
            double const gamma =
                ((1 + turn) * constants_.panning + (1 - turn) * constants_.oscillation) / 2;
            double const shrink = constants_.zoom + std::abs(step) * (gamma - constants_.zoom);
            s = {best[k], shrink * s.width, step};
        }
    }
    /// The window is at least one rank to each side.
    [[nodiscard]] double low(std::size_t k) const noexcept
    {
        return std::max(0.0, sides_[k].centre - reach(k));
    }
    [[nodiscard]] double high(std::size_t k) const noexcept
    {
        return std::min(largest_[k], sides_[k].centre + reach(k));
    }

private:
    struct side {
        double centre = 0;
        double width = 0;
        double step = 0; ///< of the last move, in half widths
    };

    [[nodiscard]] double reach(std::size_t k) const noexcept
    {
        return std::max(1.0, sides_[k].width / 2);
    }

    reduction_constants constants_;
    std::vector<double> largest_;
    std::vector<side> sides_;
};

/// Data that all groups of a space share.
struct score_optimizer_base {
    chain_of_trees space;
    feature_map features;
    std::vector<double> unit;         ///< per feature, see score_process
    std::vector<std::uint32_t> tuned; ///< parameters with several values that groups optimize
};

/// The space in which each parameter of `of` is the number of its value: 0, 1, 2, ..., without
/// constraints. Points of `of` are points of this space.
[[nodiscard]] inline chain_of_trees space_of_ranks(description const& of)
{
    description out;
    for (parameter_description const& p : of.parameters) {
        parameter_description rank;
        rank.name = p.name;
        if (p.traits().is_interval) {
            rank.kind = p.kind;
            rank.type = p.type;
            rank.on = p.on;
            rank.low = p.low;
            rank.high = p.high;
        } else {
            rank.kind = parameter_kind::ordinal;
            rank.type = value_kind::integer;
            for (std::uint32_t i = 0; i < p.value_count(); ++i)
                rank.integers.push_back(i);
        }
        out.parameters.push_back(std::move(rank));
    }
    return chain_of_trees(std::move(out));
}

[[nodiscard]] inline score_optimizer_base base_of(chain_of_trees const& space,
                                                  two_level_options const& options)
{
    description const& d = space.describe();
    feature_options none;
    none.from_constraints = none.from_alignment = none.from_user = false;
    none.sample = 1;
    none.enumerate = 0;
    bool const by_rank = options.encoding == decision_encoding::ranks;
    score_optimizer_base out{space,
                             by_rank ? feature_map(space_of_ranks(d), none)
                                     : feature_map(space, feature_options{}),
                             {},
                             {}};
    for (std::size_t f = 0; f < out.features.count(); ++f) {
        double unit = 1;
        if (by_rank) {
            auto const& p = d.parameters[d.find_parameter(out.features.name(f))];
            if (!p.traits().is_interval) unit = static_cast<double>(p.value_count() - 1);
        }
        out.unit.push_back(unit);
    }
    moves const near(space);
    for (std::uint32_t const p : near.varying())
        if (options.role(d, p) == decision_role::tuned) out.tuned.push_back(p);
    return out;
}

/// The optimizer of one group: configurations that differ only in tuned parameters; or of all, see
/// two_level_options::one_optimizer.
class score_optimizer {
public:
    /// @param base  must outlive this object, as must `options`
    score_optimizer(score_optimizer_base const& base, two_level_options const& options)
        : base_(&base)
        , options_(&options)
        , process_(base.features, base.unit)
    {
        reset_window();
    }

    /// Begins a round without inputs.
    void begin_round() { inputs_.clear(); }
    /// Adds an input of this round and its score.
    void register_input(point const& at, double score)
    {
        inputs_.push_back({at, score});
        learn(at, score);
    }
    /// Adds the score of a configuration, 0 if it makes no program.
    void learn(point const& at, double score)
    {
        if (auto const place = std::find(known_.begin(), known_.end(), at); place != known_.end()) {
            process_.revise(static_cast<std::size_t>(place - known_.begin()), score);
            return;
        }
        add(at, score);
        if (known_.size() <= options_->memory_limit) return;
        if (options_->memory == optimizer_memory::least_recently_used) {
            known_.erase(known_.begin());
            process_.forget(0);
            return;
        }
        known_.clear();
        process_.forget_all();
        reset_window();
        ++resets_;
        std::size_t const most = options_->memory_limit / 2;
        for (std::size_t i = 0; i < std::min(most, inputs_.size()); ++i)
            if (!remembers(inputs_[i].first)) add(inputs_[i].first, inputs_[i].second);
    }
    [[nodiscard]] bool remembers(point const& at) const
    {
        return std::find(known_.begin(), known_.end(), at) != known_.end();
    }
    [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }
    [[nodiscard]] std::size_t resets() const noexcept { return resets_; }

    /// Sets the parameters of the next suggestions, except tuned ones, to those of `input`.
    void begin_input(point const& input, random_engine& engine)
    {
        input_ = input;
        draw_candidates(engine);
    }
    /// A configuration that is not in the memory; nothing if all candidates are.
    /// @pre  begin_input(), and at least one score is known
    [[nodiscard]] std::optional<point> suggest(random_engine& engine)
    {
        std::optional<std::size_t> row = best_row();
        // Draws again; the second time also outside of the window, which is used up.
        for (int i = 0; i < (window_ ? 2 : 1) && !row; ++i) {
            if (i > 0) reset_window();
            draw_candidates(engine);
            row = best_row();
        }
        if (!row) return {};
        open_[*row] = 0;
        return candidates_[*row];
    }

private:
    void add(point const& at, double score)
    {
        known_.push_back(at);
        process_.observe(at, score);
        if (!window_) return;
        auto const best = std::max_element(process_.scores().begin(), process_.scores().end());
        window_->move_to(
            ranks_of(known_[static_cast<std::size_t>(best - process_.scores().begin())]));
    }

    [[nodiscard]] parameter_description const& parameter(std::uint32_t p) const
    {
        return base_->space.describe().parameters[p];
    }
    [[nodiscard]] std::vector<double> ranks_of(point const& at) const
    {
        std::vector<double> out;
        for (std::uint32_t const p : base_->tuned)
            out.push_back(at[p].index);
        return out;
    }
    void reset_window()
    {
        if (!options_->reduces_domain) return;
        std::vector<double> largest;
        for (std::uint32_t const p : base_->tuned)
            largest.push_back(parameter(p).traits().is_interval ? 0
                                                                : parameter(p).value_count() - 1);
        window_.emplace(std::move(largest));
    }
    [[nodiscard]] bool is_inside(point const& at) const
    {
        if (!window_) return true;
        for (std::size_t k = 0; k < base_->tuned.size(); ++k) {
            double const rank = at[base_->tuned[k]].index;
            if (rank < window_->low(k) || rank > window_->high(k)) return false;
        }
        return true;
    }

    [[nodiscard]] coordinate draw(std::size_t k, random_engine& engine) const
    {
        parameter_description const& of = parameter(base_->tuned[k]);
        if (!window_ || of.traits().is_interval) return moves::random_coordinate(of, engine);
        auto const low = static_cast<std::uint32_t>(std::ceil(window_->low(k)));
        auto const high = static_cast<std::uint32_t>(std::floor(window_->high(k)));
        return {low + static_cast<std::uint32_t>(uniform_below(engine, high - low + 1)), 0};
    }

    /// Returns true if there are no more configurations than candidates to draw.
    [[nodiscard]] bool is_short_list() const
    {
        std::optional<leaf_count> const size = base_->space.size();
        return size && *size <= leaf_count{options_->candidates} &&
               !base_->space.has_real_parameters();
    }

    void draw_candidates(random_engine& engine)
    {
        candidates_.clear();
        std::unordered_set<point, point_hash> taken(known_.begin(), known_.end());
        auto const offer = [&](point p) {
            p = base_->space.settled(std::move(p));
            if (options_->within_constraints && !base_->space.contains(p)) return;
            if (is_inside(p) && taken.insert(p).second) candidates_.push_back(std::move(p));
        };
        std::size_t const tuned = base_->tuned.size();
        bool const is_listed = options_->within_constraints && is_short_list();
        if (is_listed)
            for (point const& p : configurations(base_->space)) {
                point q = input_;
                for (std::uint32_t const parameter : base_->tuned)
                    q[parameter] = p[parameter];
                if (base_->space.settled(std::move(q)) == p) offer(p);
            }
        for (std::size_t tries = 0; !is_listed && tries < 4 * options_->candidates && tuned > 0;
             ++tries) {
            if (candidates_.size() >= options_->candidates) break;
            point p = input_;
            // Only valid configurations: a draw of all parameters is seldom valid.
            std::size_t const changed =
                options_->within_constraints && tries % 2 == 1
                    ? 1 + uniform_below(engine, std::min<std::size_t>(tuned, 3))
                    : tuned;
            for (std::size_t i = 0; i < changed; ++i) {
                std::size_t const k = changed == tuned ? i : uniform_below(engine, tuned);
                p[base_->tuned[k]] = draw(k, engine);
            }
            offer(std::move(p));
        }
        // Steps: other values of one parameter, from the best and from the input.
        std::vector<point> from{input_};
        if (!known_.empty()) {
            auto const best = std::max_element(process_.scores().begin(), process_.scores().end());
            point const& of = known_[static_cast<std::size_t>(best - process_.scores().begin())];
            point p = input_; // its other parameters may differ from the best
            for (std::uint32_t const parameter : base_->tuned)
                p[parameter] = of[parameter];
            if (p != input_) from.push_back(std::move(p));
        }
        constexpr std::uint32_t most_values = 16;
        for (point const& start : from)
            for (std::size_t k = 0; k < tuned; ++k) {
                parameter_description const& of = parameter(base_->tuned[k]);
                bool const is_whole = !of.traits().is_interval && of.value_count() <= most_values;
                for (std::uint32_t v = 0; v < (is_whole ? of.value_count() : most_values); ++v) {
                    point p = start;
                    p[base_->tuned[k]] = is_whole ? coordinate{v, 0} : draw(k, engine);
                    offer(std::move(p));
                }
            }
        feature_table table;
        for (point const& p : candidates_)
            base_->features.append(p, table);
        open_.assign(candidates_.size(), 1);
        if (!candidates_.empty()) process_.assign(std::move(table));
    }

    /// The open candidate with the highest acquisition; the first of equals.
    [[nodiscard]] std::optional<std::size_t> best_row()
    {
        if (candidates_.empty()) return {};
        process_.update();
        double const incumbent = process_.best();
        std::optional<std::size_t> out;
        double highest = -std::numeric_limits<double>::infinity();
        auto const score_rows = [&](auto const& rule) {
            for (std::size_t i = 0; i < candidates_.size(); ++i) {
                if (open_[i] == 0 || (window_ && !is_inside(candidates_[i]))) continue;
                auto const row = static_cast<Eigen::Index>(i);
                double const score =
                    rule.score(process_.mean()[row], process_.variance()[row], incumbent);
                if (out && !(score > highest)) continue;
                out = i;
                highest = score;
            }
        };
        switch (options_->rule) {
        case suggestion_rule::probability_of_improvement:
            score_rows(probability_of_improvement_rule{options_->xi});
            break;
        case suggestion_rule::expected_improvement:
            score_rows(expected_improvement_rule{options_->xi});
            break;
        case suggestion_rule::confidence_bound:
            score_rows(confidence_bound_rule{options_->kappa});
            break;
        }
        return out;
    }

    score_optimizer_base const* base_;
    two_level_options const* options_;
    score_process process_;
    std::vector<point> known_; ///< the observations of process_, the oldest first
    std::vector<std::pair<point, double>> inputs_;
    std::optional<domain_reduction> window_;
    point input_;
    std::vector<point> candidates_;
    std::vector<char> open_; ///< per candidate: not yet suggested
    std::size_t resets_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
