// attune/ship/baked/code_by_shape.hpp - which code serves the shapes that were met, read and written without a lock.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// A hash table of a fixed number of shapes of `Words` words. What does not fit is not kept. Any
/// number of threads.
template <std::size_t Words, class Code>
class code_by_shape {
public:
    using key = std::array<std::int64_t, Words>;

    /// Null: not met.
    [[nodiscard]] Code find(key const& wanted) const noexcept
    {
        std::size_t at = hash_of_shape(wanted) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry const& one = entries_[at];
            if (one.state.load(std::memory_order_acquire) != filling::ready) return nullptr;
            if (is_same(one.words, wanted)) return one.code;
        }
        return nullptr;
    }
    /// Two threads may keep one shape twice; both say the same.
    void keep(key const& words, Code code) noexcept
    {
        std::size_t at = hash_of_shape(words) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry& one = entries_[at];
            filling expected = filling::empty;
            if (!one.state.compare_exchange_strong(
                    expected, filling::in_work, std::memory_order_acquire))
                continue;
            one.words = words;
            one.code = code;
            one.state.store(filling::ready, std::memory_order_release);
            return;
        }
    }

private:
    static constexpr std::size_t mask = 4'095;
    static constexpr std::size_t most_probes = 16;

    enum class filling : std::uint32_t { empty, in_work, ready };
    struct entry {
        std::atomic<filling> state{filling::empty};
        key words{};
        Code code{};
    };

    [[nodiscard]] static bool is_same(key const& a, key const& b) noexcept
    {
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < Words; ++i)
            difference |= a[i] ^ b[i];
        return difference == 0;
    }

    std::unique_ptr<entry[]> entries_ = std::make_unique<entry[]>(mask + 1);
};

} // namespace attune::inline ATTUNE_ABI::detail
