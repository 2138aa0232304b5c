// attune/space/diagram/diagram_builder.hpp - makes the decision diagram of conditions.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       a constraint program
// Out      the node where all its conditions hold
// Source   own. Depth-first; a state is what the levels below still need, so equal states are
//          expanded once. Bounds decide a state early. Where one needed value only helps or only
//          hurts, a state between two with the same node has that node as well.
// Depends  std only
// Tests    tests/space/diagram/diagram_builder.cpp
#pragma once

#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/key_table.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::detail {

/// Nodes by the value of a threshold, ascending; of a run with one node only the ends are kept.
class threshold_index {
public:
    /// Where `value` is or belongs, and its node if that is certain, else no_index.
    [[nodiscard]] std::pair<std::size_t, std::uint32_t> find(std::int64_t value) const
    {
        auto const at = std::lower_bound(
            nodes_.begin(), nodes_.end(), value, [](auto const& e, auto v) { return e.first < v; });
        std::size_t const place = static_cast<std::size_t>(at - nodes_.begin());
        if (at == nodes_.end()) return {place, no_index};
        bool const between = place > 0 && nodes_[place - 1].second == at->second;
        return {place, at->first == value || between ? at->second : no_index};
    }
    /// @pre `place` is from find(value), which found no node
    void insert(std::size_t place, std::int64_t value, std::uint32_t node)
    {
        if (place >= 2 && nodes_[place - 1].second == node && nodes_[place - 2].second == node)
            nodes_[place - 1].first = value;
        else if (place + 1 < nodes_.size() && nodes_[place].second == node &&
                 nodes_[place + 1].second == node)
            nodes_[place].first = value;
        else
            nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(place), {value, node});
    }

private:
    std::vector<std::pair<std::int64_t, std::uint32_t>> nodes_;
};

/// Turns one program into nodes of a store.
class diagram_builder {
public:
    /// @param store_level  level in `store` of each level of `program`, ascending
    /// All references must outlive this object.
    diagram_builder(description const& space,
                    constraint_program& program,
                    std::vector<std::size_t> const& store_level,
                    point base,
                    diagram_store& store,
                    effort& budget)
        : space_(space)
        , program_(program)
        , slots_(program.slots())
        , store_level_(store_level)
        , at_(std::move(base))
        , store_(store)
        , budget_(budget)
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
        for (std::size_t l = 0; l < program.levels().size(); ++l) {
            program_level const& plan = program.levels()[l];
            level made;
            made.children.resize(slots_.sizes()[l]);
            std::size_t width = plan.needed.size() - (plan.threshold == no_index ? 0 : 1);
            for (std::uint32_t const s : plan.needed)
                width += slots_[s].about.may_fail ? std::size_t{1} : std::size_t{0};
            made.key.resize(width);
            made.states = key_table<std::int64_t>(made.key.size());
            levels_.push_back(std::move(made));
        }
    }

    /// The node where every condition holds; anything once the budget is spent.
    std::uint32_t build()
    {
        for (std::uint32_t const r : program_.roots())
            if (slots_[r].level == constant_level && !slots_[r].about.is_true()) return never_node;
        for (called_condition const& c : program_.calls())
            if (c.level == constant_level && !holds(space_, *c.tested, at_)) return never_node;
        if (levels_.empty()) return always_node;
        return expand(0);
    }

private:
    struct level {
        std::vector<std::uint32_t> children;
        std::vector<std::int64_t> key;
        key_table<std::int64_t> states;
        std::vector<std::uint32_t> nodes;        // number of a state -> its node
        std::vector<threshold_index> thresholds; // the same, if there is a threshold
    };

    /// A step as an operand on level `l`: its column there, its present value if set above.
    [[nodiscard]] operand_view view(std::uint32_t s, int l) const noexcept
    {
        if (s == no_index) return {};
        slot const& step = slots_[s];
        bool const here = step.level == l;
        return {here ? step.bits.data() : &now_[s],
                here ? step.failed.data() : &now_failed_[s],
                here ? std::size_t{1} : std::size_t{0},
                step.real,
                step.about};
    }

    void compute(std::size_t l)
    {
        for (std::uint32_t const s : program_.levels()[l].computed) {
            slot& step = slots_.at(s);
            int const own = step.level;
            fill_column(step.code,
                        view(step.operands[0], own),
                        view(step.operands[1], own),
                        view(step.operands[2], own),
                        step.real,
                        step.about,
                        step.bits.size(),
                        step.bits.data(),
                        step.failed.data());
        }
    }

    /// Sets the children of level `l` to whether every condition complete there holds.
    void test(std::size_t l)
    {
        std::vector<std::uint32_t>& children = levels_[l].children;
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

    /// Calls `c` where the parameter of its last level stands at its value `v`.
    [[nodiscard]] bool answer(called_condition const& c, std::size_t v)
    {
        for (auto const& [parameter, index] : c.arguments) {
            slot const& argument = slots_[index];
            std::int64_t const word = argument.level == c.level ? argument.bits[v] : now_[index];
            at_[parameter].index = static_cast<std::uint32_t>(word);
        }
        return holds(space_, *c.tested, at_);
    }

    /// Takes value `v` of level `l`. @return whether the levels below need the same as for v - 1
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

    std::uint32_t expand(std::size_t l)
    {
        level& here = levels_[l];
        if (!budget_.spend_visits(here.children.size())) return never_node;
        compute(l);
        test(l);
        bool had_node = false;
        for (std::size_t v = 0; l + 1 < levels_.size() && v < here.children.size(); ++v) {
            if (here.children[v] == never_node) {
                had_node = false;
                continue;
            }
            bool const same = take(l, v);
            here.children[v] = same && had_node ? here.children[v - 1] : below(l);
            had_node = true;
            if (budget_.is_spent) return never_node;
        }
        return store_.add(store_level_[l], here.children);
    }

    /// The node of what the levels below `l` need at present.
    std::uint32_t below(std::size_t l)
    {
        level& here = levels_[l];
        program_level const& plan = program_.levels()[l];
        std::size_t k = 0;
        for (std::uint32_t i = 0; i < plan.needed.size(); ++i)
            if (i != plan.threshold) here.key[k++] = now_[plan.needed[i]];
        for (std::uint32_t const s : plan.needed)
            if (slots_[s].about.may_fail) here.key[k++] = now_failed_[s];
        auto const [state, is_new] = here.states.number_of(here.key);
        if (plan.threshold == no_index) {
            if (is_new) here.nodes.push_back(never_node);
            if (is_new) here.nodes[state] = decide(l);
            return here.nodes[state];
        }
        if (is_new) here.thresholds.emplace_back();
        std::int64_t const value = now_[plan.needed[plan.threshold]];
        auto const [place, known] = here.thresholds[state].find(value);
        if (known != no_index) return known;
        std::uint32_t const node = decide(l);
        here.thresholds[state].insert(place, value, node);
        return node;
    }

    /// By bounds when they are enough, else by going on.
    std::uint32_t decide(std::size_t l)
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
        return certain ? always_node : expand(l + 1);
    }

    description const& space_;
    constraint_program& program_;
    slot_table& slots_;
    std::vector<std::size_t> const& store_level_;
    point at_;
    diagram_store& store_;
    effort& budget_;
    std::vector<std::int64_t> now_;        // step -> its value at present
    std::vector<std::uint8_t> now_failed_; // step -> whether it has none
    std::vector<outlook> ahead_;           // step of a level below -> what is known of it
    std::vector<level> levels_;
};

} // namespace attune::detail
