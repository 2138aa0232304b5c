// tests/space/space_writer.hpp - descriptions written by hand, and brute force over them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../support/search_spaces.hpp"

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
        parameter_description p = search_spaces::ordinal(std::move(name), std::move(values));
        p.kind = kind;
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
        parameter_description p = search_spaces::ordinal(std::move(name), {});
        p.type = value_kind::real;
        p.reals = std::move(values);
        return add(std::move(p));
    }
    std::uint32_t labels(std::string name, std::vector<std::string> values)
    {
        return add(search_spaces::categorical(std::move(name), std::move(values)));
    }
    std::uint32_t boolean(std::string name) { return add(search_spaces::boolean(std::move(name))); }
    std::uint32_t permutation(std::string name, std::uint32_t items)
    {
        return add(search_spaces::permutation(std::move(name), items));
    }
    std::uint32_t tile(std::string name, std::int64_t extent, std::uint32_t parts)
    {
        return add(search_spaces::tile(std::move(name), extent, parts));
    }
    std::uint32_t real(std::string name, double low, double high,
                       attune::scale on = attune::scale::linear)
    {
        parameter_description p = search_spaces::real(std::move(name), low, high);
        p.on = on;
        return add(std::move(p));
    }

    std::uint32_t put(attune::expression_node const& n)
    {
        out.nodes.push_back(n);
        return static_cast<std::uint32_t>(out.nodes.size() - 1);
    }
    std::uint32_t literal(std::int64_t v) { return put({.code = op::integer, .integer = v}); }
    std::uint32_t literal(double v) { return put({.code = op::real, .real = v}); }
    std::uint32_t text(std::string v)
    {
        attune::expression_node const n{.code = op::text,
                                        .text = static_cast<std::uint32_t>(out.texts.size())};
        out.texts.push_back(std::move(v));
        return put(n);
    }
    std::uint32_t read(std::uint32_t parameter, op how = op::parameter, std::int64_t place = 0)
    {
        return put({.code = how, .subject = parameter, .integer = place});
    }
    std::uint32_t join(op code, std::uint32_t first, std::uint32_t second = attune::no_index,
                       std::uint32_t third = attune::no_index)
    {
        return put({.code = code, .first = first, .second = second, .third = third});
    }
    void require(std::uint32_t root, std::string text)
    {
        out.constraints.push_back({.root = root,
                                   .scope = attune::detail::parameters_read(out, root),
                                   .test = {},
                                   .text = std::move(text)});
    }
    /// A constraint from its text alone.
    void where(std::string const& text)
    {
        out.constraints.push_back(attune::parse_constraint(out, text));
    }
    void require_opaque(std::vector<std::uint32_t> scope, attune::opaque_predicate test,
                        std::string text)
    {
        out.constraints.push_back(
            {.scope = std::move(scope), .test = std::move(test), .text = std::move(text)});
    }
};

/// a0 <= b0 <= c0, a1 <= b1 <= c1, ... of numbers up to 100: C(102, 3) = 171700 for each three.
inline description ascending_triples(int count)
{
    space_writer w;
    for (int i = 0; i < count; ++i) {
        std::string const n = std::to_string(i);
        for (char const* const name : {"a", "b", "c"})
            w.range(name + n, 1, 100);
        w.where("a" + n + " <= b" + n + " and b" + n + " <= c" + n);
    }
    return w.out;
}

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
