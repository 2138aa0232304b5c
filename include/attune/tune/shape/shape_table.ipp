// attune/tune/shape/shape_table.ipp - adds shapes, and grows the table.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/shape_table.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct shape_table::owned {
    /// A table and its memory.
    struct table : slots {
        explicit table(std::size_t capacity)
            : memory(std::make_unique<std::atomic<known_shape*>[]>(capacity))
        {
            mask = capacity - 1;
            at = memory.get();
        }
        void put(known_shape& shape) noexcept
        {
            std::size_t i = shape.hash & mask;
            while (at[i].load(std::memory_order_relaxed) != nullptr)
                i = (i + 1) & mask;
            at[i].store(&shape, std::memory_order_release);
        }
        std::unique_ptr<std::atomic<known_shape*>[]> memory;
    };

    /// A larger table with all shapes.
    table& grow(std::size_t capacity)
    {
        auto made = std::make_unique<table>(capacity);
        for (std::unique_ptr<known_shape> const& shape : shapes)
            made->put(*shape);
        return *tables.emplace_back(std::move(made));
    }

    std::vector<std::unique_ptr<known_shape>> shapes{};
    std::vector<std::unique_ptr<table>> tables{};
};

ATTUNE_INLINE shape_table::shape_table()
    : owned_(std::make_unique<owned>())
    , current_(&owned_->grow(16))
{
}
ATTUNE_INLINE shape_table::~shape_table() = default;

ATTUNE_INLINE known_shape& shape_table::insert(std::uint64_t hash,
                                               std::span<std::int64_t const> key)
{
    owned::table* now = owned_->tables.back().get();
    if (2 * (owned_->shapes.size() + 1) > now->mask + 1) {
        now = &owned_->grow(2 * (now->mask + 1));
        current_.store(now, std::memory_order_release);
    }
    auto made = std::make_unique<known_shape>();
    made->hash = hash;
    made->key.assign(key.begin(), key.end());
    known_shape& out = *owned_->shapes.emplace_back(std::move(made));
    now->put(out);
    return out;
}

ATTUNE_INLINE std::span<std::unique_ptr<known_shape> const> shape_table::shapes() const noexcept
{
    return owned_->shapes;
}

} // namespace attune::inline ATTUNE_ABI::detail
