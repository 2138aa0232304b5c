// attune/search/transfer/other_programs.ipp - the definitions of other_programs.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/transfer/other_programs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE slowdown_by_place::slowdown_by_place(cost_samples const& samples)
{
    std::map<std::string_view, std::vector<double>> by_task;
    auto const is_time = [](std::optional<double> const& v) {
        return v && *v > 0 && std::isfinite(*v);
    };
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (is_time(samples.value(i)))
            by_task[samples.task(i)].push_back(std::log(*samples.value(i)));
    for (auto& [name, values] : by_task) {
        if (values.size() < 2) continue;
        std::sort(values.begin(), values.end());
        double const least = values.front();
        for (double& v : values)
            v -= least;
        tasks_.push_back(std::move(values));
    }
}

ATTUNE_INLINE double slowdown_by_place::log_at(double place) const
{
    double const from_best = 1 - std::clamp(place, 0.0, 1.0);
    double sum = 0;
    for (std::vector<double> const& task : tasks_) {
        double const at = from_best * static_cast<double>(task.size() - 1);
        std::size_t const below = std::min(static_cast<std::size_t>(at), task.size() - 2);
        sum += std::lerp(task[below], task[below + 1], at - static_cast<double>(below));
    }
    return sum / static_cast<double>(tasks_.size());
}

ATTUNE_INLINE std::optional<past_session> session_of_programs(chain_of_trees const& space,
                                                              cost_samples const& others)
{
    constexpr double beside_records = 0.25; // measured sessions are more reliable
    constexpr int draws = 64;
    expected_rows const rows(space);
    slowdown_by_place const slowdown(others);
    if (!rows.fit(others) || !slowdown.is_known()) return {};
    boosted_trees model(boosting_options::for_other_tasks());
    model.learn(others.programs(), others.places());
    auto const log_value = [&](point const& p) {
        std::optional<program_rows> const program = rows.of(p);
        if (!program) return std::numeric_limits<double>::quiet_NaN();
        return slowdown.log_at(model.predict(std::span(&*program, 1)).front());
    };
    double level = 0;
    bool has_level = false;
    if (auto const& expected = space.describe().expected) {
        random_engine engine(0);
        double sum = 0;
        int known = 0;
        for (int i = 0; i < draws; ++i) {
            point const p = space.sample(engine);
            double const above = std::log(expected(p)) - log_value(p);
            if (!std::isfinite(above)) continue;
            sum += above;
            ++known;
        }
        has_level = known > 0;
        if (has_level) level = sum / known;
    }
    past_session out =
        session_of_values(space, [&](point const& p) { return std::exp(level + log_value(p)); });
    auto const by_value = [](past_outcome const& a, past_outcome const& b) {
        return a.value < b.value;
    };
    auto const [least, most] =
        std::minmax_element(out.outcomes.begin(), out.outcomes.end(), by_value);
    constexpr double said = 1.01; // a model of few programs may predict equal places
    if (least == out.outcomes.end() || *most->value < said * *least->value) return {};
    out.name = "programs of other tasks";
    out.weight = beside_records;
    out.has_level = has_level;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
