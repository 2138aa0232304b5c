// attune/search/compose/detail/genome.hpp - the parameters of a space as genes, each with its operator.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search::detail {

/// The parameters of a space that can change: single ones, long permutations, and arrays and
/// selectors as a whole if there is an operator for them.
class genome {
public:
    genome(chain_of_trees space, std::span<operator_entry const> operators)
        : near_(std::move(space))
    {
        std::vector<bool> varies(describe().parameters.size());
        for (std::uint32_t const p : near_.varying())
            varies[p] = true;
        point const anywhere(describe().parameters.size());
        for (std::uint32_t p = 0; p < varies.size();) {
            if (selector_description const* const selector = describe().selector_at(p)) {
                std::vector<std::uint32_t> all(selector->count());
                std::iota(all.begin(), all.end(), p);
                if (has_own(all, operators, anywhere)) {
                    p += selector->count();
                    add(std::move(all), operators, anywhere);
                    continue;
                }
            }
            group_description const* const group = describe().group_of(p);
            if (group == nullptr) {
                if (varies[p]) add({p}, operators, anywhere);
                ++p;
                continue;
            }
            bool const is_order = group->traits().is_order;
            std::vector<std::uint32_t> all;
            for (; p < group->first + group->count; ++p)
                if (varies[p] || is_order) all.push_back(p);
            if (all.empty()) continue;
            if (is_order || has_own(all, operators, anywhere))
                add(std::move(all), operators, anywhere);
            else
                for (std::uint32_t const element : all)
                    add({element}, operators, anywhere);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return genes_.size(); }
    /// The operator of a gene, as index into those of the constructor; nothing if none applies.
    [[nodiscard]] std::optional<std::size_t> entry(std::size_t i) const { return entries_[i]; }
    [[nodiscard]] gene of(point& p, std::size_t i) const { return {describe(), genes_[i], p}; }
    [[nodiscard]] gene_view of(point const& p, std::size_t i) const
    {
        return {describe(), genes_[i], p};
    }
    /// The genes that are active at `p`.
    [[nodiscard]] std::vector<std::size_t> active_in(point const& p) const
    {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < size(); ++i)
            if (near_.space().is_active(genes_[i].front(), p)) out.push_back(i);
        return out;
    }

    /// `child` if it is valid, with inactive parameters settled; else the nearest valid
    /// configuration. If a space is too wide to find that, genes take the values of `parent`, in
    /// random order, until the child is valid.
    /// @param parent  valid
    [[nodiscard]] point valid(point child, point const& parent, random_engine& engine) const
    {
        if (near_.space().is_exact()) return near_.repaired(std::move(child), engine);
        std::vector<std::size_t> order(size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        shuffle(std::span(order), engine);
        for (std::size_t const i : order) {
            point settled = near_.space().settled(child);
            if (near_.space().contains(settled)) return settled;
            of(child, i).copy(of(parent, i));
        }
        return parent;
    }

private:
    [[nodiscard]] description const& describe() const noexcept { return near_.space().describe(); }
    /// The applicable operator whose kind has the most ancestors.
    [[nodiscard]] static std::optional<std::size_t>
    entry_for(gene_view const& one, std::span<operator_entry const> operators)
    {
        std::optional<std::size_t> out;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            kind_row const& kind = operators[i].kind;
            bool const is_closer =
                !out || kind.lineage.size() > operators[*out].kind.lineage.size();
            if (is_closer && kind.holds(one)) out = i;
        }
        return out;
    }
    /// Returns true if an operator whose kind is not any_kind applies to these parameters.
    [[nodiscard]] bool has_own(std::vector<std::uint32_t> const& together,
                               std::span<operator_entry const> operators,
                               point const& anywhere) const
    {
        std::optional<std::size_t> const whole =
            entry_for(gene_view(describe(), together, anywhere), operators);
        return whole && operators[*whole].kind.name() != "any";
    }
    void add(std::vector<std::uint32_t> parameters, std::span<operator_entry const> operators,
             point const& anywhere)
    {
        entries_.push_back(entry_for(gene_view(describe(), parameters, anywhere), operators));
        genes_.push_back(std::move(parameters));
    }

    attune::detail::moves near_;
    std::vector<std::vector<std::uint32_t>> genes_; // gene -> its parameters
    std::vector<std::optional<std::size_t>> entries_;
};

} // namespace attune::inline ATTUNE_ABI::search::detail
