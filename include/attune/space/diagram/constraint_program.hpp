// attune/space/diagram/constraint_program.hpp - conditions as steps for tests level by level, and the values of the steps.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/interval.hpp>
#include <attune/space/diagram/lowering.hpp>
#include <attune/space/diagram/slots.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A condition that is a call of an opaque predicate.
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

/// Conditions lowered for one order of parameters; levels are set in ascending order.
class constraint_program {
public:
    /// @param order       the parameter of each level; other parameters stay as in `base`
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
            if (c->root != no_index && c->also.empty()) {
                std::uint32_t const step = lowered.lower(c->root);
                if (step != no_index)
                    roots_.push_back(step);
                else
                    add_call(*c, leaves);
                continue;
            }
            std::vector<std::uint32_t> all{c->root};
            all.insert(all.end(), c->also.begin(), c->also.end());
            if (c->root != no_index && lowered.lower_terms(op::logical_and, all))
                roots_.insert(roots_.end(), all.begin(), all.end());
            else
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

    /// Sets the threshold of level `l`: its widest needed value with a trend, if it has one.
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

    /// Returns true if no condition becomes false while step `grown` grows, or if no condition
    /// becomes true.
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
            trends[s] = step.members == no_index ? trend_of(step.code, t, r)
                        : t[0] == trend::stays   ? trend::stays
                                                 : trend::unknown;
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

/// The values of the steps of one program for the values of the levels above.
class program_state {
public:
    /// The references must outlive this object.
    program_state(description const& space, constraint_program& program, point base)
        : space_(space)
        , program_(program)
        , slots_(program.slots())
        , at_(std::move(base))
        , now_(slots_.size(), 0)
        , now_failed_(slots_.size(), 0)
        , ahead_(slots_.size())
    {
        for (std::uint32_t s = 0; s < slots_.size(); ++s) {
            ahead_[s] = slots_[s].about;
            if (slots_[s].level != constant_level) continue;
            now_[s] = slots_[s].bits[0];
            now_failed_[s] = slots_[s].failed[0];
        }
    }

    /// Returns true if the conditions that read no level hold.
    [[nodiscard]] bool constants_hold() const
    {
        for (std::uint32_t const r : program_.roots())
            if (slots_[r].level == constant_level && !slots_[r].about.is_true()) return false;
        for (called_condition const& c : program_.calls())
            if (c.level == constant_level && !holds(space_, *c.tested, at_)) return false;
        return true;
    }
    /// The present value of a step.
    [[nodiscard]] std::int64_t now(std::uint32_t s) const noexcept { return now_[s]; }
    [[nodiscard]] bool has_failed(std::uint32_t s) const noexcept { return now_failed_[s] != 0; }

    /// Computes the columns of level `l` from the levels above.
    void compute(std::size_t l)
    {
        for (std::uint32_t const s : program_.levels()[l].computed) {
            slot& step = slots_.at(s);
            int const own = step.level;
            slots_.fill(step, view(step.operands[0], own), view(step.operands[1], own),
                        view(step.operands[2], own));
        }
    }

    /// Sets each of `children` to always_node if the conditions that end on level `l` hold for its
    /// value, else to never_node.
    void test(std::size_t l, std::span<std::uint32_t> children)
    {
        std::fill(children.begin(), children.end(), always_node);
        for (std::uint32_t const r : program_.levels()[l].roots) {
            slot const& root = slots_[r];
            for (std::size_t v = 0; v < children.size(); ++v)
                children[v] &= static_cast<std::uint32_t>(root.bits[v] != 0);
            for (std::size_t v = 0; root.about.may_fail && v < children.size(); ++v)
                children[v] &= static_cast<std::uint32_t>(root.failed[v] == 0);
            for (std::size_t v = 0; root.real && v < children.size(); ++v) // -0.0 is false
                children[v] &= static_cast<std::uint32_t>(std::bit_cast<double>(root.bits[v]) != 0);
        }
        for (called_condition const& c : program_.calls())
            for (std::size_t v = 0; c.level == static_cast<int>(l) && v < children.size(); ++v)
                if (children[v] != never_node && !answer(c, v)) children[v] = never_node;
    }

    /// Sets level `l` to value `v`. @return true if lower levels need the same values as for v - 1
    bool take(std::size_t l, std::size_t v)
    {
        bool same = v > 0;
        for (std::uint32_t const s : program_.levels()[l].needed) {
            slot const& step = slots_[s];
            if (step.level != static_cast<int>(l)) continue;
            same = same && step.bits[v] == step.bits[v - 1] && step.failed[v] == step.failed[v - 1];
            now_[s] = step.bits[v];
            now_failed_[s] = step.failed[v];
        }
        return same;
    }

    /// The result of all conditions by bounds: never_node, always_node, or no_index if the bounds
    /// do not decide.
    [[nodiscard]] std::uint32_t decide(std::size_t l)
    {
        program_level const& plan = program_.levels()[l];
        auto const about = [&](std::uint32_t s) -> outlook {
            slot const& step = slots_[s];
            if (step.level > static_cast<int>(l)) return step.is_known ? step.about : ahead_[s];
            if (step.level == constant_level) return step.about;
            if (now_failed_[s] != 0) return {{}, true, false};
            double const v =
                step.real ? std::bit_cast<double>(now_[s]) : static_cast<double>(now_[s]);
            return {settled(v, v, step.real), false, true};
        };
        for (std::uint32_t const s : plan.later)
            ahead_[s] = slots_.ahead(slots_[s], about);
        bool certain = true;
        for (std::uint32_t const r : program_.roots()) {
            if (slots_[r].level <= static_cast<int>(l)) continue;
            outlook const root = about(r);
            if (!root.may_be_true()) return never_node;
            certain = certain && root.is_true();
        }
        for (called_condition const& c : program_.calls())
            certain = certain && c.level <= static_cast<int>(l);
        return certain ? always_node : no_index;
    }

private:
    /// A step as an operand on level `l`: its column on this level, else its present value.
    [[nodiscard]] operand_view view(std::uint32_t s, int l) const noexcept
    {
        if (s == no_index) return {};
        slot const& step = slots_[s];
        bool const here = step.level == l;
        return {here ? step.bits.data() : &now_[s], here ? step.failed.data() : &now_failed_[s],
                here ? std::size_t{1} : std::size_t{0}, step.real, step.about};
    }

    /// Calls `c` with value `v` of its last level.
    [[nodiscard]] bool answer(called_condition const& c, std::size_t v)
    {
        for (auto const& [parameter, index] : c.arguments) {
            slot const& argument = slots_[index];
            std::int64_t const word = argument.level == c.level ? argument.bits[v] : now_[index];
            at_[parameter].index = static_cast<std::uint32_t>(word);
        }
        return holds(space_, *c.tested, at_);
    }

    description const& space_;
    constraint_program& program_;
    slot_table& slots_;
    point at_;
    std::vector<std::int64_t> now_;        // step -> its present value
    std::vector<std::uint8_t> now_failed_; // step -> it has no value at present
    std::vector<outlook> ahead_;           // step of a lower level -> its bounds
};

} // namespace attune::inline ATTUNE_ABI::detail
