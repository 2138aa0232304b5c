// attune/space/diagram/diagram.hpp - decision diagrams of conditions, with equal nodes shared.
// SPDX-License-Identifier: MIT
// Source   Bryant 1986 (reduced ordered decision diagrams, apply), with one child per value
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/diagram/effort.hpp>
#include <attune/space/diagram/key_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The diagrams that hold on no setting and on every setting.
inline constexpr std::uint32_t never_node = 0;
inline constexpr std::uint32_t always_node = 1;

/// Decision diagrams over the same levels.
class diagram_store {
public:
    /// @param sizes   number of values of each level
    /// @param budget  charged for values visited and bytes stored; must outlive this object
    diagram_store(std::vector<std::size_t> sizes, effort& budget)
        : sizes_(std::move(sizes))
        , budget_(budget)
        , level_{sizes_.size(), sizes_.size()}
        , first_{0, 0}
        , places_(64, 0)
    {
    }

    [[nodiscard]] std::size_t level_count() const noexcept { return sizes_.size(); }
    [[nodiscard]] std::size_t size_of(std::size_t level) const noexcept { return sizes_[level]; }
    [[nodiscard]] std::size_t node_count() const noexcept { return level_.size(); }
    /// The level of `node`; level_count() for the two constants.
    [[nodiscard]] std::size_t level(std::uint32_t node) const noexcept { return level_[node]; }
    /// The children of `node`, one per value. Invalid after the next call of add() or both().
    [[nodiscard]] std::span<std::uint32_t const> children(std::uint32_t node) const noexcept
    {
        return {children_.data() + first_[node], sizes_[level_[node]]};
    }
    /// The diagram of `node` with `value` on `level`, which is not below the node's level.
    [[nodiscard]] std::uint32_t child(std::uint32_t node, std::size_t level,
                                      std::size_t value) const noexcept
    {
        return level_[node] == level ? children_[first_[node] + value] : node;
    }

    /// The node with these children; the child itself if all are the same.
    std::uint32_t add(std::size_t level, std::span<std::uint32_t const> children)
    {
        std::uint32_t const first = children.front();
        if (std::all_of(children.begin(), children.end(), [&](auto c) { return c == first; }))
            return first;
        if (4 * level_.size() > 3 * places_.size()) grow();
        std::size_t place = hash_words(children, level) & (places_.size() - 1);
        for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
            std::uint32_t const known = places_[place];
            if (level_[known] == level && std::equal(children.begin(), children.end(),
                                                     children_.begin() + offset(first_[known])))
                return known;
        }
        budget_.spend_bytes(2 * sizeof first * children.size() + node_bytes);
        std::uint32_t const made = static_cast<std::uint32_t>(level_.size());
        level_.push_back(level);
        first_.push_back(children_.size());
        children_.insert(children_.end(), children.begin(), children.end());
        places_[place] = made;
        return made;
    }

    /// The conjunction of `a` and `b`. Undefined once the budget is spent.
    std::uint32_t both(std::uint32_t a, std::uint32_t b)
    {
        if (a == never_node || b == never_node) return never_node;
        if (a == always_node || a == b) return b;
        if (b == always_node) return a;
        if (a > b) std::swap(a, b);
        std::uint64_t const key[1] = {(std::uint64_t{a} << 32U) | b};
        auto const [number, is_new] = pairs_.number_of(key);
        if (!is_new) return met_[number];
        met_.push_back(never_node);
        budget_.spend_bytes(pair_bytes);
        std::size_t const level = std::min(level_[a], level_[b]);
        if (!budget_.spend_visits(sizes_[level])) return never_node;
        std::vector<std::uint32_t> made(sizes_[level]);
        for (std::size_t v = 0; v < made.size(); ++v)
            made[v] = both(child(a, level, v), child(b, level, v));
        std::uint32_t const node = add(level, made);
        met_[number] = node;
        return node;
    }

private:
    // Vectors may have twice the capacity, hash tables four times.
    static constexpr std::uint64_t node_bytes = 48;
    static constexpr std::uint64_t pair_bytes = 40;

    static std::ptrdiff_t offset(std::size_t i) noexcept { return static_cast<std::ptrdiff_t>(i); }
    void grow()
    {
        places_.assign(2 * places_.size(), 0);
        for (std::uint32_t n = 2; n < level_.size(); ++n) {
            std::size_t place = hash_words(children(n), level_[n]) & (places_.size() - 1);
            while (places_[place] != 0)
                place = (place + 1) & (places_.size() - 1);
            places_[place] = n;
        }
    }

    std::vector<std::size_t> sizes_;
    effort& budget_;
    std::vector<std::size_t> level_; // node -> level
    std::vector<std::size_t> first_; // node -> its first child
    std::vector<std::uint32_t> children_;
    std::vector<std::uint32_t> places_; // 0 or a node
    key_table<std::uint64_t> pairs_{1};
    std::vector<std::uint32_t> met_; // number of a pair -> its conjunction
};

} // namespace attune::inline ATTUNE_ABI::detail
