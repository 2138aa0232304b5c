// attune/declare/table.ipp - reads and makes tables.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE void permutation_at(std::uint32_t rank, std::span<std::int64_t> out) noexcept
{
    std::uint32_t const items = static_cast<std::uint32_t>(out.size());
    ATTUNE_ASSERT(items <= max_permutation_items, "more orders than 32 bits can number");
    std::uint32_t orders = 1;
    for (std::uint32_t i = 2; i < items; ++i)
        orders *= i;
    std::int64_t rest[max_permutation_items] = {};
    for (std::uint32_t i = 0; i < items; ++i)
        rest[i] = i;
    for (std::uint32_t place = 0; place < items; ++place) {
        std::uint32_t const chosen = rank / orders;
        rank %= orders;
        out[place] = rest[chosen];
        for (std::uint32_t i = chosen; i + 1 < items - place; ++i)
            rest[i] = rest[i + 1];
        if (place + 1 < items) orders /= items - 1 - place > 0 ? items - 1 - place : 1;
    }
}

ATTUNE_INLINE std::uint32_t permutation_rank(std::span<std::int64_t const> order) noexcept
{
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::uint32_t smaller_behind = 0;
        for (std::size_t j = i + 1; j < order.size(); ++j)
            smaller_behind += order[j] < order[i] ? 1U : 0U;
        rank = rank * static_cast<std::uint32_t>(order.size() - i) + smaller_behind;
    }
    return rank;
}

} // namespace detail

ATTUNE_INLINE std::vector<std::int64_t> elements_at(parameter_description const& parameter,
                                                    std::uint32_t index)
{
    std::vector<std::int64_t> out(parameter.parts);
    if (parameter.traits().is_order)
        detail::permutation_at(index, out);
    else
        for (std::size_t i = 0; i < parameter.parts; ++i)
            out[i] = parameter.integers[std::size_t{index} * parameter.parts + i];
    return out;
}

namespace detail {

__extension__ typedef unsigned __int128 wide_product;

[[nodiscard]] inline std::uint64_t times_modulo(std::uint64_t a, std::uint64_t b,
                                                std::uint64_t modulus) noexcept
{
    return static_cast<std::uint64_t>(static_cast<wide_product>(a) * b % modulus);
}

/// Miller-Rabin; these seven bases are exact for 64-bit numbers.
/// @pre n is odd and > 2
[[nodiscard]] inline bool is_odd_prime(std::uint64_t n) noexcept
{
    int const twos = std::countr_zero(n - 1);
    for (std::uint64_t const given : {2U, 325U, 9375U, 28178U, 450775U, 9780504U, 1795265022U}) {
        std::uint64_t const base = given % n;
        if (base == 0) continue;
        std::uint64_t power = 1;
        std::uint64_t square = base;
        for (std::uint64_t left = (n - 1) >> twos; left > 0; left >>= 1) {
            if ((left & 1) != 0) power = times_modulo(power, square, n);
            square = times_modulo(square, square, n);
        }
        bool passes = power == 1;
        for (int i = 0; i < twos && !passes; ++i) {
            passes = power == n - 1;
            power = times_modulo(power, power, n);
        }
        if (!passes) return false;
    }
    return true;
}

/// Pollard's rho: a divisor that is neither 1 nor n. @pre n is odd and not prime
[[nodiscard]] inline std::uint64_t some_divisor(std::uint64_t n) noexcept
{
    for (std::uint64_t shift = 1;; ++shift) {
        auto const step = [&](std::uint64_t x) {
            return static_cast<std::uint64_t>(
                (static_cast<wide_product>(times_modulo(x, x, n)) + shift) % n);
        };
        std::uint64_t slow = 2 % n;
        std::uint64_t fast = slow;
        std::uint64_t common = 1;
        while (common == 1) {
            slow = step(slow);
            fast = step(step(fast));
            common = std::gcd(slow > fast ? slow - fast : fast - slow, n);
        }
        if (common != n) return common;
    }
}

/// Appends the primes of `n`, with repetitions, in no order.
inline void split(std::uint64_t n, std::vector<std::int64_t>& to)
{
    if (n == 1) return;
    if (is_odd_prime(n)) {
        to.push_back(static_cast<std::int64_t>(n));
        return;
    }
    std::uint64_t const one = some_divisor(n);
    split(one, to);
    split(n / one, to);
}

ATTUNE_INLINE std::vector<prime_power> prime_factors(std::int64_t extent)
{
    std::vector<std::int64_t> primes;
    auto rest = static_cast<std::uint64_t>(extent);
    // Trial division is the fastest method for small primes.
    for (std::uint64_t d = 2; d < 256 && d <= rest / d; d += d == 2 ? 1 : 2)
        for (; rest % d == 0; rest /= d)
            primes.push_back(static_cast<std::int64_t>(d));
    if (rest > 1 && rest < 256 * 256) // no divisor below 256: a prime
        primes.push_back(static_cast<std::int64_t>(rest));
    else
        detail::split(rest, primes);
    std::sort(primes.begin(), primes.end());
    std::vector<prime_power> out;
    for (std::int64_t const prime : primes)
        if (!out.empty() && out.back().prime == prime)
            ++out.back().exponent;
        else
            out.push_back({prime, 1});
    return out;
}

ATTUNE_INLINE double factorisation_count(std::int64_t extent, std::uint32_t parts)
{
    double count = 1;
    for (prime_power const& one : prime_factors(extent)) {
        double ways = 1;
        for (int i = 1; i <= one.exponent; ++i)
            ways = ways * (parts - 1.0 + i) / i;
        count *= ways;
    }
    return count;
}

ATTUNE_INLINE std::vector<std::int64_t> divisors(std::int64_t extent)
{
    std::vector<std::int64_t> out{1};
    for (prime_power const& one : prime_factors(extent)) {
        std::size_t const before = out.size();
        std::int64_t power = 1;
        for (int i = 0; i < one.exponent; ++i) {
            power *= one.prime;
            for (std::size_t k = 0; k < before; ++k)
                out.push_back(out[k] * power);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> factor_table(std::int64_t extent, std::uint32_t parts)
{
    std::vector<std::int64_t> const factors = divisors(extent);
    std::vector<std::int64_t> table;
    std::vector<std::int64_t> row(parts, 1);
    auto const fill = [&](auto const& self, std::uint32_t place, std::int64_t rest) -> void {
        if (place + 1 == parts) {
            row[place] = rest;
            table.insert(table.end(), row.begin(), row.end());
            return;
        }
        for (std::int64_t const d : factors) {
            if (d > rest) break;
            if (rest % d != 0) continue;
            row[place] = d;
            self(self, place + 1, rest / d);
        }
    };
    fill(fill, 0, extent);
    return table;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
