// attune/tune/shape/shape_table.hpp - known shapes and the variants that serve them, read without a lock.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/dispatch.cpp
#pragma once

#include <attune/core/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct installed_variant;

/// One shape. `key` never changes; `serves` may.
struct known_shape {
    std::uint64_t hash = 0;
    std::atomic<installed_variant const*> serves{nullptr}; ///< null: decide by the slow path
    std::vector<std::int64_t> key{};
    std::uint32_t calls = 0;  ///< number of calls on the slow path
    bool is_verified = false; ///< `serves` was verified on this shape
};

/// Each word has its own odd factor, so that the multiplications are independent.
template <class Key>
[[nodiscard]] std::uint64_t hash_of_shape(Key const& key) noexcept
{
    std::uint64_t out = 0x9e3779b97f4a7c15u;
    std::uint64_t factor = 0xbf58476d1ce4e5b9u;
    for (std::size_t i = 0; i < key.size(); ++i) {
        out += (static_cast<std::uint64_t>(key[i]) + i) * factor;
        factor += 0x7fb5d329728ea186u; // even: the factor stays odd
    }
    out ^= out >> 32;
    out *= 0x94d049bb133111ebu;
    return out ^ (out >> 29);
}

/// A hash table with open addressing. Any number of threads may read, one at a time may insert.
/// Replaced tables and all shapes are kept until destruction.
class shape_table {
public:
    shape_table() { grow(16); }
    shape_table(shape_table const&) = delete;
    shape_table& operator=(shape_table const&) = delete;

    /// Null: unknown shape. Cost a hash, a comparison; no lock
    template <class Key>
    [[nodiscard]] known_shape* find(Key const& key) const noexcept
    {
        return find(hash_of_shape(key), key);
    }
    template <class Key>
    [[nodiscard]] known_shape* find(std::uint64_t hash, Key const& key) const noexcept
    {
        slots const& now = *current_.load(std::memory_order_acquire);
        for (std::size_t i = hash & now.mask;; i = (i + 1) & now.mask) {
            known_shape* const met = now.at[i].load(std::memory_order_acquire);
            if (met == nullptr) return nullptr;
            if (met->hash == hash && is_same(*met, key)) return met;
        }
    }

    /// @pre  the shape is not in the table, and no other thread inserts
    known_shape& insert(std::uint64_t hash, std::span<std::int64_t const> key)
    {
        slots* now = all_tables_.back().get();
        if (2 * (shapes_.size() + 1) > now->mask + 1) now = grow(2 * (now->mask + 1));
        auto made = std::make_unique<known_shape>();
        made->hash = hash;
        made->key.assign(key.begin(), key.end());
        known_shape& out = *shapes_.emplace_back(std::move(made));
        put(*now, out);
        return out;
    }

    [[nodiscard]] std::span<std::unique_ptr<known_shape> const> shapes() const noexcept
    {
        return shapes_;
    }

private:
    struct slots {
        explicit slots(std::size_t capacity)
            : mask(capacity - 1)
            , at(std::make_unique<std::atomic<known_shape*>[]>(capacity))
        {
        }
        std::size_t mask;
        std::unique_ptr<std::atomic<known_shape*>[]> at;
    };

    template <class Key>
    [[nodiscard]] static bool is_same(known_shape const& met, Key const& key) noexcept
    {
        std::int64_t const* const left = met.key.data();
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < key.size(); ++i)
            difference |= left[i] ^ key[i];
        return difference == 0;
    }
    static void put(slots& table, known_shape& shape) noexcept
    {
        std::size_t i = shape.hash & table.mask;
        while (table.at[i].load(std::memory_order_relaxed) != nullptr)
            i = (i + 1) & table.mask;
        table.at[i].store(&shape, std::memory_order_release);
    }
    slots* grow(std::size_t capacity)
    {
        auto made = std::make_unique<slots>(capacity);
        for (std::unique_ptr<known_shape> const& shape : shapes_)
            put(*made, *shape);
        slots* const out = all_tables_.emplace_back(std::move(made)).get();
        current_.store(out, std::memory_order_release);
        return out;
    }

    std::vector<std::unique_ptr<known_shape>> shapes_{};
    std::vector<std::unique_ptr<slots>> all_tables_{};
    std::atomic<slots const*> current_{nullptr};
};

} // namespace attune::inline ATTUNE_ABI::detail
