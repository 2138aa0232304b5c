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

/// A hash table of a fixed number of shapes of `Words` words. What does not fit goes to a second
/// one, where each shape has one place, and takes it from the one before. Any number of threads.
template <std::size_t Words, class Code>
class code_by_shape {
public:
    using key = std::array<std::int64_t, Words>;

    /// Null: not met, or in the second table.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE Code find(key const& wanted) const noexcept
    {
        std::size_t at = hash_of_shape(wanted) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry const& one = entries_.get()[at];
            if (one.state.load(std::memory_order_acquire) != filling::ready) return nullptr;
            if (is_same(one.words, wanted)) return one.code;
        }
        return nullptr;
    }
    /// In the second table. Null: not there.
    [[nodiscard]] Code find_late(key const& wanted) const noexcept
    {
        late_entry const& one = late_[late_place(wanted)];
        std::uint32_t const version = one.version.load(std::memory_order_acquire);
        bool is_mine = version != 0 && version % 2 == 0;
        for (std::size_t i = 0; i < Words; ++i)
            is_mine = is_mine && one.words[i].load(std::memory_order_acquire) == wanted[i];
        if (!is_mine) return nullptr;
        Code const found = one.code.load(std::memory_order_acquire);
        return one.version.load(std::memory_order_relaxed) == version ? found : nullptr;
    }
    /// Two threads may keep one shape twice; both say the same.
    void keep(key const& words, Code code) noexcept
    {
        std::size_t at = hash_of_shape(words) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry& one = entries_[at];
            filling expected = filling::empty;
            if (!one.state.compare_exchange_strong(expected, filling::in_work,
                                                   std::memory_order_acquire))
                continue;
            one.words = words;
            one.code = code;
            one.state.store(filling::ready, std::memory_order_release);
            return;
        }
        keep_late(words, code);
    }

private:
    static constexpr std::size_t mask = 4'095;
    static constexpr std::size_t most_probes = 16;
    static constexpr std::size_t late_entries = 1'024;

    enum class filling : std::uint32_t { empty, in_work, ready };
    struct entry {
        std::atomic<filling> state{filling::empty};
        key words{};
        Code code{};
    };

    /// Written while `version` is odd, and read only where that is the same before and after.
    struct late_entry {
        std::atomic<std::uint32_t> version{0};
        std::array<std::atomic<std::int64_t>, Words> words{};
        std::atomic<Code> code{};
    };

    [[nodiscard]] static std::size_t late_place(key const& words) noexcept
    {
        return (hash_of_shape(words) >> 32) % late_entries;
    }
    /// Where another thread is writing, it stays.
    void keep_late(key const& words, Code code) noexcept
    {
        late_entry& one = late_[late_place(words)];
        std::uint32_t version = one.version.load(std::memory_order_relaxed);
        if (version % 2 != 0 ||
            !one.version.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel))
            return;
        for (std::size_t i = 0; i < Words; ++i)
            one.words[i].store(words[i], std::memory_order_release);
        one.code.store(code, std::memory_order_release);
        // Never 0 again, which says that nothing was written.
        one.version.store(version + 2 != 0 ? version + 2 : 2, std::memory_order_release);
    }

    [[nodiscard]] ATTUNE_ALWAYS_INLINE static bool is_same(key const& a, key const& b) noexcept
    {
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < Words; ++i)
            difference |= a[i] ^ b[i];
        return difference == 0;
    }

    std::unique_ptr<entry[]> entries_ = std::make_unique<entry[]>(mask + 1);
    std::unique_ptr<late_entry[]> late_ = std::make_unique<late_entry[]>(late_entries);
};

} // namespace attune::inline ATTUNE_ABI::detail
