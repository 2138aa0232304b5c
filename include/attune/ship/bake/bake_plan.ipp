// attune/ship/bake/bake_plan.ipp - chooses winners of a store, and the calls that each serves.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/detail/bake_candidates.hpp>
#include <attune/ship/detail/store_winners.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Expected loss of a choice for each factor of two from its measurement.
inline constexpr double regret_per_octave = 0.2;
/// A variant, or a split, with a smaller total gain is not worth its code.
inline constexpr double least_gain = 1e-6;

[[nodiscard]] inline double octaves_between(tree_point const& a, tree_point const& b)
{
    double out = 0;
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
        double const x = a.inputs[i], y = b.inputs[i];
        if (x > 0 && y > 0)
            out += std::fabs(std::log2(x / y));
        else if (x != y)
            out += 1;
    }
    return out;
}

ATTUNE_INLINE regret_table::regret_table(std::span<tree_point const> points)
    : choices_(points.empty() ? 0 : points.front().seconds.size())
{
    for (tree_point const& p : points) {
        double best = p.default_s;
        for (std::size_t c = 0; c < choices_; ++c)
            if (p.seconds[c] && p.is_usable[c]) best = std::min(best, *p.seconds[c]);
        auto const loss = [&](double s) { return best > 0 ? s / best - 1 : 0.0; };
        of_default_.push_back(loss(p.default_s));
        std::vector<double> row(choices_, std::numeric_limits<double>::infinity());
        for (std::size_t c = 0; c < choices_; ++c)
            if (p.seconds[c]) row[c] = loss(*p.seconds[c]);
        of_.push_back(std::move(row));
    }
    std::vector<std::vector<double>> const measured = of_;
    for (std::size_t p = 0; p < points.size(); ++p)
        for (std::size_t c = 0; c < choices_; ++c) {
            if (!points[p].has_failed.empty() && points[p].has_failed[c]) {
                of_[p][c] = std::numeric_limits<double>::infinity();
                continue;
            }
            if (!points[p].is_usable[c]) {
                of_[p][c] = of_default_[p];
                continue;
            }
            if (points[p].seconds[c]) continue;
            for (std::size_t q = 0; q < points.size(); ++q)
                if (std::isfinite(measured[q][c]))
                    of_[p][c] = std::min(
                        of_[p][c],
                        measured[q][c] + regret_per_octave * octaves_between(points[p], points[q]));
            if (!std::isfinite(of_[p][c])) of_[p][c] = of_default_[p];
        }
}

ATTUNE_INLINE double regret_table::at(std::size_t point, std::int32_t choice) const
{
    return choice == baked_node::none ? of_default_[point]
                                      : of_[point][static_cast<std::size_t>(choice)];
}

ATTUNE_INLINE std::vector<std::int32_t> choose_variants(regret_table const& regret,
                                                        std::size_t most)
{
    std::vector<double> now(regret.points());
    for (std::size_t p = 0; p < now.size(); ++p)
        now[p] = regret.at(p, baked_node::none);
    std::vector<std::int32_t> out;
    while (out.size() < most) {
        std::int32_t best = baked_node::none;
        double best_gain = least_gain;
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(regret.choices()); ++c) {
            double gain = 0;
            for (std::size_t p = 0; p < now.size(); ++p)
                gain += std::max(0.0, now[p] - regret.at(p, c));
            if (gain > best_gain) {
                best = c;
                best_gain = gain;
            }
        }
        if (best == baked_node::none) break;
        out.push_back(best);
        for (std::size_t p = 0; p < now.size(); ++p)
            now[p] = std::min(now[p], regret.at(p, best));
    }
    return out;
}

class dispatch_tree_grower {
public:
    dispatch_tree_grower(std::span<tree_point const> points, regret_table const& regret,
                         std::vector<std::int32_t> const& among)
        : points_(points)
        , regret_(regret)
        , among_{baked_node::none} // among equal costs the default
    {
        among_.insert(among_.end(), among.begin(), among.end());
    }

    /// @return  index of the node
    std::int32_t grow(std::vector<std::size_t> const& which)
    {
        auto const mine = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({});
        auto const [choice, cost] = leaf_of(which);
        split const best = cost > least_cost(which) + least_gain ? best_split(which) : split{};
        if (best.input == baked_node::none) {
            nodes[static_cast<std::size_t>(mine)].below = choice;
            return mine;
        }
        std::vector<std::size_t> low, high;
        for (std::size_t const p : which)
            (points_[p].inputs[static_cast<std::size_t>(best.input)] < best.threshold ? low : high)
                .push_back(p);
        std::int32_t const below = grow(low);
        std::int32_t const above = grow(high);
        nodes[static_cast<std::size_t>(mine)] = {best.input, best.threshold, below, above};
        return mine;
    }

    std::vector<baked_node> nodes{};

private:
    struct split {
        std::int32_t input = baked_node::none;
        double threshold = 0;
        double gap = 0;
        double cost = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] std::pair<std::int32_t, double>
    leaf_of(std::vector<std::size_t> const& which) const
    {
        std::pair<std::int32_t, double> best{baked_node::none,
                                             std::numeric_limits<double>::infinity()};
        for (std::int32_t const c : among_) {
            double cost = 0;
            for (std::size_t const p : which)
                cost += regret_.at(p, c);
            if (cost < best.second) best = {c, cost};
        }
        return best;
    }
    /// Cost with a leaf for each point.
    [[nodiscard]] double least_cost(std::vector<std::size_t> const& which) const
    {
        double out = 0;
        for (std::size_t const p : which)
            out += leaf_of({p}).second;
        return out;
    }
    [[nodiscard]] split best_split(std::vector<std::size_t> which) const
    {
        split best;
        std::size_t const inputs = points_[which.front()].inputs.size();
        for (std::size_t i = 0; i < inputs; ++i) {
            auto const value = [&](std::size_t p) { return points_[p].inputs[i]; };
            std::sort(which.begin(), which.end(),
                      [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
            for (std::size_t cut = 1; cut < which.size(); ++cut) {
                double const low = value(which[cut - 1]), high = value(which[cut]);
                if (!(low < high)) continue;
                auto const middle = which.begin() + static_cast<std::ptrdiff_t>(cut);
                split one;
                one.input = static_cast<std::int32_t>(i);
                bool const is_ratio = low > 0;
                one.threshold = is_ratio ? low * std::sqrt(high / low) : low + (high - low) / 2;
                // The midpoint failed: neighbouring numbers, or a ratio beyond all numbers.
                if (!(one.threshold > low && one.threshold <= high)) one.threshold = high;
                one.gap = is_ratio ? std::log2(high) - std::log2(low) : 1;
                one.cost =
                    leaf_of({which.begin(), middle}).second + leaf_of({middle, which.end()}).second;
                bool const is_better = one.cost < best.cost - least_gain ||
                                       (one.cost < best.cost + least_gain && one.gap > best.gap);
                if (is_better) best = one;
            }
        }
        return best;
    }

    std::span<tree_point const> points_;
    regret_table const& regret_;
    std::vector<std::int32_t> among_;
};

ATTUNE_INLINE std::vector<baked_node> grow_tree(std::span<tree_point const> points,
                                                regret_table const& regret,
                                                std::vector<std::int32_t> const& among,
                                                std::vector<std::size_t> const& which)
{
    dispatch_tree_grower out(points, regret, among);
    out.grow(which);
    return std::move(out.nodes);
}

ATTUNE_INLINE std::string planned_variant::text() const
{
    std::string out;
    for (auto const& [name, value] : configuration)
        out += (out.empty() ? "" : " ") + name + '=' + value;
    return out;
}

ATTUNE_INLINE bool is_machine_flag(std::string_view flag)
{
    return flag.starts_with("-m") && !flag.starts_with("-mprefer-vector-width=") &&
           !flag.starts_with("-mllvm") && !flag.starts_with("-mrecip") &&
           !flag.starts_with("-mno-") && !flag.starts_with("-mcmodel=");
}

/// The store has no time of a program's plain nest, which is far slower than any schedule.
inline constexpr double plain_nest_is_slower = 10;

class bake_planner {
public:
    bake_planner(std::string const& text, std::string const& path, kernel_source source,
                 plan_choice const& choice)
        : choice_(choice)
        , winners_(text, path, choice, out_)
        , candidates_(text, winners_, choice, out_)
    {
        out_.source = std::move(source);
        out_.is_for_device = choice.is_for_device;
    }
    bake_planner(bake_planner const&) = delete;
    bake_planner& operator=(bake_planner const&) = delete;

    bake_plan plan()
    {
        winners_.find();
        candidates_.find();
        std::vector<tree_point> const points = measure();
        regret_table const regret(points);
        std::vector<std::int32_t> chosen = choose_variants(regret, choice_.most_variants);
        std::sort(chosen.begin(), chosen.end());
        std::vector<std::int32_t> place(candidates_.all().size(), baked_node::none);
        for (std::int32_t const c : chosen) {
            place[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(out_.variants.size());
            out_.variants.push_back(std::move(candidates_.all()[static_cast<std::size_t>(c)]));
        }
        for (std::vector<std::size_t> const& which : by_device()) {
            planned_device device = device_of(winners_.all()[which.front()]);
            device.tree = grow_tree(points, regret, chosen, which);
            for (baked_node& node : device.tree)
                if (node.input == baked_node::none && node.below != baked_node::none)
                    node.below = place[static_cast<std::size_t>(node.below)];
            out_.devices.push_back(std::move(device));
        }
        out_.known_shapes.assign(candidates_.shapes().begin(), candidates_.shapes().end());
        return std::move(out_);
    }

private:
    /// The times of all candidates at each winner's problem.
    [[nodiscard]] std::vector<tree_point> measure()
    {
        std::vector<tree_point> out;
        for (record const& r : winners_.all()) {
            problem_objective const of = objective_of(r.key);
            double const default_s = of.turned(r.default_s);
            tree_point p{.seconds = std::vector<std::optional<double>>(candidates_.all().size()),
                         .is_usable = std::vector<bool>(candidates_.all().size()),
                         .has_failed = std::vector<bool>(candidates_.all().size()),
                         .default_s = out_.is_plain ? plain_nest_is_slower * default_s : default_s};
            for (auto const& [name, argument] : out_.facts.inputs) {
                std::string const* const text = value_of(r.key.inputs, name);
                p.inputs.push_back(text != nullptr ? number_of(*text).value_or(0.0) : 0.0);
            }
            auto const note = [&](value_texts const& values, double value) {
                if (auto const at = candidates_.place_of(values)) p.seconds[*at] = of.turned(value);
            };
            for (tried_row const& row : candidates_.rows_of(r))
                if (auto const* const m = std::get_if<measurement>(&row.result))
                    note(row.values, m->value);
                else if (auto const at = candidates_.place_of(row.values);
                         at && !succeeded(row.result))
                    p.has_failed[*at] = true;
            for (value_texts const& tie : r.ties)
                note(tie, r.best_s);
            note(values_of(r.configuration), r.best_s);
            std::vector<std::int64_t> const shape =
                stored_shape(out_.facts.layout, words_in(r.shape));
            for (std::size_t c = 0; c < candidates_.all().size(); ++c)
                p.is_usable[c] =
                    winners_.is_predicted(r)
                        ? choice_.is_unverified || !candidates_.all()[c].recorded.largest.empty()
                        : is_covered(candidates_.all()[c].recorded,
                                     {out_.facts.layout, candidates_.all()[c].divisors,
                                      candidates_.all()[c].address_modulus},
                                     shape);
            out.push_back(std::move(p));
        }
        return out;
    }

    /// The winners of each device; first the device with most of them.
    [[nodiscard]] std::vector<std::vector<std::size_t>> by_device() const
    {
        std::map<std::string, std::vector<std::size_t>> all;
        for (std::size_t i = 0; i < winners_.all().size(); ++i)
            all[winners_.all()[i].key.device].push_back(i);
        std::vector<std::vector<std::size_t>> out;
        for (auto& [name, which] : all)
            out.push_back(std::move(which));
        std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) {
            return a.size() != b.size() ? a.size() > b.size() : a < b;
        });
        return out;
    }

    /// @param r  of "Intel(R) Xeon(R) ... (6.143.8)"
    [[nodiscard]] planned_device device_of(record const& r) const
    {
        planned_device out{.name = r.key.device};
        if (std::string const* const vendor = value_of(*winners_.facts_of(r), "vendor"))
            out.vendor = *vendor;
        if (choice_.is_for_device) {
            out.architecture = winners_.architecture_of(r);
            out.is_predicted = winners_.is_predicted(r);
            if (out.is_predicted)
                out.name.resize(out.name.size() - std::string_view(predicted_device).size());
            return out;
        }
        std::size_t const open = out.name.rfind('(');
        if (open == std::string::npos) return out;
        char const* const end = out.name.data() + out.name.size();
        auto const family = std::from_chars(out.name.data() + open + 1, end, out.family);
        if (family.ptr != end && *family.ptr == '.')
            std::from_chars(family.ptr + 1, end, out.model);
        return out;
    }

    plan_choice const& choice_;
    bake_plan out_{};
    store_winners winners_;
    bake_candidates candidates_;
};

ATTUNE_INLINE bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice)
{
    return bake_planner(store, path, std::move(source), choice).plan();
}

} // namespace attune::inline ATTUNE_ABI::detail
