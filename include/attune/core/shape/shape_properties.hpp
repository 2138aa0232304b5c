// attune/core/shape/shape_properties.hpp - the properties of a call's shape that can make code wrong for it.
// SPDX-License-Identifier: MIT-0
// tested by tune/shape/shape_trust.cpp
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Remainders by numbers up to this one are separate properties; others are grouped.
inline constexpr std::int64_t most_single_remainders = 128;
/// At most this many parameters count for pairs of sizes, because the cost grows with the square.
inline constexpr std::size_t most_tiles = 6;

enum class property : std::uint8_t {
    remainder,
    group,
    octave,
    tile,
    order,
    pair,
    place,
    alike,
    pattern,
    magnitude,
    scaled
};

/// 64 bits for a property; different properties get equal bits with probability 2^-64.
[[nodiscard]] inline std::uint64_t property_hash(std::uint64_t salt, property what,
                                                 std::initializer_list<std::int64_t> numbers)
{
    std::uint64_t out = salt ^ (static_cast<std::uint64_t>(what) * 0x9e3779b97f4a7c15u);
    for (std::int64_t const n : numbers) {
        out = (out ^ static_cast<std::uint64_t>(n)) * 0xbf58476d1ce4e5b9u;
        out ^= out >> 29;
        out = out * 0x94d049bb133111ebu + 1;
        out ^= out >> 32;
    }
    return out;
}

[[nodiscard]] inline std::int64_t remainder_of(std::int64_t n, std::int64_t by)
{
    std::int64_t const r = n % by;
    return r < 0 ? r + by : r;
}

/// Groups remainders by the length of a remainder loop: 0, 1, `by` - 1, else by powers of two.
[[nodiscard]] inline std::int64_t group_of_remainder(std::int64_t r, std::int64_t by)
{
    if (r <= 1) return r;
    if (r == by - 1) return 2;
    return 3 + static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(r)));
}

/// The bits of a number without its sign.
[[nodiscard]] inline std::uint64_t magnitude_of(std::int64_t n)
{
    return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// Two groups per power of two, plus the power itself. Negative numbers have separate groups.
[[nodiscard]] inline std::int64_t half_octave(std::int64_t n)
{
    std::uint64_t const size = magnitude_of(n);
    auto const width = static_cast<std::int64_t>(std::bit_width(size));
    std::int64_t const second =
        width >= 2 ? static_cast<std::int64_t>((size >> (width - 2)) & 1u) : 0;
    std::int64_t const is_power = std::has_single_bit(size) ? 1 : 0;
    return (4 * width + 2 * second + is_power) * (n < 0 ? -1 : 1);
}

/// The parts of a real_class() for which code may have a path of its own: its sign, and if it is a
/// power of two.
[[nodiscard]] inline std::int64_t path_of_real(std::int64_t one)
{
    return (one < 0 ? 2 : 0) + ((one & 2) != 0 ? 1 : 0);
}

/// Groups: zero, one, below the tile, a multiple of it, other.
[[nodiscard]] inline std::int64_t state_at(std::int64_t n, std::int64_t tile)
{
    if (n == 0 || n == 1) return n;
    if (n < tile) return 2;
    return n % tile == 0 ? 3 : 4;
}

/// Adds the whole numbers above 1 in the text of a parameter's value: "{8,4,2}" has three.
inline void add_divisors_in(std::string_view text, std::vector<std::int64_t>& to)
{
    std::int64_t number = 0;
    for (char const c : text) {
        bool const is_digit = c >= '0' && c <= '9' && number < 1'000'000;
        if (!is_digit && number > 1) to.push_back(number);
        number = is_digit ? 10 * number + (c - '0') : 0;
    }
    if (number > 1) to.push_back(number);
}

/// Returns true if a word is a size. Shapes larger than all verified ones are not trusted.
[[nodiscard]] constexpr bool is_size(shape_part part) noexcept
{
    return part == shape_part::elements || part == shape_part::number;
}

/// The properties of shapes that count for one variant, 64 bits each. shape_trust.hpp lists them.
class shape_properties {
public:
    /// @param layout    layout of the keys below
    /// @param divisors  the numbers among the parameters of the variant, in any order
    /// @param modulus   addresses count modulo this power of two, at most 64
    shape_properties(std::vector<shape_word> layout, std::vector<std::int64_t> divisors,
                     std::uint32_t modulus = 64);

    /// The properties of one shape. A property may occur several times.
    [[nodiscard]] std::vector<std::uint64_t> of(std::span<std::int64_t const> key) const;
    /// Returns true if `condition` holds for each property. Stops at the first property without it.
    /// Cost   allocates nothing for shapes of up to 64 words
    template <class Condition>
    [[nodiscard]] bool all_of(std::span<std::int64_t const> key, Condition const& condition) const;
    [[nodiscard]] std::vector<shape_word> const& layout() const noexcept { return layout_; }
    /// Finds the words that are independent sizes: integers first, then the lengths that are
    /// neither an integer nor a product of two or three integers. Two equal integers both count,
    /// because code may be wrong only where two sizes are equal.
    /// @param to  receives the index of each word
    /// @return  number of these words
    [[nodiscard]] std::size_t sizes(std::span<std::int64_t const> key,
                                    std::span<std::size_t> to) const;

    /// Calls f(place, product) for each two independent sizes. A large product overflows numbers of
    /// 16 or 32 bits in a kernel. `place` is below the square of the number of words.
    template <class F>
    void for_each_product(std::span<std::int64_t const> key, F const& f) const;

private:
    std::vector<shape_word> layout_;
    std::int64_t place_mask_;
    std::vector<std::int64_t> tiles_{};  ///< parameters for pairs of sizes
    std::vector<std::int64_t> moduli_{}; ///< divisors whose remainders are properties
};

inline shape_properties::shape_properties(std::vector<shape_word> layout,
                                          std::vector<std::int64_t> divisors, std::uint32_t modulus)
    : layout_(std::move(layout))
    , place_mask_(modulus - 1)
{
    // A release contains this: std::sort would be 2 KB of code.
    auto const add = [](std::vector<std::int64_t>& ascending, std::int64_t number) {
        auto const at = std::lower_bound(ascending.begin(), ascending.end(), number);
        if (at == ascending.end() || *at != number) ascending.insert(at, number);
    };
    std::vector<std::int64_t> own;
    for (std::int64_t const d : divisors)
        if (d >= 2) add(own, d);
    tiles_.assign(own.end() - static_cast<std::ptrdiff_t>(std::min(own.size(), most_tiles)),
                  own.end());
    for (std::int64_t d = 3; d <= 16; ++d)
        moduli_.push_back(d);
    add(moduli_, 64);
    for (std::int64_t const d : own) {
        add(moduli_, d);
        for (std::int64_t const e : own) // products serve nested tiles
            if (d <= most_single_remainders / e) add(moduli_, d * e);
    }
    // The remainder by a multiple includes the remainder by its divisors.
    std::vector<std::int64_t> needed;
    for (std::int64_t const m : moduli_)
        if (std::none_of(moduli_.begin(), moduli_.end(), [&](std::int64_t other) {
                return other > m && other % m == 0 && other <= most_single_remainders;
            }))
            needed.push_back(m);
    moduli_ = std::move(needed);
}

inline std::size_t shape_properties::sizes(std::span<std::int64_t const> key,
                                           std::span<std::size_t> to) const
{
    std::size_t count = 0;
    auto const is_known = [&](std::int64_t value) {
        return std::any_of(to.data(), to.data() + count,
                           [&](std::size_t i) { return key[i] == value; });
    };
    for (std::size_t i = 0; i < layout_.size(); ++i)
        if (layout_[i].part == shape_part::number) to[count++] = i;
    std::size_t const numbers = count;
    auto const is_product = [&](std::int64_t value) {
        for (std::size_t a = 0; a < numbers; ++a) {
            std::int64_t const first = key[to[a]];
            if (first <= 1 || value % first != 0) continue;
            std::int64_t const rest = value / first;
            for (std::size_t b = 0; b < numbers; ++b) {
                std::int64_t const second = key[to[b]];
                if (second <= 1 || rest % second != 0) continue;
                if (rest == second) return true;
                for (std::size_t c = 0; c < numbers; ++c)
                    if (rest / second == key[to[c]] && key[to[c]] > 1) return true;
            }
        }
        return false;
    };
    for (std::size_t i = 0; i < layout_.size(); ++i)
        if (layout_[i].part == shape_part::elements && !is_known(key[i]) && !is_product(key[i]))
            to[count++] = i;
    return count;
}

template <class F>
void shape_properties::for_each_product(std::span<std::int64_t const> key, F const& f) const
{
    std::array<std::size_t, 64> few;
    std::vector<std::size_t> many(layout_.size() > few.size() ? layout_.size() : 0);
    std::span<std::size_t> own = many.empty() ? std::span<std::size_t>(few) : many;
    own = own.first(sizes(key, own));
    for (std::size_t a = 0; a < own.size(); ++a)
        for (std::size_t b = a + 1; b < own.size(); ++b) {
            // A length is a size in some calls only, so the place is made of the indices of both
            // words.
            std::size_t const low = own[a] < own[b] ? own[a] : own[b];
            std::size_t const high = own[a] < own[b] ? own[b] : own[a];
            f(low * layout_.size() + high,
              static_cast<double>(key[low]) * static_cast<double>(key[high]));
        }
}

template <class Condition>
bool shape_properties::all_of(std::span<std::int64_t const> key, Condition const& condition) const
{
    std::uint64_t salt = 0;
    std::size_t places = layout_.size(); // index of the first such word
    std::size_t arrays = 0;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        shape_part const part = layout_[i].part;
        if (part == shape_part::places) {
            places = std::min(places, i);
            arrays += layout_[i].argument;
        } else if (part == shape_part::number && key[i] < 0) { // % rounds otherwise
            salt = property_hash(salt, property::pattern, {static_cast<std::int64_t>(i), -1});
        } else if (!is_size(part)) {
            std::int64_t const own = part == shape_part::real ? special_real(key[i]) : key[i];
            salt = property_hash(salt, property::pattern, {static_cast<std::int64_t>(i), own});
        }
    }
    auto const holds = [&](property what, std::initializer_list<std::int64_t> numbers) {
        return condition(property_hash(salt, what, numbers));
    };
    auto const place_of = [&](std::size_t array) {
        return key[places + array / place_bits::arrays] >>
                   (place_bits::per_array * (array % place_bits::arrays)) &
               place_mask_;
    };
    for (std::size_t i = 0; i < arrays; ++i) {
        std::int64_t const mine = place_of(i);
        if (!holds(property::place, {static_cast<std::int64_t>(i), mine})) return false;
        for (std::size_t j = i + 1; j < arrays; ++j)
            if (!holds(property::alike, {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j),
                                         mine == place_of(j)}))
                return false;
    }
    for (std::size_t i = 0; i < layout_.size(); ++i)
        if (layout_[i].part == shape_part::real &&
            !holds(property::magnitude, {static_cast<std::int64_t>(i), key[i]}))
            return false;
    std::array<std::size_t, 64> few;
    std::vector<std::size_t> many(layout_.size() > few.size() ? layout_.size() : 0);
    std::span<std::size_t> own = many.empty() ? std::span<std::size_t>(few) : many;
    own = own.first(sizes(key, own));
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        if (!is_size(layout_[i].part)) continue;
        auto const index = static_cast<std::int64_t>(i);
        bool const is_own = std::find(own.begin(), own.end(), i) != own.end();
        if (!holds(property::pattern, {index, is_own}) ||
            !holds(property::octave, {index, half_octave(key[i])}))
            return false;
    }
    for (std::size_t a = 0; a < own.size(); ++a) {
        std::int64_t const n = key[own[a]];
        auto const first = static_cast<std::int64_t>(own[a]);
        for (std::int64_t const m : moduli_) {
            std::int64_t const r = remainder_of(n, m);
            if (!(m <= most_single_remainders
                      ? holds(property::remainder, {first, m, r})
                      : holds(property::group, {first, m, group_of_remainder(r, m)})))
                return false;
        }
        for (std::int64_t const t : tiles_)
            if (!holds(property::tile, {first, t, state_at(n, t)})) return false;
        for (std::size_t i = 0; i < layout_.size(); ++i) {
            if (layout_[i].part != shape_part::real) continue;
            auto const real = static_cast<std::int64_t>(i);
            std::int64_t const path = path_of_real(key[i]);
            if (!holds(property::scaled, {real, path, first, n & 1})) return false;
            for (std::int64_t const t : tiles_)
                if (!holds(property::scaled, {real, path, first, t, state_at(n, t)})) return false;
        }
        for (std::size_t b = 0; b < own.size(); ++b) {
            if (a == b) continue;
            std::int64_t const other = key[own[b]];
            auto const second = static_cast<std::int64_t>(own[b]);
            if (a < b && !holds(property::order, {first, second, (n > other) - (n < other)}))
                return false;
            for (std::int64_t const t : tiles_)
                for (std::int64_t const u : tiles_)
                    if (!holds(property::pair,
                               {first, second, t, u, state_at(n, t), state_at(other, u)}))
                        return false;
        }
    }
    return true;
}

inline std::vector<std::uint64_t> shape_properties::of(std::span<std::int64_t const> key) const
{
    std::vector<std::uint64_t> out;
    static_cast<void>(all_of(key, [&](std::uint64_t one) {
        out.push_back(one);
        return true;
    }));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
