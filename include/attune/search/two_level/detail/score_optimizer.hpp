// attune/search/two_level/detail/score_optimizer.hpp - Bayesian optimization of scores in one group.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Sec. 3.3.1 and 3.5. Own: instead of climbing in the box and rounding, the
//          best of random configurations and of steps from the best is suggested.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/two_level/detail/decision_space.hpp>
#include <attune/search/two_level/detail/domain_reduction.hpp>
#include <attune/search/two_level/detail/score_process.hpp>
#include <attune/search/two_level/two_level_options.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The optimizer of one group: configurations that differ in tuned parameters alone; or of all, see
/// two_level_options::one_optimizer.
class score_optimizer {
public:
    /// @param base  must outlive this, as must `options`
    score_optimizer(score_optimizer_base const& base, two_level_options const& options)
        : base_(&base)
        , options_(&options)
        , process_(base.features, base.unit)
    {
        reset_window();
    }

    /// A round begins: its inputs are not known yet.
    void begin_round() { inputs_.clear(); }
    /// An input of this round and its score.
    void register_input(point const& at, double score)
    {
        inputs_.push_back({at, score});
        learn(at, score);
    }
    /// The score of a configuration, 0 where it makes no program.
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

    /// The next suggestions have the parameters of `input`, except tuned ones.
    void begin_input(point const& input, random_engine& engine)
    {
        input_ = input;
        draw_candidates(engine);
    }
    /// A configuration that is not remembered; nothing where all candidates are.
    /// @pre  begin_input(), and at least one score is known
    [[nodiscard]] std::optional<point> suggest(random_engine& engine)
    {
        std::optional<std::size_t> row = best_row();
        // Other draws; then also outside of the window, which is used up.
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

    /// Whether there are no more configurations than candidates are drawn.
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
            // Among valid configurations alone: a draw of all parameters seldom is one.
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
            point p = input_; // whose other parameters may be others than the best's
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

    /// The open candidate with the highest acquisition; the first one of equal ones.
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
    std::vector<char> open_; ///< per candidate: not suggested yet
    std::size_t resets_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
