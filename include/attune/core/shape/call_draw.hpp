// attune/core/shape/call_draw.hpp - random sizes and contents of a call, for kernel.calls(f).
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Random sizes and contents for the function of kernel.calls(f). It is also a generator for the
/// distributions of <random>.
class call_draw {
public:
    using result_type = std::uint64_t;

    /// @param special  numbers among the variant's parameters, such as tiles
    explicit call_draw(std::uint64_t seed, std::span<std::int64_t const> special = {})
        : random_(seed)
    {
        for (std::int64_t const d : special) {
            if (d > most_special) continue;
            special_.push_back(d);
            if (d <= 2 * remainders && small_ < 2 * d + remainders) small_ = 2 * d + remainders;
        }
    }

    /// A size from `least` to `most`: small, beside a parameter of the variant, or anywhere on a
    /// logarithmic scale, so that a few hundred calls meet every remainder and every magnitude.
    /// @return  `least` where `most` is less
    [[nodiscard]] std::int64_t size(std::int64_t least, std::int64_t most)
    {
        if (most <= least) return least;
        std::uint64_t const way = random_() % 4;
        std::int64_t const room = most - least + 1;
        if (way == 0) return least + index(room < small_ ? room : small_);
        if (way == 1 && !special_.empty()) {
            auto const tile = special_[uniform_below(random_, special_.size())];
            std::int64_t const value = tile * (1 + index(3)) + index(3) - 1;
            if (value >= least && value <= most) return value;
        }
        double const above = std::exp2(unit() * std::log2(static_cast<double>(room + 1))) - 1;
        auto const rounded = static_cast<std::int64_t>(above);
        return least + (rounded < room ? rounded : room - 1);
    }
    /// A whole number from 0 to `count` - 1. 0 for a count below 1.
    [[nodiscard]] std::int64_t index(std::int64_t count)
    {
        if (count < 1) return 0;
        return static_cast<std::int64_t>(uniform_below(random_, static_cast<std::uint64_t>(count)));
    }
    /// A number in [0, 1).
    [[nodiscard]] double unit() { return uniform_unit(random_); }
    /// So many numbers in [-1, 1).
    template <class T = float>
    [[nodiscard]] std::vector<T> reals(std::size_t count)
    {
        std::vector<T> out(count);
        for (T& v : out)
            v = static_cast<T>(2 * unit() - 1);
        return out;
    }

    [[nodiscard]] static constexpr std::uint64_t min() { return random_engine::min(); }
    [[nodiscard]] static constexpr std::uint64_t max() { return random_engine::max(); }
    [[nodiscard]] std::uint64_t operator()() { return random_(); }

private:
    static constexpr std::int64_t most_special = 1024;
    static constexpr std::int64_t remainders = 64;

    random_engine random_;
    std::vector<std::int64_t> special_{};
    std::int64_t small_ = 2 * remainders; ///< sizes below it leave all remainders
};

} // namespace attune::inline ATTUNE_ABI
