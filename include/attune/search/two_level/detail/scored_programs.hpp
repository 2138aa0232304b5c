// attune/search/two_level/detail/scored_programs.hpp - rows of configurations, and their scores by a cost model.
// SPDX-License-Identifier: MIT
// tested by search/two_level/two_level_search.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/history.hpp>
#include <attune/search/local/unit_embedding.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct program_score {
    double value = 0; ///< by the model, in [0, 1]
    std::uint64_t structure = 0;
    double expected = 0; ///< log2 of the expected time over that of the space, see expected_rows
};

/// The cost model of one search, and its data.
///
/// A separate model learns once from programs of other tasks, by their places in their tasks. Least
/// squares shift and stretch its scores to the outcomes of this search, but never invert them. The
/// scores weigh as much as `other_weight` outcomes beside the model of this search's outcomes.
class scored_programs {
public:
    /// @param options  two_level_options, or those of another search over scores
    template <class Options>
    scored_programs(chain_of_trees space, Options const& options)
        : space_(std::move(space))
        , embedding_(space_.describe())
        , rows_(space_)
        , structure_(options.structure)
        , model_(options.model ? options.model() : any_cost_model(boosted_trees()))
        , of_others_(options.model
                         ? options.model()
                         : any_cost_model(boosted_trees(boosting_options::for_other_tasks())))
    {
        if (options.samples) learn_from(*options.samples);
    }

    /// Learns from programs of other tasks; ignored if the space has no rows, or of another width.
    void learn_from(cost_samples const& others)
    {
        if (!rows_.fit(others)) return;
        of_others_.learn(others.programs(), others.places());
        knows_others_ = true;
    }
    /// Returns true if scores are useful before the first success.
    [[nodiscard]] bool knows_others() const noexcept { return knows_others_; }

    /// Returns true if description::expected also distinguishes configurations.
    [[nodiscard]] bool expects() const noexcept
    {
        return space_.describe().rows && space_.describe().expected;
    }

    /// The score of a configuration; nothing if it breaks a constraint, or describes no program.
    [[nodiscard]] std::optional<program_score> score(point const& p)
    {
        if (!space_.contains(p)) return {};
        std::optional<program_rows> const rows = rows_of(p);
        if (!rows) return {};
        double predicted = own_ > 0 ? model_.predict(std::span(&*rows, 1)).front() : 0;
        if (knows_others_) {
            double const other =
                shift_ + stretch_ * of_others_.predict(std::span(&*rows, 1)).front();
            double const n = static_cast<double>(own_);
            predicted = (n * predicted + other_weight * other) / (n + other_weight);
        }
        // A program is scheduled once for its structure, and scored many times.
        std::optional<std::uint64_t> const structure =
            space_.describe().structure ? structure_of(p) : structure_of(p, &*rows);
        if (!structure) return {};
        bool const has_expected = static_cast<bool>(space_.describe().rows);
        return program_score{std::clamp(predicted, 0.0, 1.0), *structure,
                             has_expected ? rows->values.back() : 0};
    }
    /// Equal programs have equal numbers; nothing if the configuration describes no program.
    [[nodiscard]] std::optional<std::uint64_t> structure_of(point const& p)
    {
        auto const found = structures_.find(p);
        return found != structures_.end()
                   ? found->second
                   : structures_.emplace(p, structure_of(p, nullptr)).first->second;
    }

    /// Learns from all outcomes again.
    void learn(search_history const& history)
    {
        own_ = 0;
        shift_ = 0;
        stretch_ = 1;
        if (history.best() == nullptr) return;
        double const best = history.best()->value;
        double worst = best;
        for (observation const& o : history.told())
            if (o.worked) worst = std::max(worst, o.value);
        std::vector<program_rows> programs;
        std::vector<double> scores;
        for (observation const& o : history.told()) {
            std::optional<program_rows> const& rows = measured_rows(o.where);
            if (!rows) continue;
            programs.push_back(*rows);
            double score = 0;
            if (o.worked && best > 0)
                score = best / o.value;
            else if (o.worked)
                score = worst > best ? (worst - o.value) / (worst - best) : 1;
            scores.push_back(score);
        }
        if (programs.empty()) return;
        model_.learn(programs, scores);
        own_ = programs.size();
        if (knows_others_) calibrate(of_others_.predict(programs), scores);
    }

private:
    static constexpr double other_weight = 16; ///< in outcomes

    /// Least squares of scores by the other tasks' model. Below 8 outcomes chance would decide: no
    /// effect.
    void calibrate(std::vector<double> const& said, std::vector<double> const& scores)
    {
        constexpr std::size_t enough = 8;
        if (said.size() < enough) return;
        double const n = static_cast<double>(said.size());
        double x = 0;
        double y = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            x += said[i] / n;
            y += scores[i] / n;
        }
        double xx = 0;
        double xy = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            xx += (said[i] - x) * (said[i] - x);
            xy += (said[i] - x) * (scores[i] - y);
        }
        stretch_ = xx > 0 ? std::max(0.0, xy / xx) : 0;
        shift_ = y - stretch_ * x;
    }

    [[nodiscard]] std::optional<program_rows> rows_of(point const& p) const
    {
        if (space_.describe().rows) return rows_.of(p);
        std::vector<double> values = embedding_.embed(p);
        std::size_t const width = values.size();
        return program_rows{std::move(values), width};
    }
    [[nodiscard]] std::optional<program_rows> const& measured_rows(point const& p)
    {
        auto const found = measured_.find(p);
        return found != measured_.end() ? found->second
                                        : measured_.emplace(p, rows_of(p)).first->second;
    }
    /// The structure by the options, by the description, or by the rows without the expectation.
    /// @param known  the rows if they are known; else null
    [[nodiscard]] std::optional<std::uint64_t> structure_of(point const& p,
                                                            program_rows const* known) const
    {
        description const& d = space_.describe();
        if (!structure_ && d.structure) {
            try {
                return d.structure(d, p);
            } catch (error const&) {
                return {};
            }
        }
        std::optional<program_rows> made;
        if (known == nullptr) {
            made = rows_of(p);
            if (!made) return {};
            known = &*made;
        }
        if (structure_) return structure_(p);
        if (!d.rows) return point_hash()(p);
        std::uint64_t h = known->width;
        for (std::size_t r = 0; r < known->count(); ++r)
            for (double const v : known->row(r).first(known->width - 1))
                h = mixed(h, std::bit_cast<std::uint64_t>(v));
        return h;
    }

    chain_of_trees space_;
    unit_embedding embedding_; // refers to the description that space_ shares
    expected_rows rows_;
    std::function<std::uint64_t(point const&)> structure_;
    any_cost_model model_;     ///< of this search's outcomes
    any_cost_model of_others_; ///< of programs of other tasks
    bool knows_others_ = false;
    std::size_t own_ = 0; ///< number of outcomes in model_
    double shift_ = 0;    ///< from other tasks' scores to this task's scores
    double stretch_ = 1;
    std::unordered_map<point, std::optional<program_rows>, point_hash> measured_;
    std::unordered_map<point, std::optional<std::uint64_t>, point_hash> structures_;
};

} // namespace attune::inline ATTUNE_ABI::detail
