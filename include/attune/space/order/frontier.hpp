// attune/space/order/frontier.hpp - sets of parameters, and the values of a condition that unset parameters still need.
// SPDX-License-Identifier: MIT
// Source   own: known terms of a sum, factors of a product and operands of a chain of && or || are
//          combined, as in lowering.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A set of numbers below 64 * Words.
template <std::size_t Words>
class parameter_set {
public:
    static constexpr std::size_t capacity = 64 * Words;

    void add(std::size_t k) noexcept { words_[k / 64] |= std::uint64_t{1} << (k % 64); }
    [[nodiscard]] bool has(std::size_t k) const noexcept
    {
        return ((words_[k / 64] >> (k % 64)) & 1U) != 0;
    }
    [[nodiscard]] bool is_empty() const noexcept
    {
        std::uint64_t all = 0;
        for (std::uint64_t const w : words_)
            all |= w;
        return all == 0;
    }
    [[nodiscard]] bool is_inside(parameter_set const& other) const noexcept
    {
        return (*this & other) == *this;
    }
    [[nodiscard]] std::span<std::uint64_t const> words() const noexcept { return words_; }

    /// Calls `visit(k)` for each member, ascending.
    template <class Visit>
    void for_each(Visit const& visit) const
    {
        for (std::size_t i = 0; i < Words; ++i)
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                visit(64 * i + static_cast<std::size_t>(std::countr_zero(left)));
    }

    [[nodiscard]] friend parameter_set operator&(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] &= b.words_[i];
        return a;
    }
    [[nodiscard]] friend parameter_set operator|(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] |= b.words_[i];
        return a;
    }
    /// The members of `a` that are not in `b`.
    [[nodiscard]] friend parameter_set operator-(parameter_set a, parameter_set const& b) noexcept
    {
        for (std::size_t i = 0; i < Words; ++i)
            a.words_[i] &= ~b.words_[i];
        return a;
    }
    [[nodiscard]] friend bool operator==(parameter_set const&, parameter_set const&) = default;

private:
    std::array<std::uint64_t, Words> words_{};
};

/// A known value that is still needed.
template <std::size_t Words>
struct frontier_value {
    parameter_set<Words> reads; ///< the parameters that it depends on
    bool is_truth = false;      ///< the value is 0 or 1
    bool is_joint = false;      ///< a sum or product of several parameters
    bool is_ordered = false;    ///< the rest of the condition has a trend in it
    bool is_matched = false;    ///< the rest of the condition compares it for equality
};

/// The expression of one condition, without its constants.
template <std::size_t Words>
class condition_shape {
public:
    using set = parameter_set<Words>;

    /// @param place_of  index of each parameter in its group; no_index if it has one value
    condition_shape(description const& space, condition const& c,
                    std::span<std::uint32_t const> place_of)
    {
        if (c.root != no_index && !is_long(space, c)) {
            root_ = add(space, c.root, place_of, {});
            return;
        }
        // A predicate needs the values of all its parameters, and so does a long list of terms.
        node root;
        for (std::uint32_t const p : c.scope)
            if (place_of[p] != no_index) root.reads.add(place_of[p]);
        root.reads.for_each([&](std::size_t k) {
            node leaf;
            leaf.reads.add(k);
            root.operands.push_back(keep(leaf));
        });
        root_ = keep(root);
    }

    [[nodiscard]] set const& reads() const noexcept { return nodes_[root_].reads; }

    /// Appends the values that are needed once the parameters `known` are set.
    void append_frontier(set const& known, std::vector<frontier_value<Words>>& out) const
    {
        append(root_, known, out);
    }

private:
    struct use {
        bool is_ordered = false;
        bool is_matched = false;
    };
    struct node {
        set reads;
        std::vector<std::uint32_t> operands;
        bool joins = false;       // known operands are combined to one value
        bool joins_truth = false; // that value is 0 or 1
        bool is_truth = false;
        use used;

        [[nodiscard]] bool is_joint() const noexcept { return joins && operands.size() > 1; }
    };

    std::uint32_t keep(node made)
    {
        nodes_.push_back(std::move(made));
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    /// The operation whose chains `code` joins: sums with sums, products with products.
    static op chain_of(op code) noexcept
    {
        return code == op::subtract || code == op::negate ? op::add : code;
    }
    static bool joins(op code) noexcept
    {
        return code == op::add || code == op::multiply || is_chain(code);
    }
    static use use_below(op code, use above) noexcept
    {
        if (is_equality(code)) return {false, true};
        if (is_comparison(code)) return {true, false};
        if (is_remainder(code) || code == op::absolute) return {};
        return above;
    }

    void add_operands(description const& space, std::uint32_t root, op chain,
                      std::span<std::uint32_t const> place_of, use used,
                      std::vector<std::uint32_t>& out)
    {
        expression_node const& n = space.nodes[root];
        if (chain_of(n.code) != chain) {
            out.push_back(add(space, root, place_of, used));
            return;
        }
        add_operands(space, n.first, chain, place_of, used, out);
        if (operand_count(n.code) > 1) add_operands(space, n.second, chain, place_of, used, out);
    }

    std::uint32_t add(description const& space, std::uint32_t root,
                      std::span<std::uint32_t const> place_of, use used)
    {
        expression_node const& n = space.nodes[root];
        node made;
        made.used = used;
        made.is_truth = yields_truth(n.code);
        use const below = use_below(n.code, used);
        op const chain = chain_of(n.code);
        if (names_parameter(n.code)) {
            if (place_of[n.subject] != no_index) made.reads.add(place_of[n.subject]);
        } else if (joins(chain)) {
            made.joins = true;
            made.joins_truth = made.is_truth;
            add_operands(space, root, chain, place_of, below, made.operands);
        } else if (is_comparison(n.code)) {
            // Both sides of a comparison form one sum.
            made.joins = true;
            add_operands(space, n.first, op::add, place_of, below, made.operands);
            add_operands(space, n.second, op::add, place_of, below, made.operands);
        } else {
            std::uint32_t const operands[3] = {n.first, n.second, n.third};
            for (int k = 0; k < operand_count(n.code); ++k) {
                bool const chooses = n.code == op::select && k == 0;
                made.operands.push_back(add(space, operands[k], place_of, chooses ? use{} : below));
            }
        }
        for (std::uint32_t const o : made.operands)
            made.reads = made.reads | nodes_[o].reads;
        return keep(std::move(made));
    }

    void append(std::uint32_t at, set const& known, std::vector<frontier_value<Words>>& out) const
    {
        node const& n = nodes_[at];
        set const set_here = n.reads & known;
        if (set_here.is_empty()) return;
        if (set_here == n.reads) {
            out.push_back(
                {n.reads, n.is_truth, n.is_joint(), n.used.is_ordered, n.used.is_matched});
            return;
        }
        frontier_value<Words> joined{};
        for (std::uint32_t const o : n.operands) {
            node const& operand = nodes_[o];
            if (!n.joins || !operand.reads.is_inside(known)) {
                append(o, known, out);
            } else if (!operand.reads.is_empty()) {
                joined.is_joint = !joined.reads.is_empty() || operand.is_joint();
                joined.is_truth = joined.reads.is_empty() ? operand.is_truth : n.joins_truth;
                joined.reads = joined.reads | operand.reads;
                joined.is_ordered = operand.used.is_ordered;
                joined.is_matched = operand.used.is_matched;
            }
        }
        if (!joined.reads.is_empty()) out.push_back(joined);
    }

    std::vector<node> nodes_;
    std::uint32_t root_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
