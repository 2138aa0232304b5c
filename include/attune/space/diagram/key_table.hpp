// attune/space/diagram/key_table.hpp - numbers keys of equal length in order of arrival.
// SPDX-License-Identifier: MIT
//
// Open addressing, all keys in one array
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
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

/// Keys of `width` words, numbered from 0.
template <class Word>
class key_table {
public:
    explicit key_table(std::size_t width = 0)
        : width_(width)
    {
    }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// The number of `key`, and whether it is new. @pre key.size() is the width
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

} // namespace attune::inline ATTUNE_ABI::detail
