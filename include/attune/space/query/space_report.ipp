// attune/space/query/space_report.ipp - counts accepted combinations, and writes the report.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/proof.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/query/space_report.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Number of combinations of some parameters; nothing if more than `most`.
[[nodiscard]] inline std::optional<std::uint64_t>
combinations(description const& space, std::vector<std::uint32_t> const& scope, std::uint64_t most)
{
    std::uint64_t product = 1;
    for (std::uint32_t const p : scope) {
        if (space.parameters[p].traits().is_interval) return {};
        if (__builtin_mul_overflow(product, std::uint64_t{space.parameters[p].value_count()},
                                   &product) ||
            product > most)
            return {};
    }
    return product;
}

[[nodiscard]] inline acceptance acceptance_of(description const& space, std::uint32_t constraint,
                                              report_options const& options)
{
    constraint_description const& tested = space.constraints[constraint];
    std::vector<std::uint32_t> scope = tested.scope;
    sort_unique(scope);
    acceptance out;
    out.constraint = constraint;
    out.text = constraint_text(space, constraint);
    auto const all = combinations(space, scope, options.most_combinations);
    out.is_exact = all.has_value();
    out.tested = all.value_or(std::max<std::uint64_t>(options.samples, 1));
    evaluator const read(space);
    random_engine engine(options.seed);
    point at(space.parameters.size());
    for (std::uint64_t i = 0; i < out.tested; ++i) {
        std::uint64_t rest = i;
        for (std::uint32_t const p : scope) {
            parameter_description const& parameter = space.parameters[p];
            std::uint64_t const count = parameter.value_count();
            if (count == 0) {
                at[p].real = scale_value(parameter, uniform_unit(engine));
                continue;
            }
            at[p].index = static_cast<std::uint32_t>(out.is_exact ? rest % count
                                                                  : uniform_below(engine, count));
            rest /= count;
        }
        bool const accepts = read.holds(tested, at);
        out.accepted += accepts ? 1U : 0U;
        if (accepts || tested.test || read.value(tested.root, at)) continue;
        if (out.valueless++ == 0) out.because = value_writer(space, at).missing(tested.root);
    }
    return out;
}

[[nodiscard]] inline std::string text_of_count(leaf_count n)
{
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(n % 10));
        n /= 10;
    } while (n != 0);
    return {digits.rbegin(), digits.rend()};
}

[[nodiscard]] inline std::string joined_names(std::vector<std::string> const& names)
{
    std::string out;
    for (std::string const& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

/// Two decimals, enough for a power of two.
[[nodiscard]] inline std::string short_number(double v)
{
    return text_of_real(std::round(v * 100) / 100);
}

[[nodiscard]] inline std::string text_of_tree(tree_report const& t)
{
    std::string out =
        "  " + joined_names(t.parameters) + ": " + text_of_count(t.leaves) + " leaves";
    if (t.nodes > 0)
        out += ", " + std::to_string(t.nodes) + " nodes, " + std::to_string(t.edges) + " edges";
    return out + '\n';
}

} // namespace detail

ATTUNE_INLINE std::vector<std::string> space_report::always_true() const
{
    std::vector<std::string> out;
    for (acceptance const& a : constraints)
        if (a.is_proven || (a.accepted == a.tested && (a.is_exact || !a.is_tested)))
            out.push_back(a.text);
    return out;
}

ATTUNE_INLINE acceptance const* space_report::most_restrictive() const noexcept
{
    acceptance const* out = nullptr;
    for (acceptance const& a : constraints)
        if (a.accepted < a.tested && (out == nullptr || a.share() < out->share())) out = &a;
    return out;
}

ATTUNE_INLINE space_report report_on(chain_of_trees const& space, report_options const& options)
{
    description const& all = space.describe();
    space_report out;
    out.options = options;
    out.size = space.size();
    out.log2_size = space.log2_size();
    out.relative_error = space.estimated_size().relative_error;
    for (parameter_description const& parameter : all.parameters) {
        if (parameter.traits().is_interval)
            out.real_parameters.push_back(parameter.name);
        else
            out.log2_combinations += std::log2(static_cast<double>(parameter.value_count()));
    }
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        detail::tree const& seen = space.tree_at(t);
        tree_report& made = out.trees.emplace_back();
        for (std::uint32_t const p : seen.parameters())
            made.parameters.push_back(all.parameters[p].name);
        made.nodes = seen.node_count();
        made.edges = seen.edge_count();
        made.leaves = seen.leaves();
    }
    for (std::size_t w = 0; w < space.wide_count(); ++w) {
        detail::wide_tree const& seen = space.wide_at(w);
        wide_report& made = out.wide.emplace_back();
        for (std::uint32_t const p : seen.parameters())
            made.parameters.push_back(all.parameters[p].name);
        made.log2_leaves = seen.log2_leaves();
        made.relative_error = seen.relative_error();
    }
    detail::interval_prover const bounds(all);
    for (std::uint32_t c = 0; c < all.constraints.size(); ++c) {
        out.constraints.push_back(detail::acceptance_of(all, c, options));
        out.constraints.back().is_tested = space.is_tested(c);
        out.constraints.back().is_proven =
            !all.constraints[c].test && bounds.always_holds(all.constraints[c].root);
    }
    return out;
}

ATTUNE_INLINE std::string to_text(space_report const& report)
{
    std::string out =
        report.wide.empty() ? "valid configurations: " : "valid configurations: about ";
    out += report.size ? detail::text_of_count(*report.size)
                       : "2^" + detail::short_number(report.log2_size);
    out += " of 2^" + detail::short_number(report.log2_combinations) + " combinations\n";
    out += "trees: " + std::to_string(report.trees.size()) + ", parameters in the order chosen\n";
    constexpr std::size_t most_trees = 64; // an array or order may have more
    std::size_t const shown = std::min(report.trees.size(), most_trees);
    for (std::size_t t = 0; t < shown; ++t)
        out += detail::text_of_tree(report.trees[t]);
    if (shown < report.trees.size())
        out += "  and " + std::to_string(report.trees.size() - shown) + " more\n";
    for (wide_report const& w : report.wide)
        out += "  " + detail::joined_names(w.parameters) + ": too wide for a tree, about 2^" +
               detail::short_number(w.log2_leaves) + " leaves (standard error " +
               detail::short_number(100 * w.relative_error) + " %)\n";
    if (!report.real_parameters.empty())
        out +=
            "real parameters, in no tree: " + detail::joined_names(report.real_parameters) + '\n';
    for (std::string const& text : report.always_true())
        out += "always true: " + text + '\n';
    for (acceptance const& a : report.constraints)
        if (a.valueless > 0)
            out += "no value: " + a.text + ", for " + std::to_string(a.valueless) + " of " +
                   std::to_string(a.tested) + " combinations, as " + a.because + '\n';
    if (acceptance const* const worst = report.most_restrictive()) {
        out += "most restrictive: " + worst->text + ", accepts " + std::to_string(worst->accepted) +
               " of " + std::to_string(worst->tested);
        out += worst->is_exact ? " combinations of its parameters\n"
                               : " combinations of its parameters drawn at random, seed " +
                                     std::to_string(report.options.seed) + '\n';
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
