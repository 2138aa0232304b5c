// attune/search/two_level/detail/scored_programs.hpp - configurations as a cost model sees and scores them.
// SPDX-License-Identifier: MIT
// tested by search/two_level/two_level_search.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/program_rows.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/cost/cost_model.hpp>
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
};

/// The cost model of one search, and what it learns from.
class scored_programs {
public:
    /// @param options  two_level_options, or those of another search over scores
    template <class Options>
    scored_programs(chain_of_trees space, Options const& options)
        : space_(std::move(space))
        , embedding_(space_.describe())
        , structure_(options.structure)
        , model_(options.model ? options.model() : any_cost_model(boosted_trees()))
    {
        if (options.samples) learn_from(*options.samples);
    }

    /// Programs of other tasks, with which learn() begins. Those whose rows are of another width
    /// than this space's, and all where the space has no rows, are left out.
    void learn_from(cost_samples const& others)
    {
        if (!space_.describe().rows || others.size() == 0) return;
        std::size_t const width = width_of_rows();
        std::vector<double> const scores = others.scores();
        for (std::size_t i = 0; i < others.size(); ++i) {
            if (others.programs()[i].width != width) continue;
            other_programs_.push_back(others.programs()[i]);
            other_scores_.push_back(scores[i]);
        }
    }
    /// Whether scores mean something before an outcome worked.
    [[nodiscard]] bool knows_others() const noexcept { return !other_programs_.empty(); }

    /// Nothing where the configuration breaks a constraint, or stands for no program.
    [[nodiscard]] std::optional<program_score> score(point const& p) const
    {
        if (!space_.contains(p)) return {};
        std::optional<program_rows> const rows = rows_of(p);
        if (!rows) return {};
        double const predicted = model_.predict(std::span(&*rows, 1)).front();
        return program_score{std::clamp(predicted, 0.0, 1.0), structure_of(p, *rows)};
    }
    [[nodiscard]] std::optional<std::uint64_t> structure_of(point const& p)
    {
        std::optional<program_rows> const& rows = measured_rows(p);
        if (!rows) return {};
        return structure_of(p, *rows);
    }

    /// Learns anew from the programs of other tasks and all outcomes.
    /// @pre  one of them worked, or there are programs of others
    void learn(search_history const& history)
    {
        double const best = history.best() != nullptr ? history.best()->value : 0;
        double worst = best;
        for (observation const& o : history.told())
            if (o.worked) worst = std::max(worst, o.value);
        std::vector<program_rows> programs = other_programs_;
        std::vector<double> scores = other_scores_;
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
        if (!programs.empty()) model_.learn(programs, scores);
    }

private:
    /// 0 where none of some random configurations stands for a program.
    [[nodiscard]] std::size_t width_of_rows() const
    {
        random_engine engine(0);
        for (int draws = 0; draws < 64; ++draws)
            if (std::optional<program_rows> const rows = rows_of(space_.sample(engine)))
                return rows->width;
        return 0;
    }
    [[nodiscard]] std::optional<program_rows> rows_of(point const& p) const
    {
        description const& d = space_.describe();
        if (!d.rows) {
            std::vector<double> values = embedding_.embed(p);
            std::size_t const width = values.size();
            return program_rows{std::move(values), width};
        }
        try {
            program_rows out = d.rows(d, p);
            if (out.count() == 0) return {};
            return out;
        } catch (error const&) {
            return {};
        }
    }
    [[nodiscard]] std::optional<program_rows> const& measured_rows(point const& p)
    {
        auto const found = measured_.find(p);
        return found != measured_.end() ? found->second
                                        : measured_.emplace(p, rows_of(p)).first->second;
    }
    [[nodiscard]] std::uint64_t structure_of(point const& p, program_rows const& rows) const
    {
        if (structure_) return structure_(p);
        if (!space_.describe().rows) return point_hash()(p);
        std::uint64_t h = rows.width;
        for (double const v : rows.values) {
            h = (h ^ std::bit_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdULL;
            h ^= h >> 32;
        }
        return h;
    }

    chain_of_trees space_;
    unit_embedding embedding_; // refers to the description that space_ shares
    std::function<std::uint64_t(point const&)> structure_;
    any_cost_model model_;
    std::vector<program_rows> other_programs_;
    std::vector<double> other_scores_;
    std::unordered_map<point, std::optional<program_rows>, point_hash> measured_;
};

} // namespace attune::inline ATTUNE_ABI::detail
