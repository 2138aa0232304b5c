// attune/space/diagram/diagram.hpp - decision diagrams of conditions, with equal nodes shared.
// SPDX-License-Identifier: MIT
// Source   Bryant 1986 (reduced ordered decision diagrams, apply), with one child per value
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A hash of `words`, in four independent lanes.
template <class Word>
[[nodiscard]] inline std::uint64_t hash_words(std::span<Word const> words,
                                              std::uint64_t seed = 0) noexcept
{
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
    auto const mix = [](std::uint64_t hash, Word w) {
        hash = (hash ^ static_cast<std::uint64_t>(w)) * odd;
        return hash ^ (hash >> 32U);
    };
    std::uint64_t hash[4] = {seed + words.size(), 1, 2, 3};
    std::size_t i = 0;
    for (; i + 4 <= words.size(); i += 4)
        for (std::size_t k = 0; k < 4; ++k)
            hash[k] = mix(hash[k], words[i + k]);
    for (; i < words.size(); ++i)
        hash[0] = mix(hash[0], words[i]);
    std::uint64_t const all =
        (((hash[0] * odd + hash[1]) * odd + hash[2]) * odd + hash[3]) * 0xd6e8feb86659fd93ULL;
    return all ^ (all >> 32U);
}

/// Keys of `width` words, numbered from 0. Open addressing, all keys in one array.
template <class Word>
class key_table {
public:
    explicit key_table(std::size_t width = 0)
        : width_(width)
    {
    }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// The number of `key`, and true if `key` is new. @pre key.size() is the width
    std::pair<std::uint32_t, bool> number_of(std::span<Word const> key)
    {
        if (2 * (count_ + 1) > places_.size()) grow();
        std::size_t place = hash_words(key) & (places_.size() - 1);
        for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1))
            if (is_equal(places_[place] - 1, key)) return {places_[place] - 1, false};
        keys_.insert(keys_.end(), key.begin(), key.end());
        places_[place] = ++count_;
        return {count_ - 1, true};
    }

private:
    [[nodiscard]] bool is_equal(std::uint32_t number, std::span<Word const> key) const noexcept
    {
        Word const* const known = keys_.data() + number * width_;
        for (std::size_t i = 0; i < width_; ++i) // short keys: faster than memcmp
            if (known[i] != key[i]) return false;
        return true;
    }
    void grow()
    {
        places_.assign(places_.empty() ? 32 : 2 * places_.size(), 0);
        for (std::uint32_t n = 0; n < count_; ++n) {
            std::span<Word const> const key(keys_.data() + n * width_, width_);
            std::size_t place = hash_words(key) & (places_.size() - 1);
            while (places_[place] != 0)
                place = (place + 1) & (places_.size() - 1);
            places_[place] = n + 1;
        }
    }

    std::size_t width_;
    std::uint32_t count_ = 0;
    std::vector<Word> keys_;
    std::vector<std::uint32_t> places_; // 0, or the number of a key plus 1
};

/// The work that remains before a tree counts as wide. Work counts in visits, not seconds, so that
/// a space is the same on every machine.
struct effort {
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t visits = unlimited;
    std::uint64_t bytes = unlimited;
    bool is_spent = false;

    /// Subtracts `count` visits. @return false if fewer are left
    bool spend_visits(std::uint64_t count) noexcept
    {
        is_spent = is_spent || count > visits;
        if (!is_spent) visits -= count;
        return !is_spent;
    }
    /// Subtracts `count` bytes, which stay allocated until the tree is complete.
    bool spend_bytes(std::uint64_t count) noexcept
    {
        is_spent = is_spent || count > bytes;
        if (!is_spent) bytes -= count;
        return !is_spent;
    }
};

/// The diagram that holds on no setting, and the diagram that holds on every setting.
inline constexpr std::uint32_t never_node = 0;
inline constexpr std::uint32_t always_node = 1;

/// Decision diagrams over the same levels.
class diagram_store {
public:
    /// @param sizes   number of values of each level
    /// @param budget  pays for visited values and stored bytes; must outlive this object
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
    /// The children of `node`, one per value; valid until the next call of add() or both().
    [[nodiscard]] std::span<std::uint32_t const> children(std::uint32_t node) const noexcept
    {
        return {children_.data() + first_[node], sizes_[level_[node]]};
    }
    /// The diagram of `node` with `value` on `level`.  @pre  `level` is not below the node's level
    [[nodiscard]] std::uint32_t child(std::uint32_t node, std::size_t level,
                                      std::size_t value) const noexcept
    {
        return level_[node] == level ? children_[first_[node] + value] : node;
    }

    /// The node with these children; if all children are equal, that child.
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
