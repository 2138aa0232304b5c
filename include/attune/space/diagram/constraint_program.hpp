// attune/space/diagram/constraint_program.hpp - conditions compiled for tests level by level.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domain.hpp>
#include <attune/space/diagram/leaf_columns.hpp>
#include <attune/space/diagram/lowering.hpp>
#include <attune/space/diagram/slots.hpp>
#include <attune/space/diagram/trend.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A condition that is a function call.
struct called_condition {
    condition const* tested = nullptr;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments; // parameter, step of its index
    int level = constant_level;                                     // level of the last argument
};

/// The work of one level.
struct program_level {
    std::vector<std::uint32_t> computed; ///< steps to evaluate, in order
    std::vector<std::uint32_t> roots;    ///< steps that must be true
    std::vector<std::uint32_t> needed;   ///< steps whose values lower levels read
    std::vector<std::uint32_t> later;    ///< unknown steps of lower levels, in order
    std::uint32_t threshold = no_index;  ///< index into `needed` of a value with a trend
};

/// Conditions lowered for one order of parameters. Level k is set before level k + 1.
class constraint_program {
public:
    /// @param order       the parameter of each level; others stay as in `base`
    /// @param conditions  must outlive this object
    constraint_program(description const& space, std::vector<domain> const& domains,
                       std::vector<std::uint32_t> const& order, point const& base,
                       std::span<condition const* const> conditions)
        : slots_(sizes_of(order, domains))
        , levels_(order.size())
    {
        std::vector<int> level_of(space.parameters.size(), constant_level);
        for (std::size_t l = 0; l < order.size(); ++l)
            level_of[order[l]] = static_cast<int>(l);
        leaf_columns leaves(space, domains, level_of, base, slots_);
        lowering lowered(space, leaves, slots_);
        for (condition const* c : conditions) {
            std::size_t const before = roots_.size();
            bool is_lowered = c->root != no_index;
            for (std::size_t i = 0; is_lowered && i <= c->also.size(); ++i) {
                roots_.push_back(lowered.lower(i == 0 ? c->root : c->also[i - 1]));
                is_lowered = roots_.back() != no_index;
            }
            if (is_lowered) continue;
            roots_.resize(before);
            add_call(*c, leaves);
        }
        plan();
    }

    [[nodiscard]] slot_table& slots() noexcept { return slots_; }
    [[nodiscard]] slot_table const& slots() const noexcept { return slots_; }
    [[nodiscard]] std::vector<program_level> const& levels() const noexcept { return levels_; }
    [[nodiscard]] std::vector<std::uint32_t> const& roots() const noexcept { return roots_; }
    [[nodiscard]] std::vector<called_condition> const& calls() const noexcept { return calls_; }

private:
    static std::vector<std::size_t> sizes_of(std::vector<std::uint32_t> const& order,
                                             std::vector<domain> const& domains)
    {
        std::vector<std::size_t> sizes;
        for (std::uint32_t const p : order)
            sizes.push_back(domains[p].size());
        return sizes;
    }

    void add_call(condition const& c, leaf_columns& leaves)
    {
        called_condition made;
        made.tested = &c;
        for (std::uint32_t const p : c.scope) {
            std::uint32_t const index = leaves.index_of(p);
            made.arguments.emplace_back(p, index);
            made.level = std::max(made.level, slots_[index].level);
        }
        calls_.push_back(std::move(made));
    }

    void plan()
    {
        std::uint32_t const count = static_cast<std::uint32_t>(slots_.size());
        std::vector<int> read_on(count, constant_level); // the last level that reads the step
        std::vector<bool> used(count, false);
        for (std::uint32_t const r : roots_)
            used[r] = true;
        for (std::uint32_t s = count; s-- > 0;) {
            if (!used[s] || slots_[s].is_known) continue;
            for (std::uint32_t const o : slots_[s].operands) {
                if (o == no_index) continue;
                used[o] = true;
                read_on[o] = std::max(read_on[o], slots_[s].level);
            }
        }
        for (called_condition const& c : calls_)
            for (auto const& [parameter, index] : c.arguments)
                read_on[index] = std::max(read_on[index], c.level);
        for (std::uint32_t const r : roots_)
            if (slots_[r].level != constant_level) level(slots_[r].level).roots.push_back(r);
        for (std::uint32_t s = 0; s < count; ++s) {
            int const own = slots_[s].level;
            if (own == constant_level) continue;
            if (used[s] && !slots_[s].is_known) {
                level(own).computed.push_back(s);
                for (int l = 0; l < own; ++l)
                    level(l).later.push_back(s);
            }
            for (int l = own; l < read_on[s]; ++l)
                level(l).needed.push_back(s);
        }
        for (std::size_t l = 0; l < levels_.size(); ++l)
            set_threshold(static_cast<int>(l));
    }

    program_level& level(int l) noexcept { return levels_[static_cast<std::size_t>(l)]; }

    /// The widest needed value of `l` with a trend, if any.
    void set_threshold(int l)
    {
        double widest = 2;
        for (std::uint32_t k = 0; k < level(l).needed.size(); ++k) {
            slot const& s = slots_[level(l).needed[k]];
            double const width = s.about.range.high - s.about.range.low;
            if (s.real || s.about.may_fail || !(width > widest) || width == infinite) continue;
            if (!has_trend(l, level(l).needed[k])) continue;
            widest = width;
            level(l).threshold = k;
        }
    }

    /// Whether all conditions only gain, or only lose, as `grown` grows and other values are fixed.
    [[nodiscard]] bool has_trend(int l, std::uint32_t grown)
    {
        std::vector<trend> trends(slots_.size(), trend::stays);
        trends[grown] = trend::rises;
        for (std::uint32_t const s : level(l).later) {
            slot const& step = slots_[s];
            trend t[3] = {trend::stays, trend::stays, trend::stays};
            interval r[3];
            for (std::size_t k = 0; k < 3; ++k) {
                if (step.operands[k] == no_index) continue;
                t[k] = trends[step.operands[k]];
                r[k] = slots_[step.operands[k]].about.range;
            }
            trends[s] = trend_of(step.code, t, r);
            bool const loose = step.about.may_fail || !step.about.range.is_bounded();
            if (trends[s] != trend::stays && loose) trends[s] = trend::unknown;
        }
        trend all = trend::stays;
        for (std::uint32_t const r : roots_) {
            if (trends[r] != trend::stays && slots_[r].about.range.low < 0) return false;
            all = together(all, trends[r]);
        }
        for (called_condition const& c : calls_)
            for (auto const& [parameter, index] : c.arguments)
                if (index == grown && c.level > l) return false;
        return all != trend::unknown;
    }

    slot_table slots_;
    std::vector<std::uint32_t> roots_;
    std::vector<called_condition> calls_;
    std::vector<program_level> levels_;
};

} // namespace attune::inline ATTUNE_ABI::detail
