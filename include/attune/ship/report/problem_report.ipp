// attune/ship/report/problem_report.ipp - effects, ranks and contestants from the rows of a store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/ship/report/detail/levels.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct predicted_outcome {
    double expected_s = 0;
    double time_s = 0; ///< 0: it failed
    std::size_t row = 0;
};

[[nodiscard]] inline double squared_error(predicted_outcome const& of)
{
    double const error = std::log(of.expected_s) - std::log(of.time_s);
    return error * error;
}

/// @param some  not empty; at least one has a time
[[nodiscard]] inline double peak_of(std::vector<predicted_outcome> some)
{
    double best_s = HUGE_VAL;
    for (predicted_outcome const& one : some)
        if (one.time_s > 0) best_s = std::fmin(best_s, one.time_s);
    auto const count = static_cast<std::ptrdiff_t>(std::min(peak_count, some.size()));
    std::partial_sort(some.begin(), some.begin() + count, some.end(),
                      [](predicted_outcome const& a, predicted_outcome const& b) {
                          return a.expected_s != b.expected_s ? a.expected_s < b.expected_s
                                                              : a.row < b.row;
                      });
    double so_far = 0, sum = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        double const time_s = some[static_cast<std::size_t>(i)].time_s;
        if (time_s > 0) so_far = std::fmax(so_far, best_s / time_s);
        sum += so_far;
    }
    return sum / static_cast<double>(count);
}

ATTUNE_INLINE model_course course_of(std::vector<tried_row> const& rows,
                                     problem_objective const& of, std::size_t most)
{
    model_course out;
    std::vector<predicted_outcome> all;
    std::vector<double> squares; // of those with a time
    std::vector<std::size_t> timed_until;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        double const expected_s = rows[r].predicted_s;
        if (!(expected_s > 0) || !std::isfinite(expected_s)) continue;
        measurement const* const time = usable_value(of, rows[r]);
        if (time == nullptr ? succeeded(rows[r].result) : !(time->value > 0)) continue;
        all.push_back({of.turned(expected_s), time != nullptr ? of.turned(time->value) : 0, r});
        if (time != nullptr) squares.push_back(squared_error(all.back()));
        timed_until.push_back(squares.size());
    }
    out.predicted = all.size();
    out.failed = all.size() - squares.size();
    auto const root_of_mean = [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i)
            sum += squares[i];
        return std::sqrt(sum / static_cast<double>(to - from));
    };
    if (squares.size() < fewest_predictions || most == 0) return out;
    out.rmse = root_of_mean(0, squares.size());
    std::size_t first = 0; // number of predictions until there is a figure
    while (timed_until[first] < fewest_predictions)
        ++first;
    std::size_t const possible = all.size() - first;
    std::size_t const count = std::min(most, possible);
    for (std::size_t i = 1; i <= count; ++i) {
        std::size_t const last = first + (possible * i) / count - 1;
        std::size_t const timed = timed_until[last];
        auto const end = all.begin() + static_cast<std::ptrdiff_t>(last + 1);
        out.steps.push_back({.outcomes = all[last].row + 1,
                             .predicted = last + 1,
                             .rmse = root_of_mean(timed - std::min(timed, error_window), timed),
                             .peak = peak_of({all.begin(), end})});
    }
    return out;
}

ATTUNE_INLINE std::string text_of_pairs(named_texts const& pairs)
{
    std::string out;
    for (auto const& [name, value] : pairs) {
        if (!out.empty()) out += ' ';
        out += name + '=' + value;
    }
    return out;
}

ATTUNE_INLINE bool is_default_best(record const& best, value_texts const& standard)
{
    if (!best.code.empty() && !best.default_code.empty()) return best.code == best.default_code;
    return !standard.empty() && standard == values_of(best.configuration);
}

ATTUNE_INLINE std::string speed_text(double ratio, bool is_seconds, std::string_view than)
{
    if (ratio >= 0.995 && ratio < 1.005)
        return (is_seconds ? "as fast as " : "as good as ") + std::string(than);
    return formatted("%.2fx ", ratio < 1 ? 1 / ratio : ratio) +
           (ratio >= 1   ? problem_objective{.is_seconds = is_seconds}.better()
            : is_seconds ? "slower"
                         : "worse") +
           " than " + std::string(than);
}

/// The text of a row's level: its value, or the mark of an inactive parameter.
inline std::string_view level_text(tried_row const& row, std::size_t parameter)
{
    bool const is_active =
        std::find(row.inactive.begin(), row.inactive.end(), parameter) == row.inactive.end();
    return is_active ? std::string_view(row.values[parameter]) : inactive_text;
}

inline std::vector<std::string> sorted_levels(std::vector<tried_row> const& rows,
                                              std::size_t parameter)
{
    std::vector<std::string> out;
    std::unordered_set<std::string_view> seen;
    for (tried_row const& row : rows)
        if (std::string_view const text = level_text(row, parameter); seen.insert(text).second)
            out.emplace_back(text);
    sort_levels(out);
    return out;
}

/// @param values  not empty; reordered
[[nodiscard]] inline double middle_of(std::vector<double>& values)
{
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Source  epsilon squared: Kelley 1935, An unbiased correlation ratio measure
[[nodiscard]] inline double explained_share(std::vector<std::vector<double>> const& logs)
{
    double sum = 0, count = 0, groups = 0;
    for (auto const& group : logs) {
        sum = std::accumulate(group.begin(), group.end(), sum);
        count += static_cast<double>(group.size());
        groups += group.empty() ? 0 : 1;
    }
    if (groups < 2 || count <= groups) return 0;
    double total = 0, within = 0;
    for (auto const& group : logs) {
        if (group.empty()) continue;
        double const mean =
            std::accumulate(group.begin(), group.end(), 0.0) / static_cast<double>(group.size());
        for (double const x : group) {
            total += (x - sum / count) * (x - sum / count);
            within += (x - mean) * (x - mean);
        }
    }
    if (!(total > 0)) return 0;
    double const between = total - within;
    return std::clamp((between - (groups - 1) * within / (count - groups)) / total, 0.0, 1.0);
}

inline void add_effects(problem_report& to)
{
    std::vector<tried_row> const& rows = to.past.rows;
    std::vector<std::string> const& names = to.past.problem.parameters;
    to.levels.assign(rows.size(), std::vector<std::uint32_t>(names.size()));
    for (std::size_t p = 0; p < names.size(); ++p) {
        parameter_effect effect{.name = names[p]};
        for (std::string& value : sorted_levels(rows, p))
            effect.levels.push_back({.value = std::move(value)});
        std::unordered_map<std::string_view, std::uint32_t> index;
        for (level_effect const& level : effect.levels)
            index.emplace(level.value, static_cast<std::uint32_t>(index.size()));
        std::vector<std::vector<double>> times(effect.levels.size());
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::uint32_t const level = index.at(level_text(rows[r], p));
            to.levels[r][p] = level;
            if (measurement const* const time = usable_value(to.objective, rows[r]))
                times[level].push_back(time->value);
            else if (!succeeded(rows[r].result))
                ++effect.levels[level].failed;
        }
        bool const are_positive =
            std::all_of(times.begin(), times.end(), [](std::vector<double> const& some) {
                return std::all_of(some.begin(), some.end(), [](double t) { return t > 0; });
            });
        for (std::size_t l = 0; l < times.size(); ++l) {
            level_effect& level = effect.levels[l];
            level.measured = times[l].size();
            if (times[l].empty()) continue;
            auto const is_better = [&](double a, double b) { return to.objective.is_better(a, b); };
            level.best_s = *std::min_element(times[l].begin(), times[l].end(), is_better);
            level.median_s = middle_of(times[l]);
            if (are_positive)
                for (double& t : times[l])
                    t = std::log(t);
        }
        effect.share = explained_share(times);
        if (effect.levels.size() > 1) to.varied.push_back(p);
        to.parameters.push_back(std::move(effect));
    }
}

inline void add_counts(problem_report& to)
{
    std::vector<tried_row> const& rows = to.past.rows;
    measurement const* best = nullptr;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (measurement const* const time = usable_value(to.objective, rows[r])) {
            to.ranking.push_back(r);
            if (best != nullptr && !to.objective.is_better(time->value, best->value)) continue;
            to.improvements.push_back(r);
            best = time;
        } else if (auto const* const why = std::get_if<failure>(&rows[r].result))
            ++to.failed[static_cast<std::size_t>(why->stage)];
        else
            ++to.unusable;
    }
    std::sort(to.ranking.begin(), to.ranking.end(), [&](std::size_t a, std::size_t b) {
        double const x = to.value(a), y = to.value(b);
        return x != y ? to.objective.is_better(x, y) : a < b;
    });
}

/// The values of the default: those of its code, else those of the only configuration that has its
/// number. Empty: unknown.
[[nodiscard]] inline value_texts values_of_default(record const& best,
                                                   std::vector<tried_row> const& rows)
{
    time_interval const& in = best.default_interval;
    tried_row const* found = nullptr;
    for (tried_row const& row : rows) {
        // A tuning measures the default first.
        if (!best.default_code.empty() && row.code == best.default_code) return row.values;
        auto const* const m = std::get_if<measurement>(&row.result);
        if (m == nullptr || !has_default(best) || m->value != best.default_s ||
            m->samples != in.samples)
            continue;
        if (found != nullptr && found->values != row.values) return {};
        found = &row;
    }
    return found != nullptr ? found->values : value_texts{};
}

/// Fills `contestants`, `speedup` and `spent`.
inline void add_contest(problem_report& to)
{
    std::vector<tried_row> const& rows = to.past.rows;
    if (!to.past.best) {
        if (to.ranking.empty()) return;
        tried_row const& row = rows[to.ranking.front()];
        to.contestants.push_back(
            {contestant::part::fastest, row.values, *usable_value(to.objective, row), true});
        return;
    }
    record const& best = *to.past.best;
    auto const measured = [](double value, time_interval const& in) {
        return measurement{value, in.low_s, in.high_s, in.samples};
    };
    contestant winner{contestant::part::winner, values_of(best.configuration),
                      measured(best.best_s, best.best_interval)};
    contestant standard{
        contestant::part::standard, {}, measured(best.default_s, best.default_interval)};
    standard.values = values_of_default(best, rows);
    if (best.best_s > 0 && best.default_s > 0) {
        reported_speedup out{.value = to.objective.gain(best.best_s, best.default_s)};
        if (has_interval(winner.time) && has_interval(standard.time) && winner.time.low > 0 &&
            standard.time.low > 0) {
            time_interval const& more =
                to.objective.is_higher_better ? best.best_interval : best.default_interval;
            time_interval const& less =
                to.objective.is_higher_better ? best.default_interval : best.best_interval;
            out.low = more.low_s / less.high_s;
            out.high = more.high_s / less.low_s;
        }
        to.speedup = out;
    }
    if (tuning_seconds const& of = best.spent; of.total_s > 0)
        to.spent = {of.total_s, std::fmax(0, of.total_s - of.code_s - of.search_s), of.code_s,
                    of.search_s};
    to.contestants.push_back(std::move(winner));
    if (best.baseline_s > 0)
        to.contestants.push_back(
            {contestant::part::baseline, {}, measured(best.baseline_s, best.baseline_interval)});
    if (has_default(best)) to.contestants.push_back(std::move(standard));
    for (value_texts const& tie : best.ties) {
        auto const row = std::find_if(rows.rbegin(), rows.rend(), [&](tried_row const& one) {
            return one.values == tie && usable_value(to.objective, one) != nullptr;
        });
        bool const is_known = row != rows.rend();
        to.contestants.push_back({contestant::part::tie, tie,
                                  is_known ? *usable_value(to.objective, *row) : measurement{},
                                  is_known});
    }
}

ATTUNE_INLINE problem_report report_of(problem_history past)
{
    problem_report out{.past = std::move(past)};
    out.objective = objective_of(out.past.problem.key);
    add_effects(out);
    add_counts(out);
    add_contest(out);
    out.course = course_of(out.past.rows, out.objective);
    if (!out.ranking.empty()) {
        auto const won = std::find_if(out.ranking.begin(), out.ranking.end(), [&](std::size_t r) {
            return out.past.rows[r].values == out.contestants.front().values;
        });
        out.winner_row = won != out.ranking.end() ? *won : out.ranking.front();
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
