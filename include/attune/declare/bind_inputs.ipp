// attune/declare/bind_inputs.ipp - makes the tables.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/text.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline std::int64_t bound_value(description const& space,
                                              parameter_description const& parameter)
{
    auto const v = evaluator{space}.value(parameter.rule.bound_node, {});
    if (!v || v->is_real)
        throw error("the bound of parameter " + parameter.name + " is not a whole number",
                    parameter.name, "check the value of the input that bounds it");
    return v->integer;
}

[[noreturn]] inline void refuse_table(std::string const& what, std::string const& name)
{
    throw error(what, "parameter " + name, "narrow its range, use a larger step, or make it real");
}

/// Appends first, first + step, ... up to `last` as a table; as a range if the table would have
/// more than `most` values.
inline void fill_linear(parameter_description& out, std::int64_t last, std::size_t most)
{
    table_rule const& rule = out.rule;
    if (last < rule.first) return;
    std::uint64_t const width =
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(rule.first);
    std::uint64_t const behind_first = width / static_cast<std::uint64_t>(rule.step);
    if (behind_first >= max_range_values)
        refuse_table("a parameter has more than 2^31 values", out.name);
    if (behind_first >= most) {
        out.range_count = static_cast<std::uint32_t>(behind_first + 1);
        return;
    }
    // Unsigned, because last - first may exceed int64_t.
    for (std::uint64_t i = 0; i <= behind_first; ++i)
        out.integers.push_back(static_cast<std::int64_t>(
            static_cast<std::uint64_t>(rule.first) + i * static_cast<std::uint64_t>(rule.step)));
}

inline void fill_range(parameter_description& out, std::int64_t last, std::size_t most)
{
    table_rule const& rule = out.rule;
    switch (rule.steps) {
    case progression::linear:
        fill_linear(out, last, most);
        break;
    case progression::doubling:
        for (std::int64_t v = rule.first; v <= last; v *= 2) {
            out.integers.push_back(v);
            if (v > last / 2) break;
        }
        break;
    case progression::divisors:
        if (last >= 1) out.integers = divisors(last);
        if (out.integers.size() > most)
            throw error("an array has too many values", // refuse_table() would advise a step
                        "parameter " + out.name, "declare fewer elements");
        break;
    }
    if (out.value_count() == 0)
        throw error("a range is empty",
                    "parameter " + out.name + ", from " + std::to_string(rule.first) + " to " +
                        std::to_string(last),
                    "check the value of the input that bounds it");
}

inline void fill_tile(parameter_description& out, std::int64_t extent)
{
    if (extent < 1)
        throw error("the extent of a tile is not positive",
                    "parameter " + out.name + ", extent " + std::to_string(extent),
                    "check the value of the input that gives it");
    if (factorisation_count(extent, out.parts) > static_cast<double>(max_table_values))
        refuse_table("a tile has more than 2^20 factorisations", out.name);
    out.integers = factor_table(extent, out.parts);
}

inline void check_default_and_prior(parameter_description const& p)
{
    if (p.default_text && !coordinate_of(p, *p.default_text))
        throw error("the default of a parameter is not one of its values",
                    "parameter " + p.name + ", default " + *p.default_text,
                    "change the default or the values");
    std::uint32_t const count = p.value_count();
    if (!p.prior.weights.empty() && p.prior.weights.size() != count)
        throw error("a prior needs exactly one weight per value",
                    "parameter " + p.name + ", " + std::to_string(p.prior.weights.size()) +
                        " weights for " + std::to_string(count) + " values",
                    "give one weight per value, or use prior_near(centre, deviation)");
}

ATTUNE_INLINE void fill_machine_figures(description& space)
{
    for (input_description& input : space.inputs) {
        if (input.value) continue;
        std::optional<std::int64_t> const figure = machine_figure_named(input.name);
        if (figure)
            input.value = input.type == value_kind::real ? number::of(static_cast<double>(*figure))
                                                         : number::of(*figure);
    }
}

} // namespace detail

ATTUNE_INLINE description bind_inputs(description space, std::vector<input_value> const& inputs)
{
    for (input_value const& given : inputs) {
        value_kind const type = given.value.is_real ? value_kind::real : value_kind::integer;
        input_description& input = space.inputs[detail::intern_input(space, given.name, type)];
        bool const widened = input.type == value_kind::real && !given.value.is_real;
        input.value = widened ? number::of(given.value.as_real()) : given.value;
        if (given.value.is_real) input.type = value_kind::real;
    }
    detail::fill_machine_figures(space);
    for (input_description const& input : space.inputs)
        if (!input.value)
            throw error("an input of the space has no value", "input " + input.name,
                        "pass it, or bind it to an argument of the kernel");

    for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
        parameter_description& p = space.parameters[i];
        if (p.rule.bound_node != no_index) {
            std::int64_t const last = detail::bound_value(space, p);
            p.integers.clear();
            p.range_count = 0;
            group_description const* const g = space.group_of(i);
            std::size_t const shares = g != nullptr ? g->count : 1; // each element has a table
            if (p.traits().is_list)
                detail::fill_tile(p, last);
            else
                detail::fill_range(p, last, detail::max_table_values / shares);
        }
        detail::check_default_and_prior(p);
    }
    return space;
}

} // namespace attune::inline ATTUNE_ABI
