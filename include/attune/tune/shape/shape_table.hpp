// attune/tune/shape/shape_table.hpp - known shapes and the variants that serve them, read without a lock.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/dispatch.cpp
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct installed_variant;
class online_slot;

/// A number of calls, about: of two threads that count at once, one may count in vain. No locked
/// instruction; a cache line of its own.
struct alignas(64) call_count {
    std::atomic<std::uint64_t> calls{0};

    void add() noexcept
    {
        calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};

/// One shape. `key` never changes; `serves` and `counter` may.
struct known_shape {
    std::uint64_t hash = 0;
    std::atomic<installed_variant const*> serves{nullptr}; ///< null: decide by the slow path
    std::atomic<call_count*> counter{nullptr};             ///< null: calls are not counted
    std::atomic<online_slot*> tries{nullptr};              ///< calls go through it; null: none
    std::vector<std::int64_t> key{};
    std::uint32_t calls = 0;                   ///< number of calls on the slow path
    bool is_verified = false;                  ///< `serves` was verified on this shape
    installed_variant const* before = nullptr; ///< served it, and does until there is a verdict
    bool was_verified = false;                 ///< `before` was verified on this shape
};

/// A hash table with open addressing. Any number of threads may read, one at a time may insert.
/// Replaced tables and all shapes are kept until destruction.
class shape_table {
public:
    shape_table();
    ~shape_table();
    shape_table(shape_table const&) = delete;
    shape_table& operator=(shape_table const&) = delete;

    /// Null: unknown shape.
    /// Cost     a hash, a comparison; no lock
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
    known_shape& insert(std::uint64_t hash, std::span<std::int64_t const> key);

    [[nodiscard]] std::span<std::unique_ptr<known_shape> const> shapes() const noexcept;

private:
    /// The table that readers see; `owned` has the memory.
    struct slots {
        std::size_t mask = 0; ///< number of slots, minus 1
        std::atomic<known_shape*>* at = nullptr;
    };
    struct owned;

    template <class Key>
    [[nodiscard]] static bool is_same(known_shape const& met, Key const& key) noexcept
    {
        std::int64_t const* const left = met.key.data();
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < key.size(); ++i)
            difference |= left[i] ^ key[i];
        return difference == 0;
    }

    std::unique_ptr<owned> owned_;
    std::atomic<slots const*> current_{nullptr};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_table.ipp>
#endif
