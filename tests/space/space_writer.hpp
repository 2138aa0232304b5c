// tests/space/space_writer.hpp - descriptions written by hand, and brute force over them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune_tests {

using attune::coordinate;
using attune::description;
using attune::op;
using attune::parameter_description;
using attune::parameter_kind;
using attune::value_kind;

/// Fills a description node by node.
struct space_writer {
    description out;

    std::uint32_t add(parameter_description parameter)
    {
        out.parameters.push_back(std::move(parameter));
        return static_cast<std::uint32_t>(out.parameters.size() - 1);
    }
    std::uint32_t numbers(std::string name, std::vector<std::int64_t> values,
                          parameter_kind kind = parameter_kind::ordinal)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = kind;
        p.type = value_kind::integer;
        p.integers = std::move(values);
        return add(std::move(p));
    }
    std::uint32_t range(std::string name, std::int64_t first, std::int64_t last)
    {
        std::vector<std::int64_t> values;
        for (std::int64_t v = first; v <= last; ++v)
            values.push_back(v);
        return numbers(std::move(name), std::move(values), parameter_kind::integer);
    }
    std::uint32_t fractions(std::string name, std::vector<double> values)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::ordinal;
        p.type = value_kind::real;
        p.reals = std::move(values);
        return add(std::move(p));
    }
    std::uint32_t labels(std::string name, std::vector<std::string> values)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::categorical;
        p.type = value_kind::text;
        p.labels = std::move(values);
        return add(std::move(p));
    }
    std::uint32_t boolean(std::string name)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::boolean;
        p.type = value_kind::boolean;
        return add(std::move(p));
    }
    std::uint32_t permutation(std::string name, std::uint32_t items)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::permutation;
        p.type = value_kind::list;
        p.parts = items;
        return add(std::move(p));
    }
    std::uint32_t tile(std::string name, std::int64_t extent, std::uint32_t parts)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::tile;
        p.type = value_kind::list;
        p.parts = parts;
        p.integers = attune::detail::factor_table(extent, parts);
        return add(std::move(p));
    }
    std::uint32_t real(std::string name, double low, double high,
                       attune::scale on = attune::scale::linear)
    {
        parameter_description p;
        p.name = std::move(name);
        p.kind = parameter_kind::real;
        p.type = value_kind::real;
        p.on = on;
        p.low = low;
        p.high = high;
        return add(std::move(p));
    }

    std::uint32_t put(attune::expression_node const& n)
    {
        out.nodes.push_back(n);
        return static_cast<std::uint32_t>(out.nodes.size() - 1);
    }
    std::uint32_t literal(std::int64_t v)
    {
        attune::expression_node n;
        n.code = op::integer;
        n.integer = v;
        return put(n);
    }
    std::uint32_t literal(double v)
    {
        attune::expression_node n;
        n.code = op::real;
        n.real = v;
        return put(n);
    }
    std::uint32_t text(std::string v)
    {
        attune::expression_node n;
        n.code = op::text;
        n.text = static_cast<std::uint32_t>(out.texts.size());
        out.texts.push_back(std::move(v));
        return put(n);
    }
    std::uint32_t read(std::uint32_t parameter, op how = op::parameter, std::int64_t place = 0)
    {
        attune::expression_node n;
        n.code = how;
        n.subject = parameter;
        n.integer = place;
        return put(n);
    }
    std::uint32_t join(op code, std::uint32_t first, std::uint32_t second = attune::no_index,
                       std::uint32_t third = attune::no_index)
    {
        attune::expression_node n;
        n.code = code;
        n.first = first;
        n.second = second;
        n.third = third;
        return put(n);
    }
    void require(std::uint32_t root, std::string text)
    {
        attune::constraint_description c;
        c.root = root;
        c.scope = attune::detail::parameters_read(out, root);
        c.text = std::move(text);
        out.constraints.push_back(std::move(c));
    }
    void require_opaque(std::vector<std::uint32_t> scope, attune::opaque_predicate test,
                        std::string text)
    {
        attune::constraint_description c;
        c.scope = std::move(scope);
        c.test = std::move(test);
        c.text = std::move(text);
        out.constraints.push_back(std::move(c));
    }
};

/// Calls `visit(point)` for the whole Cartesian product of the discrete parameters.
template <class Visit>
void for_each_setting(description const& space, Visit&& visit)
{
    attune::point at(space.parameters.size());
    for (;;) {
        visit(static_cast<attune::point const&>(at));
        std::size_t i = at.size();
        while (i > 0 && ++at[i - 1].index >= space.parameters[i - 1].value_count())
            at[--i].index = 0;
        if (i == 0) return;
    }
}

/// Whether every constraint, or those listed, holds at `p`, each evaluated whole.
inline bool all_hold(description const& space, attune::point const& p)
{
    attune::detail::evaluator const read(space);
    for (attune::constraint_description const& c : space.constraints)
        if (!read.holds(c, p)) return false;
    return true;
}
inline bool any_setting(description const& space, std::vector<std::uint32_t> const& constraints)
{
    attune::detail::evaluator const read(space);
    bool any = false;
    for_each_setting(space, [&](attune::point const& p) {
        bool all = true;
        for (std::uint32_t const c : constraints)
            all = all && read.holds(space.constraints[c], p);
        any = any || all;
    });
    return any;
}

} // namespace attune_tests
