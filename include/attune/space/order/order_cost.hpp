// attune/space/order/order_cost.hpp - estimates the cost of a tree for an order of its levels.
// SPDX-License-Identifier: MIT
//
// A condition divides the settings above a level into states: at most one per setting of the values
// that it still needs. The states are fewer if one of these values is only compared, because the
// other parameters then separate few of its values. States of several conditions multiply, up to
// the number of valid settings of their parameters.
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/order/frontier.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A condition of the cost model.
template <std::size_t Words>
struct weighed_condition {
    condition_shape<Words> shape;
    double density = 0.5; ///< share of the settings of its parameters on which it holds
};

/// Estimates states and steps, and stores the estimates. Sets of parameters are numbered.
template <std::size_t Words>
class order_cost {
public:
    using set = parameter_set<Words>;

    /// @param sizes  number of values of each parameter
    order_cost(std::vector<double> sizes, std::vector<weighed_condition<Words>> conditions)
        : sizes_(std::move(sizes))
        , conditions_(std::move(conditions))
        , cuts_(conditions_.size())
        , readers_(sizes_.size())
    {
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            for (std::size_t other = 0; other < conditions_.size(); ++other)
                if (is_part_of(other, c) && cuts_[c].parts.size() < 64)
                    cuts_[c].parts.push_back(other);
            conditions_[c].shape.reads().for_each([&](std::size_t k) { readers_[k].push_back(c); });
        }
    }

    [[nodiscard]] std::size_t parameter_count() const noexcept { return sizes_.size(); }
    [[nodiscard]] std::size_t condition_count() const noexcept { return conditions_.size(); }

    /// The number of a set.
    [[nodiscard]] std::uint32_t number_of(set const& above)
    {
        auto const [number, is_new] = sets_.number_of(above.words());
        if (is_new) {
            wholes_.push_back({above, 0});
            wholes_.back().states = estimate(above);
            steps_.resize(steps_.size() + sizes_.size());
        }
        return number;
    }
    /// The number of a set with one more parameter.
    [[nodiscard]] std::uint32_t with(std::uint32_t above, std::size_t next)
    {
        std::size_t const at = above * sizes_.size() + next;
        if (steps_[at].leads_to == no_index) {
            set more = wholes_[above].above;
            more.add(next);
            std::uint32_t const number = number_of(more); // may reallocate steps_
            steps_[at].leads_to = number;
        }
        return steps_[at].leads_to;
    }
    [[nodiscard]] set const& members(std::uint32_t number) const noexcept
    {
        return wholes_[number].above;
    }

    /// Number of combinations of the values of some parameters.
    [[nodiscard]] double settings(set const& of) const
    {
        double product = 1;
        of.for_each([&](std::size_t k) { product *= sizes_[k]; });
        return product;
    }

    /// Upper estimate of the distinct subtrees below the levels in set `above`.
    [[nodiscard]] double states(std::uint32_t above) const noexcept
    {
        return wholes_[above].states;
    }

    /// Values tried on the level of parameter `next` below the levels in set `above`: once per
    /// state of the group, and once per state of each condition that reads it.
    [[nodiscard]] double step(std::uint32_t above, std::size_t next)
    {
        // A condition computes each value; the product of the conditions only looks the value up.
        constexpr double weight = 2.5;
        one_step& known = steps_[above * sizes_.size() + next];
        if (known.cost > 0) return known.cost;
        double tried = wholes_[above].states;
        for (std::size_t const c : readers_[next])
            tried += weight * cut_of(c, conditions_[c].shape.reads() & wholes_[above].above).visits;
        return known.cost = tried * sizes_[next];
    }

private:
    struct cut {
        double nodes = 1;          // distinct states
        double visits = 1;         // states visited to find the distinct ones
        std::uint64_t implied = 0; // parts, by index, whose state follows from this one
    };
    struct cut_memo {
        std::vector<std::size_t> parts; // conditions that read a subset of its parameters; <= 64
        key_table<std::uint64_t> known{Words};
        std::vector<cut> cuts;
    };
    struct whole {
        set above;
        double states = 1;
    };
    struct one_step {
        double cost = 0; // 0: not estimated yet
        std::uint32_t leads_to = no_index;
    };
    using values = std::vector<frontier_value<Words>>;
    static constexpr double distinct = 0.85;

    /// Returns true if `b` reads all parameters of `a`; for equal sets, if also a > b.
    [[nodiscard]] bool is_part_of(std::size_t a, std::size_t b) const
    {
        set const& x = conditions_[a].shape.reads();
        set const& y = conditions_[b].shape.reads();
        return a != b && x.is_inside(y) && (x != y || a > b);
    }

    /// Number of distinct values. A sum or product of several parameters has equal values at some
    /// settings.
    [[nodiscard]] double count(frontier_value<Words> const& v) const
    {
        double const all = settings(v.reads);
        return v.is_truth ? std::min(2.0, all) : v.is_joint ? std::pow(all, distinct) : all;
    }

    /// Number of distinct settings of all of `list` except the one at `left_out`.
    [[nodiscard]] double settings_of(values const& list, std::size_t left_out) const
    {
        set all;
        double product = 1;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i == left_out) continue;
            all = all | list[i].reads;
            product *= count(list[i]);
        }
        return std::min(product, settings(all));
    }

    [[nodiscard]] values frontier(std::size_t c, set const& known) const
    {
        values out;
        conditions_[c].shape.append_frontier(known, out);
        return out;
    }

    cut const& cut_of(std::size_t c, set const& known)
    {
        cut_memo& memo = cuts_[c];
        auto const [number, is_new] = memo.known.number_of(known.words());
        if (is_new) memo.cuts.push_back(estimate(c, known));
        return memo.cuts[number];
    }

    [[nodiscard]] cut estimate(std::size_t c, set const& known) const
    {
        cut out;
        set const& reads = conditions_[c].shape.reads();
        if (known.is_empty() || known == reads) return out;
        values const needed = frontier(c, known);
        double const open = std::pow(settings(reads - known), distinct) + 1;
        out.nodes = out.visits = settings_of(needed, needed.size());
        for (std::size_t i = 0; i < needed.size(); ++i) {
            if (!needed[i].is_ordered && !needed[i].is_matched) continue;
            double const fewer = open * settings_of(needed, i);
            out.nodes = std::min(out.nodes, fewer);
            if (needed[i].is_ordered) out.visits = std::min(out.visits, fewer);
        }
        std::vector<std::size_t> const& parts = cuts_[c].parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            std::size_t const part = parts[i];
            set const& read = conditions_[part].shape.reads();
            if (read.is_inside(known)) {
                double const fewer = conditions_[part].density * settings(known);
                out.visits = std::min(out.visits, std::max(1.0, fewer));
                out.nodes = std::min(out.nodes, std::max(1.0, fewer));
                continue;
            }
            values const less = frontier(part, read & known);
            bool const told = std::all_of(less.begin(), less.end(), [&](auto const& v) {
                return std::any_of(needed.begin(), needed.end(),
                                   [&](auto const& w) { return w.reads == v.reads; });
            });
            if (told) out.implied |= std::uint64_t{1} << i;
        }
        return out;
    }

    /// The number of states of the group once `above` is set.
    [[nodiscard]] double estimate(set const& above)
    {
        implied_.assign(conditions_.size(), 0);
        open_.clear();
        set still_read;
        double prefixes = settings(above);
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            set const& reads = conditions_[c].shape.reads();
            set const known = reads & above;
            if (known == reads) prefixes *= conditions_[c].density;
            if (known == reads || known.is_empty()) continue;
            cut const& at = cut_of(c, known);
            open_.emplace_back(c, at.nodes);
            still_read = still_read | known;
            for (std::uint64_t left = at.implied; left != 0; left &= left - 1)
                implied_[cuts_[c].parts[static_cast<std::size_t>(std::countr_zero(left))]] = 1;
        }
        double product = 1;
        for (auto const& [c, nodes] : open_)
            if (implied_[c] == 0) product *= nodes;
        double keys = settings(still_read);
        for (weighed_condition<Words> const& c : conditions_)
            if (c.shape.reads().is_inside(still_read)) keys *= c.density;
        return std::max(1.0, std::min({product, keys, prefixes}));
    }

    std::vector<double> sizes_;
    std::vector<weighed_condition<Words>> conditions_;
    std::vector<cut_memo> cuts_;
    std::vector<std::vector<std::size_t>> readers_; // parameter -> conditions
    key_table<std::uint64_t> sets_{Words};
    std::vector<whole> wholes_;   // number of a set -> its estimates
    std::vector<one_step> steps_; // number of a set, parameter -> its step
    std::vector<char> implied_;   // scratch: conditions whose state follows from another one
    std::vector<std::pair<std::size_t, double>> open_; // scratch: conditions cut, their states
};

} // namespace attune::inline ATTUNE_ABI::detail
