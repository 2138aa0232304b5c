// attune/declare/table.hpp - the values of a parameter, read by index.
// SPDX-License-Identifier: MIT
// Source   permutations by Lehmer code, lexicographic (Knuth, TAOCP 4A, Sec. 7.2.1.2); factors by
//          Pollard's rho (Brent 1980), primes by Miller-Rabin with the bases of Sinclair (2011)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The `rank`-th order of `out.size()` items, lexicographically: out[i] is the item at place i.
void permutation_at(std::uint32_t rank, std::span<std::int64_t> out) noexcept;

/// The inverse of permutation_at. @pre `order` holds 0 .. size - 1 once each
[[nodiscard]] std::uint32_t permutation_rank(std::span<std::int64_t const> order) noexcept;

} // namespace detail

/// The elements of a permutation or tile at `index`.
[[nodiscard]] std::vector<std::int64_t> elements_at(parameter_description const& parameter,
                                                    std::uint32_t index);

/// The number at a coordinate of a parameter with one numeric value; for a text, its index.
[[nodiscard]] inline number number_at(parameter_description const& parameter, coordinate at)
{
    if (parameter.traits().is_interval) return number::of(at.real);
    if (!parameter.integers.empty() || parameter.range_count > 0)
        return number::of(parameter.integer_at(at.index));
    if (!parameter.reals.empty()) return number::of(parameter.reals[at.index]);
    return number::of(std::int64_t{at.index});
}

namespace detail {

/// A prime, and how many times it divides the number.
struct prime_power {
    std::int64_t prime = 0;
    int exponent = 0;
};

/// The primes that divide `extent`, ascending. Cost: about 10'000 steps for the worst 63 bits.
/// @pre extent >= 1
[[nodiscard]] std::vector<prime_power> prime_factors(std::int64_t extent);

/// Every divisor of `extent`, ascending. @pre extent >= 1
[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t extent);

/// Number of rows of factor_table(extent, parts): the parts can share a prime that divides `extent`
/// e times in C(e + parts - 1, e) ways. A double, because the number may exceed 64 bits.
[[nodiscard]] double factorisation_count(std::int64_t extent, std::uint32_t parts);

/// All ordered products of `parts` factors that are `extent`: one row of `parts` numbers each, rows
/// ascending lexicographically.
/// @pre extent >= 1, parts >= 1
[[nodiscard]] std::vector<std::int64_t> factor_table(std::int64_t extent, std::uint32_t parts);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/table.ipp>
#endif
