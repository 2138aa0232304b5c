// attune/core/random.hpp - the one source of random choices, equal on every platform.
// SPDX-License-Identifier: MIT
// Source   Blackman & Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 2021
//          (xoshiro256++, seeded by splitmix64 as they advise)
//
// <random> has other distributions in each standard library, so a seed would not reproduce a run.
// Parsing <random> costs 0.2 s in every user file.
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// xoshiro256++: 256 bits of state, period 2^256 - 1. Models std::uniform_random_bit_generator.
class random_engine {
public:
    using result_type = std::uint64_t;

    constexpr explicit random_engine(std::uint64_t seed = 0) noexcept
    {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15ULL;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            word = z ^ (z >> 31);
        }
    }

    [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
    [[nodiscard]] static constexpr result_type max() noexcept { return ~result_type{0}; }

    constexpr result_type operator()() noexcept
    {
        std::uint64_t const result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        std::uint64_t const shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    std::array<std::uint64_t, 4> state_{};
};

/// Uniform in [0, bound), without modulo bias.  @pre bound > 0
[[nodiscard]] constexpr std::uint64_t uniform_below(random_engine& engine,
                                                    std::uint64_t bound) noexcept
{
    std::uint64_t const reject_below = (std::uint64_t{0} - bound) % bound;
    for (;;) {
        std::uint64_t const bits = engine();
        if (bits >= reject_below) return bits % bound;
    }
}

/// Uniform in [0, 1), a multiple of 2^-53.
[[nodiscard]] constexpr double uniform_unit(random_engine& engine) noexcept
{
    return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

/// Puts `items` into a uniformly random order (Fisher-Yates).
template <class T>
constexpr void shuffle(std::span<T> items, random_engine& engine) noexcept
{
    for (std::size_t n = items.size(); n > 1; --n)
        std::swap(items[n - 1], items[uniform_below(engine, n)]);
}

} // namespace attune::inline ATTUNE_ABI
