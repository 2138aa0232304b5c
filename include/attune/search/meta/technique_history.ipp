// attune/search/meta/technique_history.ipp - sums, affinities, quantiles, lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

inline constexpr double most_gain = 1e9;

[[nodiscard]] inline std::uint32_t step_of_gain(double gain)
{
    double const inside = std::clamp(gain, 1.0, most_gain);
    return static_cast<std::uint32_t>(std::lround(std::log(inside) / std::log(gain_step)));
}

} // namespace detail

ATTUNE_INLINE void tuning_gains::add_step(std::uint32_t step, std::size_t tunings)
{
    auto const at =
        std::lower_bound(steps_.begin(), steps_.end(), step,
                         [](auto const& one, std::uint32_t sought) { return one.first < sought; });
    if (at == steps_.end() || at->first != step)
        steps_.insert(at, {step, tunings});
    else
        at->second += tunings;
    count_ += tunings;
}
ATTUNE_INLINE void tuning_gains::add(double gain)
{
    if (std::isfinite(gain)) add_step(detail::step_of_gain(gain), 1);
}
ATTUNE_INLINE void tuning_gains::add_all(tuning_gains const& other)
{
    for (auto const& [step, tunings] : other.steps_)
        add_step(step, tunings);
}
ATTUNE_INLINE std::optional<double> tuning_gains::quantile(double share) const
{
    if (count_ == 0) return {};
    double const wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(count_);
    std::size_t const rank = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(wanted - 1e-9))); // .2 * 5 is 1, not a little more
    std::size_t below = 0;
    for (auto const& [step, tunings] : steps_) {
        below += tunings;
        if (below >= rank) return std::pow(detail::gain_step, static_cast<double>(step));
    }
    return {};
}

ATTUNE_INLINE std::string tuning_gains::text() const
{
    std::string out;
    for (auto const& [step, tunings] : steps_) {
        if (!out.empty()) out += ',';
        out += std::to_string(step) + ':' + std::to_string(tunings);
    }
    return out;
}
ATTUNE_INLINE std::optional<tuning_gains> tuning_gains::read(std::string_view text)
{
    tuning_gains out;
    std::uint32_t const most = detail::step_of_gain(detail::most_gain);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
        auto const step = detail::taken_before(one, ':');
        if (!step) return {};
        auto const at = attune::detail::parse_number<std::uint32_t>(*step);
        auto const tunings = attune::detail::parse_number<std::uint32_t>(one);
        if (!at || *at > most || !tunings || *tunings == 0) return {};
        out.add_step(*at, *tunings);
    }
    if (out.text() != text) return {}; // must be ascending, each step once, without blanks
    return out;
}

namespace detail {

/// The place of a technique in uses that ascend by name.
template <class Uses>
[[nodiscard]] auto place_of(Uses& uses, std::string_view name)
{
    return std::lower_bound(uses.begin(), uses.end(), name,
                            [](auto const& use, auto sought) { return use.name < sought; });
}

[[nodiscard]] inline std::string as_field(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return out;
}

} // namespace detail

ATTUNE_INLINE std::optional<double> search_affinity(technique_use const& use)
{
    if (use.requests == 0) return {};
    return static_cast<double>(use.new_bests) / static_cast<double>(use.requests);
}

namespace detail {

/// Pearson's correlation of pairs of affinities.
[[nodiscard]] inline std::optional<double>
correlation_of(std::vector<std::pair<double, double>> const& known)
{
    if (known.size() < 2) return {};
    double mean_x = 0;
    double mean_y = 0;
    for (auto const& [x, y] : known) {
        mean_x += x / static_cast<double>(known.size());
        mean_y += y / static_cast<double>(known.size());
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (auto const& [x, y] : known) {
        xx += (x - mean_x) * (x - mean_x);
        yy += (y - mean_y) * (y - mean_y);
        xy += (x - mean_x) * (y - mean_y);
    }
    // Equal affinities differ from their mean only by rounding.
    double const noise = 1e-24 * static_cast<double>(known.size());
    if (xx <= noise || yy <= noise) return {};
    return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

} // namespace detail

ATTUNE_INLINE std::optional<double> affinity_correlation(std::span<technique_use const> a,
                                                         std::span<technique_use const> b)
{
    std::vector<std::pair<double, double>> known;
    for (technique_use const& of_a : a)
        for (technique_use const& of_b : b) {
            if (of_a.name != of_b.name) continue;
            auto const x = search_affinity(of_a);
            auto const y = search_affinity(of_b);
            if (x && y) known.emplace_back(*x, *y);
        }
    return detail::correlation_of(known);
}
ATTUNE_INLINE std::optional<double> affinity_correlation(std::span<technique_use const> uses,
                                                         representation const& with)
{
    std::vector<std::pair<double, double>> known;
    for (technique_use const& use : uses) {
        auto const at = detail::place_of(with.uses, use.name);
        if (at == with.uses.end() || at->name != use.name) continue;
        auto const x = search_affinity(use);
        auto const y = search_affinity(*at);
        if (x && y) known.emplace_back(*x, *y);
    }
    return detail::correlation_of(known);
}

namespace detail {

inline constexpr std::string_view strategy_field = "strategy ";

/// The strategy in a technique without requests; nothing if it is none.
[[nodiscard]] inline std::optional<strategy_gains> read_strategy(std::string_view field)
{
    if (!field.starts_with(strategy_field)) return {};
    field.remove_prefix(strategy_field.size());
    std::size_t const blank = field.find(' ');
    if (blank == field.npos || blank + 1 == field.size()) return {};
    auto gains = tuning_gains::read(field.substr(0, blank));
    if (!gains || gains->count() == 0) return {};
    return strategy_gains{std::string(field.substr(blank + 1)), std::move(*gains)};
}

/// Sums of lines of history_line(). Names point into the lines, which must stay in memory.
class line_sums {
public:
    /// @return false if the line is none; then nothing is added
    [[nodiscard]] bool add(std::string_view line)
    {
        fields_.clear();
        for (std::string_view rest = line;;) {
            fields_.push_back(rest.substr(0, rest.find('\t')));
            if (fields_.back().size() == rest.size()) break;
            rest.remove_prefix(fields_.back().size() + 1);
        }
        if (fields_.size() < 3 || fields_.size() % 3 != 0) return false;
        if (line.find('\r') != line.npos) return false; // history_line() writes none
        std::string_view const searches = fields_[2].substr(0, fields_[2].find(' '));
        auto const runs = attune::detail::parse_number<std::size_t>(searches);
        if (!runs) return false;
        std::optional<tuning_gains> gains;
        if (searches.size() < fields_[2].size()) {
            gains = tuning_gains::read(fields_[2].substr(searches.size() + 1));
            if (!gains || gains->count() == 0 || gains->count() > *runs) return false;
        }
        if (!read_uses()) return false;
        problem* const of = problem_of(line.substr(0, fields_[0].size() + 1 + fields_[1].size()));
        if (of == nullptr) return false;
        of->runs += *runs;
        if (gains) of->gains.add_all(*gains);
        for (auto const& [name, counts] : uses_) {
            use_counts& sum = of->uses[name];
            sum.requests += counts.requests;
            sum.new_bests += counts.new_bests;
        }
        for (strategy_gains& one : strategies_)
            of->strategies.push_back(std::move(one));
        return true;
    }
    [[nodiscard]] std::vector<representation> sums() &&
    {
        std::vector<representation> out;
        for (auto& [key, of] : problems_) {
            representation& one = out.emplace_back();
            one.label = of.label;
            one.structure = std::move(of.structure);
            one.runs = of.runs;
            one.gains = std::move(of.gains);
            one.strategies = std::move(of.strategies);
            one.uses.reserve(of.uses.size());
            for (auto const& [name, counts] : of.uses)
                one.uses.push_back({std::string(name), counts.requests, counts.new_bests});
        }
        return out;
    }

private:
    static constexpr std::size_t most_name = 65'536; // bytes; names are made into searches

    struct use_counts {
        std::size_t requests = 0;
        std::size_t new_bests = 0;
    };
    struct problem {
        std::string_view label{};
        space_structure structure{};
        std::size_t runs = 0;
        tuning_gains gains{};
        std::unordered_map<std::string_view, use_counts> uses{};
        std::vector<strategy_gains> strategies{};
    };

    /// Reads the fields behind the first three; returns false if one is damaged.
    [[nodiscard]] bool read_uses()
    {
        uses_.clear();
        strategies_.clear();
        for (std::size_t i = 3; i < fields_.size(); i += 3) {
            auto const requests = attune::detail::parse_number<std::size_t>(fields_[i + 1]);
            auto const bests = attune::detail::parse_number<std::size_t>(fields_[i + 2]);
            if (!requests || !bests || *bests > *requests) return false;
            if (fields_[i].size() > most_name) return false;
            if (*requests > 0)
                uses_.push_back({fields_[i], {*requests, *bests}});
            else if (auto by = read_strategy(fields_[i]))
                strategies_.push_back(std::move(*by));
        }
        return true;
    }
    /// @param key  label and structure, as in the line; returns null for a wrong structure
    [[nodiscard]] problem* problem_of(std::string_view key)
    {
        auto const at = problems_.find(key);
        if (at != problems_.end()) return &at->second;
        std::optional<space_structure> structure = read_structure(fields_[1]);
        if (!structure) return nullptr;
        problem& of = problems_[key];
        of.label = fields_[0];
        of.structure = std::move(*structure);
        return &of;
    }

    std::unordered_map<std::string_view, problem> problems_{}; // by label and structure
    std::vector<std::string_view> fields_{};                   // of the line, as all below
    std::vector<std::pair<std::string_view, use_counts>> uses_{};
    std::vector<strategy_gains> strategies_{};
};

/// Sorts by name, and sums up each technique.
inline void sum_by_name(std::vector<technique_use>& uses)
{
    std::erase_if(uses, [](technique_use const& use) { return use.requests == 0; });
    // Many searches have few names, so the sorted list is short.
    std::unordered_map<std::string_view, std::size_t> places;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (auto const at = places.find(uses[i].name); at != places.end()) {
            uses[at->second].requests += uses[i].requests;
            uses[at->second].new_bests += uses[i].new_bests;
            continue;
        }
        if (kept != i) uses[kept] = std::move(uses[i]);
        places.emplace(uses[kept].name, kept);
        ++kept;
    }
    uses.resize(kept);
    std::sort(uses.begin(), uses.end(),
              [](technique_use const& a, technique_use const& b) { return a.name < b.name; });
}

/// Sorts by name, and sums up each strategy.
inline void sum_by_name(std::vector<strategy_gains>& strategies)
{
    std::map<std::string, tuning_gains> sums;
    for (strategy_gains& one : strategies)
        sums[std::move(one.name)].add_all(one.gains);
    strategies.clear();
    for (auto& [name, gains] : sums)
        strategies.push_back({name, std::move(gains)});
}

} // namespace detail

ATTUNE_INLINE void technique_history::add(representation const& searched) { add_all({searched}); }

ATTUNE_INLINE void technique_history::add_all(std::vector<representation> searched)
{
    struct summed {
        representation of;
        bool has_changed = false;
    };
    std::map<std::pair<std::string, std::string>, summed> sums; // by label and structure
    for (representation& r : representations_) {
        std::pair key(r.label, structure_text(r.structure));
        sums.emplace(std::move(key), summed{std::move(r), false});
    }
    for (representation& one : searched) {
        std::pair key(one.label, structure_text(one.structure));
        auto const [at, is_new] = sums.try_emplace(std::move(key));
        representation& of = at->second.of;
        at->second.has_changed = true;
        if (is_new) {
            of = std::move(one);
            continue;
        }
        of.runs += one.runs;
        of.gains.add_all(one.gains);
        std::move(one.uses.begin(), one.uses.end(), std::back_inserter(of.uses));
        std::move(one.strategies.begin(), one.strategies.end(), std::back_inserter(of.strategies));
    }
    representations_.clear();
    for (auto& [key, one] : sums) {
        if (one.has_changed) {
            detail::sum_by_name(one.of.uses);
            detail::sum_by_name(one.of.strategies);
        }
        representations_.push_back(std::move(one.of));
    }
}

ATTUNE_INLINE bool technique_history::add_line(std::string_view line)
{
    return add_lines({&line, 1}).empty();
}

ATTUNE_INLINE std::vector<std::size_t>
technique_history::add_lines(std::span<std::string_view const> lines)
{
    std::vector<std::size_t> damaged;
    detail::line_sums sums;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (!sums.add(lines[i])) damaged.push_back(i);
    add_all(std::move(sums).sums());
    return damaged;
}

ATTUNE_INLINE technique_history technique_history::without(std::string_view label) const
{
    technique_history out;
    for (representation const& r : representations_)
        if (r.label != label) out.representations_.push_back(r);
    return out;
}

ATTUNE_INLINE std::string history_line(representation const& searched)
{
    std::string out = detail::as_field(searched.label) + '\t' + structure_text(searched.structure) +
                      '\t' + std::to_string(searched.runs);
    if (searched.gains.count() > 0) out += ' ' + searched.gains.text();
    for (technique_use const& use : searched.uses) {
        if (use.requests == 0) continue;
        out += '\t' + detail::as_field(use.name) + '\t' + std::to_string(use.requests) + '\t' +
               std::to_string(use.new_bests);
    }
    for (strategy_gains const& one : searched.strategies)
        if (one.gains.count() > 0)
            out += '\t' + std::string(detail::strategy_field) + one.gains.text() + ' ' +
                   detail::as_field(one.name) + "\t0\t0";
    return out;
}
ATTUNE_INLINE std::string history_text(technique_history const& past)
{
    std::string out;
    for (representation const& r : past.representations())
        out += history_line(r) + '\n';
    return out;
}
ATTUNE_INLINE technique_history read_history(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();) {
        lines.push_back(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(lines.back().size() + 1, rest.size()));
    }
    technique_history out;
    static_cast<void>(out.add_lines(lines));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
