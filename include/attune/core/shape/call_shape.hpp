// attune/core/shape/call_shape.hpp - the properties of a call that decide which code may serve it.
// SPDX-License-Identifier: MIT-0
#pragma once

#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

/// Marks functions to inline at every optimisation level. Without the mark, a file of a program
/// could call another file's copy, which may have instructions that this processor lacks. In a
/// lambda expression, the mark follows the parameters.
#if defined(__GNUC__)
#define ATTUNE_ALWAYS_INLINE __attribute__((always_inline))
#else
#define ATTUNE_ALWAYS_INLINE
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// The content of one word of a shape.
enum class shape_part : std::uint8_t {
    elements, ///< length of an array
    number,   ///< value of an integer
    flag,     ///< value of a boolean or an enumeration
    real,     ///< bits of a bound floating-point number, else its real_class()
    bytes,    ///< hash of an argument of another type
    overlaps, ///< 0, or a hash of the overlapping pairs of arrays and their distances. Two
              ///< read-only arrays count only if they begin at one address
    places,   ///< address modulo 64 of each of up to place_bits::arrays arrays
};

/// Bits of a word `places`: from bit 0, six for each array.
struct place_bits {
    static constexpr std::size_t per_array = 6;
    static constexpr std::size_t arrays = 10; ///< in one word

    /// The bits of an array's address that do not count, if the address counts modulo a power of
    /// two.
    /// @param array  index in its word
    [[nodiscard]] static constexpr std::int64_t beyond(std::size_t array, std::uint32_t modulus)
    {
        return static_cast<std::int64_t>((std::uint64_t{64} - modulus) << (per_array * array));
    }
    /// The same bits for all arrays of a word.
    [[nodiscard]] static constexpr std::int64_t beyond_all(std::uint32_t modulus)
    {
        std::int64_t out = 0;
        for (std::size_t array = 0; array < arrays; ++array)
            out |= beyond(array, modulus);
        return out;
    }
};

/// A word of a shape. `argument` is the index of an argument. In a word `places` it is the number
/// of arrays in the word, in the word `overlaps` the number of arrays in the call.
struct shape_word {
    shape_part part{};
    std::size_t argument = 0;

    [[nodiscard]] friend constexpr bool operator==(shape_word const&, shape_word const&) = default;
};

/// Adds the words `overlaps` and `places`, the last ones of a layout.
inline void add_place_words(std::vector<shape_word>& layout, std::size_t arrays)
{
    if (arrays > 1) layout.push_back({shape_part::overlaps, arrays});
    for (; arrays > place_bits::arrays; arrays -= place_bits::arrays)
        layout.push_back({shape_part::places, place_bits::arrays});
    if (arrays > 0) layout.push_back({shape_part::places, arrays});
}

/// The words that count for one kernel. kernel.ignore<i>(), kernel.any_shape() and
/// kernel.any_alignment() remove some.
struct shape_choice {
    std::vector<bool> ignored{}; ///< by argument; may be shorter
    std::vector<bool> bound{};   ///< by argument: bound to an input; may be shorter
    bool any_shape = false;      ///< only bound arguments count
    bool any_alignment = false;  ///< addresses of arrays within a cache line do not count
    std::uint32_t modulus = 64;  ///< addresses count modulo this power of two, at most 64

    [[nodiscard]] bool is_bound(std::size_t argument) const
    {
        return argument < bound.size() && bound[argument];
    }
    [[nodiscard]] bool counts(std::size_t argument) const
    {
        if (is_bound(argument)) return true;
        return !any_shape && !(argument < ignored.size() && ignored[argument]);
    }
};

/// Number of words of an argument, without its address.
template <class T>
inline constexpr std::size_t shape_words = std::is_pointer_v<T>    ? 0
                                           : is_volume<T>          ? 5
                                           : is_matrix<T>          ? 3
                                           : is_pointer_array<T>() ? 2
                                                                   : 1;
/// Number of lengths among these words; lengths come first.
template <class T>
inline constexpr std::size_t length_words = is_volume<T>   ? 3
                                            : is_matrix<T> ? 2
                                                           : 1;

template <class T>
[[nodiscard]] constexpr shape_part part_of() noexcept
{
    if constexpr (is_array<T>)
        return shape_part::elements;
    else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>)
        return shape_part::flag;
    else if constexpr (std::is_integral_v<T>)
        return shape_part::number;
    else if constexpr (std::is_floating_point_v<T>)
        return shape_part::real;
    else
        return shape_part::bytes;
}

struct array_place {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0; ///< one past the end
};

template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t bits_of_real(T value) noexcept
{
    double const as_double = static_cast<double>(value);
    std::int64_t out = 0;
    std::memcpy(&out, &as_double,
                sizeof out); // std::bit_cast is a call if the compiler does not inline it
    return out;
}

/// Class of a number: its sign, its half octave, if it is a power of two, and if it is whole. Zero,
/// one, minus one, infinities and NaN have separate classes.
/// @param bits  bits of the number as a double
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t real_class(std::int64_t bits) noexcept
{
    constexpr int fraction_bits = 52;
    constexpr std::int64_t fraction_mask = (std::int64_t{1} << fraction_bits) - 1;
    std::int64_t const fraction = bits & fraction_mask;
    std::int64_t const exponent = ((bits >> fraction_bits) & 0x7ff) - 1023;
    std::int64_t const below_one = // bits of the number with a value below one
        exponent < 0               ? bits << 1
        : exponent < fraction_bits ? (fraction << exponent) & fraction_mask
                                   : 0;
    return (bits >> fraction_bits) * 8 + ((fraction >> (fraction_bits - 1)) != 0 ? 4 : 0) +
           (fraction != 0 ? 2 : 0) + (below_one != 0 ? 1 : 0);
}

/// The numbers for which code often has a separate path: zero, one, minus one, NaN and infinities.
/// All other numbers are one class.
/// @param one  a real_class()
[[nodiscard]] inline std::int64_t special_real(std::int64_t one) noexcept
{
    constexpr std::int64_t sign = std::int64_t{-2048} * 8;
    bool const is_zero = one == 0 || one == sign;
    bool const is_one = one == 1023 * 8 || one == sign + 1023 * 8;
    bool const is_endless = (one & 0x3ff8) == 0x7ff * 8;
    return is_zero ? 0 : is_one || is_endless ? one : 1;
}

/// The lengths of a view, then its strides.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::array<std::size_t, shape_words<T>>
numbers_of_view(T const& view) noexcept
{
    if constexpr (is_volume<T>)
        return {view.slices(), view.rows(), view.columns(), view.slice_stride(), view.row_stride()};
    else
        return {view.rows(), view.columns(), view.row_stride()};
}

/// Elements from the first to the last of a view.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::size_t extent_of_view(T const& view) noexcept
{
    if (view.rows() == 0 || view.columns() == 0) return 0;
    std::size_t const matrix = (view.rows() - 1) * view.row_stride() + view.columns();
    if constexpr (is_volume<T>)
        return view.slices() == 0 ? 0 : (view.slices() - 1) * view.slice_stride() + matrix;
    else
        return matrix;
}

/// For an array of pointers: the OR of the addresses' bits modulo 64. Adds 64 if two of 17 in a row
/// are equal, and 128 if one is null.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t place_of_targets(T const& pointers) noexcept
{
    constexpr std::size_t most_compared = 16; // with each address
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < pointers.size(); ++i) {
        auto const at = reinterpret_cast<std::uintptr_t>(pointers[i]);
        out |= at & 63u;
        if (at == 0) out |= 128u;
        for (std::size_t j = i < most_compared ? 0 : i - most_compared; at != 0 && j < i; ++j)
            if (pointers[i] == pointers[j]) out |= 64u;
    }
    return static_cast<std::int64_t>(out);
}

template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t hash_of_bytes(T const& value) noexcept
{
    static_assert(std::is_trivially_copyable_v<T>);
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    std::uint64_t out = 0xcbf29ce484222325u;
    for (std::byte const b : bytes)
        out = (out ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    return static_cast<std::int64_t>(out);
}

/// Returns true if a call may write to an argument of this type.
template <class T>
[[nodiscard]] constexpr bool may_write() noexcept
{
    if constexpr (detail::is_array<T>)
        return !std::is_const_v<element_of<T>>;
    else
        return false;
}

/// The shape of calls of one signature, as a fixed number of 64-bit words.
///
/// A shape holds every property that can make code right for one call and wrong for another.
/// Examples: lengths and alignment of arrays, distances of overlaps, integers. For a floating-point
/// number that is not bound to an input, it holds the real_class().
template <class... Args>
class shape_of_call {
public:
    static constexpr std::size_t array_count =
        (std::size_t{0} + ... + (detail::is_array<Args> ? 1 : 0));
    /// Number of words `places`, the last words of a shape.
    static constexpr std::size_t place_words =
        (array_count + place_bits::arrays - 1) / place_bits::arrays;
    static constexpr bool can_overlap = array_count > 1;
    static constexpr std::size_t size =
        (std::size_t{0} + ... + shape_words<Args>)+(can_overlap ? 1 : 0) + place_words;
    using key = std::array<std::int64_t, size>;

    explicit shape_of_call(shape_choice const& choice)
    {
        std::vector<shape_word> const words = layout();
        for (std::size_t i = 0; i < size; ++i) {
            bool const is_place =
                words[i].part == shape_part::places || words[i].part == shape_part::overlaps;
            kept_[i] = (is_place ? !choice.any_shape : choice.counts(words[i].argument))
                           ? ~std::int64_t{0}
                           : 0;
            if (!is_place && choice.is_bound(words[i].argument)) is_bound_[i] = ~std::int64_t{0};
        }
        std::size_t argument = 0;
        std::size_t array = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            if constexpr (detail::is_array<T>) {
                bool const is_ignored = choice.any_alignment || !choice.counts(argument);
                kept_[size - place_words + array / place_bits::arrays] &= ~place_bits::beyond(
                    array % place_bits::arrays, is_ignored ? 1 : choice.modulus);
                ++array;
            }
            ++argument;
        };
        (look(std::type_identity<Args>{}), ...);
    }

    /// The meaning of each word, in order.
    [[nodiscard]] static std::vector<shape_word> layout()
    {
        std::vector<shape_word> out;
        std::size_t argument = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            for (std::size_t i = 0; i < shape_words<T>; ++i) {
                shape_part part = part_of<T>();
                if (i >= length_words<T>)
                    part = detail::is_view<T> ? shape_part::number : shape_part::flag;
                out.push_back({part, argument});
            }
            ++argument;
        };
        (look(std::type_identity<Args>{}), ...);
        add_place_words(out, array_count);
        return out;
    }

    /// Cost   a few ns, and one for each overlap; no allocation
    [[nodiscard]] ATTUNE_ALWAYS_INLINE key operator()(Args const&... args) const noexcept
    {
        key out{};
        std::size_t word = 0;
        [[maybe_unused]] std::size_t array = 0;
        [[maybe_unused]] std::array<std::uint64_t, place_words + 1> places{};
        [[maybe_unused]] std::array<array_place, array_count + 1> where{};
        auto const look = [&]<class T>(T const& argument) ATTUNE_ALWAYS_INLINE {
            if constexpr (detail::is_array<T>) {
                using element = element_of<T>;
                std::uintptr_t first = 0;
                std::size_t count = 0;
                if constexpr (std::is_pointer_v<T>) {
                    first = reinterpret_cast<std::uintptr_t>(argument);
                    count = 1; // equal pointers overlap; the true length is not known here
                } else if constexpr (detail::is_view<T>) {
                    first = reinterpret_cast<std::uintptr_t>(argument.data());
                    count = extent_of_view(argument);
                    for (std::size_t const number : numbers_of_view(argument)) {
                        out[word] = static_cast<std::int64_t>(number) & kept_[word];
                        ++word;
                    }
                } else {
                    first = reinterpret_cast<std::uintptr_t>(argument.data());
                    count = argument.size();
                    out[word] = static_cast<std::int64_t>(count) & kept_[word];
                    ++word;
                    if constexpr (is_pointer_array<T>()) {
                        out[word] = place_of_targets(argument) & kept_[word];
                        ++word;
                    }
                }
                where[array] = {first, first + count * sizeof(element)};
                places[array / place_bits::arrays] |=
                    (first & 63u) << (place_bits::per_array * (array % place_bits::arrays));
                ++array;
            } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
                out[word] = static_cast<std::int64_t>(argument) & kept_[word];
                ++word;
            } else if constexpr (std::is_floating_point_v<T>) {
                std::int64_t const bits = bits_of_real(argument);
                out[word] = ((bits & is_bound_[word]) | (real_class(bits) & ~is_bound_[word])) &
                            kept_[word];
                ++word;
            } else {
                out[word] = hash_of_bytes(argument) & kept_[word];
                ++word;
            }
        };
        (look(args), ...);
        if constexpr (can_overlap) {
            std::uint64_t overlaps = 0;
            std::uint64_t pair = 0;
            for (std::size_t i = 0; i < array_count; ++i)
                for (std::size_t j = i + 1; j < array_count; ++j) {
                    bool const is_written = writable[i] || writable[j];
                    if (is_written) ++pair;
                    if (!is_written && where[i].first != where[j].first) continue;
                    if (where[i].first < where[j].last && where[j].first < where[i].last)
                        overlaps += overlap_hash(is_written ? pair : ~(i * array_count + j),
                                                 where[j].first - where[i].first);
                }
            out[word] = static_cast<std::int64_t>(overlaps) & kept_[word];
            ++word;
        }
        for (std::size_t i = 0; i < place_words; ++i, ++word)
            out[word] = static_cast<std::int64_t>(places[i]) & kept_[word];
        if constexpr ((is_pointer_array<Args>() || ...)) add_targets(out, where, args...);
        return out;
    }

private:
    /// Adds to the word of each array of pointers which of its targets begin in another array, or
    /// are targets of another one at the same index. The low byte holds place_of_targets().
    ATTUNE_ALWAYS_INLINE void add_targets(key& out,
                                          std::array<array_place, array_count + 1> const& where,
                                          Args const&... args) const noexcept
    {
        std::size_t word = 0;
        std::size_t array = 0;
        auto const look = [&]<class T>(T const& pointers) ATTUNE_ALWAYS_INLINE {
            if constexpr (is_pointer_array<T>()) {
                std::uint64_t met = 0;
                for (std::size_t i = 0; i < pointers.size(); ++i) {
                    auto const target = reinterpret_cast<std::uintptr_t>(pointers[i]);
                    for (std::size_t j = 0; j < array_count; ++j)
                        if (j != array && target >= where[j].first && target < where[j].last &&
                            (writes_to_targets<T>() || writable[j]))
                            met += overlap_hash(i * array_count + j, target - where[j].first);
                }
                auto const compare = [&]<class U>(U const& others) ATTUNE_ALWAYS_INLINE {
                    if constexpr (is_pointer_array<U>()) {
                        if (static_cast<void const*>(&others) == &pointers) return;
                        for (std::size_t i = 0; i < pointers.size() && i < others.size(); ++i)
                            if (pointers[i] != nullptr &&
                                static_cast<void const*>(pointers[i]) == others[i])
                                met += overlap_hash(~std::uint64_t{i}, 0);
                    }
                };
                (compare(args), ...);
                out[word + 1] ^= static_cast<std::int64_t>(met << 8) & kept_[word + 1];
            }
            word += shape_words<T>;
            if constexpr (detail::is_array<T>) ++array;
        };
        (look(args), ...);
    }

    template <class T>
    [[nodiscard]] static constexpr bool writes_to_targets() noexcept
    {
        return !std::is_const_v<std::remove_pointer_t<std::remove_cv_t<element_of<T>>>>;
    }

    /// Never 0. Different overlaps have equal hashes with probability 2^-63.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE static std::uint64_t
    overlap_hash(std::uint64_t pair, std::uintptr_t distance) noexcept
    {
        std::uint64_t out =
            (pair * 0x9e3779b97f4a7c15u ^ std::uint64_t{distance}) * 0xbf58476d1ce4e5b9u;
        out = (out ^ (out >> 32)) * 0x94d049bb133111ebu;
        return out | 1u;
    }

    static constexpr std::array<bool, array_count + 1> writable = [] {
        std::array<bool, array_count + 1> out{};
        [[maybe_unused]] std::size_t array = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            if constexpr (detail::is_array<T>) out[array++] = may_write<T>();
        };
        (look(std::type_identity<Args>{}), ...);
        return out;
    }();

    std::array<std::int64_t, size> kept_{};
    std::array<std::int64_t, size> is_bound_{};
};

/// Each word has its own odd factor, so that the multiplications are independent.
template <class Key>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::uint64_t hash_of_shape(Key const& key) noexcept
{
    std::uint64_t out = 0x9e3779b97f4a7c15u;
    std::uint64_t factor = 0xbf58476d1ce4e5b9u;
    for (std::size_t i = 0; i < key.size(); ++i) {
        out += (static_cast<std::uint64_t>(key[i]) + i) * factor;
        factor += 0x7fb5d329728ea186u; // even: the factor stays odd
    }
    out ^= out >> 32;
    out *= 0x94d049bb133111ebu;
    return out ^ (out >> 29);
}

} // namespace attune::inline ATTUNE_ABI::detail
