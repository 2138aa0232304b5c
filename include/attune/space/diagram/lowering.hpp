// attune/space/diagram/lowering.hpp - converts a condition, its parameters and literals to steps in the order of a tree's levels.
// SPDX-License-Identifier: MIT
//
// Regroups sums, products and chains of && or || in the order of levels. A sum or product is
// regrouped only if it cannot overflow in any order, a chain only if each operand has a value. A
// comparison becomes one sum against a constant. So all results, also missing ones, equal those of
// expression/evaluate.hpp.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/slots.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds the leaves of expressions of one description to one table.
class leaf_columns {
public:
    /// @param level_of  level of each parameter; constant_level: the parameter stays as in `base`
    leaf_columns(description const& space, std::vector<domain> const& domains,
                 std::vector<int> const& level_of, point const& base, slot_table& slots)
        : space_(space)
        , domains_(domains)
        , level_of_(level_of)
        , base_(base)
        , slots_(slots)
        , read_(space)
    {
    }

    /// A literal or an input.
    std::uint32_t constant(std::uint32_t root) { return slots_.constant(read_.value(root, base_)); }

    /// The step that holds the index of a parameter's value in its table.
    std::uint32_t index_of(std::uint32_t parameter)
    {
        if (level_of_[parameter] == constant_level)
            return slots_.constant(number::of(std::int64_t{base_[parameter].index}));
        return column(parameter, [](std::uint32_t value) {
            return std::optional(number::of(std::int64_t{value}));
        });
    }

    /// The step of a leaf that reads one parameter.
    std::uint32_t leaf(std::uint32_t root)
    {
        expression_node const& n = space_.nodes[root];
        if (level_of_[n.subject] == constant_level)
            return slots_.constant(read_.value(root, base_));
        for (auto const& [other, made] : leaves_)
            if (space_.nodes[other] == n) return made;
        std::uint32_t made = no_index;
        if (n.code == op::parameter) {
            parameter_description const& parameter = space_.parameters[n.subject];
            made = column(n.subject, [&](std::uint32_t value) {
                return std::optional(number_at(parameter, {value, 0}));
            });
        } else {
            point at = base_;
            made = column(n.subject, [&](std::uint32_t value) {
                at[n.subject].index = value;
                return read_.value(root, at);
            });
        }
        leaves_.emplace_back(root, made);
        return made;
    }

    /// Returns true if a node is a text.
    [[nodiscard]] bool is_text(std::uint32_t root) const
    {
        expression_node const& n = space_.nodes[root];
        return n.code == op::text ||
               (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text);
    }

    /// The step of a text, as a number; equal texts have equal numbers.
    std::uint32_t text(std::uint32_t root)
    {
        auto const number_of = [&](std::string_view label) {
            return number::of(
                static_cast<std::int64_t>(texts_.try_emplace(label, texts_.size()).first->second));
        };
        expression_node const& n = space_.nodes[root];
        if (n.code == op::text) return slots_.constant(number_of(space_.texts[n.text]));
        std::vector<std::string> const& labels = space_.parameters[n.subject].labels;
        if (level_of_[n.subject] == constant_level)
            return slots_.constant(number_of(labels[base_[n.subject].index]));
        return column(n.subject,
                      [&](std::uint32_t value) { return std::optional(number_of(labels[value])); });
    }

private:
    template <class Value>
    std::uint32_t column(std::uint32_t parameter, Value const& value)
    {
        domain const& left = domains_[parameter];
        std::vector<std::int64_t> bits(left.size(), 0);
        std::vector<std::uint8_t> failed(left.size(), 0);
        bool real = false;
        for (std::uint32_t i = 0; i < left.size(); ++i) {
            std::optional<number> const v = value(left.value(i));
            failed[i] = v ? 0 : 1;
            if (!v) continue;
            bits[i] = word_of(*v);
            real = v->is_real;
        }
        return slots_.leaf(level_of_[parameter], real, std::move(bits), std::move(failed));
    }

    description const& space_;
    std::vector<domain> const& domains_;
    std::vector<int> const& level_of_;
    point const& base_;
    slot_table& slots_;
    evaluator read_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves_; // node, its step
    std::map<std::string_view, std::size_t> texts_;
};

/// Lowers expressions of one description into one table.
class lowering {
public:
    /// All references must outlive this object.
    lowering(description const& space, leaf_columns& leaves, slot_table& slots)
        : space_(space)
        , leaves_(leaves)
        , slots_(slots)
    {
    }

    /// The step of node `root`; no_index for a choice between an integer and a real number.
    std::uint32_t lower(std::uint32_t root)
    {
        if (auto const found = known_.find(root); found != known_.end()) return found->second;
        std::uint32_t const made = lower_node(root);
        known_.emplace(root, made);
        return made;
    }

    /// Replaces the terms that `code` joins, a conjunction or disjunction, by their steps.
    /// `x + y != 3` for many constants becomes one step, which looks the sum up.
    /// @return false if a term has no step
    bool lower_terms(op code, std::vector<std::uint32_t>& terms)
    {
        constexpr std::size_t many = 8;
        std::vector<std::uint32_t> joined;
        if (terms.size() >= many) joined = look_up_alike(code, terms, many);
        for (std::uint32_t& t : terms) {
            t = lower(t);
            if (t == no_index) return false;
        }
        terms.insert(terms.end(), joined.begin(), joined.end());
        return true;
    }

private:
    struct term {
        std::uint32_t slot = no_index;
        bool minus = false;
    };
    static constexpr double no_overflow = 4503599627370496.0;

    /// Removes from `terms` those that compare one expression with `many` constants or more.
    /// @return the steps of the removed terms
    std::vector<std::uint32_t> look_up_alike(op code, std::vector<std::uint32_t>& terms,
                                             std::size_t many)
    {
        std::map<std::uint32_t, std::vector<std::size_t>> alike; // expression, its terms
        for (std::size_t i = 0; i < terms.size(); ++i)
            if (auto const of = compared_with_constant(code, terms[i]))
                alike[of->first].push_back(i);
        std::vector<std::uint32_t> out;
        for (auto const& [expression, own] : alike) {
            if (own.size() < many) continue;
            std::uint32_t const step = lower(expression);
            if (step == no_index || slots_[step].real || slots_[step].about.may_fail) continue;
            std::vector<std::int64_t> members;
            for (std::size_t const i : own) {
                members.push_back(compared_with_constant(code, terms[i])->second);
                terms[i] = no_index;
            }
            std::sort(members.begin(), members.end());
            std::uint32_t const found = slots_.member(step, std::move(members));
            std::array<std::uint32_t, 3> const of{found, no_index, no_index};
            out.push_back(code == op::logical_or ? found : slots_.make(op::logical_not, false, of));
        }
        std::erase(terms, no_index);
        return out;
    }

    /// The expression and the integer of `e == 7` below ||, of `e != 7` below &&.
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::int64_t>>
    compared_with_constant(op code, std::uint32_t root) const
    {
        expression_node const& n = space_.nodes[root];
        if (n.code != (code == op::logical_or ? op::equal : op::not_equal)) return std::nullopt;
        expression_node const& a = space_.nodes[n.first];
        expression_node const& b = space_.nodes[n.second];
        if (b.code == op::integer && !is_leaf(a.code)) return std::pair(n.first, b.integer);
        if (a.code == op::integer && !is_leaf(b.code)) return std::pair(n.second, a.integer);
        return std::nullopt;
    }

    std::uint32_t lower_node(std::uint32_t root)
    {
        expression_node const& n = space_.nodes[root];
        if (names_parameter(n.code)) return leaves_.leaf(root);
        if (is_leaf(n.code)) return leaves_.constant(root);
        if (is_equality(n.code) && leaves_.is_text(n.first) && leaves_.is_text(n.second))
            return slots_.make(n.code, false, leaves_.text(n.first), leaves_.text(n.second));
        std::uint32_t made = no_index;
        if (n.code == op::add || n.code == op::subtract || n.code == op::negate)
            made = sum(root);
        else if (n.code == op::multiply)
            made = product(root);
        else if (is_chain(n.code))
            made = chain(root);
        else if (is_comparison(n.code))
            made = compared_sum(n);
        return made != no_index ? made : plain(n);
    }

    std::uint32_t plain(expression_node const& n)
    {
        int const operands = operand_count(n.code);
        std::array<std::uint32_t, 3> from{no_index, no_index, no_index};
        std::uint32_t const nodes[3] = {n.first, n.second, n.third};
        for (std::size_t k = 0; k < static_cast<std::size_t>(operands); ++k) {
            from[k] = lower(nodes[k]);
            if (from[k] == no_index) return no_index;
        }
        bool real = slots_[from[0]].real || (operands > 1 && slots_[from[1]].real);
        if (n.code == op::select) {
            real = n.real != 0;
            bool const mixed = slots_[from[1]].real != slots_[from[2]].real;
            if (!real && mixed) return no_index;
            real = real || slots_[from[1]].real;
        } else if (yields_truth(n.code)) {
            real = false;
        }
        return slots_.make(n.code, real, from);
    }

    /// Appends the terms of the sum `root`; returns false if a term is no integer.
    bool add_terms(std::uint32_t root, bool minus, std::vector<term>& out)
    {
        expression_node const& n = space_.nodes[root];
        if (n.code == op::negate) return add_terms(n.first, !minus, out);
        if (n.code == op::add || n.code == op::subtract)
            return add_terms(n.first, minus, out) &&
                   add_terms(n.second, minus != (n.code == op::subtract), out);
        out.push_back({lower(root), minus});
        return out.back().slot != no_index && !slots_[out.back().slot].real;
    }

    [[nodiscard]] bool sum_fits(std::vector<term> const& terms) const
    {
        double total = 0;
        for (term const& t : terms)
            total += slots_[t.slot].about.range.reach();
        return total <= no_overflow;
    }

    /// The order by level; known steps come first on each level.
    [[nodiscard]] bool goes_before(std::uint32_t a, std::uint32_t b) const
    {
        slot const& x = slots_[a];
        slot const& y = slots_[b];
        if (x.level != y.level) return x.level < y.level;
        return x.is_known != y.is_known ? x.is_known : a < b;
    }

    /// Joins steps in ascending order of level; known steps of one level become one column.
    template <class Item, class SlotOf, class Join>
    void join_by_level(std::vector<Item> items, SlotOf const& slot_of, Join const& join)
    {
        std::sort(items.begin(), items.end(), [&](Item const& a, Item const& b) {
            return goes_before(slot_of(a), slot_of(b));
        });
        for (std::size_t i = 0; i < items.size();) {
            std::size_t end = i + 1;
            slot const& first = slots_[slot_of(items[i])];
            int const level = first.level;
            if (first.is_known)
                while (end < items.size() && slots_[slot_of(items[end])].level == level &&
                       slots_[slot_of(items[end])].is_known)
                    ++end;
            join(std::span<Item const>(items).subspan(i, end - i));
            i = end;
        }
    }

    std::uint32_t add_up(std::vector<term> const& terms, std::int64_t start)
    {
        std::uint32_t total = no_index;
        if (start != 0) total = slots_.constant(number::of(start));
        auto const plus = [&](std::uint32_t from, term const& t) {
            if (from == no_index && !t.minus) return t.slot;
            if (from == no_index) from = slots_.constant(number::of(std::int64_t{0}));
            return slots_.make(t.minus ? op::subtract : op::add, false, from, t.slot);
        };
        auto const slot_of = [](term const& t) { return t.slot; };
        join_by_level(terms, slot_of, [&](std::span<term const> level) {
            std::uint32_t part = no_index;
            for (term const& t : level)
                part = plus(part, t);
            total = plus(total, {part, false});
        });
        return total != no_index ? total : slots_.constant(number::of(start));
    }

    std::uint32_t sum(std::uint32_t root)
    {
        std::vector<term> terms;
        if (!add_terms(root, false, terms) || !sum_fits(terms)) return no_index;
        return add_up(terms, 0);
    }

    std::uint32_t compared_sum(expression_node const& n)
    {
        std::vector<term> terms;
        if (!add_terms(n.first, false, terms) || !add_terms(n.second, true, terms) ||
            !sum_fits(terms))
            return no_index;
        std::int64_t bound = 0;
        std::erase_if(terms, [&](term const& t) {
            slot const& s = slots_[t.slot];
            if (s.level != constant_level || s.failed[0] != 0) return false;
            bound += t.minus ? s.bits[0] : -s.bits[0];
            return true;
        });
        return slots_.make(n.code, false, add_up(terms, 0), slots_.constant(number::of(bound)));
    }

    /// Appends the operands of nested `code`; returns false if one cannot be lowered.
    bool add_operands(op code, std::uint32_t root, std::vector<std::uint32_t>& out)
    {
        expression_node const& n = space_.nodes[root];
        if (n.code == code)
            return add_operands(code, n.first, out) && add_operands(code, n.second, out);
        out.push_back(lower(root));
        return out.back() != no_index;
    }

    std::uint32_t join_all(op code, std::vector<std::uint32_t> const& operands)
    {
        std::uint32_t total = no_index;
        auto const with = [&](std::uint32_t from, std::uint32_t next) {
            return from == no_index ? next : slots_.make(code, false, from, next);
        };
        auto const slot_of = [](std::uint32_t s) { return s; };
        join_by_level(operands, slot_of, [&](std::span<std::uint32_t const> level) {
            std::uint32_t part = no_index;
            for (std::uint32_t const s : level)
                part = with(part, s);
            total = with(total, part);
        });
        return total;
    }

    std::uint32_t product(std::uint32_t root)
    {
        std::vector<std::uint32_t> factors;
        if (!add_operands(op::multiply, root, factors)) return no_index;
        double most = 1;
        for (std::uint32_t const f : factors) {
            if (slots_[f].real) return no_index;
            most *= std::max(1.0, slots_[f].about.range.reach());
        }
        return most <= no_overflow ? join_all(op::multiply, factors) : no_index;
    }

    std::uint32_t chain(std::uint32_t root)
    {
        op const code = space_.nodes[root].code;
        std::vector<std::uint32_t> terms;
        add_terms_of_chain(code, root, terms);
        if (!lower_terms(code, terms)) return no_index;
        for (std::uint32_t const o : terms)
            if (slots_[o].about.may_fail) return no_index;
        return join_all(code, terms);
    }

    void add_terms_of_chain(op code, std::uint32_t root, std::vector<std::uint32_t>& out) const
    {
        expression_node const& n = space_.nodes[root];
        if (n.code != code) {
            out.push_back(root);
            return;
        }
        add_terms_of_chain(code, n.first, out);
        add_terms_of_chain(code, n.second, out);
    }

    description const& space_;
    leaf_columns& leaves_;
    slot_table& slots_;
    std::unordered_map<std::uint32_t, std::uint32_t> known_; // node, its step
};

} // namespace attune::inline ATTUNE_ABI::detail
