// attune/space/files/write_smtlib.ipp - writes one definition per node: its value, and the condition that it has one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/files/detail/smtlib_terms.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_smtlib.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

class smtlib_writer {
public:
    explicit smtlib_writer(description const& space)
        : space_(space)
        , terms_(space.nodes.size())
    {
    }

    [[nodiscard]] std::string write()
    {
        for (std::uint32_t i = 0; i < space_.parameters.size(); ++i)
            declare(i);
        for (constraint_description const& c : space_.constraints) {
            if (c.root == no_index)
                throw error("a constraint that is a function cannot be written", c.text,
                            "declare it as an expression");
            define(c.root);
            body_ +=
                comment(c.text) + "(assert (and " + defined(c.root) + ' ' + truth(c.root) + "))\n";
        }
        std::string out;
        for (std::string const& sentence : left_out_of_smtlib(space_))
            out += comment(sentence);
        return out + "(set-logic " + (any_real_ ? "QF_NIRA" : "QF_NIA") + ")\n" + body_;
    }

private:
    [[nodiscard]] static std::string comment(std::string text)
    {
        for (char& letter : text)
            if (letter == '\n' || letter == '\r') letter = ' ';
        return "; " + text + '\n';
    }

    void declare(std::uint32_t i)
    {
        parameter_description const& p = space_.parameters[i];
        bool const is_real = smt_is_real(p);
        any_real_ = any_real_ || is_real;
        std::uint32_t const parts = p.type == value_kind::list ? p.parts : 1;
        for (std::uint32_t k = 0; k < parts; ++k)
            body_ +=
                "(declare-const " + smtlib_name(space_, i, k) + (is_real ? " Real)\n" : " Int)\n");
        body_ += "(assert " + values(i) + ")\n";
    }

    [[nodiscard]] static std::string between(std::string const& name, std::string const& low,
                                             std::string const& high)
    {
        return "(<= " + low + ' ' + name + ' ' + high + ')';
    }

    [[nodiscard]] std::string values(std::uint32_t i) const
    {
        parameter_description const& p = space_.parameters[i];
        std::string const name = smtlib_name(space_, i);
        if (p.traits().is_interval) return between(name, smt_real(p.low), smt_real(p.high));
        require_table(p);
        std::vector<std::string> any;
        if (p.type == value_kind::list) return elements(i);
        if (p.type == value_kind::text || (p.traits().is_truth && p.integers.empty()))
            return between(name, "0", std::to_string(p.value_count() - 1));
        for (double const v : p.reals)
            any.push_back("(= " + name + ' ' + smt_real(v) + ')');
        if (p.range_count > 0) return range(name, p);
        bool consecutive = true;
        for (std::size_t k = 1; k < p.integers.size(); ++k)
            consecutive = consecutive && p.integers[k - 1] + 1 == p.integers[k];
        if (!p.integers.empty() && consecutive)
            return between(name, smt_integer(p.integers.front()), smt_integer(p.integers.back()));
        for (std::int64_t const v : p.integers)
            any.push_back("(= " + name + ' ' + smt_integer(v) + ')');
        return smt_join("or", any);
    }

    [[nodiscard]] static std::string range(std::string const& name, parameter_description const& p)
    {
        std::string const first = smt_integer(p.rule.first);
        std::string const inside =
            between(name, first, smt_integer(p.integer_at(p.range_count - 1)));
        if (p.rule.step == 1) return inside;
        return "(and " + inside + " (= 0 (mod (- " + name + ' ' + first + ") " +
               smt_integer(p.rule.step) + ")))";
    }

    /// The elements of a permutation differ; the factors of a tile have the extent as product.
    [[nodiscard]] std::string elements(std::uint32_t i) const
    {
        parameter_description const& p = space_.parameters[i];
        std::int64_t extent = 1;
        for (std::uint32_t k = 0; !p.traits().is_order && k < p.parts; ++k)
            extent *= p.integers[k];
        std::vector<std::string> all;
        std::string names;
        for (std::uint32_t k = 0; k < p.parts; ++k) {
            std::string const name = smtlib_name(space_, i, k);
            names += ' ' + name;
            all.push_back(!p.traits().is_order ? between(name, "1", std::to_string(extent))
                                               : between(name, "0", std::to_string(p.parts - 1)));
        }
        if (!p.traits().is_order)
            all.push_back(p.parts > 1 ? "(= " + std::to_string(extent) + " (*" + names + "))"
                                      : "(= " + std::to_string(extent) + names + ')');
        else if (p.parts > 1)
            all.push_back("(distinct" + names + ')');
        return smt_join("and", all);
    }

    [[nodiscard]] std::string defined(std::uint32_t node) const { return terms_[node].defined; }
    [[nodiscard]] std::string truth(std::uint32_t node) const
    {
        smt_term const& t = terms_[node];
        if (t.is_truth) return t.value;
        return "(not (= " + t.value + (t.is_real ? " 0.0))" : " 0))");
    }

    /// Makes the terms of `root` and all nodes below it, operands first.
    void define(std::uint32_t root)
    {
        std::vector<std::uint32_t> open{root};
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            expression_node const& n = space_.nodes[at];
            bool ready = true;
            for (std::uint32_t const operand : {n.first, n.second, n.third})
                if (operand != no_index && terms_[operand].value.empty()) {
                    open.push_back(operand);
                    ready = false;
                }
            if (!ready) continue;
            open.pop_back();
            if (terms_[at].value.empty()) finish(at, term(n));
        }
    }

    /// Defines a name for a term that is longer than a leaf.
    void finish(std::uint32_t node, smt_term t)
    {
        any_real_ = any_real_ || t.is_real;
        std::string const number = std::to_string(node);
        if (t.value.front() == '(') {
            char const* const sort = t.is_truth ? "Bool" : t.is_real ? "Real" : "Int";
            body_ += "(define-fun |#" + number + "| () " + sort + ' ' + t.value + ")\n";
            t.value = "|#" + number + '|';
        }
        if (t.defined != "true" && t.defined.front() == '(') {
            body_ += "(define-fun |#" + number + "?| () Bool " + t.defined + ")\n";
            t.defined = "|#" + number + "?|";
        }
        terms_[node] = std::move(t);
    }

    [[nodiscard]] smt_term term(expression_node const& n) const
    {
        if (is_leaf(n.code)) return visit_leaf(space_, n, leaf_term{space_});
        smt_term const& a = terms_[n.first];
        operation_group const group = rules_of(n.code).group;
        if (group == operation_group::negation)
            return smt_truth("(not " + truth(n.first) + ')', a.defined);
        if (group == operation_group::sign) return smt_unary(n.code, a);
        smt_term const& b = terms_[n.second];
        if (group == operation_group::chain) {
            bool const is_or = n.code == op::logical_or;
            std::string const decided = is_or ? truth(n.first) : "(not " + truth(n.first) + ')';
            return smt_truth((is_or ? "(or " : "(and ") + truth(n.first) + ' ' + truth(n.second) +
                                 ')',
                             smt_both(a.defined, smt_unless(decided, b)));
        }
        if (group == operation_group::choice)
            return smt_select(truth(n.first), a.defined, b, terms_[n.third], n.real != 0);
        if (is_equality(n.code) && is_text(n.first) && is_text(n.second)) return same_text(n);
        if (is_comparison(n.code)) return smt_comparison(n.code, a, b);
        return smt_arithmetic(n.code, a, b);
    }

    struct leaf_term {
        description const& space;

        [[nodiscard]] smt_term constant(number v) const { return smt_number(v); }
        [[nodiscard]] smt_term text(std::string const&) const
        {
            return {"0", "true", 0, false, false};
        }
        [[nodiscard]] smt_term input(input_description const& of) const
        {
            if (!of.value)
                throw error("an input has no value", of.name, "call bind_inputs() with it");
            return smt_number(*of.value);
        }
        [[nodiscard]] smt_term whole(std::uint32_t parameter) const
        {
            return element(parameter, 0);
        }
        [[nodiscard]] smt_term element(std::uint32_t parameter, std::int64_t place) const
        {
            parameter_description const& p = space.parameters[parameter];
            bool const is_real = smt_is_real(p);
            double largest = std::max({1.0, std::abs(p.low), std::abs(p.high)});
            for (std::int64_t const v : p.integers)
                largest = std::max(largest, std::abs(static_cast<double>(v)));
            if (p.range_count > 0)
                for (std::uint32_t const end : {0U, p.range_count - 1})
                    largest = std::max(largest, std::abs(static_cast<double>(p.integer_at(end))));
            largest = std::max(
                {largest, static_cast<double>(p.parts), static_cast<double>(p.labels.size())});
            return {smtlib_name(space, parameter, static_cast<std::uint32_t>(place)), "true",
                    largest, is_real, false};
        }
        [[nodiscard]] smt_term item_position(std::uint32_t parameter, std::int64_t item) const
        {
            std::uint32_t const last = space.parameters[parameter].parts - 1;
            std::string at = std::to_string(last);
            for (std::uint32_t k = last; k-- > 0;)
                at = "(ite (= " + smtlib_name(space, parameter, k) + ' ' + std::to_string(item) +
                     ") " + std::to_string(k) + ' ' + at + ')';
            return {at, "true", 16, false, false};
        }
    };

    [[nodiscard]] bool is_text(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        return n.code == op::text ||
               (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text);
    }

    /// Equality of texts: for a text that both sides can have, both sides have this text.
    [[nodiscard]] smt_term same_text(expression_node const& n) const
    {
        auto const is = [&](std::uint32_t node, std::string const& text) -> std::string {
            expression_node const& side = space_.nodes[node];
            if (side.code == op::text) return space_.texts[side.text] == text ? "true" : "false";
            auto const& labels = space_.parameters[side.subject].labels;
            for (std::size_t k = 0; k < labels.size(); ++k)
                if (labels[k] == text)
                    return "(= " + smtlib_name(space_, side.subject) + ' ' + std::to_string(k) +
                           ')';
            return "false";
        };
        expression_node const& left = space_.nodes[n.first];
        std::vector<std::string> const texts = left.code == op::text
                                                   ? std::vector{space_.texts[left.text]}
                                                   : space_.parameters[left.subject].labels;
        std::vector<std::string> any;
        for (std::string const& text : texts)
            any.push_back("(and " + is(n.first, text) + ' ' + is(n.second, text) + ')');
        std::string const same = smt_join("or", any);
        return smt_truth(n.code == op::equal ? same : "(not " + same + ')', "true");
    }

    description const& space_;
    std::vector<smt_term> terms_;
    std::string body_;
    bool any_real_ = false;
};

} // namespace detail

ATTUNE_INLINE std::string smtlib_name(description const& bound, std::uint32_t index,
                                      std::uint32_t part)
{
    parameter_description const& p = bound.parameters[index];
    std::string name = p.name;
    bool plain = true; // reserved: |#1| for nodes; | and \ are not allowed in a name
    for (char& c : name)
        if (c == '|' || c == '\\' || c == '#') {
            c = '_';
            plain = false;
        }
    if (!plain) name += "#p" + std::to_string(index); // makes the name unique
    if (p.type == value_kind::list) name += '[' + std::to_string(part) + ']';
    return '|' + name + '|';
}

ATTUNE_INLINE std::vector<std::string> left_out_of_smtlib(description const& space)
{
    std::vector<std::string> out = detail::defaults_left_out(space, "SMT-LIB");
    for (std::string& sentence : detail::priors_left_out(space, "SMT-LIB"))
        out.push_back(std::move(sentence));
    return out;
}

ATTUNE_INLINE std::string write_smtlib(description const& bound)
{
    if (!detail::has_conditions(bound)) return detail::smtlib_writer(bound).write();
    description settled = bound;
    detail::settle_conditions(settled);
    return detail::smtlib_writer(settled).write();
}

} // namespace attune::inline ATTUNE_ABI
