// attune/space/smt/detail/subspaces.hpp - divides the Cartesian product of a space, and finds a parameter whose valid values have no gap.
// SPDX-License-Identifier: MIT
// Source   DnnSAT (Gao et al. 2021) Sec. IV-E, where users declare it; here it follows from the
//          operations, as in diagram/constraint_program.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/interval.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The indices from `begin` to before `end` of a parameter's values; {0, 0} for a real parameter.
struct values_range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    [[nodiscard]] std::uint32_t size() const noexcept { return end - begin; }
};

/// A part of the Cartesian product: a range per parameter.
using subspace = std::vector<values_range>;

[[nodiscard]] inline double settings_inside(subspace const& s) noexcept
{
    double out = 1;
    for (values_range const& r : s)
        out *= std::max(r.size(), 1U);
    return out;
}

[[nodiscard]] inline subspace whole_space(description const& space)
{
    subspace out;
    for (parameter_description const& p : space.parameters)
        out.push_back({0, p.value_count()});
    return out;
}

/// Gives out disjoint subspaces that together are the whole space. Makes each on request, because
/// memory may not hold all of them.
class subspace_queue {
public:
    /// @param undivided  the parameter to divide last; no_index: that with the most values
    /// @param largest    most settings per subspace; 0: as many subspaces as workers, or a few fewer
    subspace_queue(description const& space, std::uint32_t undivided, std::uint64_t largest,
                   unsigned workers)
        : open_{whole_space(space)}
    {
        subspace const& whole = open_.front();
        for (std::uint32_t p = 0; p < whole.size(); ++p)
            if (whole[p].size() > 1) order_.push_back(p);
        auto const last = undivided != no_index
                              ? std::find(order_.begin(), order_.end(), undivided)
                              : std::max_element(order_.begin(), order_.end(),
                                                 [&](std::uint32_t a, std::uint32_t b) {
                                                     return whole[a].size() < whole[b].size();
                                                 });
        if (last != order_.end()) std::rotate(last, last + 1, order_.end());
        largest_ = static_cast<double>(largest);
        if (largest != 0) return;
        // Each part has at least one whole value of the first parameter with enough values.
        double rest = settings_inside(whole);
        largest_ = std::ceil(rest / workers);
        for (std::uint32_t const p : order_) {
            rest /= whole[p].size();
            if (whole[p].size() < workers) continue;
            largest_ = std::max(largest_, rest * std::ceil(whole[p].size() * 1.0 / workers));
            break;
        }
    }

    /// The next subspace; nothing after the last. Any thread may call it.
    [[nodiscard]] std::optional<subspace> next()
    {
        std::lock_guard const lock(mutex_);
        while (!open_.empty()) {
            subspace at = std::move(open_.back());
            open_.pop_back();
            if (settings_inside(at) <= largest_ || !divide(at)) return at;
        }
        return {};
    }

private:
    /// Replaces `at` by its parts; returns false if it has one setting.
    bool divide(subspace const& at)
    {
        auto const found = std::find_if(order_.begin(), order_.end(),
                                        [&](std::uint32_t p) { return at[p].size() > 1; });
        if (found == order_.end()) return false;
        values_range const all = at[*found];
        double const rest = settings_inside(at) / all.size();
        auto const per_part =
            static_cast<std::uint32_t>(std::clamp(largest_ / rest, 1.0, all.size() - 1.0));
        constexpr std::uint32_t most = 1024; // parts that are too large are divided again
        std::uint32_t const parts = std::min(most, (all.size() + per_part - 1) / per_part);
        for (std::uint32_t k = parts; k-- > 0;) { // the first one on top
            subspace part = at;
            part[*found] = {all.begin + share(all.size(), k, parts),
                            all.begin + share(all.size(), k + 1, parts)};
            open_.push_back(std::move(part));
        }
        return true;
    }
    [[nodiscard]] static std::uint32_t share(std::uint32_t size, std::uint32_t k,
                                             std::uint32_t parts) noexcept
    {
        return static_cast<std::uint32_t>(std::uint64_t{size} * k / parts);
    }

    std::vector<std::uint32_t> order_; // of division
    double largest_ = 0;
    std::mutex mutex_;
    std::vector<subspace> open_; // a stack
};

/// Bounds of all expressions of a space, over all values of its parameters.
class expression_bounds {
public:
    explicit expression_bounds(description const& space)
        : space_(space)
    {
        for (expression_node const& n : space.nodes)
            values_.push_back(is_leaf(n.code) ? visit_leaf(space, n, leaf_bounds{space})
                                              : bounds_of(n));
    }

    /// Returns true if the truth of the expression at `root` only rises, or only falls, with
    /// `parameter`, while other parameters are fixed.
    [[nodiscard]] bool has_trend(std::uint32_t root, std::uint32_t parameter) const
    {
        std::vector<trend> trends;
        for (std::size_t i = 0; i <= root; ++i)
            trends.push_back(trend_at(i, parameter, trends));
        return trend_of_truth(trends[root], values_[root].about.range) != trend::unknown;
    }

private:
    struct bounded {
        outlook about;
        bool is_real = false;
    };

    struct leaf_bounds {
        description const& space;

        [[nodiscard]] bounded constant(number v) const
        {
            bool const is_number = v.as_real() == v.as_real();
            return {{is_number ? settled(v.as_real(), v.as_real(), v.is_real) : interval{}},
                    v.is_real};
        }
        [[nodiscard]] bounded text(std::string const&) const { return {}; }
        [[nodiscard]] bounded input(input_description const& of) const
        {
            return of.value ? constant(*of.value) : bounded{{{}, true, false}};
        }
        [[nodiscard]] bounded whole(std::uint32_t parameter) const
        {
            parameter_description const& p = space.parameters[parameter];
            if (p.traits().is_interval) return {{settled(p.low, p.high, true)}, true};
            std::uint32_t const last = p.value_count() - 1;
            double low = infinite;
            double high = -infinite;
            bool is_real = false;
            for (std::uint32_t i = 0; i <= last; i = p.range_count > 0 && i < last ? last : i + 1) {
                number const v = number_at(p, {i, 0});
                is_real = v.is_real;
                low = std::min(low, v.as_real());
                high = std::max(high, v.as_real());
            }
            return {{settled(low, high, is_real)}, is_real};
        }
        [[nodiscard]] bounded element(std::uint32_t parameter, std::int64_t) const
        {
            parameter_description const& p = space.parameters[parameter];
            double high = p.parts;
            for (std::int64_t const v : p.integers)
                high = std::max(high, static_cast<double>(v));
            return {{settled(0, high, false)}};
        }
        [[nodiscard]] bounded item_position(std::uint32_t parameter, std::int64_t) const
        {
            return {{{0, static_cast<double>(space.parameters[parameter].parts)}}};
        }
    };

    [[nodiscard]] bounded bounds_of(expression_node const& n) const
    {
        bounded operands[3];
        std::uint32_t const from[3] = {n.first, n.second, n.third};
        for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(n.code)); ++k)
            operands[k] = values_[from[k]];
        auto const& [a, b, c] = operands;
        bool real = !yields_truth(n.code) && (a.is_real || b.is_real);
        if (n.code == op::select) {
            real = n.real != 0 || b.is_real || c.is_real;
            // The value may be an integer or a real.
            if (n.real == 0 && b.is_real != c.is_real) return {{{}, true}, true};
        }
        return {look_ahead(n.code, a.about, b.about, c.about, real, a.is_real || b.is_real), real};
    }

    [[nodiscard]] trend trend_at(std::size_t at, std::uint32_t parameter,
                                 std::vector<trend> const& trends) const
    {
        expression_node const& n = space_.nodes[at];
        if (n.code == op::parameter) return n.subject == parameter ? trend::rises : trend::stays;
        if (is_leaf(n.code))
            return names_parameter(n.code) && n.subject == parameter ? trend::unknown
                                                                     : trend::stays;
        trend t[3] = {trend::stays, trend::stays, trend::stays};
        interval r[3];
        std::uint32_t const from[3] = {n.first, n.second, n.third};
        for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(n.code)); ++k) {
            t[k] = trends[from[k]];
            r[k] = values_[from[k]].about.range;
        }
        trend const out = trend_of(n.code, t, r);
        outlook const& about = values_[at].about;
        bool const is_loose = about.may_fail || !about.range.is_bounded();
        return out != trend::stays && is_loose ? trend::unknown : out;
    }

    description const& space_;
    std::vector<bounded> values_; // of each node
};

/// Returns true if the parameter is a number whose values ascend with the index.
[[nodiscard]] inline bool ascends(parameter_description const& p)
{
    if (p.range_count > 0) return p.rule.step > 0;
    if (p.traits().is_list || !p.labels.empty()) return false;
    return std::is_sorted(p.integers.begin(), p.integers.end()) &&
           std::is_sorted(p.reals.begin(), p.reals.end());
}

/// The parameter with the most values, among those in which each condition has a trend; no_index if
/// none has three values or more.
[[nodiscard]] inline std::uint32_t filter_parameter(description const& space)
{
    expression_bounds const bounds(space);
    std::vector<condition> const conditions = conditions_of(space);
    std::uint32_t best = no_index;
    std::uint32_t most = 2;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
        std::uint32_t const count = space.parameters[p].value_count(); // 0 for an interval
        if (count <= most || !ascends(space.parameters[p])) continue;
        bool const has_all =
            std::all_of(conditions.begin(), conditions.end(), [&](condition const& c) {
                return !std::binary_search(c.scope.begin(), c.scope.end(), p) ||
                       (c.root != no_index && bounds.has_trend(c.root, p));
            });
        if (!has_all) continue;
        best = p;
        most = count;
    }
    return best;
}

} // namespace attune::inline ATTUNE_ABI::detail
